"""Composite-body mass matrix, with the bias from Newton-Euler and elimination from the tips.

M. W. Walker and D. E. Orin, "Efficient Dynamic Computer Simulation of Robotic Mechanisms" (1982), method 3; elimination
with branch-induced sparsity after R. Featherstone (2005).

    composite(i) = inertia(i) + Σ over children of composite(child), seen from i
    M(j, i) = H(j) · (composite(i) H(i), carried inward to j)

Needs a tree; any joint. Cost: quadratic in depth; the cheapest code for arms of ordinary length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dynamics.equations import Recipe, right_side
from ..expr import Matrix, Vector, as_expr
from ..geometry import Inertia
from ..geometry.linear import factor_by_sparsity
from ..kinematics.tree import BASE, Tree
from ..kinematics.unit import measured
from ..model.model import Model
from . import newton_euler
from .newton_euler import pass_inward

_ZERO = Vector([0, 0, 0])


def composite_inertias(tree: Tree) -> list[Inertia]:
    """For each link the inertia of all that it carries, about its own origin."""
    table = [link.inertia for link in tree.links]
    for place in reversed(range(len(tree.links))):
        link = tree.links[place]
        if link.parent != BASE:
            table[link.parent] = table[link.parent] + link.inertia_inward(table[place])
    return table


def mass_matrix(tree: Tree, composites: Sequence[Inertia]) -> Matrix:
    """M(q), each entry on one side of the diagonal computed once."""
    size = len(tree.u)
    M: list[list[Any]] = [[as_expr(0)] * size for _ in range(size)]
    for link, inertia in zip(tree.links, composites, strict=True):
        for number, (speed, (hw, hv)) in enumerate(zip(link.speeds, link.H, strict=True)):
            n, f = inertia.momentum(hw, hv)
            M[speed][speed] = M[speed][speed] + hw.dot(n) + hv.dot(f)
            for other, (gw, gv) in list(zip(link.speeds, link.H, strict=True))[:number]:
                _add_pair(M, speed, other, gw.dot(n) + gv.dot(f))
            at = link
            while at.parent != BASE:
                n, f = pass_inward(at, (_ZERO, _ZERO), n, f)
                at = tree.links[at.parent]
                for other, (gw, gv) in zip(at.speeds, at.H, strict=True):
                    _add_pair(M, speed, other, gw.dot(n) + gv.dot(f))
    return Matrix(M)


def _add_pair(M: list[list[Any]], i: int, j: int, amount: Any) -> None:
    """Add the coupling of two columns: to both sides of the diagonal, or twice on it if they share a speed."""
    M[i][j] = M[i][j] + amount
    M[j][i] = M[j][i] + amount if i == j else M[i][j]


def recipe_by_sparsity(system: Model, tree: Tree) -> Recipe:
    """The same with accelerations by LᵀDL in an order that follows the zeros of M, not the branches of the tree."""
    companion = newton_euler.recipe(system, tree)

    def inertia() -> Matrix:
        return mass_matrix(tree, composite_inertias(tree)).map(as_expr)

    def forward() -> Vector:
        known, f = right_side(tree, companion)
        return factor_by_sparsity(inertia(), tree.speed_order, tree.speeds).solve(f) + known

    return Recipe(inverse=companion.inverse, mass_matrix=inertia, forward=forward)


def recipe(system: Model, tree: Tree) -> Recipe:
    """M by composite bodies, inverse dynamics and bias by Newton-Euler, accelerations by LᵀDL from the tips."""
    companion = newton_euler.recipe(system, tree)

    def inertia() -> Matrix:
        short = measured(tree, sliding=False).tree
        return mass_matrix(short, composite_inertias(short))

    return Recipe(inverse=companion.inverse, mass_matrix=inertia, reference=companion.reference)
