"""Multiplications and additions of one evaluation; sines, cosines and divisions apart, set-up (what depends on
parameters alone) not counted. The arms beside OpenSYMORO, which counts with base parameters, are symbolic throughout;
the robots beside Pinocchio traced by CasADi have their numbers as constants. Those counts are quoted; ours are read off
the plan. Then, for each pass, the count when it alone is left out, and what computing the sine of a sum of angles from
those of its parts changes.
"""

from collections.abc import Iterator

from polhode import Equations, System
from polhode.codegen.ir.count import Operations
from polhode.codegen.ir.count import count as operations_of
from polhode.codegen.plan import plan
from polhode.expr import free_symbols
from polhode.kinematics.passes import VARIANTS

from ..digests import systems
from ..harness import Row, Say, count

PEERS = ()
_FUNCTIONS = ("inverse_dynamics", "forward_dynamics")
_SYMORO, _TRACED = 2 * ("OpenSYMORO",), ("Pinocchio RNEA by CasADi", "Pinocchio ABA by CasADi")
#: Counts of the peer for inverse and forward dynamics, and the largest shares of them that are the goal.
_COUNTS = {
    "PUMA 560": (_SYMORO, (541, 1_649), (0.88, 0.55)),
    "general 6R arm": (_SYMORO, (855, 3_362), (0.88, 0.48)),
    "ur5": (_TRACED, (564, 1_285), (0.55, 0.42)),
    "panda": (_TRACED, (1_218, 2_657), (0.55, 0.42)),
    "anymal": (_TRACED, (2_515, 5_860), (0.55, 0.50)),
    "talos": (_TRACED, (6_079, 13_674), (0.55, 0.50)),
}


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Beside the peers' counts, and without one pass after another."""
    models = systems(False)
    for name, (peers, counts, shares) in list(_COUNTS.items())[: 4 if quick else None]:
        say(name)
        equations = models[name]().derive()
        for what, peer, theirs, share in zip(_FUNCTIONS, peers, counts, shares, strict=True):
            ours = equations.operations(what, split_angles=False)
            note = f"{ours.sincos} sine-cosine pairs, {ours.divisions} divisions; set-up {ours.setup:,}"
            yield count(name, what, ours.total, peer, theirs, share, note)
    for name in ("PUMA 560", "ur5") if quick else ("PUMA 560", "ur5", "anymal"):
        say(f"{name} without one pass after another")
        for what in _FUNCTIONS:
            yield _gain(name, models[name](), what)


def _gain(name: str, system: System, what: str) -> Row:
    def least(left_out: str) -> int:
        """The least count over the variants without a pass; where a variant differs by it alone, without it."""
        spared = [variant for variant in VARIANTS if left_out not in variant]
        shortened = [[name for name in variant if name != left_out] for variant in VARIANTS]
        return min(_planned(system.derive("auto", passes=variant), what).total for variant in spared or shortened)

    usual = system.derive()
    passes = dict.fromkeys(each for variant in VARIANTS for each in variant)
    without = {left_out: least(left_out) for left_out in passes}
    without["factor"] = _planned(usual, what, factor=False).total
    ours, split = (_planned(usual, what, split_angles=split_angles) for split_angles in (False, True))
    saved = f"{split.sincos} instead of {ours.sincos} sine-cosine pairs, {split.total - ours.total:+d} operations"
    changes = {n: f" ({100 * (n / ours.total - 1):+.0f} %)" if n != ours.total else "" for n in without.values()}
    others = (f"{n:,}{changes[n]}" for n in without.values())
    headings = "model", "what", "polhode", *(f"without {name}" for name in without), "split angles"
    return Row(headings, (name, what, f"{ours.total:,}", *others, saved if split != ours else "nothing to split"))


def _planned(equations: Equations, what: str, **options: bool) -> Operations:
    given = equations.udot if what == "inverse_dynamics" else equations.tau
    arrays = [("q", list(equations.q)), ("u", list(equations.u)), ("given", list(given))]
    results = list(getattr(equations, what))
    moving = {entry for _, entries in arrays for entry in entries}
    constants = [entry for entry in free_symbols(results) if entry not in moving]
    outputs = [("results", (len(results),), results)]
    return operations_of(plan(what, arrays, outputs, constants, **{"split_angles": False} | options))
