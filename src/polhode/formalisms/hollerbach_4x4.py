"""Lagrange's equations with 4×4 matrices, made recursive.

J. M. Hollerbach, "A Recursive Lagrangian Formulation of Manipulator Dynamics and a Comparative Study of Dynamics
Formulation Complexity" (1980), the first of its two recursive forms; W. M. Silver, A.I. Memo 622 (1981), section 1.4,
tells the story. The rates of the matrices W go outward, and what all links beyond a joint add to its effort comes
inward as one matrix D and one vector c:

    Ẇ_j = Ẇ_{j-1} A_j + W_{j-1} ∂A_j/∂q_j q̇_j
    Ẅ_j = Ẅ_{j-1} A_j + 2 Ẇ_{j-1} ∂A_j/∂q_j q̇_j + W_{j-1} (∂²A_j/∂q_j² q̇_j² + ∂A_j/∂q_j q̈_j)
    D_i = J_i Ẅ_iᵀ + A_{i+1} D_{i+1},    c_i = m_i r_i + A_{i+1} c_{i+1}
    τ_i = tr(∂W_i/∂q_i D_i) - gᵀ ∂W_i/∂q_i c_i

The letters are those of `uicker_kahn`, whose sum (1.2) this reorders.

Needs a tree of joints with one degree of freedom each, of any kind; a driven one has time for its q, as in
`uicker_kahn`. Cost: linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dynamics.equations import Recipe, by_columns
from ..expr import Matrix, Vector
from ..kinematics.tree import BASE, Tree
from ..model.model import Model
from .uicker_kahn import Segment, given_forces, segments, trace

_AT_REST = (Matrix.identity(4), Matrix.zeros(4, 4), Matrix.zeros(4, 4))


def inverse_dynamics(
    links: Sequence[Segment], qd: Sequence[Any], qdd: Sequence[Any], gravity: Sequence[Any]
) -> list[Any]:
    """The effort on every coordinate, by one sweep outward and one inward."""
    motion: list[tuple[Matrix, Matrix, Matrix]] = []  # W, Ẇ, Ẅ
    for link in links:
        W, Wd, Wdd = _AT_REST if link.parent == BASE else motion[link.parent]
        rate, second_rate = link.rates(qd, qdd)
        motion.append((
            W @ link.A,
            Wd @ link.A + W @ link.A_D_q * rate,
            Wdd @ link.A
            + Wd @ link.A_D_q * (2 * rate)
            + W @ link.A_D_qq * (rate * rate)
            + W @ link.A_D_q * second_rate,
        ))  # fmt: skip
    D = [link.J @ Wdd.T for link, (_, _, Wdd) in zip(links, motion, strict=True)]
    c = [link.moment for link in links]
    g = Vector([*gravity, 0])
    tau: list[Any] = [0] * len(qd)
    for i in reversed(range(len(links))):
        link = links[i]
        if link.speed is not None:
            W_before = _AT_REST[0] if link.parent == BASE else motion[link.parent][0]
            W_D_q = W_before @ link.A_D_q
            tau[link.speed] = tau[link.speed] + trace(W_D_q @ D[i]) - g.dot(W_D_q @ c[i])
        if link.parent != BASE:
            D[link.parent] = D[link.parent] + link.A @ D[i]
            c[link.parent] = c[link.parent] + link.A @ c[i]
    return tau


def recipe(model: Model, tree: Tree) -> Recipe:
    """Inverse dynamics by recursion; the mass matrix from it, column by column."""
    links, still = (segments(t, "hollerbach_4x4") for t in (tree, tree.at_rest))
    size = len(tree.u)

    def inverse(ud: Sequence[Any]) -> Vector:
        return Vector(inverse_dynamics(links, tree.u, ud, tree.gravity)) - given_forces(model, tree)

    return by_columns(inverse, lambda unit: inverse_dynamics(still, [0] * size, unit, [0, 0, 0]), size)
