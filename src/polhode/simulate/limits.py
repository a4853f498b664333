"""Joint limits along a run: which coordinates, speeds and efforts went beyond them, and when.

Nothing acts at a limit, and a run goes on beyond it. A native run notes which limits of coordinates and speeds it
passes, between its samples too (`ode.limits`); of other runs, and of efforts, limits are tested at the samples. An
event stops a run at a limit: `until=hinge.q[0] - 1`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..compiled.functions import Functions
from ..dynamics.synopsis import SeenLimit, Synopsis
from ..ode.native_run import WatchedLimits
from .initial_state import Floats

if TYPE_CHECKING:
    from ..dynamics.joint_limits import Ends
    from .trajectory.trajectory import Trajectory

#: A limit is passed where a coordinate is beyond it by more than rounding makes.
_ROUNDING = 1e-12
#: A stop holds a coordinate within this, in m or rad.
_AT_STOP = 1e-6
#: How often the stretch in which a limit is passed is divided, and into how many parts.
_ROUNDS, _PARTS = 4, 16
#: Where a run's facts have what it noted: rows of kind, name, side, limit, time, and how far beyond it got.
NOTED = "limits"


@dataclass(frozen=True)
class PassedLimit:
    """A limit that a coordinate, speed or effort exceeded: when first, and by how much."""

    name: str
    side: str  # "lower" or "upper"
    limit: float
    time: float
    farthest: float
    kind: str = "coordinate"  # or "speed" or "effort", of that name

    def __str__(self) -> str:
        what = f"'{self.name}'" if self.kind == "coordinate" else f"the {self.kind} '{self.name}'"
        return (
            f"{what} passes its {self.side} limit {self.limit:.6g} at t = {self.time:.6g} s and gets to "
            f"{self.farthest:.6g}; nothing holds it there."
        )


def passed_limits(run: Trajectory) -> tuple[PassedLimit, ...]:
    """Limits that a run exceeds, in the order of time."""
    if run.functions is None or not len(run):
        return ()
    # what was noted is of the whole run, and not of some of its times
    rows = () if "between_samples" in run.info else run.info.get(NOTED, ())
    noted = {(kind, name, side, limit): (time, beyond) for kind, name, side, limit, time, beyond in rows}
    passed = [
        passing
        for ends in _ends_along(run)
        if ends.are_ordered
        for side, limit in ends.known.items()
        for passing in _passed(run, ends, side, limit, noted.get((ends.kind, ends.quantity.name, side, limit)))
    ]
    held = _held(run)
    passed = [limit for limit in passed if limit.name not in held or abs(limit.farthest - limit.limit) > _AT_STOP]
    return tuple(sorted(passed, key=lambda passing: passing.time))


def _held(run: Trajectory) -> frozenset[str]:
    """The names of coordinates with rigid stops."""
    from ..model.constraints import Stop

    system = run.mechanism.equations.system
    stops = [element for element in system.contacts.values() if isinstance(element, Stop)]
    return frozenset(system.joints[stop.joint].q[stop.index].name for stop in stops)


def _ends_along(run: Trajectory) -> Iterator[Ends]:
    """The limits of what there is in a run: coordinates, speeds, and efforts that act in it."""
    from ..dynamics.joint_limits import joint_limits

    equations, parameters = run.mechanism.equations, run.parameters
    yield from joint_limits(equations, parameters, "coordinate")
    for ends in joint_limits(equations, parameters, "speed"):
        # a speed may depend on a coordinate that is omitted
        if ends.quantity.name in run.speeds or ends.quantity.name in run.dependent[1]:
            yield ends
    for ends in joint_limits(equations, parameters, "effort"):
        if run.tau is not None and ends.quantity.name in run.efforts:
            yield ends


def _values(run: Trajectory, ends: Ends) -> Floats:
    """A coordinate, speed or effort at the samples of a run."""
    name = ends.quantity.name
    return run[name] if ends.kind == "coordinate" else run.speed(name) if ends.kind == "speed" else run.effort(name)


def unwatched_limits(run: Trajectory) -> tuple[str, ...]:
    """A sentence for each limit that no number is known of, and for each pair that leaves nothing between them."""
    if run.functions is None or not len(run):
        return ()
    equations = run.mechanism.equations
    messages = [
        f"the limits of '{q.name}' were not watched: it is omitted."
        for joint in equations.system.joints.values()
        for q, limits in zip(joint.q, joint.limits, strict=False)
        if limits.are_given and q in equations.omitted
    ]
    for ends in _ends_along(run):
        what = f"{'' if ends.kind == 'coordinate' else f'the {ends.kind} '}'{ends.quantity.name}'"
        for side, end in ends.unknown.items():
            messages.append(f"the {side} limit {end} of {what} has no value, and was not watched.")
        if not ends.are_ordered:
            lower, upper = ends.known["lower"], ends.known["upper"]
            messages.append(
                f"with these parameters the lower limit {lower:.6g} of {what} is above the upper limit "
                f"{upper:.6g}: neither was watched."
            )
    return tuple(messages)


def _passed(
    run: Trajectory, ends: Ends, side: str, limit: float, noted: tuple[float, float] | None
) -> Iterator[PassedLimit]:
    name, kind = ends.quantity.name, ends.kind
    sign = 1.0 if side == "upper" else -1.0
    t, beyond = run.t, sign * (_values(run, ends) - limit)
    farthest = float(beyond.max())
    is_seen = farthest > _ROUNDING * (1.0 + abs(limit))
    if noted is not None and (not is_seen or noted[0] <= t[np.argmax(beyond > 0.0)]):
        yield PassedLimit(name, side, limit, noted[0], limit + sign * max(farthest, noted[1]), kind)
        return
    if not is_seen:
        return
    first = int(np.argmax(beyond > 0.0))
    time = float(t[first])
    if first and kind != "effort":
        before = float(t[first - 1])
        for _ in range(_ROUNDS):
            times = np.linspace(before, time, _PARTS + 1)
            inner = sign * (_values(run.at(times[1:-1]), ends) - limit) > 0.0
            index = int(np.argmax(np.append(inner, True))) + 1
            before, time = float(times[index - 1]), float(times[index])
    yield PassedLimit(name, side, limit, time, limit + sign * farthest, kind)


# ---- what native code watches --------------------------------------------------------------------------------


def limits_seen(functions: Functions, parameters: Mapping[str, Any] | None) -> tuple[SeenLimit, ...]:
    """The limits that native code can watch in the state of a run."""
    synopsis = functions.derivation.synopsis
    if not synopsis.has_limits_of_parameters or not parameters:
        return synopsis.limits
    from ..dynamics.joint_limits import seen_limits

    return seen_limits(functions.equations, parameters)


@dataclass(frozen=True, eq=False)
class LimitsOfRun:
    """The limits of one run, and what native code notes of them."""

    seen: tuple[SeenLimit, ...]
    watched: WatchedLimits

    @classmethod
    def of(cls, functions: Functions, parameters: Mapping[str, Any] | None) -> LimitsOfRun:
        """Limits without passages so far."""
        seen = limits_seen(functions, parameters)
        kept = _ROWS.get(functions)
        if kept is None or kept[0] is not seen:
            kept = _ROWS[functions] = seen, np.array([limit.place for limit in seen], dtype=np.int64), _rows(seen)
        return cls(seen, WatchedLimits.of(*kept[1:]))

    @property
    def facts(self) -> dict[str, Any]:
        """Passed limits as entries of the run's info."""
        return noted_facts(self.seen, self.watched.noted)


