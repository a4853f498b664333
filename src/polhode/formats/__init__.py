"""Model files, in and out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from ..errors import FormatError, PolhodeError, path_of, suggestion
from .source import folder_given

if TYPE_CHECKING:
    from typing import Unpack

    from ..model import System
    from .dh import from_dh
    from .findings import Report
    from .mjcf import from_mujoco, load_mjcf
    from .options import ReaderOptions
    from .pinocchio import from_pinocchio
    from .sdf import load_sdf
    from .urdf import load_urdf
    from .xml_model import load_xml
    from .yaml_model import dumps_yaml, load_yaml, loads_yaml, save_yaml, schema

#: The reader of each extension; a reader is loaded when it is first needed.
READERS: dict[str, str] = dict.fromkeys((".yaml", ".yml", ".json"), "load_yaml") | {
    ".urdf": "load_urdf", ".mjcf": "load_mjcf", ".sdf": "load_sdf", ".xml": "load_xml",
}  # fmt: skip

_HOMES = {
    "load_yaml": "yaml_model", "loads_yaml": "yaml_model", "dumps_yaml": "yaml_model", "save_yaml": "yaml_model",
    "load_urdf": "urdf", "load_mjcf": "mjcf", "load_sdf": "sdf", "load_xml": "xml_model", "schema": "yaml_model",
    "from_dh": "dh", "from_mujoco": "mjcf", "from_pinocchio": "pinocchio",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


_FOREIGN = {".xacro": "xacro"}


def load(path: str | os.PathLike[str], **options: Unpack[ReaderOptions]) -> System:
    """Read a mechanism from a file, by its extension; options are the reader's, as `base="floating"` for URDF."""
    file = path_of(path)
    suffix = file.suffix.lower()
    if suffix in READERS:
        _check_options(READERS[suffix], suffix, options)
        read: Callable[..., System] = __getattr__(READERS[suffix])
        return read(path, **options)
    if suffix in _FOREIGN:
        cure = f"Expand it first: xacro {file.name} > {file.stem.removesuffix('.urdf')}.urdf"
        raise FormatError(f"{_FOREIGN[suffix]} is not read yet.", place=str(file), cure=cure, code="E-FILE-READ")
    if os.path.isdir(file):  # False for a name that is too long
        raise folder_given(str(file))
    message = f"the extension {suffix!r} names no model format." if suffix else "the file has no extension."
    raise FormatError(message, place=str(file), cure=f"A model file ends in {', '.join(READERS)}.", code="E-FILE-NAME")


def read(path: str | os.PathLike[str], **options: Unpack[ReaderOptions]) -> tuple[System, Report | None]:
    """A mechanism as `load` reads it, and the report of warnings and notices that readers give."""
    suffix = path_of(path).suffix.lower()
    if suffix not in READERS:
        return load(path, **options), None
    reader = READERS[suffix]
    _check_options(reader, suffix, options)
    home = import_module(f".{_HOMES[reader]}", __name__)
    result: tuple[System, Report] = getattr(home, reader.replace("load_", "read_"))(path, **options)
    return result


def _check_options(reader: str, suffix: str, names: Iterable[str]) -> None:
    if not names:
        return
    readers = ("load_urdf", "load_sdf", "load_mjcf") if reader == "load_xml" else (reader,)
    taken = [parameter for one in readers for parameter in signature(__getattr__(one)).parameters.values()]
    options = list(dict.fromkeys(parameter.name for parameter in taken if parameter.kind is Parameter.KEYWORD_ONLY))
    for name in names:
        if name not in options:
            listed = (
                f"Its options are {', '.join(options)}."
                if options
                else "It has none: contacts, stops and friction are sections of the file."
            )
            message = f"the reader of {suffix} files has no option {name!r}."
            raise PolhodeError(message, place="load", cure=suggestion(name, options, listed), code="E-FILE-NAME")


__all__ = [
    "READERS", "dumps_yaml", "from_dh", "from_mujoco", "from_pinocchio",
    "load", "load_mjcf", "load_sdf", "load_urdf", "load_xml", "load_yaml",
    "loads_yaml", "save_yaml", "schema",
]  # fmt: skip
__dir__ = __all__.copy
