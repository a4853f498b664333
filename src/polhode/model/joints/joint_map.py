"""Any joint, by its map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import index
from typing import Any

from ...errors import ModelError, understood
from ...expr import Matrix, as_expr
from .protocol import JointType, Stage


@dataclass(frozen=True)
class JointMap(JointType):
    """Any joint by its 6×r map, columns outermost first as in Kwatny and Blankenship.

    `groups` splits the columns into successive simple joints: (1, 1, 1) is a compound joint of three, (3,) or None
    one simple joint. Axes need be neither orthogonal nor of unit length, but each must have an exact one: a number,
    or a symbol times a number. How a column slides, and where its axis is, may be any expression.

    >>> screw = JointMap([[0], [0], [1], [0], [0], ["1/20"]])
    >>> screw.coordinates, screw.is_holonomic
    (1, True)
    """

    H: Any
    groups: Any = None

    kind = "map"

    def __post_init__(self) -> None:
        H, groups = _read(self.H, self.groups)
        object.__setattr__(self, "H", H)
        object.__setattr__(self, "groups", groups)
        super().__post_init__()

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return simple_joints(self.H, self.groups)


def simple_joints(H: Any, groups: Any = None) -> tuple[Stage, ...]:
    """The successive simple joints of a map, whose axes may have any length."""
    whole, counts = _read(H, groups)
    ends = accumulate(counts)
    return tuple(Stage(whole[:, end - count : end]) for count, end in zip(counts, ends, strict=True))


def _read(given: Any, given_groups: Any) -> tuple[Matrix, tuple[int, ...]]:
    cure = "Give six rows, a column for each speed."
    with understood("a matrix of 6 rows", given, place="joint map", cure=cure):
        H = Matrix(given).map(as_expr)
    cure, columns = "Give for example (1, 2).", H.shape[1]
    with understood("a list of whole numbers", given_groups, place="groups of a joint map", cure=cure):
        groups = (columns,) if given_groups is None else tuple(map(index, given_groups))
    if sum(groups) != columns or any(count < 1 for count in groups):
        raise ModelError(
            f"the groups {groups} do not add up to the map's {columns} columns.",
            cure="Give a positive number of columns for each stage.",
            code="E-JOINT-005",
        )
    return H, groups
