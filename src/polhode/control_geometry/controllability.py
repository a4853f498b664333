"""Controllability about an equilibrium: small-time local, by the first of these tests that decides.

    linear      rank [B, AB, A²B, …] = n: sufficient (E. D. Sontag, *Mathematical Control Theory*, 1998, section 3.7)
    accessible  L₀ must have n dimensions at almost every state: necessary where equations are analytic
    Chow        all speeds driven: brackets of q̇ = Γ(q) u span at the state (W. L. Chow 1939; F. Bullo and A. D. Lewis,
                *Geometric Control of Mechanical Systems*, 2005, section 8.3): sufficient
    Sussmann    every bad bracket, with an odd number of drifts and an even number of each input, is a combination of
                good ones of lower degree, and good ones span (H. J. Sussmann, *A general theorem on local
                controllability*, 1987): sufficient

Where none decides, that is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..expr import as_expr, is_zero, quiet_collector
from ..geometry.vector_fields import Field, bracket
from ..notebook import Told
from .accessibility import Reach, dimension_at, reach, unreached
from .affine import Plant
from .at_state import Asked, AtState
from .linear_rank import linear_rank

_PLACE = "controllability"
#: Brackets of a higher degree than this, or more of them than this, are not tried in Sussmann's test.
_DEGREE, _COUNT = 6, 400


@dataclass(frozen=True, eq=False, repr=False)
class Controllability(Told):
    """Whether a mechanism is small-time locally controllable about an equilibrium: True, False, or None if undecided.

    `test` names the test that decided, `reason` says what it found; `linear_rank` is that of [B, AB, …], of `size`.
    """

    verdict: bool | None
    test: str
    reason: str
    size: int
    linear_rank: int

    def __bool__(self) -> bool:
        return self.verdict is True

    def __str__(self) -> str:
        told = {True: "controllable", False: "not controllable", None: "not decided"}[self.verdict]
        return f"{told}: {self.reason}."


def controllability(
    asked: Asked,
) -> Controllability:
    """Whether inputs lead from an equilibrium to all states near it, within any short time; at home without `at`.

    >>> import polhode as ph
    >>> s = ph.System("sleigh", gravity=(0, 0, 0))
    >>> _ = s.joint("sleigh", s.ground, s.body("runner", 1, inertia=(1, 1, 1)), ph.Planar())
    >>> _ = s.knife_edge("edge", "runner")
    >>> e = s.derive()
    >>> print(e.controllability(["sleigh_w", "sleigh_vx"]))
    controllable: inputs drive all speeds, and brackets of q' = G(q) u span all coordinates at this state (Chow).
    """
    with quiet_collector():
        made, state = asked.plant_there(_PLACE)
        return _decided(made, state)


def _decided(made: Plant, state: AtState) -> Controllability:
    linear = state.linear.with_ports([*made.inputs])
    size, rank = made.size, linear_rank(linear.A, linear.B.columns, state)

    def told(verdict: bool | None, test: str, reason: str) -> Controllability:
        return Controllability(verdict, test, reason, size, rank)

    if not state.is_at_rest:
        return told(None, "", "this state is no equilibrium with these inputs; name those that hold it in `at`")
    if rank == size:
        return told(True, "linear", f"the linear equations about this state are, rank [B, AB, ...] = {size}")
    found = reach(made)
    if found.growth[-1] < size and found.spread.is_complete:
        lacking = unreached(made, found)
        names = f", not those of {', '.join(lacking)}" if lacking else ""
        spanned = f"brackets of drift and inputs span {found.growth[-1]} of {size} directions{names}"
        return told(False, "accessible", spanned)
    if found.driven and not any(found.drift):
        if dimension_at(made, found, state) == size:
            words = "inputs drive all speeds, and brackets of q' = G(q) u span all coordinates at this state (Chow)"
            return told(True, "Chow", words)
        return told(None, "", "the brackets that were taken span at almost every state, and not at this one")
    return told(*_sussmann(made, state, rank, found))


def _sussmann(made: Plant, state: AtState, rank: int, found: Reach) -> tuple[bool | None, str, str]:
    """Sussmann's test on brackets [X₁, [X₂, …]] of drift and inputs, degree by degree."""
    form = made.regular
    drift = list(form.drift)
    if not form.driven:  # the inputs that hold the equilibrium belong to the drift
        for symbol, g in zip(made.inputs.values(), form.fields, strict=True):
            held = state.values[symbol]
            drift = [as_expr(a + held * b) for a, b in zip(drift, g, strict=True)]
    letters = [drift, *form.fields]
    count = len(letters)
    words: list[tuple[tuple[int, ...], Field]] = [
        (tuple(int(i == k) for i in range(count)), X) for k, X in enumerate(letters)
    ]
    good: list[Field] = []
    linear, tried = f"the linear equations have rank {rank} of {made.size}", 0
    for degree in range(1, _DEGREE + 1):
        spanned = state.rank(good)
        bad = [X for kind, X in words if _is_bad(kind)]
        if bad and state.rank([*good, *bad]) > spanned:
            why = f"a bad bracket of degree {degree} is no combination of good ones of lower degree"
            return None, "", f"{linear}, and {why} (Sussmann's condition fails, which proves nothing)"
        good += [X for kind, X in words if not _is_bad(kind)]
        if state.rank(good) == made.size:
            why = f"good brackets of degree up to {degree} span all {made.size} directions at this state"
            return True, "Sussmann", f"{why}, and no bad one is left over (Sussmann)"
        tried += len(words) * count
        if tried > _COUNT:
            break
        longer = []
        for kind, Y in words:
            for k, X in enumerate(letters):
                made_of = bracket(X, Y, form.variables) if X is not Y else []
                if any(not is_zero(entry) for entry in made_of):
                    longer.append((tuple(n + int(i == k) for i, n in enumerate(kind)), made_of))
        words = longer
    reached = f"brackets span {found.growth[-1]} of {made.size} directions at almost every state"
    return None, "", f"{linear}; {reached}, but Sussmann's test did not end"


def _is_bad(kind: Sequence[int]) -> bool:
    return kind[0] % 2 == 1 and all(n % 2 == 0 for n in kind[1:])
