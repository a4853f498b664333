"""A simple joint: a constant joint map, and how its configuration is stored.

Kwatny and Blankenship: the relative velocity across the joint, in the outer body's frame, is p = H β (9). The joint
*is* its map H; configuration and kinematics follow from it. If the columns of H close under the Lie bracket the
joint is holonomic, with as many coordinates as speeds. If they do not, the joint is nonholonomic: it keeps its
speeds and takes its coordinates from the subalgebra that the columns generate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from ..errors import ModelError, shown
from ..expr import Matrix, Vector, as_expr, is_zero, rank, same
from ..expr.length import exact_length
from ..geometry.lie import bracket, generated_subalgebra
from ..geometry.rotations import ORIENTATIONS, SEQUENCES

#: How an orientation can be stored: three angles as in the paper, a unit quaternion, tan(θ/2) times the axis, or the
#: angles of one of the twelve Euler sequences.
STORAGES = ("angles", *ORIENTATIONS)

#: How one turn about an axis can be stored: its angle θ, or the component tan(θ/2) of its vector-parameter.
TURN_STORAGES = ("angles", "vector")

#: What coordinates are measured in.
ANGLE, LENGTH, QUATERNION, VECTOR = "rad", "m", "quaternion", "tan θ/2"

_UNIT = [[int(i == j) for j in range(6)] for i in range(6)]
_UNIT_TRANSLATION_FIRST = _UNIT[3:] + _UNIT[:3]


@dataclass(frozen=True)
class Stage:
    """A simple joint with joint map H (6×r, rotation rows first, columns outermost first)."""

    H: Matrix
    storage: str = "angles"
    coordinate_labels: tuple[str, ...] = field(default=(), compare=False)
    speed_labels: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "H", Matrix(self.H).map(as_expr))
        rows, columns = self.H.shape
        if rows != 6 or not 1 <= columns <= 6:
            message = f"a joint map has 6 rows and 1 to 6 columns, not {rows}×{columns}."
            cure = "Write three rows for rotation and three for translation, a column for each speed."
            raise ModelError(message, cure=cure, code="E-JOINT-SHAPE")
        if rank(self.H) < columns:
            cure = "Remove the columns that others already span."
            raise ModelError("the columns of the joint map are not independent.", cure=cure, code="E-JOINT-SINGULAR")
        if not isinstance(self.storage, str) or self.storage not in STORAGES:
            message = f"orientation cannot be stored as {shown(self.storage)}."
            raise ModelError(message, cure=f"Choose one of {', '.join(STORAGES)}.", code="E-JOINT-NAME")
        if self.storage != "angles" and not self.is_vector_turn and not self._has_an_orientation:
            message = f"only spherical and free joints can store orientation as a {self.storage}."
            cure = 'Use storage="angles", or for turns about one axis "vector".'
            raise ModelError(message, cure=cure, code="E-JOINT-UNSUPPORTED")

    @property
    def is_elastic(self) -> bool:
        """Whether its coordinates bend the body beyond it and do not move the frame of that body."""
        return isinstance(self, ElasticStage)

    @property
    def is_spherical(self) -> bool:
        return self._has_map([row[:3] for row in _UNIT])

    @property
    def is_free(self) -> bool:
        return self._has_map(_UNIT)

    @property
    def is_free_translation_first(self) -> bool:
        """Whether a free joint has its coordinates and speeds of translation before those of rotation."""
        return self._has_map(_UNIT_TRANSLATION_FIRST)

    @cached_property
    def is_vector_turn(self) -> bool:
        """Whether it is one turn about an axis a by θ, stored as c = tan(θ/2): its vector-parameter is c a."""
        if self.storage != "vector" or self.speeds != 1:
            return False
        w, v = Vector(self.H.columns[0][:3]), self.H.columns[0][3:]
        return not any(v) and is_zero(w.dot(w) - 1)

    @property
    def _has_an_orientation(self) -> bool:
        turned_last = self.storage in SEQUENCES and self.is_free_translation_first
        return self.is_spherical or self.is_free or turned_last

    def _has_map(self, rows: Sequence[Sequence[Any]]) -> bool:
        return self.H.shape == (6, len(rows[0])) and same(self.H.entries(), Matrix(rows).entries())

    def check_lengths(self) -> None:
        """Refuse an axis whose length is not exact: the angle of a turn is speed times length."""
        for column in self.H.columns:
            if exact_length(column[:3]) is None:
                message = f"the rotation axis ({', '.join(map(str, column[:3]))}) of a joint map has no exact length."
                cure = "Write a length times components from unit_symbols or numbers, or turn the frame instead."
                raise ModelError(message, cure=cure, code="E-JOINT-UNSUPPORTED")

    @cached_property
    def algebra(self) -> list[Vector]:
        """The columns of H, extended to a basis of the subalgebra that they generate."""
        return generated_subalgebra(self.H.columns)

    @property
    def is_holonomic(self) -> bool:
        """Whether the columns close under the bracket."""
        return len(self.algebra) == self.speeds

    @property
    def speeds_are_rates(self) -> bool:
        """Whether each speed is the rate of a coordinate: columns that commute are moved along independently."""
        return self.storage == "angles" and not any(any(bracket(*pair)) for pair in combinations(self.H.columns, 2))

    @property
    def speeds(self) -> int:
        return self.H.shape[1]

    @property
    def coordinates(self) -> int:
        stored = len(ORIENTATIONS[self.storage].labels) - 3 if self.stores_orientation else 0
        return len(self.algebra) + stored

    @property
    def orientation_parts(self) -> int:
        """How many coordinates, the first ones, mean nothing by themselves, as the components of a quaternion."""
        return {"quaternion": 4, "vector": 3}.get(self.storage, 0) if self.stores_orientation else 0

    @cached_property
    def coordinate_units(self) -> list[str]:
        """One of rad, m, quaternion and tan θ/2 for each coordinate."""
        if self.is_vector_turn:
            return [VECTOR]
        stored = {"quaternion": [QUATERNION] * 4, "vector": [VECTOR] * 3}.get(self.storage, [])
        return [*stored, *(_unit(h) for h in self.algebra[3 if stored else 0 :])]

    @cached_property
    def speed_units(self) -> list[str]:
        """rad or m for each speed, times 1/s; a screw's is that of its angle."""
        return [_unit(h) for h in self.H.columns]

    @property
    def stores_orientation(self) -> bool:
        """Whether the orientation has a storage of its own, rather than a coordinate for each column."""
        return self.storage in ORIENTATIONS and not self.is_vector_turn


@dataclass(frozen=True)
class ElasticStage(Stage):
    """The elastic coordinates of a flexible body, each in m or rad; they do not move its frame, so that H vanishes."""

    units: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "H", Matrix(self.H).map(as_expr))

    @cached_property
    def algebra(self) -> list[Vector]:
        """The columns of H: they vanish, and so do their brackets."""
        return list(self.H.columns)

    @cached_property
    def coordinate_units(self) -> list[str]:
        """m or rad for each coordinate."""
        return list(self.units) or [LENGTH] * self.speeds

    @property
    def speed_units(self) -> list[str]:
        """m or rad for each speed, times 1/s."""
        return self.coordinate_units


def _unit(h: Vector | Sequence[object]) -> str:
    return ANGLE if any(h[:3]) else LENGTH
