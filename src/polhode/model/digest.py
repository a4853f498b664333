"""The digest of a Model: the same mechanism gives the same one, in every process.

Expressions enter as they are written, numbers exactly: two ways to write one expression lead to different programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256
from inspect import getmro
from typing import Any

import numpy as np

from ..expr import Expr, topological
from ..expr.node import CALL, NUMBER
from ..files.version import source_digest
from .body import Body, Shape
from .joints import JointType
from .model import Model

_TABLES = (
    "gravity", "bodies", "joints", "frames", "parameters", "inputs", "states", "couplings", "prescribed", "constraints",
    "contacts",
)  # fmt: skip


def digest(model: Model) -> str:
    """Digest of all that determines the equations, and of equipment; names of poses and shapes of bodies do not."""
    word = sha256()
    loads = [
        (acting.name, acting.loads) for acting in model.acting
    ]  # an element may be a user's own: what it comes to counts
    equipment = [model.equipment] if model.equipment else []
    for part in (*(getattr(model, table) for table in _TABLES), loads, *equipment):
        word.update(repr(_plain(part)).encode("utf-8", "surrogatepass"))
    return word.hexdigest()


def digest_of(expressions: Sequence[Expr]) -> str:
    """The digest of expressions as they are written."""
    return sha256(repr(_plain(list(expressions))).encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: Any) -> Any:
    """Nested tuples of names and numbers."""
    if type(value) is Expr:
        return _written(value)
    if isinstance(value, Mapping):
        return tuple((str(key), _plain(entry)) for key, entry in value.items())
    if isinstance(value, list | tuple):
        return tuple(_plain(entry) for entry in value)
    if isinstance(value, JointType):  # it is its stages, whatever its type makes them of
        return ("JointType", value.kind, _plain(value.stages), *value.from_parent)
    if is_dataclass(value):
        looks = ("shapes",) if isinstance(value, Body) else ("color",) if isinstance(value, Shape) else ()
        names = [field.name for field in fields(value) if field.compare and field.name not in looks]
        kind: type = type(value)
        sources = "".join(map(source_digest, getmro(kind)))  # of a constraint of a user's own, what its files state
        return (kind.__name__, sources, *((name, _plain(getattr(value, name))) for name in names))
    if isinstance(value, np.ndarray):  # its repr leaves out what is in the middle
        return ("array", value.dtype.str, value.shape, value.tobytes().hex())
    return value if isinstance(value, int | str) else repr(value)


def _written(root: Expr) -> tuple[Any, ...]:
    """The form of an expression: each node's operation, its data, and the indices of its operands."""
    order = topological([root])
    at = {id(node): k for k, node in enumerate(order)}
    return tuple((node.op, _data(node), *(at[id(arg)] for arg in node.args)) for node in order)


def _data(node: Expr) -> Any:
    if node.op == NUMBER:
        return f"{node.data.numerator:x}/{node.data.denominator:x}"
    return node.data.digest if node.op == CALL else node.data
