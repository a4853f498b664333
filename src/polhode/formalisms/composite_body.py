"""The composite-rigid-body algorithm: the mass matrix from the inertia of all that each joint carries.

M. W. Walker and D. E. Orin, "Efficient Dynamic Computer Simulation of Robotic Mechanisms" (1982), method 3;
R. Featherstone, *Rigid Body Dynamics Algorithms* (2008), Table 6.2:

    I_iᶜ = I_i + Σ I_jᶜ over the children j                                                        (1)
    F    = I_iᶜ S_i                                                                                (2)
    H_ii = S_iᵀ F                                                                                  (3)
    F    ← F seen from the parent, link by link from i to the base                                 (4)
    H_ij = H_jiᵀ = Fᵀ S_j at each link j on the way                                                (5)

    book        here
    H           the mass matrix M
    I_i, I_iᶜ   `Inertia`: mass, first and second moment about the link's origin
    S_i         the columns `link.H`, each a rotation part and a translation part
    F           a momentum (n, f), about the origin of each link that it comes to

The bias C is Newton-Euler's, (5.7) to (5.11) with q̈ = 0; accelerations come by LᵀDL from the tips, which keeps branches
apart (Featherstone, section 6.5). Needs a tree; any joint. Cost: quadratic in depth. `short.composite_body` is the same
with fewer operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..dynamics.equations import Recipe
from ..expr import Matrix, as_expr
from ..geometry import Inertia
from ..geometry.twist import Wrench
from ..kinematics.tree import BASE, Tree
from ..model.model import Model
from . import newton_euler


def composite_inertias(tree: Tree) -> list[Inertia]:
    """For each link the inertia of all that it carries, about its own origin."""
    I_c = [link.inertia for link in tree.links]
    for i, link in reversed(list(enumerate(tree.links))):
        if link.parent != BASE:
            I_c[link.parent] = I_c[link.parent] + link.inertia_inward(I_c[i])  # (1)
    return I_c


def mass_matrix(tree: Tree, composites: Sequence[Inertia]) -> Matrix:
    """M(q), each entry on one side of the diagonal computed once."""
    size = len(tree.u)
    M: list[list[Any]] = [[as_expr(0)] * size for _ in range(size)]
    for i, (link, I_c) in enumerate(zip(tree.links, composites, strict=True)):
        for column, (speed, S) in enumerate(zip(link.speeds, link.H, strict=True)):
            F = Wrench(*I_c.momentum(*S))  # (2)
            M[speed][speed] = F.power(S, M[speed][speed])  # (3)
            for j, f in inward(tree, i, F):  # (4)
                at = tree.links[j]
                before = column if j == i else None  # of the joint itself, the columns before this one
                for other, h in list(zip(at.speeds, at.H, strict=True))[:before]:
                    _add_pair(M, speed, other, f.power(h))  # (5)
        for material in link.deforming:
            for speed, momentum in zip(material.speeds, material.columns, strict=True):
                for j, f in inward(tree, i, Wrench(*momentum)):
                    for other, h in zip(tree.links[j].speeds, tree.links[j].H, strict=True):
                        _add_pair(M, speed, other, f.power(h))
            for speed, masses in zip(material.speeds, material.masses, strict=True):
                for other, mass in zip(material.speeds, masses, strict=True):
                    M[speed][other] = M[speed][other] + mass
    return Matrix(M)


def inward(tree: Tree, i: int, F: Wrench) -> Iterator[tuple[int, Wrench]]:
    """A momentum or wrench about the origin of link i, and about those of the links towards the base."""
    while i != BASE:
        yield i, F
        i, F = tree.links[i].parent, tree.links[i].wrench_inward(F)


def _add_pair(M: list[list[Any]], i: int, j: int, amount: Any) -> None:
    """Add the coupling of two columns: to both sides of the diagonal, or twice on it if they share a speed."""
    M[i][j] = M[i][j] + amount
    M[j][i] = M[j][i] + amount if i == j else M[i][j]


def recipe(model: Model, tree: Tree) -> Recipe:
    """M by composite bodies, inverse dynamics and bias by Newton-Euler."""
    return Recipe(
        inverse=newton_euler.recipe(model, tree).inverse,
        mass_matrix=lambda: mass_matrix(tree, composite_inertias(tree)),
    )
