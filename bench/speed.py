"""How fast the native functions are: beside Pinocchio's C++ and MuJoCo, on the same states, in the same loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from polhode import System

from .clock import seconds_of
from .contest import Contest, Timed
from .models import chain
from .native_build import mujoco_loop, our_loop, pinocchio_loop
from .robots import ARMS, WALKERS
from .table import Timing

SECTION = "speed"
_PEER_OF = {
    "forward_dynamics": "Pinocchio ABA",
    "inverse_dynamics": "Pinocchio RNEA",
    "mass_matrix": "Pinocchio CRBA",
}
_PEER_OF_DERIVATIVES = {
    "forward_dynamics_derivatives": "Pinocchio ABA derivatives",
    "inverse_dynamics_derivatives": "Pinocchio RNEA derivatives",
}
_DIFFERENTIATED = ("ur5", "panda", "anymal", "talos")
#: How many times faster than the peer was asked for.
_GOALS = {
    ("6-joint arm", "forward_dynamics"): 10.0,
    ("ur5", "forward_dynamics"): 18.0,
    ("panda", "forward_dynamics"): 11.0,
    ("talos", "forward_dynamics"): 6.0,
    ("ur5", "inverse_dynamics"): 10.0,
    ("panda", "inverse_dynamics"): 7.0,
    ("talos", "inverse_dynamics"): 5.5,
    ("ur5", "forward_dynamics, in lanes"): 50.0,
    ("ur5", "forward_dynamics_derivatives"): 5.0,
    ("talos", "forward_dynamics_derivatives"): 2.5,
}


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    loops = {"ours": our_loop(), "pinocchio": pinocchio_loop(), "mujoco": mujoco_loop()}
    programs = {name: loop.build(say) for name, loop in loops.items()}
    robots: list[tuple[str, Callable[[], System]]] = [("6-joint arm", partial(chain, 6))]
    robots += [(robot.name, robot.system) for robot in (ARMS if quick else ARMS + WALKERS)]
    passes, seconds = (3, 0.05) if quick else (12, 0.1)
    made: list[Timing] = []
    for name, system in robots:
        say(name)
        peers = {**_PEER_OF, **(_PEER_OF_DERIVATIVES if name in _DIFFERENTIATED else {})}
        made += _robot(name, system(), peers, Contest(programs, tuple(peers), tuple(_PEER_OF), passes, seconds))
    return made


def _robot(name: str, system: System, peers: dict[str, str], contest: Contest) -> Iterator[Timing]:
    """One mechanism's rows."""
    equations = system.derive()
    functions = equations.compile(bake=True, cache=False)
    ready = {what: seconds_of(partial(functions.native, what)) for what in peers}
    timed = contest.of(equations, {what: functions.native(what) for what in peers})
    operations = {what: len(functions.program(what).run) for what in peers}
    yield from _beside_peers(name, timed, peers, operations)
    first_three = sum(ready[what] for what in _PEER_OF)
    yield Timing(SECTION, name, "plan and compile the first three", first_three, note="no cache")
    further = sum(ready[what] for what in peers if what not in _PEER_OF)
    if further:
        yield Timing(SECTION, name, "plan and compile both derivatives", further, note="no cache")


def _beside_peers(name: str, timed: Timed, peers: dict[str, str], operations: dict[str, int]) -> Iterator[Timing]:
    for what, peer in peers.items():
        theirs, note = timed.peers["pinocchio"][what], f"{operations[what]:,} operations"
        goal = _GOALS.get((name, what))
        yield Timing(SECTION, name, what, timed.single[what], peer, theirs, least_ratio=goal, note=note)
        if what in timed.lanes:
            label = f"{what}, in lanes"
            goal = _GOALS.get((name, label))
            yield Timing(SECTION, name, label, timed.lanes[what], peer, theirs, least_ratio=goal)
    if "mujoco" in timed.peers:
        what = "forward_dynamics"
        yield Timing(SECTION, name, what, timed.single[what], "MuJoCo mj_forward", timed.peers["mujoco"][what])
