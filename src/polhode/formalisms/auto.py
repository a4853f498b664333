"""The cheapest way to each function: Newton-Euler for inverse dynamics, composite bodies for the mass matrix, and for
accelerations whichever of composite and articulated bodies needs fewer operations on this very mechanism.

The papers behind them (Luh, Walker and Paul 1980; Walker and Orin 1982; Featherstone 1983) are named in their files.
"""

from __future__ import annotations

from ..equations import Recipe, solve
from ..expr import Vector, as_expr, operation_counts
from ..kinematics.tree import Tree
from ..model.system import System
from . import articulated_body, composite_body

#: Above this many couplings between speeds the quadratic method is not even tried.
_COUPLING_LIMIT = 1500


def recipe(system: System, tree: Tree) -> Recipe:
    """Pick per function."""
    composite = composite_body.recipe(system, tree)
    articulated = articulated_body.recipe(system, tree)

    def forward() -> Vector:
        recursive = solve(tree, articulated)
        if _couplings(tree) > _COUPLING_LIMIT:
            return recursive
        eliminated = solve(tree, composite)
        return min((eliminated, recursive), key=_operations)

    return Recipe(forward=forward, inverse=composite.inverse, mass_matrix=composite.mass_matrix)


def _operations(form: Vector) -> int:
    return sum(operation_counts(map(as_expr, form)).values())


def _couplings(tree: Tree) -> int:
    depth = [0] * len(tree.u)
    for speed in tree.speed_order:
        tie = tree.speed_tie[speed]
        depth[speed] = 1 if tie < 0 else depth[tie] + 1
    return sum(depth)
