"""Joint limits along a run: which coordinates went beyond them, and when.

Nothing acts at a limit, and a run goes on beyond it; what is told is found among its samples and, where they are kept,
its steps, and the time then between them. An event stops a run at a limit: `until=hinge.q[0] - 1`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..expr import Expr, evaluate, free_symbols
from ..model.records import Parameter
from .initial_state import Floats
from .integrators.dense_output import DenseOutput

if TYPE_CHECKING:
    from .trajectory import Trajectory

#: A limit is passed where a coordinate is beyond it by more than rounding makes.
_ROUNDING = 1e-12
#: How often the stretch in which a limit is passed is divided, and into how many parts.
_ROUNDS, _PARTS = 4, 16


@dataclass(frozen=True)
class PassedLimit:
    """A limit that a coordinate went beyond: when first, and how far at a sample or step."""

    coordinate: str
    side: str  # "lower" or "upper"
    limit: float
    time: float
    farthest: float

    def __str__(self) -> str:
        return (
            f"'{self.coordinate}' passes its {self.side} limit {self.limit:.6g} at t = {self.time:.6g} s and gets to "
            f"{self.farthest:.6g}; nothing holds it there."
        )


def passed_limits(run: Trajectory) -> tuple[PassedLimit, ...]:
    """The limits that a run goes beyond, in the order of time.

    >>> import polhode as ph
    >>> s = ph.System("stone")
    >>> _ = s.joint("height", s.ground, s.body("stone", 1), ph.Prismatic("z"), limits=(0, None))
    >>> print(s.derive().simulate(2, start={"height": 4.905}).passed_limits[0])
    'height' passes its lower limit 0 at t = 1 s and gets to -14.715; nothing holds it there.
    """
    if run.functions is None or not len(run):
        return ()
    found = [
        each
        for limits in _limits(run)
        if limits.are_ordered
        for side, limit in limits.known.items()
        for each in _passed(run, limits.coordinate, side, limit)
    ]
    return tuple(sorted(found, key=lambda each: each.time))


def unwatched_limits(run: Trajectory) -> tuple[str, ...]:
    """A sentence for each limit that no number is known of, and for each pair that leaves nothing between them.

    >>> import polhode as ph
    >>> s = ph.System("stone")
    >>> _ = s.joint("height", s.ground, s.body("stone", 1), ph.Prismatic("z"), limits=(s.parameter("floor"), None))
    >>> print(*s.derive().simulate(1).notices)
    the lower limit floor of 'height' has no value, and was not watched.
    """
    if run.functions is None or not len(run):
        return ()
    told = []
    for limits in _limits(run):
        for side, end in limits.unknown.items():
            told.append(f"the {side} limit {end} of '{limits.coordinate}' has no value, and was not watched.")
        if not limits.are_ordered:
            lower, upper = limits.known["lower"], limits.known["upper"]
            told.append(
                f"with these parameters the lower limit {lower:.6g} of '{limits.coordinate}' is above the upper limit "
                f"{upper:.6g}: neither was watched."
            )
    return tuple(told)


@dataclass(frozen=True)
class _Ends:
    """The limits of a coordinate by side: those in numbers, and those whose parameters have no value."""

    coordinate: str
    known: dict[str, float]
    unknown: dict[str, Expr]

    @property
    def are_ordered(self) -> bool:
        return not self.known.get("lower", -np.inf) > self.known.get("upper", np.inf)


def _limits(run: Trajectory) -> Iterator[_Ends]:
    system = run.mechanism.equations.system
    for joint in system.joints.values():
        for q, limits in zip(joint.q, joint.limits, strict=False):
            made = _Ends(q.name, {}, {})
            for side, end in (("lower", limits.lower), ("upper", limits.upper)):
                values = {} if end is None else _values(end, system.parameters, run.parameters)
                if end is not None and values is None:
                    made.unknown[side] = end
                elif end is not None and values is not None:
                    made.known[side] = evaluate([end], values)[0]
            yield made


def _values(end: Expr, table: Mapping[str, Parameter], given: Mapping[str, object]) -> dict[Expr, float] | None:
    found = {symbol: given.get(symbol.name, table[symbol.name].value) for symbol in free_symbols([end])}
    return None if None in found.values() else {symbol: float(np.asarray(value)) for symbol, value in found.items()}


def _passed(run: Trajectory, name: str, side: str, limit: float) -> Iterator[PassedLimit]:
    sign = 1.0 if side == "upper" else -1.0
    t, values = _known(run, name)
    beyond = sign * (values - limit)
    if not beyond.max() > _ROUNDING * (1.0 + abs(limit)):
        return
    first = int(np.argmax(beyond > 0.0))
    time = float(t[first])
    if first:
        before = float(t[first - 1])
        for _ in range(_ROUNDS):
            times = np.linspace(before, time, _PARTS + 1)
            inner = sign * (run.at(times[1:-1])[name] - limit) > 0.0
            place = int(np.argmax(np.append(inner, True))) + 1
            before, time = float(times[place - 1]), float(times[place])
    yield PassedLimit(name, side, limit, time, limit + sign * float(beyond.max()))


def _known(run: Trajectory, name: str) -> tuple[Floats, Floats]:
    """A coordinate at the samples, and at the beginnings of steps that the run has kept."""
    if not isinstance(run.interpolant, DenseOutput) or name not in run.coordinates:
        return run.t, run[name]
    steps = run.interpolant.steps
    steps = steps[(steps[:, 0] > run.t[0]) & (steps[:, 0] < run.t[-1])]
    t = np.concatenate([run.t, steps[:, 0]])
    values = np.concatenate([run[name], steps[:, 2 + run.coordinates.index(name)]])
    order = np.argsort(t, kind="stable")
    return t[order], values[order]
