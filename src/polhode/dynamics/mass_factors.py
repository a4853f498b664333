"""The factors of a mass matrix, whichever equations it belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from ..expr import Matrix, as_expr, same
from ..geometry.elimination import SymmetricFactors, TriangularFactors, factor_symmetric, triangular_factors
from ..geometry.linear import Factors
from .equations import EquationsOfMotion, factor


def mass_factors(
    equations: EquationsOfMotion, mass_matrix: Matrix, is_truncated: bool = False
) -> Factors | SymmetricFactors | TriangularFactors:
    """LᵀDL along the branches of a tree, LDLᵀ on dependent speeds; truncated in small variables, LU from the tips."""
    tree, is_tree = equations.tree, equations.dependent_speeds is None
    if is_truncated and is_tree and not same(mass_matrix.entries(), mass_matrix.T.entries()):
        return triangular_factors(mass_matrix, tree.speed_order[::-1], equations.speeds)
    return factor(tree, mass_matrix) if is_tree else factors_of(mass_matrix, equations.speeds)


def factors_of(mass_matrix: Matrix, speeds: Sequence[str]) -> SymmetricFactors | TriangularFactors:
    """Factors of a mass matrix in its own order: LDLᵀ, or LU if truncation left it unsymmetric."""
    if same(mass_matrix.entries(), mass_matrix.T.entries()):
        return factor_symmetric(mass_matrix)
    return triangular_factors(mass_matrix, range(len(mass_matrix)), speeds)


def inverse_mass_matrix(equations: EquationsOfMotion) -> Matrix:
    """M⁻¹, by the factors of M."""
    factors = mass_factors(equations, equations.mass_matrix, equations.small is not None)
    if isinstance(factors, Factors):
        return factors.inverse().map(as_expr)
    size = len(equations.u)
    return Matrix.columns_of([factors.solve(unit) for unit in Matrix.identity(size)], size).map(as_expr)
