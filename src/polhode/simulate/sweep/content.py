"""Content as text: what the options of a run are, so that the same ones have the same digest in every process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from ...compiled.functions import Functions
from ...expr import Expr, Function
from ...expr.archive import dump
from ...files.version import LOADED_AT, source_digest


class Unknowable(Exception):
    """A value whose content cannot be told, such as a function that is in no file; its words name it."""


def content_of(value: Any) -> str:
    """Numbers exactly, arrays by their bytes, expressions by their form, functions by the file that they are in.

    >>> content_of({"b": 1.5, "a": [True, None]})
    "{'a': [True, None], 'b': 1.5}"
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | Fraction):
        return repr(value)
    if isinstance(value, Expr):
        return dump([value])
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.str} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(sorted(f"{content_of(key)}: {content_of(each)}" for key, each in value.items())) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(content_of, value)) + "]"
    if isinstance(value, Functions):
        return f"functions {content_of(value.__reduce__()[0].keywords)}"
    if isinstance(value, Function):
        return f"function {value.opaque.digest}"
    if isinstance(value, partial):
        return f"partial {content_of([value.func, value.args, value.keywords])}"
    if isinstance(value, FunctionType):
        return _function(value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = [content_of(getattr(value, each.name)) for each in fields(value) if each.compare]
        return f"{type(value).__name__}{source_digest(type(value))}({', '.join(parts)})"
    raise Unknowable(f"{type(value).__name__} {value!r}")


def _function(function: Callable[..., Any]) -> str:
    """A function is known by its file, its place in it, and by what it has taken in from around it."""
    code, name = function.__code__, function.__qualname__
    file = getattr(sys.modules.get(function.__module__), "__file__", None)
    try:
        changed = Path(str(file)).stat().st_mtime_ns > LOADED_AT
    except OSError:
        changed = True
    if changed:
        raise Unknowable(f"function '{name}', which is in no file, or in one that was changed since")
    inside = [cell.cell_contents for cell in function.__closure__ or ()]
    around = [inside, function.__defaults__, function.__kwdefaults__, vars(function)]
    return f"{function.__module__}.{name} {code.co_firstlineno} {source_digest(function)} {content_of(around)}"
