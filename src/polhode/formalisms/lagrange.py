"""Lagrange's equations of a given Lagrangian, which need not be that of bodies.

    d/dt ∂L/∂u_k - ∂L/∂q_k = Q_k + τ_k,    u = q̇,    L = T(q, u, t) - V(q, t)

T has all terms of L with speeds and is of second degree in them, T = ½ uᵀ M u + a·u; M(q, t) is not singular. The
coordinates are those of a chain of massless bodies, which carries V as a potential and Q as forces on its joints. So
½ uᵀ M u + V is Jacobi's integral, the energy that is constant where L does not depend on time and no Q acts.

H. Goldstein, C. Poole and J. Safko, *Classical Mechanics*, third edition (2002), sections 1.4 and 2.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..dynamics.envelope import generalized_forces
from ..dynamics.equations import EquationsOfMotion, Recipe
from ..errors import PolhodeError, fault_at
from ..expr import Expr, Matrix, Vector, as_expr, directional, gradient, jacobian
from ..kinematics.motion import flow
from ..kinematics.tree import Tree, build_tree
from ..model.model import Model

fault = fault_at("lagrangian")


def refusal(what: str) -> PolhodeError:
    """The error of a result that needs bodies."""
    cure = "Describe the mechanism by a ph.System, whose equations have it."
    return fault(f"{what} is that of bodies, and a Lagrangian has none.", cure, "E-DERIVE-UNSUPPORTED")


def _refused(what: str) -> Any:
    """A property that is refused."""

    def refuse(_: object) -> Any:
        raise refusal(what)

    return property(refuse, doc=f"Refused: {what} is that of bodies.")


@dataclass(frozen=True, eq=False, repr=False)
class LagrangianEquations(EquationsOfMotion):
    """The equations of motion of a Lagrangian; results that need bodies are refused."""

    has_bodies = False
    coriolis_matrix = _refused("the Coriolis matrix")
    gravity_terms = _refused("what gravity adds")
    momentum = _refused("the momentum")
    mass_moment = _refused("the mass centre")
    located = _refused("a pose or velocity")

    @cached_property
    def kinetic_energy(self) -> Expr:
        """½ uᵀ M u."""
        return as_expr(self.u.dot(self.mass_matrix @ self.u) / 2)


def recipe(model: Model, tree: Tree, T: Expr) -> Recipe:
    """Lagrange's equations of T and of the loads of the model."""
    momenta, u = gradient(T, list(tree.u)), list(tree.u)
    Q = Vector(gradient(T, list(tree.q))) + generalized_forces(model, tree, tree.kinematic_matrix())

    def inverse(ud: Sequence[Any]) -> Vector:
        along = {**flow(tree, model.time), **dict(zip(u, map(as_expr, ud), strict=True))}
        return Vector(directional(momenta, along)) - Q

    return Recipe(inverse=inverse, mass_matrix=lambda: jacobian(momenta, u))


def lagrange(model: Model, T: Expr) -> EquationsOfMotion:
    """The equations of motion of a model that has T instead of the kinetic energy of its bodies."""
    tree = build_tree(model)
    return LagrangianEquations(model, tree, "lagrange", (), lambda: recipe(model, tree, T))


def check_mass_matrix(M: Matrix, speeds: Sequence[Expr]) -> None:
    """Raise if ∂²L/∂u² depends on speeds or is singular."""
    if any(any(M.diff(u).entries()) for u in speeds):
        message = "the Lagrangian is not of second degree in the speeds: ∂²L/∂q̇² depends on them."
        raise fault(message, "Write L = ½ q̇ᵀ M(q, t) q̇ + a(q, t)·q̇ - V(q, t).", "E-DERIVE-UNSUPPORTED")
    for size in range(1, len(M) + 1):  # from the tips of the chain, as the elimination goes
        if not M[-size:, -size:].det():
            what = "is singular" if size == len(M) else f"has a singular block of the last {size} coordinates"
            message = f"∂²L/∂q̇² {what}, so that the accelerations do not follow from L by elimination."
            cure = (
                "Leave out coordinates without inertia, putting in what they are, or order the coordinates otherwise."
            )
            raise fault(message, cure, "E-DERIVE-SINGULAR")
