"""How a joint moves and how it is turned, in the model file's words: named where a name says it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import FormatError, PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, pi, same
from ..expr.node import NEG
from ..geometry import rotation, unit_axis
from ..model import Joint, JointType
from ..model.joint_type import BY_NAME, joint_type
from ..model.stage import Stage
from .names import Scope
from .spelling import spell

_LETTERS = ("x", "y", "z", "-x", "-y", "-z")


def describe_motion(joint: Joint, scope: Scope) -> tuple[dict[str, Any], bool]:
    """The keys that say how a joint moves, and whether they bring the usual names of its coordinates along."""
    kind = joint.type
    if not kind.stages:
        return {"type": "fixed"}, True
    named = _named(kind, kind.name, scope)
    if named is not None:
        return named, True
    if kind.outermost_first and all(stage.storage == "angles" for stage in kind.stages):
        return _map(kind.stages, scope), all(not stage.coordinate_labels for stage in kind.stages)
    if kind.outermost_first and len(kind.stages) > 1:
        raise FormatError(
            "a joint of several stages, listed from the child, stores an orientation as a quaternion or vector.",
            place=f"joint '{joint.name}'",
            cure="Write it as Compound(...), from the parent to the child.",
            code="E-YAML-044",
        )
    return {"sequence": [_stage(stage, scope) for stage in kind.stages]}, False


def _stage(stage: Stage, scope: Scope) -> dict[str, Any]:
    alone = JointType("stage", (stage,))
    for name in BY_NAME:
        named = _named(alone, name, scope)
        if named is not None:
            return named
    return _map([stage], scope)


def _map(stages: Sequence[Stage], scope: Scope) -> dict[str, Any]:
    rows = [[spell(entry, scope) for stage in stages for entry in stage.H[i]] for i in range(6)]
    groups = [str(stage.speeds) for stage in stages]
    return {"map": rows, **({"groups": groups} if len(groups) > 1 else {})}


def _named(kind: JointType, name: str, scope: Scope) -> dict[str, Any] | None:
    """The joint as a type with options, if that type with those options is this very joint."""
    options = _options(kind, name)
    if options is None:
        return None
    try:
        made = joint_type(name, **options)
    except PolhodeError:
        return None
    if not _same_joint(made, kind):
        return None
    return {"type": name, **{key: _option(key, value, scope) for key, value in options.items()}}


def _options(kind: JointType, name: str) -> dict[str, Any] | None:
    """The options with which a type of this name could be this joint."""
    if name == "building_block":
        return _block(kind.stages)
    first = kind.stages[0]
    column = first.H.columns[0]
    turning, sliding = Vector(column[:3]), Vector(column[3:])
    if name == "universal" and len(kind.stages) == 2:
        return {"first": turning, "second": Vector(kind.stages[1].H.columns[0][:3])}
    if len(kind.stages) != 1:
        return None
    options: dict[str, dict[str, Any]] = {
        "revolute": {"axis": turning},
        "prismatic": {"axis": sliding},
        "screw": {"axis": turning, "pitch": as_expr(sliding.dot(turning))},
        "cylindrical": {"axis": turning},
        "planar": {"normal": turning},
        "spherical": {"storage": first.storage},
        "free": {"storage": first.storage},
    }
    return options.get(name)


def _block(stages: Sequence[Stage]) -> dict[str, Any] | None:
    """Directions and axis indices with which a building block could have these stages."""
    directions: list[Vector] = []
    indices: list[int] = []
    for stage in stages:
        for column in stage.H.columns:
            if not any(column[:3]):
                directions.append(Vector(column[3:]))
            elif not stage.stores_orientation:
                indices += [axis for axis in (1, 2, 3) if same(column[:3], unit_axis(_LETTERS[axis - 1]))]
        if stage.stores_orientation and stage.storage.isdigit():
            indices += [int(digit) for digit in stage.storage]
    return {"translations": directions, "rotations": indices}


def _same_joint(a: JointType, b: JointType) -> bool:
    return len(a.stages) == len(b.stages) and all(
        one.storage == other.storage and one.H.shape == other.H.shape and same(one.H.entries(), other.H.entries())
        for one, other in zip(a.stages, b.stages, strict=True)
    )


def _option(key: str, value: Any, scope: Scope) -> Any:
    if key == "storage":
        return value
    if key == "pitch":
        return spell(value, scope)
    if key == "rotations":
        return [str(index) for index in value]
    if key == "translations":
        return [_axis(direction, scope) for direction in value]
    return _axis(value, scope)


def _axis(axis: Vector, scope: Scope) -> str | list[str]:
    for letter in _LETTERS:
        if same(axis, unit_axis(letter)):
            return letter
    return [spell(entry, scope) for entry in axis]


def describe_rotation(R: Matrix, scope: Scope) -> Any:
    """Nothing, a turn about an axis of the frame, or a matrix."""
    R = R.map(as_expr)
    if same(R.entries(), Matrix.identity(3).map(as_expr).entries()):
        return None
    for letter in ("x", "y", "z"):
        for angle in _angles(R):
            if same(rotation((letter, angle)).entries(), R.entries()):
                return [letter, spell(angle, scope)]
    return [[spell(entry, scope) for entry in row] for row in R]


def _angles(R: Matrix) -> Iterator[Expr]:
    """Angles that a rotation may be by: those whose sine or cosine it holds, and twelfths of a turn."""
    for entry in R.entries():
        wave = entry.args[0] if entry.op == NEG else entry
        if wave.op in ("sin", "cos"):
            yield wave.args[0]
            yield -wave.args[0]
    for twelfth in (2, 3, 4, 6, 8, 9, 10, 12, -10, -9, -8, -6, -4, -3, -2):
        yield pi * twelfth / 12