def watched_by_all(seen: Sequence[Sequence[SeenLimit]]) -> WatchedLimits:
    """The limits of a batch as native code watches them, c x[k] + d ≤ 0: at the same places for each of its runs."""
    are_shared = all(limits is seen[0] for limits in seen)
    some, shape = (seen[:1] if are_shared else seen), (len(seen[0]), 2)
    rows = np.array([_rows(limits) for limits in some]).reshape(len(some), *shape)
    return WatchedLimits.of([limit.place for limit in seen[0]], np.broadcast_to(rows, (len(seen), *shape)))


#: The limits of the last run of each mechanism as native code watches them.
_ROWS: WeakKeyDictionary[Functions, tuple[tuple[SeenLimit, ...], NDArray[np.int64], Floats]] = WeakKeyDictionary()


def _rows(seen: Sequence[SeenLimit]) -> Floats:
    """The c and d of limits c x[k] + d ≤ 0."""
    signed = [(1.0 if limit.side == "upper" else -1.0, limit) for limit in seen]
    rows = [(s * x.factor, s * (x.offset - x.limit) - _ROUNDING * (1.0 + abs(x.limit))) for s, x in signed]
    return np.array(rows).reshape(-1, 2)


def noted_facts(seen: Sequence[SeenLimit], noted: Floats) -> dict[str, Any]:
    """Passed limits as entries of a run's info; empty if none was passed."""
    if np.isnan(noted[:, 0]).all():
        return {}
    rows = [
        [*limit[:4], t, beyond + _ROUNDING * (1.0 + abs(limit.limit))]
        for limit, (t, beyond) in zip(seen, noted.tolist(), strict=True)
        if t == t
    ]
    return {NOTED: rows}


