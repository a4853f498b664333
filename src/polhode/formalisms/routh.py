"""Routh's equations: Lagrange's in coordinates, with multipliers for the constraints.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", section 6, (217):

    d/dt ∂T/∂q̇_s - ∂T/∂q_s = Q_s + Σ λ_i a_is

    paper       here
    q̇          symbols of their own; the speeds are u = Γ⁻ q̇, and the rows are brought to them by Γᵀ
    Q           -∂𝒱/∂q and the applied forces
    λ, a        multipliers and rows of the constraints (`dynamics.embedding`)

The coordinates of a quaternion are not independent; contracted with Γᵀ, whose columns are tangent to the unit sphere,
the equations hold all the same. Needs a tree; any joint. Cost: grows fast with size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ..dynamics.envelope import Envelope, envelope, generalized_forces
from ..dynamics.equations import Recipe
from ..expr import Expr, Matrix, Vector, as_expr, directional, gradient, jacobian, substitute, symbol
from ..kinematics.motion import kinetic_energy
from ..kinematics.tree import Tree
from ..model.model import Model


@dataclass(frozen=True)
class Lagrange:
    """The terms of Lagrange's equations in the coordinates of a tree, as graphs."""

    system: Model
    large: Envelope

    @cached_property
    def rates(self) -> list[Expr]:
        """Symbols for q̇."""
        return [symbol(f"d {q.name}", "rate") for q in self.large.tree.q]

    @cached_property
    def energy(self) -> Expr:
        """T(q, q̇, t)."""
        tree = self.large.tree
        speeds = self.large.back @ Vector(self.rates)
        values = {u: as_expr(value) for u, value in zip(tree.u, speeds, strict=True)}
        return substitute([as_expr(kinetic_energy(tree))], values)[0]

    @cached_property
    def at_speeds(self) -> dict[Expr, Expr]:
        """q̇ = Γ u, with nothing beyond the system's speeds."""
        tree = self.large.tree
        none = {tree.u[k]: as_expr(0) for k in self.large.extra}
        rates = substitute([as_expr(entry) for entry in self.large.gamma @ tree.u], none)
        return dict(zip(self.rates, rates, strict=True))

    @cached_property
    def momenta(self) -> list[Expr]:
        """∂T/∂q̇."""
        return gradient(self.energy, self.rates)

    def mass_matrix(self) -> Matrix:
        """Γᵀ (∂²T/∂q̇²) Γ."""
        H = jacobian(self.momenta, self.rates)
        entries = substitute(list(H.entries()), self.at_speeds)
        width = len(self.rates)
        H = Matrix([entries[i * width : (i + 1) * width] for i in range(width)])
        G = Matrix([[row[k] for k in self.large.real] for row in self.large.gamma])
        return G.T @ (H @ G)

    def bias(self) -> Vector:
        """Γᵀ (d/dt ∂T/∂q̇ - ∂T/∂q - Q) at u̇ = 0."""
        tree = self.large.tree
        q_rates = [self.at_speeds[rate] for rate in self.rates]
        turning = directional(q_rates, dict(zip(tree.q, q_rates, strict=True)))  # q̈ at u̇ = 0
        along = {
            **dict(zip(tree.q, self.rates, strict=True)),
            **{rate: symbol(f"dd {q.name}", "rate") for rate, q in zip(self.rates, tree.q, strict=True)},
            self.system.time: as_expr(1),
        }
        slope = gradient(self.energy, list(tree.q))
        left = [a - b for a, b in zip(directional(self.momenta, along), slope, strict=True)]
        accelerations = {symbol(f"dd {q.name}", "rate"): rate for q, rate in zip(tree.q, turning, strict=True)}
        rows = Vector(substitute(substitute(left, accelerations), self.at_speeds))  # (217)
        none = {tree.u[k]: as_expr(0) for k in self.large.extra}
        forces = substitute(list(generalized_forces(self.system, tree, self.large.gamma)), none)
        columns = self.large.gamma.columns
        return Vector([as_expr(columns[k].dot(rows) - forces[k]) for k in self.large.real])


def recipe(model: Model, tree: Tree) -> Recipe:
    """Mass matrix and bias from Lagrange's equations; constraints are kept by Routh's multipliers."""
    lagrange = Lagrange(model, envelope(tree))
    mass_matrix, bias = cache(lagrange.mass_matrix), cache(lagrange.bias)

    def inverse(ud: Sequence[Any]) -> Vector:
        return mass_matrix() @ Vector(ud) + bias()

    return Recipe(inverse=inverse, mass_matrix=mass_matrix, bias=bias)
