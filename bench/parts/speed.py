"""Time of one call in one and the same C++ loop over 64 random states, nothing subtracted, each result overwriting the
last, parameters as constants; the best round counts, for ours and for theirs. Pinocchio is header-only,
`g++ -O3 -march=native -DNDEBUG`, `aba` with `Convention::WORLD` and `crba` with `Convention::LOCAL` (the faster ones),
on the same tree; values agree to 1e-9 relative, derivatives (all three matrices of each, along the tangent of the
configuration) to 1e-8. Ours writes the whole mass matrix, Pinocchio its upper triangle. In lanes, several states are
computed at once and all results are kept. MuJoCo's `mj_forward` has contacts and constraints off. Last, chains of
revolute joints about x, y and z in turn, by `articulated_body`: times of a call divided by the number of joints.
"""

from collections.abc import Iterator
from functools import partial

from ..contest import contest
from ..digests import systems
from ..harness import Row, Say, duration, seconds_of, timing
from ..mechanisms import chain

PEERS = ("pin", "mujoco")
PROGRAMS = ("chain of 6", "ur5", "panda", "solo12", "anymal", "talos")
_FORWARD = "forward_dynamics"
_FIRST = {_FORWARD: "Pinocchio ABA", "inverse_dynamics": "Pinocchio RNEA", "mass_matrix": "Pinocchio CRBA"}
_DERIVATIVES = {f"{what}_derivatives": f"{_FIRST[what]} derivatives" for what in list(_FIRST)[:2]}
_DIFFERENTIATED = ("ur5", "panda", "anymal", "talos")
#: How many times faster than the peer is the goal.
_GOALS = {
    _FORWARD: {"6-joint arm": 10.0, "ur5": 18.0, "panda": 11.0, "talos": 6.0},
    "inverse_dynamics": {"ur5": 10.0, "panda": 7.0, "talos": 5.5},
    "forward_dynamics, in lanes": {"ur5": 50.0},
    "forward_dynamics_derivatives": {"ur5": 5.0, "talos": 2.5},
}
#: A joint of the longest chain may take so many times what one of the second takes.
_MOST_GROWTH = 1.5


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Each robot's functions beside Pinocchio's and MuJoCo's, then chains."""
    for program in PROGRAMS[: 3 if quick else None]:
        name = "6-joint arm" if program == "chain of 6" else program
        say(name)
        equations = systems(False)[program]().derive()
        functions = equations.compile(bake=True, cache=False)
        peers = _FIRST | (_DERIVATIVES if name in _DIFFERENTIATED else {})
        ready = {what: seconds_of(partial(functions.native, what)) for what in peers}
        compiled = {what: functions.native(what) for what in peers}
        times = contest(equations, compiled, quick, in_lanes=tuple(_FIRST), with_mujoco=True)
        for what, peer in peers.items():
            theirs, note = times["pinocchio"][what], f"{len(functions.program(what).run):,} operations"
            yield timing(name, what, times["ours"][what], peer, theirs, _GOALS.get(what, {}).get(name), note=note)
            if what in times["lanes"]:
                label = f"{what}, in lanes"
                yield timing(name, label, times["lanes"][what], peer, theirs, _GOALS.get(label, {}).get(name))
        if "mujoco" in times:
            yield timing(name, _FORWARD, times["ours"][_FORWARD], "MuJoCo mj_forward", times["mujoco"][_FORWARD])
        for label, chosen in (("the first three", _FIRST), ("both derivatives", _DERIVATIVES)):
            if set(chosen) <= set(ready):
                seconds = sum(ready[what] for what in chosen)
                yield timing(name, f"plan and compile {label}", seconds, note="no cache")
    a_joint: dict[int, float] = {}
    for size in (10, 30) if quick else (10, 30, 100, 300):
        say(f"{size} joints")
        equations = chain(size, axes="xyz").derive("articulated_body")
        functions = equations.compile(bake=True, cache=False)
        stages = {"derive": (getattr, equations), "plan": (functions.program,), "compile": (functions.native,)}
        note = ", ".join(f"{stage} {duration(seconds_of(partial(*call, _FORWARD)))}" for stage, call in stages.items())
        times = contest(equations, {_FORWARD: functions.native(_FORWARD)}, quick)
        a_joint[size], theirs = (times[engine][_FORWARD] / size for engine in ("ours", "pinocchio"))
        note = f"{len(functions.program(_FORWARD).run) / size:.0f} operations a joint; {note}"
        goal, what = 3.0 if size in (30, 300) else None, f"{_FORWARD}, a joint"
        yield timing(f"{size}-joint chain", what, a_joint[size], "Pinocchio ABA", theirs, goal, note=note)
    if not quick:
        note = f"{a_joint[300] / a_joint[30]:.2f} of that in the 30-joint chain"
        yield timing("300-joint chain", "one joint", a_joint[300], most_seconds=_MOST_GROWTH * a_joint[30], note=note)
