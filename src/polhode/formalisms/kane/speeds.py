"""Sayers' speeds in place of the system's own, in which his sums are taken: `derive("kane", speeds="sayers")`.

    u = D(q) u* + e(q, t)                  (22), (27): what the system's own speeds are, without a division
    u* = P(q) u + p(q, t)                  what the paper takes for speeds: ω^B and v^B* along the body's axes

Both are written down directly, so that each judges the other: D is the inverse of P.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...constraints import Constraints, PseudoSpeeds
from ...expr import Expr, Matrix, Vector, as_expr, directional, substitute
from ...expr.spelling import acceleration_of, told_apart
from ...model.building import spellings_of
from ...model.model import Model
from .literal import Literal


@dataclass(frozen=True, eq=False)
class SayersSpeeds(PseudoSpeeds):
    """Pseudo-velocities that determine the speeds everywhere, as the paper has them."""

    keeps_units = True

    literal: Literal

    @cached_property
    def E(self) -> Matrix:
        """D of u = D u* + e."""
        return self.literal.slopes

    @cached_property
    def e(self) -> Vector:
        """The part of the speeds that time alone gives."""
        return Vector(substitute(self.literal.own_speeds, dict.fromkeys(self.u, as_expr(0))))

    @cached_property
    def followed(self) -> dict[Expr, Expr]:
        """What the system's own speeds stand for, (22) and (27)."""
        return {self.literal.tree.u[k]: self.literal.own_speeds[k] for k in self.replaced}

    @cached_property
    def gamma(self) -> Vector:
        """The rates of the system's own speeds at u̇* = 0."""
        literal = self.literal
        flow: dict[Expr, Any] = dict(zip(literal.tree.q, literal.coordinate_rates, strict=True))
        return Vector(directional(list(literal.own_speeds), flow | {self.constraints.time: as_expr(1)}))

    @cached_property
    def moving_pivots(self) -> list[Expr]:
        """None: a frame's axes and the directions of a joint always span what they should."""
        return []

    @cached_property
    def pivots(self) -> Vector:
        return Vector([])


def speeds_of(system: Model, rows: Constraints) -> SayersSpeeds:
    """Sayers' speeds for a tree; `rows` are its constraints, which are none."""
    literal, tree = Literal(system, rows.tree), rows.tree
    chosen = literal.speeds
    values = [literal.absolute_speeds.get(i, u) for i, u in enumerate(tree.u)]
    new = [u for u in chosen if u not in tree.u]
    told_apart([*new, *map(acceleration_of, new)], spellings_of(system), "speeds of Sayers")
    made = [u if u is own else value for u, own, value in zip(chosen, tree.u, values, strict=True)]
    return SayersSpeeds(rows, tuple(range(len(tree.u))), (), chosen, Vector(made), literal)
