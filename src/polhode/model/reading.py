"""Reading what a user hands to a System: names, vectors, poses; each wrong one with its place and its cure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import ModelError, suggestion
from ..expr import Expr, Vector, as_expr, symbol, unit_symbols
from ..expr.spelling import OWN, QUASI
from ..geometry import Pose
from ..geometry.exact_rotation import as_rotation
from .joint_type import JointType

NAME_LIMIT = 128


def unknown(kind: str, name: str, known: Iterable[str], place: str) -> ModelError:
    return ModelError(f"there is no {kind} '{name}'.", place=place, cure=suggestion(name, known), code="E-MODEL-012")


def checked_name(name: object, kind: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ModelError(f"a {kind} needs a name, not {name!r}.", code="E-MODEL-013")
    if len(name) > NAME_LIMIT:
        raise ModelError(
            f"the name has {len(name)} characters, more than {NAME_LIMIT}.",
            place=f"{kind} '{name[:20]}…'",
            code="E-MODEL-014",
        )
    return name


def zeros() -> Vector:
    return Vector([as_expr(0)] * 3)


def vector_of(value: Iterable[Any], place: str) -> Vector:
    entries = [as_expr(entry) for entry in value]
    if len(entries) != 3:
        raise ModelError(f"a vector has 3 components, not {len(entries)}.", place=place, code="E-MODEL-015")
    return Vector(entries)


def pose_of(at: Iterable[Any], rotation: Any, place: str) -> Pose:
    return Pose(as_rotation(rotation, f"{place} rotation"), vector_of(at, f"{place} position"))


def names_of(joint: str, labels: list[str], given: Sequence[str] | None, place: str) -> list[str]:
    if given is None:
        return [f"{joint}_{label}" if label else joint for label in labels]
    if len(given) != len(labels):
        raise ModelError(f"{len(given)} names for {len(labels)}.", place=place, code="E-MODEL-016")
    return [checked_name(name, "coordinate") for name in given]


def speed_roles(kind: JointType, q_names: list[str], u_names: list[str]) -> list[str]:
    """What each speed is to the coordinate of its name, if the joint has one: its rate, or something else."""
    rates: list[str | None] = []
    start = 0
    for stage in kind.stages:
        own = q_names[start : start + stage.speeds]
        rates += own if stage.speeds_are_rates else [None] * stage.speeds
        start += stage.coordinates
    return ["" if u == rate else QUASI if u in q_names else OWN for u, rate in zip(u_names, rates, strict=True)]


def coordinate_symbols(kind: JointType, names: list[str]) -> tuple[Expr, ...]:
    made: list[Expr] = []
    for stage in kind.stages:
        own = names[len(made) : len(made) + stage.coordinates]
        if stage.storage == "quaternion":
            made += unit_symbols(own[:4], "coordinate")
            made += [symbol(name, "coordinate") for name in own[4:]]
        else:
            made += [symbol(name, "coordinate") for name in own]
    return tuple(made)
