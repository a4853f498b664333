"""How fast C is that CasADi wrote of Pinocchio's and of adam-robotics' algorithms, in the loop of `speed`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from polhode import Equations
from polhode.errors import PolhodeError

from .casadi_adam import record
from .casadi_code import Tracer, adam_tracer, pinocchio_tracer, traced
from .contest import Contest
from .native_build import casadi_loop, our_loop
from .plain_tree import as_lines, plain_tree
from .robots import ARMS, SOLO12, WALKERS
from .table import Timing

SECTION = "casadi"
_PINOCCHIO = {"forward_dynamics": "Pinocchio ABA by CasADi", "inverse_dynamics": "Pinocchio RNEA by CasADi"}
_ADAM = {"forward_dynamics": "adam-robotics ABA by CasADi"}
#: The base always floats there, and an inertial without an origin, as the other robots have, is not read.
_ADAMS = (*(replace(arm, name=f"floating {arm.name}", base="floating") for arm in ARMS), SOLO12)
#: How many times faster than the peer was asked for.
_GOALS = {"forward_dynamics": 2.0, "inverse_dynamics": 1.6}


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    pinocchio = pinocchio_tracer(say)
    programs = {"ours": our_loop().build(say), "casadi": casadi_loop().build(say)}
    match = _Match(programs, *((3, 0.05) if quick else (12, 0.1)), say)
    made: list[Timing] = []
    for robot in ARMS if quick else ARMS + WALKERS:
        say(robot.name)
        equations = robot.system().derive()
        tree = as_lines(plain_tree(equations.system))
        made += match.rows(robot.name, equations, pinocchio, tree, _PINOCCHIO)
    try:
        adam = adam_tracer()
    except PolhodeError as problem:
        say(str(problem))
        return made
    for robot in _ADAMS[:1] if quick else _ADAMS:
        say(f"{robot.name} by adam-robotics")
        equations = robot.system().derive()
        made += match.rows(robot.name, equations, adam, record(robot, equations), _ADAM)
    return made


@dataclass(frozen=True)
class _Match:
    """Ours against generated C: the programs that time them, and for how long."""

    programs: Mapping[str, Path]
    passes: int
    seconds: float
    say: Callable[[str], None]

    def rows(
        self, name: str, equations: Equations, tracer: Tracer, mechanism: str, peers: Mapping[str, str]
    ) -> Iterator[Timing]:
        """The rows of one mechanism, which `mechanism` tells the tracer."""
        theirs = traced(tracer, name, mechanism, self.say)
        functions = equations.compile(bake=True, cache=False)
        files = {"traced.so": theirs.library}
        contest = Contest(self.programs, tuple(peers), (), self.passes, self.seconds, judge="casadi", files=files)
        timed = contest.of(equations, {what: functions.native(what) for what in peers})
        operations = theirs.operations(tuple(peers))
        for what, peer in peers.items():
            note = f"{len(functions.program(what).run):,} operations, theirs {operations[what]:,}"
            ours, least = timed.single[what], timed.peers["casadi"][what]
            yield Timing(SECTION, name, what, ours, peer, least, least_ratio=_GOALS[what], note=note)
