"""The model file in YAML (JSON is a part of it): read and write."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import FormatError
from ..model import System
from .build import build
from .document import parse
from .source import read_text
from .validate import validate


def load_yaml(path: str | os.PathLike[str]) -> System:
    """Read a mechanism from a YAML or JSON file; its name, unless it says otherwise, is the file's."""
    file = Path(path)
    return loads_yaml(read_text(file), name=file.stem or "system", file=str(file))


def loads_yaml(text: str, name: str = "system", file: str = "<text>") -> System:
    """Read a mechanism from YAML text.

    >>> system = loads_yaml('''
    ... bodies:
    ...   bob: {mass: m, com: [0, 0, -l]}
    ... joints:
    ...   hinge: {parent: ground, child: bob, type: revolute, axis: y}
    ... parameters: {m: 1, l: 0.5}
    ... ''')
    >>> system.derive().mass_matrix
    Matrix([[m*l**2]])
    """
    document = parse(text, file)
    record = validate(document)
    document.check()
    if record is None:
        raise FormatError("this is not a model.", place=file)
    return build(document, record, name)
