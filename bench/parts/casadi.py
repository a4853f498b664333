"""The loop and states of `speed`, beside C that CasADi generated, `gcc -O3 -march=native`. It traced Pinocchio's `rnea`
and `aba` on the same tree, the robot's numbers as constants, common subexpressions removed, `aba` with
`Convention::LOCAL` (the faster one here); values agree to 1e-9 relative. Then the `aba` of adam-robotics, whose base
always floats, on the robots that it reads.
"""

from collections.abc import Iterator

from ..contest import contest
from ..harness import Row, Say, timing
from ..mechanisms import ANYMAL, PANDA, SOLO12, TALOS, UR5
from ..peers.casadi import of_adam, of_pinocchio, operations_of

PEERS = ("pin", "casadi", "adam-robotics")
PROGRAMS = ("ur5", "panda", "solo12", "anymal", "talos")
_PINOCCHIO = {"forward_dynamics": "Pinocchio ABA by CasADi", "inverse_dynamics": "Pinocchio RNEA by CasADi"}
_ADAM = {"forward_dynamics": "adam-robotics ABA by CasADi"}
#: How many times faster than the peer is the goal.
_GOALS = {"forward_dynamics": 2.0, "inverse_dynamics": 1.6}


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Each robot beside Pinocchio's algorithms; three, whose inertials all have an origin, beside adam-robotics'."""
    cases = [(robot, of_pinocchio, _PINOCCHIO) for robot in (UR5, PANDA, SOLO12, ANYMAL, TALOS)[: 2 if quick else None]]
    cases += [(robot, of_adam, _ADAM) for robot in (UR5.floating(), PANDA.floating(), SOLO12)[: 1 if quick else None]]
    for robot, trace, peers in cases:
        say(f"{robot.name}, {', '.join(peers.values())}")
        equations = robot.system().derive()
        source, library = trace(robot, equations)
        functions = equations.compile(bake=True, cache=False)
        compiled = {what: functions.native(what) for what in peers}
        times = contest(equations, compiled, quick, judge="casadi", files={"traced.so": library})
        for what, peer in peers.items():
            theirs = operations_of(what, source.read_text(encoding="utf-8"))
            note = f"{len(functions.program(what).run):,} operations, theirs {theirs:,}"
            yield timing(robot.name, what, times["ours"][what], peer, times["casadi"][what], _GOALS[what], note=note)
