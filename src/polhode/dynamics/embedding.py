"""Constraints by dependent speeds, or by multipliers, around any formalism.

With u = E u_i + e and u̇ = E u̇_i + γ_E (`constraints.dependent_speeds`) the forces that keep the constraints drop out:

    Eᵀ M E u̇_i + Eᵀ (bias + M γ_E) = Eᵀ τ                                          (embedded)

With multipliers all speeds stay:  M u̇ + bias = τ + Aᵀ λ,  A u̇ + γ = 0, so that

    A M⁻¹ Aᵀ λ = -(A M⁻¹ (τ - bias) + γ),   u̇ = M⁻¹ (τ - bias) + M⁻¹ Aᵀ λ           (multipliers)

C. Mladenova, section 6, (242) to (250), has the first as her B₁ and the second as Routh's equations (217).
Needs the recipe of the tree without its constraints; any formalism. Cost: that of the tree, and a dense solution of
the size of what is independent, or of what is constrained.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ..constraints import Constraints, DependentSpeeds
from ..expr import Expr, Matrix, Vector, as_expr
from ..geometry.elimination import Factors, SymmetricFactors, factor_symmetric, solve_columns, solve_symmetric
from ..kinematics.tree import Tree
from .equations import Recipe, Stabilisation, factor, solve


def embedded(tree: Tree, free: Recipe, dependent_speeds: DependentSpeeds) -> Recipe:
    """The recipe on the independent speeds, from that of the tree without constraints."""
    E, gamma = dependent_speeds.E, dependent_speeds.gamma

    def inverse(ud: Sequence[Any]) -> Vector:
        efforts = free.inverse([as_expr(entry) for entry in E @ Vector(ud) + gamma])
        return Vector(E.T @ Vector(dependent_speeds.in_independent_speeds(efforts)))

    def mass_matrix() -> Matrix:
        return E.T @ (free.mass_matrix() @ E)

    def forward() -> Vector:
        f = E.T @ tree.tau - inverse([0] * len(dependent_speeds.u))
        return Vector(solve_symmetric(mass_matrix(), f))

    def multipliers() -> Vector:
        udot = E @ forward() + gamma
        gap = (
            Vector(dependent_speeds.in_independent_speeds(free.inverse([as_expr(entry) for entry in udot]))) - tree.tau
        )
        A = dependent_speeds.constraints.A
        turned = [[row[k] for row in A] for k in dependent_speeds.dependent]
        solution = solve_columns(turned, [[gap[k]] for k in dependent_speeds.dependent])  # Aᵀλ = M u̇ + bias - τ
        return Vector([row[0] for row in solution])

    return Recipe(inverse=inverse, mass_matrix=mass_matrix, forward=forward, multipliers=multipliers)


def with_multipliers(tree: Tree, free: Recipe, constraints: Constraints) -> Recipe:
    """The recipe on all speeds with multipliers λ; runs may add 2α (A u + a) + α² φ to A u̇ + γ (J. Baumgarte)."""
    usable = constraints.only(constraints.generic_rows)

    def inverse(ud: Sequence[Any]) -> Vector:
        return free.inverse(ud) - usable.efforts(usable.multipliers)

    @cache
    def response() -> tuple[list[Vector], SymmetricFactors, Factors]:
        """M⁻¹Aᵀ by columns, the factors of A M⁻¹ Aᵀ, and those of M."""
        A = usable.A
        factors = factor(tree, free.mass_matrix())
        columns = [Vector(factors.solve(list(row))) for row in A]
        S: list[list[Expr]] = [[as_expr(0)] * len(A) for _ in A]
        for i, row in enumerate(A):
            for j in range(i + 1):
                S[i][j] = S[j][i] = as_expr(row.dot(columns[j]))
        return columns, factor_symmetric(S), factors

    def answer(b: Sequence[Any]) -> tuple[Vector, Vector]:
        """Solve A Δu = b with least ‖Δu‖ in the metric of M; return Δu and the multipliers."""
        columns, factors, _ = response()
        multipliers = Vector(factors.solve(b))
        total = Vector([as_expr(0)] * len(tree.u))
        for column, multiplier in zip(columns, multipliers, strict=True):
            total = total + column * multiplier
        return total, multipliers

    @cache
    def solution(alpha: Expr) -> tuple[Vector, Vector]:
        udot = Vector([as_expr(entry) for entry in solve(tree, free)])
        gap = [-(row.dot(udot) + g) for row, g in zip(usable.A, usable.gamma, strict=True)]
        if alpha:
            gap = [missing - pull for missing, pull in zip(gap, pulls(usable, alpha), strict=True)]
        change, multipliers = answer(gap)
        return udot + change, multipliers

    def accelerated(force: Sequence[Any], rates: Sequence[Any]) -> tuple[Vector, Vector]:
        alone = Vector(response()[2].solve(list(force)))
        change, multipliers = answer([right - row.dot(alone) for row, right in zip(usable.A, rates, strict=True)])
        return alone + change, multipliers

    def projection_step() -> tuple[Vector, Vector]:
        step, _ = answer([as_expr(0) if row.value is None else -row.value for row in usable.rows])
        change, _ = answer([-row.rate for row in usable.rows])
        return step, change

    return Recipe(
        inverse=inverse,
        mass_matrix=free.mass_matrix,
        bias=free.bias or (lambda: free.inverse([0] * len(tree.u))),
        forward=lambda: solution(as_expr(0))[0],
        multipliers=lambda: solution(as_expr(0))[1],
        stabilisation=Stabilisation(
            rows=usable,
            solution=solution,
            response=accelerated,
            pivots=lambda: Vector(response()[1].pivots),
            projection_step=projection_step,
        ),
    )


def pulls(constraints: Constraints, alpha: Expr) -> list[Expr]:
    """2α (A u + a) + α² φ, for each row; a row on the level of speeds has no φ."""
    return [
        as_expr(2 * alpha * row.rate + (alpha**2 * row.value if row.value is not None else 0))
        for row in constraints.rows
    ]
