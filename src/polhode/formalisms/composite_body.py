"""Composite-body mass matrix, with the bias from Newton-Euler and elimination from the tips.

M. W. Walker and D. E. Orin, "Efficient Dynamic Computer Simulation of Robotic Mechanisms" (1982), method 3; elimination
with branch-induced sparsity after R. Featherstone (2005).

    I_c(i) = I(i) + Σ over children of I_c seen from i
    M(j, i) = H(j) · (I_c(i) H(i) carried inward to j)

Needs a tree; any joint. Cost: quadratic in depth; the cheapest code for arms of ordinary length.
"""

from __future__ import annotations

from typing import Any

from ..equations import Recipe
from ..expr import Matrix, Vector, as_expr
from ..geometry import Inertia
from ..kinematics.tree import BASE, Tree
from ..model.system import System
from . import newton_euler


def composite_inertias(tree: Tree) -> list[Inertia]:
    """For each link the inertia of all that it carries, about its own origin."""
    table = [link.inertia for link in tree.links]
    for place in reversed(range(len(tree.links))):
        link = tree.links[place]
        if link.parent != BASE:
            table[link.parent] = table[link.parent] + table[place].seen_from(link.X)
    return table


def mass_matrix(tree: Tree) -> Matrix:
    """M(q), each entry on one side of the diagonal computed once."""
    size = len(tree.u)
    M: list[list[Any]] = [[as_expr(0)] * size for _ in range(size)]
    for link, inertia in zip(tree.links, composite_inertias(tree), strict=True):
        for number, (speed, (hw, hv)) in enumerate(zip(link.speeds, link.H, strict=True)):
            n, f = inertia.momentum(hw, hv)
            for other, (gw, gv) in list(zip(link.speeds, link.H, strict=True))[: number + 1]:
                M[speed][other] = M[other][speed] = gw.dot(n) + gv.dot(f)
            _carry_inward(tree, M, speed, link.parent, link.X.R @ n, link.X.R @ f, link.X.p)
    return Matrix(M)


def _carry_inward(
    tree: Tree, M: list[list[Any]], speed: int, place: int, n: Vector, f: Vector, p: Vector
) -> None:
    """Project a wrench on the speeds of all ancestors; n and f are in the components of link `place`."""
    while place != BASE:
        link = tree.links[place]
        n = n + p.cross(f)
        for other, (hw, hv) in zip(link.speeds, link.H, strict=True):
            M[speed][other] = M[other][speed] = hw.dot(n) + hv.dot(f)
        n, f, p, place = link.X.R @ n, link.X.R @ f, link.X.p, link.parent


def recipe(system: System, tree: Tree) -> Recipe:
    """M by composite bodies, bias by Newton-Euler with no acceleration, accelerations by LᵀDL."""
    companion = newton_euler.recipe(system, tree)
    return Recipe(inverse=companion.inverse, mass_matrix=lambda: mass_matrix(tree))
