"""Two runs beside each other: by how much they differ, where, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import PolhodeError
from ...notebook import Cell, Shown, Table
from ..initial_state import Floats

if TYPE_CHECKING:
    from .trajectory import Trajectory


@dataclass(frozen=True)
class Difference:
    """The largest difference of one quantity, and when it was."""

    largest: float
    time: float


@dataclass(frozen=True)
class Comparison(Shown):
    """The largest differences of two runs by name, the largest of all first, in the units of each."""

    differences: Mapping[str, Difference]

    @property
    def largest(self) -> float:
        """The largest of all."""
        return max((each.largest for each in self.differences.values()), default=0.0)

    def __getitem__(self, name: str) -> Difference:
        """The difference of a coordinate or state by its name, of others as `u(name)`, `tau(name)`, `input(name)`."""
        return self.differences[name]

    def __str__(self) -> str:
        lines = [f"  {each.largest:8.1e}  {name} at t = {each.time:.6g} s" for name, each in self.differences.items()]
        return "\n".join(["largest differences:", *lines])

    __repr__ = __str__

    def _cell(self) -> Cell:
        rows = [(name, f"{each.largest:.3e}", f"{each.time:.6g}") for name, each in self.differences.items()]
        return Cell("largest differences", [Table(["quantity", "difference", "at t, s"], rows, numbers_from=1)])


def compared(run: Trajectory, other: Trajectory) -> Comparison:
    """Differences at the samples of the first run, as far as both go; a quaternion and its opposite are one."""
    start, end = max(run.t[0], other.t[0]), min(run.t[-1], other.t[-1])
    inside = (run.t >= start) & (run.t <= end)
    if not inside.any():
        raise PolhodeError(
            f"one run goes from {run.t[0]:g} to {run.t[-1]:g} s, the other from {other.t[0]:g} to {other.t[-1]:g} s.",
            place="compare",
            cure="Compare runs that have a time in common.",
            code="E-TRAJ-030",
        )
    there = other if np.array_equal(run.t, other.t) else other.at(run.t[inside])
    mine, theirs = dict(_named(run, inside)), dict(_named(there, np.ones(len(there.t), dtype=bool)))
    _turn(run, mine, theirs)
    found = {}
    for name in mine.keys() & theirs.keys():
        gap = np.abs(mine[name] - theirs[name])
        k = int(np.argmax(np.where(np.isfinite(gap), gap, np.inf)))
        found[name] = Difference(float(gap[k]), float(run.t[inside][k]))
    if not found:
        raise PolhodeError(
            "the runs have no coordinate, speed, effort or input of the same name.", place="compare", code="E-TRAJ-031"
        )
    return Comparison(dict(sorted(found.items(), key=lambda item: (-item[1].largest, item[0]))))


def _named(run: Trajectory, inside: Floats) -> Iterator[tuple[str, Floats]]:
    """All that a run has under a name."""
    parts = (("{}", run.coordinates, run.q), ("u({})", run.speeds, run.u), ("{}", run.states, run.z))
    acting = (("tau({})", run.efforts, run.tau), ("input({})", run.input_names, run.inputs))
    for written, names, values in (*parts, *acting):
        if values is not None:
            yield from ((written.format(name), column[inside]) for name, column in zip(names, values.T, strict=True))


def _turn(run: Trajectory, mine: Mapping[str, Floats], theirs: dict[str, Floats]) -> None:
    """Quaternions of the second run with the signs of the first's."""
    for first, count in run.functions.derivation.synopsis.quaternion_groups if run.functions else ():
        names = run.coordinates[first : first + count]
        if all(name in theirs for name in names):
            dot = sum(mine[name] * theirs[name] for name in names)
            theirs |= {name: np.where(np.asarray(dot) < 0.0, -1.0, 1.0) * theirs[name] for name in names}
