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
from typing import TYPE_CHECKING, ClassVar

from ...errors import ModelError, shown
from ...expr import Expr, as_expr, constant_sign, free_symbols, is_zero
from .protocol import Constraint, MovingBodies

if TYPE_CHECKING:
    from ..forces.protocol import Mechanism, PrimitiveLoad
    from .contact import Meeting

_ZERO = as_expr(0)


@dataclass(frozen=True)
class Group:
    """One gap with its velocities, or velocities without a gap, and the laws along them.

    `gap` is in m or rad, positive where apart. `rates` are the normal velocity, where there is a gap, and the tangent
    velocities. `kinetic` and `static` are coefficients, or bounds in N or N·m of a group without a gap; `stribeck` is a
    speed. `margin`, where there is one, is positive at a contact and negative where a point that slides is beyond the
    edge of its face: the normal jumps there. A group of a contact has its `meeting`.
    """

    part: str
    gap: Expr | None
    rates: tuple[Expr, ...]
    kinetic: Expr = _ZERO
    static: Expr = _ZERO
    stribeck: Expr = _ZERO
    restitution: Expr = _ZERO
    margin: Expr | None = None
    meeting: Meeting | None = None

    @property
    def tangents(self) -> int:
        """How many tangent velocities it has."""
        return len(self.rates) - (self.gap is not None)


@dataclass(frozen=True, kw_only=True)
class UnilateralElement(Constraint):
    """A contact, a stop or dry friction."""

    store: ClassVar[str] = "contacts"

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        """The forces that it comes to where its motion is prescribed."""
        return ()

    @abstractmethod
    def groups(self, moving: MovingBodies) -> Sequence[Group]:
        """Its groups of rows."""


def check_laws(
    place: str, kinetic: Expr = _ZERO, static: Expr | None = None, stribeck: Expr = _ZERO, restitution: Expr = _ZERO,
    damping: Expr = _ZERO,
) -> None:  # fmt: skip
    """Refuse laws that cannot be, where their values are known."""
    faults = [
        (kinetic, "friction", "is negative", kinetic, "Give a coefficient or bound ≥ 0."),
        (static, "static friction", "is below that in motion", None if static is None else static - kinetic,
         "Static friction is at least as large as that in motion."),
        (stribeck, "speed stribeck", "is negative", stribeck, "Give a speed ≥ 0."),
        (damping, "damping", "is negative", damping, "Give a damping ≥ 0."),
        (restitution, "restitution", "is not between 0 and 1", restitution, "Give a number from 0 to 1."),
        (restitution, "restitution", "is not between 0 and 1", 1 - restitution, "Give a number from 0 to 1."),
    ]  # fmt: skip
    for value, what, wrong, margin, cure in faults:
        if margin is not None and not free_symbols([margin := as_expr(margin)]) and constant_sign(margin) < 0:
            raise ModelError(f"the {what} {shown(value)} {wrong}.", place, cure, "E-CONSTRAINT-NUMBER")
    if static is None and not is_zero(stribeck):
        message = "the speed stribeck is that at which static friction falls, and there is no static friction."
        raise ModelError(message, place, "Give static=… too.", "E-CONSTRAINT-NUMBER")