def limits_of_members(functions: Functions, count: int, parameters: Mapping[str, Any]) -> Sequence[Sequence[SeenLimit]]:
    """The limits of each member of a batch; none where they are not at the same places for all."""
    if not functions.derivation.synopsis.has_limits_of_parameters:
        return [functions.derivation.synopsis.limits] * count
    values = [{name: value[i] if np.ndim(value) else value for name, value in parameters.items()} for i in range(count)]
    seen = [limits_seen(functions, parameters) for parameters in values]
    alike = len({tuple((limit.kind, limit.name, limit.side) for limit in limits) for limits in seen}) == 1
    return seen if alike else [()] * count


def note_facts(seen: Sequence[SeenLimit], noted: Floats, facts: Mapping[str, Any]) -> None:
    """Note what a run's facts say of limits."""
    for *limit, t, beyond in facts.get(NOTED, ()):
        k = [list(entry[:4]) for entry in seen].index(limit)
        noted[k] = np.fmin(noted[k, 0], t), max(noted[k, 1], beyond - _ROUNDING * (1.0 + abs(seen[k].limit)))


def noted_limits(seen: Sequence[SeenLimit], noted: Floats) -> tuple[PassedLimit, ...]:
    """The limits that were passed, in the order of time."""
    rows = noted_facts(seen, noted).get(NOTED, ())
    passed = [
        PassedLimit(name, side, limit, t, limit + (beyond if side == "upper" else -beyond), kind)
        for kind, name, side, limit, t, beyond in rows
    ]
    return tuple(sorted(passed, key=lambda passing: passing.time))


# ---- grown variables -----------------------------------------------------------------------------------------
# Notices of runs of equations in small variables: those that have grown.

#: Beyond this many radians the first order is off by more than some four in a hundred.
_LARGE = 0.5


def grown(synopsis: Synopsis, q: Floats) -> list[str]:
    """A sentence for each small angle that a run brings to where it is small no more."""
    largest = np.abs(q).max(axis=0, initial=0.0)
    reached = [(name, float(largest[synopsis.coordinates.index(name)])) for name in synopsis.small_angles
               if name in synopsis.coordinates]  # fmt: skip
    return [
        f"'{name}' is small in these equations, and gets to {angle:.3g} rad: what they leave out is then not small."
        for name, angle in reached
        if angle > _LARGE
    ]
