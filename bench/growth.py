"""How the cost grows with the mechanism: chains of revolute joints about x, y and z in turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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
    middle, last = made[1], made[-1]
    growth = f"{last.ours / middle.ours:.2f} of what it takes in the {middle.case}"
    made.append(
        Timing(SECTION, last.case, "one joint", last.ours, most_seconds=_MOST_GROWTH * middle.ours, note=growth)
    )
    return made


def _chain(size: int, contest: Contest, goal: float | None) -> Timing:
    system = chain(size, axes="xyz")
    equations = system.derive("articulated_body")
    functions = equations.compile(bake=True, cache=False)
    stages: dict[str, Callable[[], object]] = {
        "derive": lambda: equations.forward_dynamics,
        "plan": partial(functions.program, _WHAT),
        "compile": partial(functions.native, _WHAT),
    }
    taken = {name: seconds_of(stage) for name, stage in stages.items()}
    timed = contest.of(equations, {_WHAT: functions.native(_WHAT)})
    parts = ", ".join(f"{name} {duration(seconds)}" for name, seconds in taken.items())
    return Timing(
        SECTION,
        f"{size}-joint chain",
        f"{_WHAT}, a joint",
        timed.single[_WHAT] / size,
        "Pinocchio ABA",
        timed.peers["pinocchio"][_WHAT] / size,
        least_ratio=goal,
        note=f"{len(functions.program(_WHAT).run) / size:.0f} operations a joint; {parts}",
    )
