"""Joint limits along a run: which coordinates went beyond them, and when.

Nothing acts at a limit, and a run goes on beyond it. A native run notes what it passes, between its steps too
(`codegen.steppers.limits`); of any run what is told is found among its samples. An event stops a run at a limit:
`until=hinge.q[0] - 1`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled.functions import Functions
from ..compiled.native.limits import WatchedLimits
from ..dynamics.synopsis import SeenLimit
from .initial_state import Floats

if TYPE_CHECKING:
    from .trajectory import Trajectory

#: A limit is passed where a coordinate is beyond it by more than rounding makes.
_ROUNDING = 1e-12
#: How often the stretch in which a limit is passed is divided, and into how many parts.
_ROUNDS, _PARTS = 4, 16
#: Where a run's facts have what it noted: rows of coordinate, side, limit, time, and how far beyond it got.
NOTED = "limits"


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
    from ..dynamics.joint_limits import joint_limits

    # what was noted is of the whole run, and not of some of its times
    rows = () if "between_samples" in run.info else run.info.get(NOTED, ())
    noted = {(name, side, limit): (time, beyond) for name, side, limit, time, beyond in rows}
    found = [
        each
        for ends in joint_limits(run.mechanism.equations, run.parameters)
        if ends.are_ordered
        for side, limit in ends.known.items()
        for each in _passed(run, ends.coordinate.name, side, limit, noted.get((ends.coordinate.name, side, limit)))
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
    from ..dynamics.joint_limits import joint_limits

    equations = run.mechanism.equations
    told = [
        f"the limits of '{q.name}' were not watched: it is omitted."
        for joint in equations.system.joints.values()
        for q, limits in zip(joint.q, joint.limits, strict=False)
        if limits.are_given and q in equations.omitted
    ]
    for ends in joint_limits(equations, run.parameters):
        name = ends.coordinate.name
        for side, end in ends.unknown.items():
            told.append(f"the {side} limit {end} of '{name}' has no value, and was not watched.")
        if not ends.are_ordered:
            lower, upper = ends.known["lower"], ends.known["upper"]
            told.append(
                f"with these parameters the lower limit {lower:.6g} of '{name}' is above the upper limit "
                f"{upper:.6g}: neither was watched."
            )
    return tuple(told)


def _passed(
    run: Trajectory, name: str, side: str, limit: float, noted: tuple[float, float] | None
) -> Iterator[PassedLimit]:
    sign = 1.0 if side == "upper" else -1.0
    t, beyond = run.t, sign * (run[name] - limit)
    farthest = float(beyond.max())
    is_seen = farthest > _ROUNDING * (1.0 + abs(limit))
    if noted is not None and (not is_seen or noted[0] <= t[np.argmax(beyond > 0.0)]):
        yield PassedLimit(name, side, limit, noted[0], limit + sign * max(farthest, noted[1]))
        return
    if not is_seen:
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
    yield PassedLimit(name, side, limit, time, limit + sign * farthest)


# ---- what native code watches ----------------------------------------------------------------------------------


def limits_seen(functions: Functions, parameters: Mapping[str, Any] | None) -> tuple[SeenLimit, ...]:
    """The limits that native code can watch in the state of a run."""
    known = functions.derivation.synopsis
    if not known.has_limits_of_parameters or not parameters:
        return known.limits
    from ..dynamics.joint_limits import seen_limits

    return seen_limits(functions.equations, parameters)


@dataclass(frozen=True, eq=False)
class LimitsOfRun:
    """The limits of one run, and what native code notes of them."""

    seen: tuple[SeenLimit, ...]
    watched: WatchedLimits

    @classmethod
    def of(cls, functions: Functions, parameters: Mapping[str, Any] | None) -> LimitsOfRun:
        """Limits of which nothing is noted yet."""
        seen = limits_seen(functions, parameters)
        rows = np.array([_row(each) for each in seen]).reshape(-1, 2)
        return cls(seen, WatchedLimits.of([each.place for each in seen], rows))

    @property
    def facts(self) -> dict[str, Any]:
        """What is to be told of them."""
        return noted_facts(self.seen, self.watched.noted)


def watched_by_all(seen: Sequence[Sequence[SeenLimit]]) -> WatchedLimits:
    """The limits of a batch as native code watches them, c x[k] + d ≤ 0: at the same places for each of its runs."""
    are_shared = all(limits is seen[0] for limits in seen)
    some, shape = (seen[:1] if are_shared else seen), (len(seen[0]), 2)
    rows = np.array([[_row(each) for each in limits] for limits in some]).reshape(len(some), *shape)
    return WatchedLimits.of([each.place for each in seen[0]], np.broadcast_to(rows, (len(seen), *shape)))


def _row(limit: SeenLimit) -> tuple[float, float]:
    sign = 1.0 if limit.side == "upper" else -1.0
    return sign * limit.factor, sign * (limit.offset - limit.limit) - _ROUNDING * (1.0 + abs(limit.limit))


def noted_facts(seen: Sequence[SeenLimit], noted: Floats) -> dict[str, Any]:
    """What a run's facts say of limits: nothing where none was passed."""
    rows = [
        [each.coordinate, each.side, each.limit, float(time), float(beyond) + _ROUNDING * (1.0 + abs(each.limit))]
        for each, (time, beyond) in zip(seen, noted, strict=True)
        if not np.isnan(time)
    ]
    return {NOTED: rows} if rows else {}
