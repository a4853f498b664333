"""Articulated-body forward dynamics.

R. Featherstone, "The Calculation of Robot Dynamics Using Articulated-Body Inertias" (1983), with accelerations of
points in place of spatial accelerations, so that no linear velocity is needed, and with the speeds of a joint eliminated
one after the other, so that no matrix is inverted.

Writing A = (α, a) for a link's accelerations, every articulated body obeys  (n, f) = I A + P. For each speed,
from the last of the joint to its first:

    U = I H,  D = H·U,  e = τ - H·P,    I ← I - U Uᵀ/D,    P ← P + U e/D

and outward:  u̇ = (e - U·A)/D,  A ← A + H u̇.

Needs a tree; any joint. Cost: linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..equations import Recipe
from ..errors import ModelError
from ..expr import Matrix, Vector, as_expr, is_zero, skew
from ..geometry import Inertia, Pose
from ..geometry.inertia import rotate_symmetric, symmetric
from ..kinematics.tree import BASE, Link, Tree
from ..loads import Loads, Wrench
from ..model.system import System
from . import composite_body
from .newton_euler import pass_inward

_ZERO = Vector([0, 0, 0])


@dataclass(frozen=True)
class ArticulatedInertia:
    """The symmetric 6×6 matrix [[A, B], [Bᵀ, C]]: n = A α + B a, f = Bᵀ α + C a."""

    A: Matrix
    B: Matrix
    C: Matrix

    @staticmethod
    def of(inertia: Inertia) -> ArticulatedInertia:
        return ArticulatedInertia(inertia.I, skew(inertia.h), Matrix.identity(3) * inertia.m)

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.A + other.A, self.B + other.B, self.C + other.C)

    def apply(self, alpha: Vector, a: Vector) -> Wrench:
        return self.A @ alpha + self.B @ a, self.B.T @ alpha + self.C @ a

    def less(self, Un: Vector, Uf: Vector, Dn: Vector, Df: Vector) -> ArticulatedInertia:
        """I - U (U/D)ᵀ, with U/D given as (Dn, Df)."""
        A = symmetric({(i, j): self.A[i, j] - Un[i] * Dn[j] for i in range(3) for j in range(i, 3)})
        C = symmetric({(i, j): self.C[i, j] - Uf[i] * Df[j] for i in range(3) for j in range(i, 3)})
        B = Matrix([[self.B[i, j] - Un[i] * Df[j] for j in range(3)] for i in range(3)])
        return ArticulatedInertia(A, B, C)

    def seen_from(self, X: Pose) -> ArticulatedInertia:
        """About the parent's origin: C, B + p̂ C, A + p̂ Bᵀ - (B + p̂ C) p̂, all rotated first."""
        C = rotate_symmetric(X.R, self.C)
        B = X.R @ self.B @ X.R.T
        A = rotate_symmetric(X.R, self.A)
        if not any(X.p):
            return ArticulatedInertia(A, B, C)
        hat = skew(X.p)
        B_shifted = B + hat @ C
        left, right = hat @ B.T, B_shifted @ hat
        A = symmetric({(i, j): A[i, j] + left[i, j] - right[i, j] for i in range(3) for j in range(i, 3)})
        return ArticulatedInertia(A, B_shifted, C)


@dataclass(frozen=True)
class _Pivot:
    """What the elimination of one speed leaves for the way outward."""

    speed: int
    H: Wrench
    U: Wrench
    e: Any
    reciprocal: Any


