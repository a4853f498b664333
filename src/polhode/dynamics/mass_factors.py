"""The factors of a mass matrix, whichever equations it belongs to."""

from __future__ import annotations

from ..expr import Matrix, same
from ..geometry.elimination import SymmetricFactors, factor_symmetric
from ..geometry.linear import Factors
from ..geometry.triangular import TriangularFactors, triangular_factors
from .equations import EquationsOfMotion, factor


def mass_factors(
    equations: EquationsOfMotion, mass_matrix: Matrix, is_truncated: bool = False
) -> Factors | SymmetricFactors | TriangularFactors:
    """LᵀDL along the branches of a tree, LDLᵀ on dependent speeds; truncated in small variables, LU from the tips.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    >>> made = s.derive().record
    >>> mass_factors(made, made.mass_matrix).solve([6])
    Vector([3])
    """
    tree, is_tree = equations.tree, equations.dependent_speeds is None
    if is_truncated and not same(mass_matrix.entries(), mass_matrix.T.entries()):
        order = tree.speed_order[::-1] if is_tree else list(range(len(mass_matrix)))
        return triangular_factors(mass_matrix, order, equations.speeds)
    return factor(tree, mass_matrix) if is_tree else factor_symmetric(mass_matrix)
