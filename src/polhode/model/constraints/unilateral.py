"""What a unilateral element is: a contact, a stop or dry friction, by its groups of rows.

A group has a gap g(q) that stays positive or zero, with the normal velocity as its first row, or none; and tangent
velocities, none, one or two, along which friction acts. Along the normal 0 ≤ λ_N ⊥ g ≥ 0. Along the tangents the
friction is at most μ λ_N, or a bound of its own where there is no gap; at rest it holds with the static coefficient,
in motion it is opposite to the velocity, with

    μ(v) = μ_k + (μ_s - μ_k) exp(-(v/v_s)²)

or μ_k at once where v_s is zero. An impact changes velocities by the restitution e.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...expr import Expr, as_expr
from .protocol import Constraint, Moving

_ZERO = as_expr(0)


@dataclass(frozen=True)
class Group:
    """One gap with its velocities, or velocities without a gap, and the laws along them.

    `gap` is in m or rad, positive where apart. `rates` are the normal velocity, where there is a gap, and the tangent
    velocities. `kinetic` and `static` are coefficients, or bounds in N or N·m of a group without a gap; `stribeck` is a
    speed.
    """

    part: str
    gap: Expr | None
    rates: tuple[Expr, ...]
    kinetic: Expr = _ZERO
    static: Expr = _ZERO
    stribeck: Expr = _ZERO
    restitution: Expr = _ZERO

    @property
    def tangents(self) -> int:
        """How many tangent velocities it has."""
        return len(self.rates) - (self.gap is not None)


@dataclass(frozen=True, kw_only=True)
class UnilateralElement(Constraint):
    """A contact, a stop or dry friction."""

    store: ClassVar[str] = "contacts"

    @abstractmethod
    def groups(self, moving: Moving) -> Sequence[Group]:
        """Its groups of rows."""
