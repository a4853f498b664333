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
    one simple joint. Axes need be neither orthogonal nor of unit length, but each must have a length that is known
    exactly (not a symbol); how a column slides, and where its axis is, may be symbols.
    """

    H: Any
    groups: Any = None

    kind = "map"

    def __post_init__(self) -> None:
        cure = "Give six rows, a column for each speed."
        with understood("a matrix of 6 rows", self.H, place="joint map", cure=cure):
            H = Matrix(self.H).map(as_expr)
        cure, columns = "Give for example (1, 2).", H.shape[1]
        with understood("a list of whole numbers", self.groups, place="groups of a joint map", cure=cure):
            groups = (columns,) if self.groups is None else tuple(map(index, self.groups))
        if sum(groups) != columns or any(count < 1 for count in groups):
            raise ModelError(
                f"the groups {groups} do not add up to the map's {columns} columns.",
                cure="Give a positive number of columns for each stage.",
                code="E-JOINT-005",
            )
        object.__setattr__(self, "H", H)
        object.__setattr__(self, "groups", groups)
        super().__post_init__()

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        ends = accumulate(self.groups)
        return tuple(Stage(self.H[:, end - count : end]) for count, end in zip(self.groups, ends, strict=True))
