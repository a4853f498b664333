"""How fast Pinocchio's algorithms are as C that CasADi wrote: robots, states and loop are those of `speed`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from .casadi_code import traced
from .contest import Contest
from .native_build import casadi_loop, casadi_trace, our_loop
from .plain_tree import plain_tree
from .robots import ARMS, WALKERS, Robot
from .table import Timing

SECTION = "casadi"
_PEER_OF = {"forward_dynamics": "Pinocchio ABA by CasADi", "inverse_dynamics": "Pinocchio RNEA by CasADi"}
#: How many times faster than the peer was asked for.
_GOALS = {"forward_dynamics": 2.0, "inverse_dynamics": 1.6}


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    tracer = casadi_trace().build(say)
    programs = {"ours": our_loop().build(say), "casadi": casadi_loop().build(say)}
    passes, seconds = (3, 0.05) if quick else (12, 0.1)
    made: list[Timing] = []
    for robot in ARMS if quick else ARMS + WALKERS:
        say(robot.name)
        made += _robot(robot, tracer, programs, passes, seconds, say)
    return made


def _robot(
    robot: Robot, tracer: Path, programs: dict[str, Path], passes: int, seconds: float, say: Callable[[str], None]
) -> Iterator[Timing]:
    """One robot's rows."""
    equations = robot.system().derive()
    theirs = traced(tracer, robot.name, plain_tree(equations.system), say)
    functions = equations.compile(bake=True, cache=False)
    files = {"traced.so": theirs.library}
    contest = Contest(programs, tuple(_PEER_OF), (), passes, seconds, judge="casadi", files=files)
    timed = contest.of(equations, {what: functions.native(what) for what in _PEER_OF})
    operations = theirs.operations(tuple(_PEER_OF))
    for what, peer in _PEER_OF.items():
        note = f"{len(functions.program(what).run):,} operations, theirs {operations[what]:,}"
        least = timed.peers["casadi"][what]
        yield Timing(SECTION, robot.name, what, timed.single[what], peer, least, least_ratio=_GOALS[what], note=note)
