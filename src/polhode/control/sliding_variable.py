"""The sliding variable of Slotine and Li: what the speeds are beyond those with which errors would decay by themselves.

    u_r:  ė = -Λ e,    a_r = u̇_r,    s = u - u_r

    M(q) a_r + C(q, u) u_r + (bias - C u) = inverse dynamics(q, u, a_r) - C s

Where s vanishes, errors decay with the rates Λ. With the left side as efforts, M ṡ + C s = 0, and since Ṁ - 2C is skew,
½ sᵀ M s does not change. J.-J. E. Slotine and W. Li, "On the adaptive control of robot manipulators" (1987).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..dynamics.equations import EquationsOfMotion
from ..expr import Expr, Vector, as_expr, directional, substitute
from .actuation import Actuation
from .gains import Gains
from .model_based import step
from .tracking import Tracking


@dataclass(frozen=True, eq=False)
class SlidingVariable:
    """Steps e, v = u_r, a = a_r and s, and efforts with which ½ sᵀ M s would not change."""

    steps: Mapping[Expr, Expr]
    s: Vector
    forces: list[Expr]


def sliding_variable(
    equations: EquationsOfMotion, followed: Tracking, rates: Gains | None, actuation: Actuation
) -> SlidingVariable:
    """s and the efforts that keep ½ sᵀ M s, in steps; without rates, u_r is what the reference asks for."""
    e = {step("e", name): error for name, error in followed.errors.items()}
    v = followed.speeds_for([-each for each in rates.times(list(e))] if rates else [0] * len(e))
    names = [u.name for u in equations.u]
    speeds = {step("v", name): value for name, value in zip(names, v, strict=True)}
    moving = directional(substitute(v, e), followed.flow)  # u_r is a function of q, t and the reference
    a = {step("a", name): value for name, value in zip(names, moving, strict=True)}
    s = {step("s", u.name): as_expr(u - own) for u, own in zip(equations.u, speeds, strict=True)}
    along = Vector(list(s))
    kept = equations.coriolis_matrix @ along
    forces = [as_expr(f - c) for f, c in zip(actuation.required(list(a)), kept, strict=True)]
    return SlidingVariable({**e, **speeds, **a, **s}, along, forces)
