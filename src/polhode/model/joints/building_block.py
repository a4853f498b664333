"""Sayers' building-block joint: directions, axis indices, and the nominal orientation of Table 3.

M. W. Sayers, "Symbolic Vector/Dyadic Multibody Formalism for Tree-Topology Systems" (1991), Tables 1 and 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np

from ...errors import ModelError, PolhodeError, fault_at, understood
from ...expr import Matrix, Vector, as_expr, evaluate, free_symbols, is_zero, rational_value, same, sqrt
from ...expr.field import root_of_integer, square_free
from ...geometry import unit_axis
from ...geometry.rotations.exact import as_rotation
from .protocol import XYZ, JointType, Stage, given, orientation_labels, stage, twist

fault = fault_at("building block", ModelError)

_IDENTITY = Matrix.identity(3)


@dataclass(frozen=True)
class BuildingBlock(JointType):
    """Sayers' joint, Table 1: up to three translations fixed in the parent, then up to three rotations by axis index.

    Directions may have any length. `axis` and `reference` are d_rot and d_ref, fixed in the parent: they give the
    nominal orientation, Table 3. Three translations along the axes of the nominal frame with three rotations are a free
    joint whose speeds are body components; other speeds are the rates of the coordinates, but for three rotations the
    angular velocity's body components. Coordinates and speeds of translation come first.

    >>> block = BuildingBlock("xyz", (1, 2, 3))
    >>> block.coordinate_labels(), block.speed_labels()
    (['x', 'y', 'z', 'a1', 'a2', 'a3'], ['vx', 'vy', 'vz', 'wx', 'wy', 'wz'])
    """

    translations: Any = given("axis", (), doc="up to three directions that are fixed in the parent", many=True)
    rotations: Any = given("count", (), doc="up to three axis indices of 1, 2 and 3", many=True)
    axis: Any = given("axis", None, doc="the direction of the first rotation in the parent")
    reference: Any = given("axis", None, doc="a direction in the parent that is not parallel to the axis")

    kind = "building_block"
    outermost_first = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotations", _checked_rotations(self.rotations))
        letters = self.translations
        with understood("a list of directions", letters, place="building block", cure='Give for example "xyz".'):
            directions = tuple(_unit(direction, "direction of translation") for direction in letters)
        object.__setattr__(self, "translations", directions)
        _ = self.nominal, self.stages

    @cached_property
    def _turn(self) -> Matrix:
        return nominal_orientation(self.rotations, self.axis, self.reference)

    @property
    def nominal(self) -> Matrix | None:
        return None if same(self._turn.entries(), _IDENTITY.entries()) else self._turn

    def in_nominal_frame(self) -> BuildingBlock:
        return BuildingBlock([self._turn.T @ direction for direction in self.translations], self.rotations)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        directions = [self._turn.T @ direction for direction in self.translations]
        columns = [twist(translation=direction) for direction in directions]
        word = "".join(map(str, self.rotations))
        turns = [twist(unit_axis(letter)) for letter in XYZ]
        labels = {"coordinate_labels": orientation_labels(word), "speed_labels": ("wx", "wy", "wz")}
        if len(columns) == len(word) == 3 and same(Matrix(directions).entries(), _IDENTITY.entries()):
            slides = {"coordinate_labels": XYZ, "speed_labels": ("vx", "vy", "vz")}
            return (stage([*columns, *turns], word, **{key: slides[key] + labels[key] for key in slides}),)
        sliding = [stage(columns)] if columns else []
        if len(word) == 3:
            return (*sliding, stage(turns, word, **labels))
        return (*sliding, *(stage([turns[index - 1]]) for index in self.rotations))


def _unit(direction: str | Iterable[Any], what: str) -> Vector:
    """A letter, or three components of any length, as a unit vector."""
    with understood(f"a direction ({what})", direction, place="building block", cure="Give a letter or (3/5, 0, 4/5)."):
        unit = direction if isinstance(direction, str) else Vector([as_expr(entry) for entry in direction])
    if isinstance(unit, Vector) and len(unit) == 3 and is_zero(unit.dot(unit) - 1):
        return unit
    try:
        return unit_axis(unit)
    except PolhodeError as error:
        raise fault(f"the {what}: {error.problems[0].message}", error.problems[0].cure, "E-JOINT-NUMBER") from None


def _checked_rotations(rotations: Iterable[int]) -> tuple[int, ...]:
    """Up to three axis indices of 1, 2, 3, none twice in a row."""
    with understood("a list of axis indices", rotations, place="building block", cure="Give for example (1, 2, 3)."):
        indices = tuple(map(index, rotations))
    if len(indices) > 3 or any(index not in (1, 2, 3) for index in indices):
        cure = "Write for example rotations=(1, 2, 3)."
        raise fault(f"the rotations {indices} are not up to three axis indices of 1, 2 and 3.", cure, "E-JOINT-SHAPE")
    for one, next_one in pairwise(indices):
        if one == next_one:
            cure = "Turn about it once, or put another axis between."
            raise fault(f"the rotations {indices} turn twice in a row about axis {one}.", cure, "E-JOINT-SINGULAR")
    return indices


def nominal_orientation(rotations: Sequence[int], axis: Any, reference: Any) -> Matrix:
    """Columns b_1, b_2, b_3 at zero q, Table 3: b_i = d_rot, b_(i+2) along d_rot × d_ref, b_(i+1) = b_(i+2) × b_i."""
    first = rotations[0] - 1 if rotations else 0
    d_rot = _unit("xyz"[first] if axis is None else axis, "axis")
    d_ref = _unit("xyz"[(first + 1) % 3] if reference is None else reference, "reference")
    normal = d_rot.cross(d_ref)
    square = as_expr(normal.dot(normal))
    if is_zero(square):
        cure = "Give a reference that is not, best one across it."
        raise fault("the reference is parallel to the axis of the first rotation.", cure, "E-JOINT-SINGULAR")
    ratio = rational_value(square)
    is_exact = ratio is not None and root_of_integer(square_free(ratio)[1]) is not None
    if not is_exact and free_symbols([*d_rot, square]):
        cure = "Give a reference at right angles to the axis."
        raise fault("the angle between axis and reference has no exact sine.", cure, "E-JOINT-UNSUPPORTED")
    last = Vector(normal / sqrt(square if ratio is None else as_expr(ratio)))
    columns: dict[int, Vector] = {first: d_rot, (first + 2) % 3: last, (first + 1) % 3: last.cross(d_rot)}
    R = Matrix.columns_of([columns[k] for k in range(3)], 3).map(as_expr)
    return R if is_exact else as_rotation(np.reshape(evaluate(R.entries(), {}), (3, 3)), "building block")
