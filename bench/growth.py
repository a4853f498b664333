"""How the cost grows with the mechanism: chains of revolute joints about x, y and z in turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from polhode.errors import PolhodeError

from .clock import seconds_of
from .contest import Contest
from .models import chain
from .native_build import our_loop, pinocchio_loop
from .table import Timing, duration

SECTION = "growth"
_WHAT = "forward_dynamics"
#: A joint of the longest chain may take so many times what one of the second takes.
_MOST_GROWTH = 1.5
_LEAST_RATIO = 3.0


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table: times a joint, and what it takes to get there."""
    programs = {name: loop.build(say) for name, loop in (("ours", our_loop()), ("pinocchio", pinocchio_loop()))}
    passes, seconds = (3, 0.05) if quick else (12, 0.1)
    contest = Contest(programs, (_WHAT,), (), passes, seconds)
    sizes = (10, 30, 100) if quick else (10, 30, 100, 300)
    made = []
    for size in sizes:
        say(f"{size} joints")
        made.append(_chain(size, contest, goal=_LEAST_RATIO if size in (30, 300) else None))
    return made if quick else [*made, _growth(made[1], made[-1])]


def _chain(size: int, contest: Contest, goal: float | None) -> Timing:
    case, what, peer = f"{size}-joint chain", f"{_WHAT}, a joint", "Pinocchio ABA"
    equations = chain(size, axes="xyz").derive("articulated_body")
    functions = equations.compile(bake=True, cache=False)
    stages: dict[str, Callable[[], object]] = {
        "derive": lambda: equations.forward_dynamics,
        "plan": partial(functions.program, _WHAT),
        "compile": partial(functions.native, _WHAT),
    }
    try:
        taken = {name: seconds_of(stage) for name, stage in stages.items()}
    except PolhodeError as problem:
        found = problem.problems[0]
        return Timing(SECTION, case, what, None, peer, least_ratio=goal, note=f"{found.message} [{found.code}]")
    timed = contest.of(equations, {_WHAT: functions.native(_WHAT)})
    ours, theirs = (seconds[_WHAT] / size for seconds in (timed.single, timed.peers["pinocchio"]))
    parts = ", ".join(f"{name} {duration(seconds)}" for name, seconds in taken.items())
    note = f"{len(functions.program(_WHAT).run) / size:.0f} operations a joint; {parts}"
    return Timing(SECTION, case, what, ours, peer, theirs, least_ratio=goal, note=note)


def _growth(middle: Timing, last: Timing) -> Timing:
    """What a joint of the last chain takes beside one of the middle chain."""
    goal, note = None, last.note
    if middle.ours is not None:
        goal = _MOST_GROWTH * middle.ours
        note = note if last.ours is None else f"{last.ours / middle.ours:.2f} of that in the {middle.case}"
    return Timing(SECTION, last.case, "one joint", last.ours, most_seconds=goal, note=note)
