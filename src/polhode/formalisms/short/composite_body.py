"""Composite bodies in a unit of length, the bias by the short Newton-Euler, and elimination along the zeros of M.

The recursion is that of `formalisms.composite_body` (Walker and Orin 1982; Featherstone 2008). What saves operations:

* Lengths are counted in a unit in which common offsets are one (`unit_of_length`), unless a sliding speed would have to
  be converted.
* Inverse dynamics and the motion that accelerations are measured from are those of `short.newton_euler`.
* `recipe_by_sparsity` eliminates next the speed that is coupled to the fewest others, as Sayers (1991) does.

In operations, the mass matrix of the UR5 as it was written, and accelerations after the usual passes:

                     book   here
    UR5, M            169    161
    six-joint arm     590    497
    UR5               538    419
    ANYmal          3,753  2,951
"""

from __future__ import annotations

from ...dynamics.equations import Recipe, right_side
from ...expr import Matrix, Vector, as_expr
from ...geometry.elimination import factor_by_sparsity
from ...kinematics.tree import Tree
from ...model.model import Model
from ..composite_body import composite_inertias, mass_matrix
from . import newton_euler
from .unit_of_length import scaled_tree


def recipe_by_sparsity(model: Model, tree: Tree) -> Recipe:
    """The same with accelerations by LᵀDL in an order that follows the zeros of M, not the branches of the tree."""
    companion = newton_euler.recipe(model, tree)

    def inertia() -> Matrix:
        return mass_matrix(tree, composite_inertias(tree)).map(as_expr)

    def forward() -> Vector:
        reference, f = right_side(tree, companion)
        return factor_by_sparsity(inertia(), tree.speed_order, tree.speeds).solve(f) + reference

    return Recipe(inverse=companion.inverse, mass_matrix=inertia, forward=forward)


def recipe(model: Model, tree: Tree) -> Recipe:
    """M by composite bodies, inverse dynamics and bias by Newton-Euler, accelerations by LᵀDL from the tips."""
    companion = newton_euler.recipe(model, tree)

    def inertia() -> Matrix:
        short = scaled_tree(tree, sliding=False).tree
        return mass_matrix(short, composite_inertias(short))

    return Recipe(inverse=companion.inverse, mass_matrix=inertia, reference=companion.reference)
