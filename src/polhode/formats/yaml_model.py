"""The model file in YAML (JSON is a part of it): read, write, and its schema."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import FormatError, Problem, warn
from ..files.writing import put_in_place
from ..model import System
from ..model.records import GROUND
from .build import build
from .describe import describe, emit
from .document import parse
from .fields import model_record, validate
from .findings import Report
from .records import Model
from .source import read_text


def load_yaml(path: str | os.PathLike[str]) -> System:
    """Read a mechanism from a YAML or JSON file; its name, unless it says otherwise, is the file's."""
    system, report = read_yaml(path)
    _warn_of(report.warnings)
    return system


def read_yaml(path: str | os.PathLike[str]) -> tuple[System, Report]:
    """A mechanism as `load_yaml` reads it, and a report of doubtful entries in its file."""
    file = Path(path)
    system, findings = _read(read_text(file), file.stem or "system", str(file))
    return system, Report(str(file), system.name, GROUND, warnings=findings)


def _read(text: str, name: str, file: str) -> tuple[System, tuple[Problem, ...]]:
    document = parse(text, file)
    record = validate(document)
    if record is None:
        document.check()
        raise FormatError("this is not a model.", file, "See docs/model-file.md.", "E-MODELFILE-READ")
    return build(document, record, name), tuple(document.findings)


def _warn_of(findings: Iterable[Problem]) -> None:
    """Warn of findings at the caller's line."""
    for finding in findings:
        warn(finding.message, place=finding.place, cure=finding.cure, code=finding.code)


def loads_yaml(text: str, name: str = "system", file: str = "<text>") -> System:
    """Read a mechanism from YAML text.

    >>> system = loads_yaml('''
    ... bodies:
    ...   bob: {mass: m, com: [0, 0, -l]}
    ... joints:
    ...   hinge: {parent: ground, child: bob, type: revolute, axis: y}
    ... parameters: {m: 1, l: 0.5}
    ... ''')
    >>> system.derive().mass_matrix[0, 0] == system.parameters["m"].symbol * system.parameters["l"].symbol ** 2
    True
    """
    system, findings = _read(text, name, file)
    _warn_of(findings)
    return system


def dumps_yaml(system: System, folder: str | os.PathLike[str] | None = None) -> str:
    """A mechanism as YAML text that reads back as the same mechanism, in the folder that data files are named from."""
    return emit(describe(system, None if folder is None else Path(folder)))


def save_yaml(system: System, path: str | os.PathLike[str]) -> None:
    """Write a mechanism to a YAML file, whole or not at all."""
    file = Path(path)
    text = dumps_yaml(system, file.parent)
    try:
        put_in_place({file: text.encode("utf-8")})
    except (OSError, ValueError) as error:
        message = f"the file cannot be written: {error}."
        raise FormatError(message, str(file), "Check the folder and its permissions.", "E-FILE-WRITE") from None


def schema() -> dict[str, Any]:
    """The JSON Schema of the model file (draft 2020-12), with every type that is registered.

    >>> schema()["title"]
    'polhode model file'
    """
    result: dict[str, Any] = json.loads(_schema_of(model_record()))
    return result


@cache
def _schema_of(record: type[Model]) -> str:
    """The JSON Schema of a record, as text, of which each reader has a copy of its own."""
    result = record.model_json_schema()
    return json.dumps(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **result, "title": "polhode model file"}
    )
