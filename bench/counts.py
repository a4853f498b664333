"""How many multiplications and additions a function takes, beside published counts, and what each pass saves.

OpenSYMORO's figures are those of its generated code with base parameters; Pinocchio's are its algorithms traced by
CasADi with the robot's numbers as constants. Sines and cosines are counted apart on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from polhode import Equations, System
from polhode.codegen.ir.count import Operations, count
from polhode.codegen.plan import plan
from polhode.expr import free_symbols, pi
from polhode.kinematics.passes import VARIANTS
from polhode.papers.silver.counts import general_arm, hinged_arm

from .robots import ARMS, WALKERS
from .table import Count, Gain, Row

SECTION = "counts"
_FUNCTIONS = ("inverse_dynamics", "forward_dynamics")
_SYMBOLIC = "OpenSYMORO"
_TRACED = {"inverse_dynamics": "Pinocchio RNEA by CasADi", "forward_dynamics": "Pinocchio ABA by CasADi"}

#: Counts of the peer for inverse and forward dynamics, and the share of them that was asked for at most.
_SYMBOLIC_PEERS = {
    "PUMA 560": ((541, 0.88), (1_649, 0.55)),
    "general 6R arm": ((855, 0.88), (3_362, 0.48)),
}
_NUMERIC_PEERS = {
    "ur5": ((564, 0.55), (1_285, 0.42)),
    "panda": ((1_218, 0.55), (2_657, 0.42)),
    "anymal": ((2_515, 0.55), (5_860, 0.50)),
    "talos": ((6_079, 0.55), (13_674, 0.50)),
}


def rows(quick: bool, say: Callable[[str], None]) -> list[Row]:
    """The section's tables."""
    arms: dict[str, Callable[[], System]] = {"PUMA 560": puma_560, "general 6R arm": general_arm}
    robots = {robot.name: robot.system for robot in (ARMS if quick else ARMS + WALKERS)}
    made: list[Row] = []
    for name, peers in _SYMBOLIC_PEERS.items():
        say(name)
        made += _beside(name, arms[name]().derive(), peers, dict.fromkeys(_FUNCTIONS, _SYMBOLIC))
    for name, peers in _NUMERIC_PEERS.items():
        if name in robots:
            say(name)
            made += _beside(name, robots[name]().derive(), peers, _TRACED)
    for name, system in (arms | robots).items():
        if name in ("ur5", "PUMA 560", "anymal"):
            say(f"{name} without one pass after another")
            made += [_gain(name, system(), what) for what in _FUNCTIONS]
    return made


def puma_560() -> System:
    """Right angles, four lengths and a wrist whose axes meet; every mass, centre and inertia a symbol."""
    table = [(0, 0, 0), (-pi / 2, 0, 0), (0, "a2", "d3"), (-pi / 2, "a3", "d4"), (pi / 2, 0, 0), (-pi / 2, 0, 0)]
    return hinged_arm("PUMA 560", table, products_of_inertia=True)


def _beside(
    name: str, equations: Equations, peers: Iterable[tuple[int, float]], called: Mapping[str, str]
) -> Iterable[Count]:
    for what, (theirs, goal) in zip(_FUNCTIONS, peers, strict=True):
        ours = equations.operations(what, split_angles=False)
        note = f"{ours.sincos} sine-cosine pairs, {ours.divisions} divisions; set-up {ours.setup:,}"
        yield Count(SECTION, name, what, ours.total, called[what], theirs, goal, note)


def _gain(name: str, system: System, what: str) -> Gain:
    """What each pass saves: left out, alone, and everything else as it is."""
    usual = system.derive()
    passes = list(dict.fromkeys(name for variant in VARIANTS for name in variant))
    without = {left_out: _least(system, what, left_out) for left_out in passes}
    without["factor"] = _planned(usual, what, factor=False).total
    ours, split = (_planned(usual, what, split_angles=split_angles) for split_angles in (False, True))
    saved = f"{split.sincos} instead of {ours.sincos} sine-cosine pairs, {split.total - ours.total:+d} operations"
    return Gain(SECTION, name, what, ours.total, without, saved if split != ours else "nothing to split")


def _least(system: System, what: str, left_out: str) -> int:
    """The least count over the variants that are tried, without one pass.

    Where a variant differs from another by that pass alone, leaving it out means not trying that variant.
    """
    spared = [variant for variant in VARIANTS if left_out not in variant]
    shortened = [[name for name in variant if name != left_out] for variant in VARIANTS]
    return min(_planned(system.derive("auto", passes=variant), what).total for variant in spared or shortened)


def _planned(equations: Equations, what: str, *, split_angles: bool = False, factor: bool = True) -> Operations:
    given = {"inverse_dynamics": equations.udot, "forward_dynamics": equations.tau}
    arrays = [("q", list(equations.q)), ("u", list(equations.u)), ("given", list(given[what]))]
    wanted = list(getattr(equations, what))
    moving = {entry for _, entries in arrays for entry in entries}
    constants = [entry for entry in free_symbols(wanted) if entry not in moving]
    outputs = [("wanted", (len(wanted),), wanted)]
    return count(plan(what, arrays, outputs, constants, split_angles=split_angles, factor=factor))
