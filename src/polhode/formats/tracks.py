"""Discs on curves in a model file, in and out: the curve is a pair of expressions in a parameter of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, count
from typing import Any

from ..expr import Expr, substitute, symbol
from ..geometry import Pose
from ..model import System
from ..model.constraint import Disc
from ..model.track import plane_across
from . import records
from .document import Path
from .names import Scope
from .spelling import describe_axis, spell
from .values import Values


def add_disc(
    system: System | None, values: Values, path: Path, key: str, record: records.Track, now: Expr | None
) -> None:
    """A disc on a curve; its parameter is a name that only the curve knows."""
    before = len(values.document.problems)
    own = symbol(record.parameter, "coordinate")
    given: dict[str, Any] = {
        "radius": values.number((*path, "radius"), record.radius),
        "axis": values.axis((*path, "axis"), record.axis),
        "centre": values.vector((*path, "centre"), record.centre),
        "at": values.vector((*path, "at"), record.at),
        "rotation": values.rotation((*path, "rotation"), record.rotation),
    }
    inside = replace(values, scope=_with_parameter(values.scope, own, now))
    curve = [inside.number((*path, "curve", k), text) for k, text in enumerate(record.curve)]
    if system is None or len(values.document.problems) > before:
        return
    with values.noting(path):
        system.roll_disc(
            key,
            record.body,
            curve=lambda place: substitute(curve, {own: place}),
            on=record.on,
            slips=record.slips,
            **given,
        )


def _with_parameter(scope: Scope, own: Expr, now: Expr | None) -> Scope:
    tables: dict[str, Mapping[str, Expr]] = {**scope.tables, "coordinate": {own.name: own}}
    return replace(scope, tables=tables, now=now)


def describe_disc(disc: Disc, scope: Scope, now: Expr) -> dict[str, Any]:
    """What is particular to a disc on a curve: where the curve's frame is goes beside it."""
    taken = scope.tables.get("parameter", {})
    names = chain(["s"], (f"s{k}" for k in count(2)))
    own = symbol(next(name for name in names if name not in taken), "coordinate")
    inside = _with_parameter(scope, own, now)
    return {
        "type": "disc",
        "body": disc.body,
        "radius": spell(disc.radius, scope),
        **({} if own.name == "s" else {"parameter": own.name}),
        "curve": [spell(entry, inside) for entry in substitute(disc.curve, {disc.parameter: own})],
        "axis": describe_axis(disc.axis, scope),
        **({"slips": "true"} if disc.slips else {}),
    }


def frame_of(disc: Disc) -> Pose:
    """The frame in which the curve is given: its plane is turned across the disc's axis from there."""
    return Pose(disc.plane.R @ plane_across(disc.axis).T, disc.plane.p)
