"""What diagnostics find, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ...notebook import Cell, Shown, Table


@dataclass(frozen=True)
class Dependence:
    """A row that is a combination of others."""

    row: str
    of: tuple[str, ...]


@dataclass(frozen=True)
class Integrability:
    """How far manoeuvres lead: the growth vector, out of so many dimensions, and which rows on speeds are integrable.

    `holonomic` and `nonholonomic` list rows on speeds; None where joints that are themselves nonholonomic mix in.
    """

    growth: tuple[int, ...]
    dimensions: int
    holonomic: tuple[str, ...] | None
    nonholonomic: tuple[str, ...] | None

    @property
    def integrable(self) -> int:
        """How many independent combinations of the constraints are conditions on the position."""
        return self.dimensions - self.growth[-1]

    @property
    def is_holonomic(self) -> bool:
        return len(self.growth) == 1


@dataclass(frozen=True)
class Here:
    """What was found at a pose: after assembling it, and at poses around it that the mechanism can reach.

    `rank` counts the independent rows at the pose, `around` those at the poses around; None where none was reached.
    """

    coordinates: Mapping[str, float]
    moved: Mapping[str, tuple[float, float]]
    off: Mapping[str, float]  # rows that could not be brought to zero, and by how much they are off
    rank: int
    around: int | None
    redundant: tuple[Dependence, ...]  # dependent on the constraint surface alone
    contradictory: tuple[str, ...]  # rows that no speeds keep together there
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    locks: tuple[str, ...]  # constraints of which each, if taken away, would set something free

    @property
    def is_assembled(self) -> bool:
        return not self.off


@dataclass(frozen=True)
class Diagnosis(Shown):
    """The state of a mechanism's constraints; printed, it is told in words."""

    system: str
    pose: str
    speeds: tuple[str, ...]
    positions: tuple[str, ...]  # rows on coordinates
    velocities: tuple[str, ...]  # rows on speeds
    trivial: tuple[str, ...]  # rows that the tree keeps by itself
    impossible: tuple[str, ...]  # sentences on rows that nothing can bring to zero
    independent: int  # rows that are independent at almost every coordinates
    redundant: tuple[Dependence, ...]  # the others, and what they follow from
    contradictory: tuple[Dependence, ...]  # rows on speeds that others contradict at almost every coordinates
    driven: bool  # whether time moves something
    assumed: tuple[str, ...]  # parameters without a value, taken as one
    integrability: Integrability | None
    here: Here | None

    @property
    def can_be_assembled(self) -> bool:
        """Whether a pose was found that keeps every constraint, with speeds that do."""
        here = self.here
        kept = here is not None and here.is_assembled and not here.contradictory
        return kept and not self.impossible and not self.contradictory

    @property
    def freedom(self) -> int:
        """Degrees of freedom: where the mechanism can be assembled, and otherwise at almost every coordinates."""
        if self.is_shaky:
            return 0
        here = self.here
        return len(self.speeds) - (self.independent if here is None or here.around is None else here.around)

    @property
    def is_shaky(self) -> bool:
        """Whether the rows leave something free at the pose that cannot move after all: none of it leads away."""
        here = self.here
        return here is not None and here.is_assembled and here.rank < len(self.speeds) and here.around is None

    @property
    def is_singular(self) -> bool:
        """Whether constraints are independent around the pose that are not at it: a dead point."""
        return self.here is not None and self.here.around is not None and self.here.rank < self.here.around

    @property
    def can_move(self) -> bool:
        """Whether something is free, or driven."""
        return self.freedom > 0 or self.driven

    def text(self) -> str:
        """The findings in words."""
        from .words import told

        return told(self)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _cell(self) -> Cell:
        """The first sentence, the findings as a table of what and which, and where coordinates are."""
        head, *lines = self.text().splitlines()
        found = [line.removeprefix("• ").partition(": ") for line in lines]
        rows = [(what if mark else "", rest if mark else what) for what, mark, rest in found]
        at = {} if self.here is None else self.here.coordinates
        where = Table(["coordinate", "at"], [(name, f"{value:.6g}") for name, value in at.items()], numbers_from=1)
        return Cell(head, [Table(["finding", ""], rows), where])

    def as_json(self) -> dict[str, Any]:
        """The findings as plain data."""
        return {
            **asdict(self),
            "freedom": self.freedom,
            "can_move": self.can_move,
            "can_be_assembled": self.can_be_assembled,
            "is_singular": self.is_singular,
            "is_shaky": self.is_shaky,
            "text": self.text(),
        }
