"""From a path to text: errors for files that are missing, huge, binary, or of another kind."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from ..errors import FormatError, LimitError
from ..files.reading import TooLarge, read_file

SIZE_LIMIT = 20_000_000

_ROOTS = {
    "robot": "a URDF robot description",
    "sdf": "an SDF world",
    "mujoco": "a MuJoCo (MJCF) model",
    "html": "a web page",
    "!doctype": "a web page or another document with a DOCTYPE",
}


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 with a byte order mark."""
    place = str(path)
    try:
        if path.is_dir():
            raise folder_given(place)
        content = read_file(path, SIZE_LIMIT)
    except TooLarge as error:
        raise _too_large(f"{error.strerror}.", place) from None
    except FileNotFoundError:
        raise FormatError("there is no such file.", place=place, cure=_neighbours(path), code="E-FILE-NAME") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        message = f"the file cannot be read: {reason}."
        raise FormatError(message, place=place, cure="Check its name and permissions.", code="E-FILE-READ") from None
    return decode(content, place)


def folder_given(place: str) -> FormatError:
    """The error of a folder where a model file should be."""
    message = "this is a folder, not a model file."
    return FormatError(message, place=place, cure="Name a .yaml file.", code="E-FILE-READ")


def _too_large(message: str, place: str) -> LimitError:
    cure = "A model file holds a mechanism; keep data elsewhere."
    return LimitError(message, place=place, cure=cure, code="E-FILE-SIZE")


def decode(content: bytes, place: str) -> str:
    """Bytes as text, without a byte order mark."""
    if len(content) > SIZE_LIMIT:
        raise _too_large(f"more than {SIZE_LIMIT:,} bytes.", place)
    encoding = "utf-8-sig"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        message = (
            f"this is not {'UTF-16' if encoding == 'utf-16' else 'UTF-8'} text: byte {error.start + 1} cannot be read."
        )
        raise FormatError(
            message, place=f"{place}:{line}", cure="Save the file as UTF-8.", code="E-FILE-READ"
        ) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        cure = "It is binary, or UTF-16 or UTF-32 without a mark; save it as UTF-8."
        raise FormatError("the file contains NUL characters.", place=f"{place}:{line}", cure=cure, code="E-FILE-READ")
    _refuse_markup(text, place)
    return text


def _refuse_markup(text: str, place: str) -> None:
    """Refuse a file that begins with a tag, naming its format."""
    head = text[:4000].lstrip()
    if not head.startswith("<"):
        return
    tags = re.findall(r"<\s*(!?[a-zA-Z][\w.-]*)", head)
    kind = next((_ROOTS[tag.lower()] for tag in tags if tag.lower() in _ROOTS), "XML")
    message = f"this looks like {kind}, not like a polhode model file."
    raise FormatError(
        message, place=f"{place}:1", cure="A polhode model is written in YAML or JSON.", code="E-FILE-READ"
    )


def _neighbours(path: Path) -> str:
    try:
        siblings = sorted(entry.name for entry in path.parent.iterdir() if entry.suffix in (".yaml", ".yml", ".json"))
    except (OSError, ValueError):
        return f"The folder '{path.parent}' cannot be read either."
    if not siblings:
        return f"The folder '{path.parent}' holds no model file."
    return f"The folder '{path.parent}' holds {', '.join(siblings[:5])}{' …' if len(siblings) > 5 else ''}."