def forward_dynamics(
    tree: Tree, u: Sequence[Any], tau: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    """The accelerations u̇ for given efforts and external wrenches."""
    spins: list[Vector] = []
    products: list[Wrench] = []  # accelerations that velocities alone cause
    inertias: list[ArticulatedInertia] = []
    biases: list[Wrench] = []
    for link, (n_ext, f_ext) in zip(tree.links, wrenches, strict=True):
        w, product = _velocity_terms(link, u, _ZERO if link.parent == BASE else spins[link.parent])
        spins.append(w)
        products.append(product)
        inertias.append(ArticulatedInertia.of(link.inertia))
        n = w.cross(link.inertia.I @ w)
        f = w.cross(w.cross(link.inertia.h))
        biases.append((n - n_ext, f - f_ext))
    pivots: list[list[_Pivot]] = [[] for _ in tree.links]
    for place in reversed(range(len(tree.links))):
        link = tree.links[place]
        I = inertias[place]
        n, f = I.apply(*products[place])
        P = (biases[place][0] + n, biases[place][1] + f)
        for k in reversed(range(len(link.speeds))):
            pivot, I, P = _eliminate(link, k, I, P, tau)
            pivots[place].append(pivot)
        if link.parent != BASE:
            inertias[link.parent] = inertias[link.parent] + I.seen_from(link.motion).seen_from(link.fixed)
            biases[link.parent] = pass_inward(link, biases[link.parent], *P)
    return _outward(tree, pivots, products, gravity)


def _velocity_terms(link: Link, u: Sequence[Any], w_parent: Vector) -> tuple[Vector, Wrench]:
    """The link's angular velocity, and the part of its accelerations that is due to velocities."""
    relative_w, relative_v = link.relative_velocity(u)
    w_in = link.outward(w_parent)
    w = w_in + relative_w
    centripetal = link.outward(w_parent.cross(w_parent.cross(link.X.p)))
    return w, (w_in.cross(relative_w), centripetal + (w_in + w).cross(relative_v))


def _eliminate(
    link: Link, k: int, I: ArticulatedInertia, P: Wrench, tau: Sequence[Any]
) -> tuple[_Pivot, ArticulatedInertia, Wrench]:
    (hw, hv), speed = link.H[k], link.speeds[k]
    Un, Uf = I.apply(hw, hv)
    D = hw.dot(Un) + hv.dot(Uf)
    if is_zero(D):
        raise ModelError(
            "nothing beyond this joint has mass or inertia: the mass matrix is singular everywhere.",
            place=f"joint '{link.joint}'",
            cure="Give mass or inertia to a body beyond that joint, or weld it.",
            code="E-MODEL-030",
        )
    reciprocal = 1 / D
    e = tau[speed] - (hw.dot(P[0]) + hv.dot(P[1]))
    pivot = _Pivot(speed, (hw, hv), (Un, Uf), e, reciprocal)
    if link.parent == BASE and k == 0:
        return pivot, I, P
    Dn, Df = Un * reciprocal, Uf * reciprocal
    return pivot, I.less(Un, Uf, Dn, Df), (P[0] + Dn * e, P[1] + Df * e)


def _outward(
    tree: Tree, pivots: Sequence[Sequence[_Pivot]], products: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    result: list[Any] = [as_expr(0)] * len(tree.u)
    motion: list[Wrench] = []
    for link, own, product in zip(tree.links, pivots, products, strict=True):
        if link.parent == BASE:
            alpha, a = _ZERO, -Vector(gravity)
        else:
            alpha, a = motion[link.parent]
        alpha, a = link.outward(alpha), link.outward(a + alpha.cross(link.X.p))
        for pivot in reversed(own):
            Un, Uf = pivot.U
            rate = (pivot.e - (Un.dot(alpha) + Uf.dot(a))) * pivot.reciprocal
            result[pivot.speed] = rate
            alpha, a = alpha + pivot.H[0] * rate, a + pivot.H[1] * rate
        motion.append((alpha + product[0], a + product[1]))
    return result


def recipe(system: System, tree: Tree) -> Recipe:
    """Accelerations by articulated bodies; mass matrix and inverse dynamics from the composite-body recipe."""
    loads = Loads(system, tree)
    companion = composite_body.recipe(system, tree)

    def forward() -> Vector:
        tau = [effort + given for effort, given in zip(tree.tau, loads.speed_forces(), strict=True)]
        return Vector(forward_dynamics(tree, tree.u, tau, loads.wrenches(), tree.gravity))

    return Recipe(forward=forward, inverse=companion.inverse, mass_matrix=companion.mass_matrix)
