"""The expressions of a model: what acts on a mechanism, part by part, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..expr import Expr, as_expr, free_symbols
from .model import Model


def acting_parts(model: Model) -> Iterator[tuple[str, Any]]:
    """The parts of a system that act on it, in words, each with the records that hold its expressions."""
    for acting in model.acting:
        yield f"the {acting.element.place}", acting.loads
    for name, state in model.states.items():
        yield f"the rate of state '{name}'", state.rate
    for prescribed in model.prescribed.values():
        yield f"the prescribed motion of '{prescribed.coordinate}'", prescribed
    for name, constraint in model.constraints.items():
        yield f"the constraint '{name}'", constraint
    placed = {f"joint '{name}'": (joint.in_parent, joint.in_child) for name, joint in model.joints.items()}
    for label, poses in (placed | {f"frame '{name}'": (frame.pose,) for name, frame in model.frames.items()}).items():
        entries = [as_expr(entry) for pose in poses for entry in (*pose.p, *pose.R.entries())]
        if model.time in free_symbols(entries):
            yield f"the place of {label}", entries
    yield "gravity", model.gravity


def expressions_of(model: Model) -> list[Expr]:
    """The expressions of all parts of a system that act on it."""
    return [expression for _, part in acting_parts(model) for expression in expressions_in(part)]


def expressions_in(part: Any) -> Iterator[Expr]:
    """The expressions in a record, however deep."""
    if isinstance(part, Expr):
        yield part
    elif isinstance(part, Mapping):
        for entry in part.values():
            yield from expressions_in(entry)
    elif isinstance(part, list | tuple):
        for entry in part:
            yield from expressions_in(entry)
    elif is_dataclass(part):
        for field in fields(part):
            yield from expressions_in(getattr(part, field.name))
