"""Coordinates that a constraint brings with it: those of a joint that closes a loop, the place where a disc touches.

They move so that what defines them stays: with ν their speeds, ψ̇ = 0 is solved for ν and ψ̈ = 0 for its rate, by
elimination in the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...errors import PolhodeError
from ...expr import Expr
from ...expr.field import P
from ...model.constraints import Closure
from ...model.reading import coordinate_symbols
from .jet import Jet
from .jets import Asked, nothing_free, pose_between
from .matrices import IDENTITY, ZERO, Rows, added, jet_product, scaled, solved, undone
from .positions import Placed, Positions


@dataclass(frozen=True)
class Choice:
    """What the equations chose to define the coordinates of a constraint by: conditions by name, and their values."""

    definitions: Mapping[str, int]
    conditions: Mapping[str, int]


class Chain(Protocol):
    """Coordinates with speeds of their own: a place, or the stages of a joint."""

    @property
    def symbols(self) -> tuple[Expr, ...]: ...
    @property
    def ways(self) -> Rows:
        """Rates of the coordinates for a unit of each speed."""

    def second_rates(self, speeds: Sequence[int], rates: Sequence[int]) -> list[int]:
        """The second rates of the coordinates, from the speeds and their rates."""


@dataclass(frozen=True, eq=False)
class Place:
    """One coordinate whose speed is its rate."""

    symbols: tuple[Expr, ...]
    ways: Rows

    def second_rates(self, speeds: Sequence[int], rates: Sequence[int]) -> list[int]:
        return list(rates)


class Stages:
    """The coordinates of a closing joint, stage by stage from frame a to frame b."""

    def __init__(self, closure: Closure) -> None:
        kind = closure.joint
        self.symbols = coordinate_symbols(kind, [f"{closure.name} {label or 1}" for label in kind.coordinate_labels()])
        firsts = [sum(stage.coordinates for stage in kind.stages[:k]) for k in range(len(kind.stages))]
        self.spans = [range(firsts[k], firsts[k] + kind.stages[k].coordinates) for k in kind.from_parent]
        self.stages = []
        for k, span in zip(kind.from_parent, self.spans, strict=True):
            q = tuple(self.symbols[at] for at in span)
            self.stages.append(Placed(closure.name, kind.stages[k], q, tuple(s.fp for s in q)))
        self.sizes = [len(placed.twists) for placed in self.stages]
        self.ways: Rows = [[0] * sum(self.sizes) for _ in self.symbols]
        for placed, span, own in zip(self.stages, self.spans, self.columns, strict=True):
            for row, at in zip(placed.rates, span, strict=True):
                self.ways[at][own.start : own.stop] = row

    @property
    def columns(self) -> list[range]:
        """For each stage the indices of its speeds."""
        return [range(sum(self.sizes[:k]), sum(self.sizes[: k + 1])) for k in range(len(self.sizes))]

    @property
    def beyond(self) -> list[int]:
        """The speeds of the generated algebras that the joint does not have."""
        pairs = zip(self.stages, self.columns, strict=True)
        return [k for placed, own in pairs for k in own[placed.stage.speeds :]]

    def second_rates(self, speeds: Sequence[int], rates: Sequence[int]) -> list[int]:
        made = [0] * len(self.symbols)
        for placed, span, own in zip(self.stages, self.spans, self.columns, strict=True):
            xi, xi_dot = ZERO, ZERO
            for turn, k in zip(placed.twists, own, strict=True):
                xi, xi_dot = added(xi, scaled(turn, speeds[k])), added(xi_dot, scaled(turn, rates[k]))
            first = [sum(g * speeds[k] for g, k in zip(row, own, strict=True)) % P for row in placed.rates]
            for at, entry in zip(span, placed.second_rates(xi, xi_dot, first), strict=True):
                made[at] = entry
        return made

    def poses(self, symbols: Mapping[Expr, Jet]) -> list[Rows]:
        """The pose of each stage over jets."""
        return [placed.position([symbols[q] for q in placed.q]) for placed in self.stages]


@dataclass(frozen=True)
class Auxiliary:
    """The coordinates of one constraint on the move, and their speeds."""

    coordinates: dict[Expr, Jet]
    speeds: list[Jet]


def moved(chain: Chain, definitions: Callable[[Mapping[Expr, Jet]], Sequence[Jet]], speeds: int, of: str) -> Auxiliary:
    """Coordinates that keep their definitions where they are, while the mechanism moves and varies."""
    G, values = chain.ways, [s.fp for s in chain.symbols]
    count = len(G[0])
    # With the coordinates standing still, varying by their own speeds: indices below zero.
    still = {
        s: Jet(x, 0, 0, {-1 - k: g for k, g in enumerate(row) if g})
        for s, x, row in zip(chain.symbols, values, G, strict=True)
    }
    asked = definitions(still)
    D = [[psi.vary.get(-1 - k, 0) for k in range(count)] for psi in asked]
    found = _solved(D, [[-psi.d, *(-psi.vary.get(i, 0) for i in range(speeds))] for psi in asked], of)
    nu = [row[0] for row in found]
    first = [sum(g * n for g, n in zip(row, nu, strict=True)) % P for row in G]

    def jets(nu_dot: Sequence[int], vary: bool) -> dict[Expr, Jet]:
        second = chain.second_rates(nu, nu_dot)
        made = {}
        for s, x, d, dd, row in zip(chain.symbols, values, first, second, G, strict=True):
            own = (
                {i: sum(g * n[1 + i] for g, n in zip(row, found, strict=True)) % P for i in range(speeds)}
                if vary
                else {}
            )
            made[s] = Jet(x, d, dd, {i: v for i, v in own.items() if v})
        return made

    steady = definitions(jets([0] * count, False))
    nu_dot = [row[0] for row in _solved(D, [[-psi.dd] for psi in steady], of)]
    own_speeds = [Jet(row[0], dot, 0, dict(enumerate(row[1:]))) for row, dot in zip(found, nu_dot, strict=True)]
    return Auxiliary(jets(nu_dot, True), own_speeds)


def _solved(left: Rows, right: Rows, of: str) -> Rows:
    found = solved(left, right)
    if found is None:
        raise PolhodeError(
            "its own coordinates do not follow from what defines them.",
            place=f"constraint '{of}'",
            code="E-REFERENCE-002",
        )
    return found


def gap(at: Positions, closure: Closure, stages: Stages, cut: int, symbols: Mapping[Expr, Jet]) -> Asked:
    """The six conditions at a cut of the chain: E = X_inner⁻¹ X_ab X_outer⁻¹ is one."""
    inner: Rows = IDENTITY
    outer: Rows = IDENTITY
    poses = stages.poses(symbols)
    for X in poses[:cut]:
        inner = jet_product(inner, X)
    for X in poses[cut:]:
        outer = jet_product(outer, X)
    return nothing_free(jet_product(jet_product(undone(inner), pose_between(at, closure)), undone(outer)))


def cut_of(at: Positions, closure: Closure, stages: Stages, choice: Choice) -> int | None:
    """Where the chain was cut: the conditions there have the values that the equations have."""
    still = {s: Jet(s.fp) for s in stages.symbols}
    wanted = {**choice.definitions, **choice.conditions}
    for cut in range(len(stages.stages) + 1):
        asked = gap(at, closure, stages, cut, still)
        if all(name in asked and asked[name].x == value for name, value in wanted.items()):
            return cut
    return None
