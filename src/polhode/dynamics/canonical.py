"""Hamilton's equations: coordinates q and their momenta P, the variables in which a conservative motion is symplectic.

    p = M u = Γᵀ P,    P = Γ⁻ᵀ p          the momenta of the speeds, and those of the coordinates
    q̇ = Γ u                               with u = M⁻¹ Γᵀ P
    Ṗ = Γ⁻ᵀ (ṗ - Γ̇ᵀ P) - Σ (P·Γ u) e     with ṗ = τ - bias + Ṁ u

Γ⁻ is the left inverse of Γ, and the last sum is over unit quaternions e with their own parts of P and Γ. Beside the
unit sphere the Hamiltonian is continued as H(e/|e|, |e| P): then |e|² and e·P are constant, q̇ = ∂H/∂P and Ṗ = -∂H/∂q
hold in all of R⁴, and the momenta of rotations, P and e being multiplied, are quadratic. What keeps quadratic constants
of a Hamiltonian system, as Gauss' methods do, keeps unit length and linear and angular momentum.

Forces need no potential: τ, dampers and inputs act through `bias`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import PolhodeError
from ..expr import Expr, Vector, as_expr, directional, quiet_collector, substitute, symbol
from .equations import EquationsOfMotion, factor


@dataclass(frozen=True)
class Canonical:
    """Hamilton's equations of a mechanism."""

    momenta: tuple[Expr, ...]  # P as a function of q and u
    speeds: tuple[Expr, ...]  # u as a function of q and P
    rates: tuple[Expr, ...]  # of q, P and z, as functions of them and of τ


def why_not_canonical(equations: EquationsOfMotion) -> str:
    """Why a mechanism has no such momenta, in words; nothing where it has."""
    tree = equations.tree
    if equations.constraints is not None:
        return "it has constraints"
    if equations.dependent_speeds is not None:
        return "it is written in pseudo-velocities"
    if equations.small is not None:
        return "its equations are truncated in small variables"
    if equations.omitted:
        return "coordinates are omitted"
    if tree.is_driven:
        return "the motion of a joint or of a placement is prescribed"
    if len(tree.q) - len(tree.quaternions) != len(tree.u):
        return "a joint is not holonomic"
    return ""


def momentum_symbols(equations: EquationsOfMotion) -> list[Expr]:
    """The symbols of P, one for each coordinate."""
    return [symbol(f"P_{number}", "momentum") for number in range(len(equations.q))]


@quiet_collector()
def canonical(equations: EquationsOfMotion) -> Canonical:
    """Hamilton's equations, from M, Γ and the bias of any formalism."""
    reason = why_not_canonical(equations)
    if reason:
        message = f"system '{equations.system.name}' has no canonical momenta: {reason}."
        raise PolhodeError(message, "canonical", "Use the equations in the speeds.", "E-DERIVE-UNSUPPORTED")
    q, u, P = list(equations.q), list(equations.u), momentum_symbols(equations)
    M, gamma = equations.mass_matrix, equations.kinematic_matrix
    back = equations.tree.kinematic_left_inverse().T
    p = M @ Vector(u)
    turning = dict(zip(q, equations.coordinate_rates, strict=True))
    carried = directional([as_expr(entry) for entry in p], turning)
    bent = directional([as_expr(entry) for entry in gamma.T @ Vector(P)], turning)
    rates = list(back @ (Vector(carried) - equations.bias - Vector(bent)))
    for first in equations.tree.quaternions:
        pairs = zip(P[first : first + 4], equations.coordinate_rates[first : first + 4], strict=True)
        radial = as_expr(sum((a * b for a, b in pairs), as_expr(0)))
        for k in range(first, first + 4):
            rates[k] = rates[k] - radial * q[k]
    speeds = [as_expr(entry) for entry in factor(equations.tree, M).solve(gamma.T @ Vector(P))]
    roots = [as_expr(entry) for entry in (*equations.coordinate_rates, *rates, *equations.z_rates)]
    pd = substitute(roots, dict(zip(u, speeds, strict=True)))
    # the efforts come last, so that momenta that nothing else changes are seen to be constant
    for k, pushed in enumerate(back @ equations.efforts, len(q)):
        pd[k] = as_expr(pd[k] + pushed)
    return Canonical(tuple(as_expr(entry) for entry in back @ p), tuple(speeds), tuple(pd))
