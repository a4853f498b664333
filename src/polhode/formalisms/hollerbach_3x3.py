"""Lagrange's equations with 3×3 rotation matrices and vectors, made recursive.

J. M. Hollerbach, "A Recursive Lagrangian Formulation of Manipulator Dynamics and a Comparative Study of Dynamics
Formulation Complexity" (1980), the second of its two recursive forms; W. M. Silver, A.I. Memo 622 (1981), section 1.4,
gives it half the operations of the first. The fourth row of each 4×4 matrix, which never changes, drops out:

    Ẅ_j = Ẅ_{j-1} A_j + 2 Ẇ_{j-1} ∂A_j/∂q_j q̇_j + W_{j-1} (∂²A_j/∂q_j² q̇_j² + ∂A_j/∂q_j q̈_j)
    p̈_j = p̈_{j-1} + Ẅ_{j-1} s_j + 2 Ẇ_{j-1} ∂s_j/∂q_j q̇_j + W_{j-1} (∂²s_j/∂q_j² q̇_j² + ∂s_j/∂q_j q̈_j)
    e_i = m_i p̈_i + Ẅ_i h_i + e_{i+1}                        the force on all that joint i carries, in the ground
    D_i = J_i Ẅ_iᵀ + h_i p̈_iᵀ + A_{i+1} D_{i+1} + s_{i+1} e_{i+1}ᵀ
    c_i = h_i + A_{i+1} c_{i+1} + μ_{i+1} s_{i+1},    μ_i = m_i + μ_{i+1}
    τ_i = tr(∂W_i/∂q_i D_i) + ∂p_i/∂q_i · e_i - gᵀ (∂W_i/∂q_i c_i + μ_i ∂p_i/∂q_i)

    here
    W, p        rotation and origin of a link in the ground
    A, s        rotation and origin of a link in its parent; s depends on q where the joint slides
    m, h, J     mass, first and second moment about the link's origin, in the link's components

Needs a tree of joints with one degree of freedom each, of any kind; a driven one has time for its q, as in
`uicker_kahn`. Cost: linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..dynamics.equations import Recipe, by_columns
from ..expr import Matrix, Vector, skew
from ..geometry import Inertia
from ..geometry.twist import ZERO
from ..kinematics.tree import BASE, Tree
from ..model.model import Model
from .uicker_kahn import coordinate_rates, coordinate_twist, given_forces, only_single_joints, speed_of, trace

_AT_REST = (Matrix.identity(3), Matrix.zeros(3, 3), Matrix.zeros(3, 3), ZERO)


@dataclass(frozen=True)
class Segment:
    """A link and the joint that carries it: rotation A and origin s in the parent, each with its derivatives."""

    parent: int
    speed: int | None  # the place of its q̇ among all speeds; none where the motion is prescribed
    A: Matrix
    A_D_q: Matrix
    A_D_qq: Matrix
    s: Vector
    s_D_q: Vector
    s_D_qq: Vector
    inertia: Inertia


def segments(tree: Tree) -> list[Segment]:
    """A tree in rotation matrices and vectors: with the twist (w, v), ∂A/∂q = A ŵ and ∂s/∂q = A v."""
    only_single_joints(tree, "the formalism 'hollerbach_3x3'")
    result = []
    for link in tree.links:
        (w, v), (alpha, a) = coordinate_twist(link)
        A, hat = link.X.R, skew(w)
        rotations = A, A @ hat, A @ (hat @ hat + skew(alpha))
        origins = link.X.p, A @ v, A @ (hat @ v + a)
        result.append(Segment(link.parent, speed_of(link), *rotations, *origins, link.inertia))
    return result


def inverse_dynamics(
    links: Sequence[Segment], qd: Sequence[Any], qdd: Sequence[Any], gravity: Sequence[Any]
) -> list[Any]:
    """The effort on every coordinate, by one sweep outward and one inward."""
    motion: list[tuple[Matrix, Matrix, Matrix, Vector]] = []  # W, Ẇ, Ẅ, p̈
    for link in links:
        W, Wd, Wdd, pdd = _AT_REST if link.parent == BASE else motion[link.parent]
        rate, second_rate = coordinate_rates(link.speed, qd, qdd)
        square = rate * rate
        motion.append((
            W @ link.A,
            Wd @ link.A + W @ link.A_D_q * rate,
            Wdd @ link.A + Wd @ link.A_D_q * (2 * rate) + W @ link.A_D_qq * square + W @ link.A_D_q * second_rate,
            pdd
            + Wdd @ link.s
            + Wd @ (link.s_D_q * (2 * rate))
            + W @ (link.s_D_qq * square + link.s_D_q * second_rate),
        ))  # fmt: skip
    e, D, c, mu = [], [], [], []
    for link, (_, _, Wdd, pdd) in zip(links, motion, strict=True):
        m, h, J = link.inertia.m, link.inertia.h, link.inertia.J
        e.append(pdd * m + Wdd @ h)
        D.append(J @ Wdd.T + _outer(h, pdd))
        c.append(h)
        mu.append(m)
    g = Vector(gravity)
    tau: list[Any] = [0] * len(qd)
    for i in reversed(range(len(links))):
        link, up = links[i], links[i].parent
        if link.speed is not None:
            W = _AT_REST[0] if up == BASE else motion[up][0]
            W_D_q, p_D_q = W @ link.A_D_q, W @ link.s_D_q
            weight = W_D_q @ c[i] + p_D_q * mu[i]
            tau[link.speed] = tau[link.speed] + trace(W_D_q @ D[i]) + p_D_q.dot(e[i]) - g.dot(weight)
        if up != BASE:
            e[up] = e[up] + e[i]
            D[up] = D[up] + link.A @ D[i] + _outer(link.s, e[i])
            c[up] = c[up] + link.A @ c[i] + link.s * mu[i]
            mu[up] = mu[up] + mu[i]
    return tau


def _outer(a: Vector, b: Vector) -> Matrix:
    return Matrix([[x * y for y in b] for x in a])


def recipe(model: Model, tree: Tree) -> Recipe:
    """Inverse dynamics by recursion; the mass matrix from it, column by column."""
    links, still = segments(tree), segments(tree.at_rest)
    size = len(tree.u)

    def inverse(ud: Sequence[Any]) -> Vector:
        return Vector(inverse_dynamics(links, tree.u, ud, tree.gravity)) - given_forces(model, tree)

    return by_columns(inverse, lambda unit: inverse_dynamics(still, [0] * size, unit, ZERO), size)
