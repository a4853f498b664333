"""Articulated-body forward dynamics.

R. Featherstone, "The Calculation of Robot Dynamics Using Articulated-Body Inertias" (1983), with the speeds of a joint
eliminated one after the other, so that no matrix is inverted, and with accelerations measured from those of a
reference motion (which Newton-Euler's outward sweep gives, gravity and external wrenches included), so that neither
linear velocities nor velocity products appear. The u̇ of the reference are free; those are chosen that make entries of
W, and the acceleration of a floating base, vanish.

Writing A = (α, a) for the accelerations beyond the reference, every articulated body obeys  (n, f) = I A + P. For each
speed, from the last of the joint to its first:

    U = I H,  D = H·U,  e = τ - H·P,    I ← I - U Uᵀ/D,    P ← P + U e/D

and outward:  x = e/D - (U/D)·A,  A ← A + H x,  u̇ = u̇ of the reference + x.

Needs a tree; any joint. Cost: linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..dynamics.equations import Recipe
from ..dynamics.loads import Loads, Wrench
from ..errors import ModelError
from ..expr import Matrix, Vector, as_expr, is_zero, skew
from ..geometry import Inertia
from ..geometry.inertia import rotate_general, rotate_symmetric, symmetric
from ..kinematics.tree import BASE, Link, Tree
from ..kinematics.unit import measured
from ..model.model import Model
from . import composite_body
from .newton_euler import accelerate, far_end, inertial_wrenches

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

    def turned(self, R: Matrix, moving: bool = False) -> ArticulatedInertia:
        """In the components of a frame against which R turns this one."""
        if Matrix.identity(3) == R:
            return self
        A, C = rotate_symmetric(R, self.A, moving), rotate_symmetric(R, self.C, moving)
        return ArticulatedInertia(A, rotate_general(R, self.B), C)

    def levered(self, N: Matrix) -> ArticulatedInertia:
        """For torques n + N f instead of n: about another origin if N = p̂, row by row if it is not the same for all."""
        if not any(N.entries()):
            return self
        B = self.B + N @ self.C
        A = {(i, j): self.A[i, j] + N[i].dot(self.B[j]) + B[i].dot(N[j]) for i in range(3) for j in range(i + 1, 3)}
        for i in range(3):  # on the diagonal both terms have the factor N
            A[i, i] = self.A[i, i] + N[i].dot(self.B[i] + B[i])
        return ArticulatedInertia(symmetric(A), B, self.C)


@dataclass(frozen=True)
class _Pivot:
    """What the elimination of one speed leaves for the way outward: U/D and e/D."""

    speed: int
    H: Wrench
    share: Wrench
    rate: Any


def forward_dynamics(
    tree: Tree, u: Sequence[Any], tau: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    """The accelerations u̇ for given efforts and external wrenches."""
    by = measured(tree)
    found = _forward(by.tree, by.lengths(u), by.forces(tau), by.wrenches(wrenches), by.gravity(gravity))
    return by.in_metres(found)


def _forward(
    tree: Tree, u: Sequence[Any], tau: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    reference = accelerate(tree, u, None, gravity)
    biases = inertial_wrenches(tree, reference, wrenches)
    inertias = [ArticulatedInertia.of(link.inertia) for link in tree.links]
    levers = [_levers(link) for link in tree.links]
    pivots: list[list[_Pivot]] = [[] for _ in tree.links]
    for place in reversed(range(len(tree.links))):
        link, (K, N) = tree.links[place], levers[place]
        I, P = inertias[place].levered(K), _levered(K, biases[place])
        for k in reversed(range(len(link.speeds))):
            pivot, I, P = _eliminate(link, k, K, I, P, tau)
            pivots[place].append(pivot)
        if link.parent != BASE:
            moving = bool(tree.children[place])
            moved = I.turned(link.motion.R, moving).turned(link.fixed.R, moving).levered(N)
            inertias[link.parent] = inertias[link.parent] + moved
            n, f = _levered(N, (link.inward(P[0]), link.inward(P[1])))
            biases[link.parent] = biases[link.parent][0] + n, biases[link.parent][1] + f
    found = _outward(tree, levers, pivots)
    return [rate + more for rate, more in zip(reference.ud, found, strict=True)]


def _levers(link: Link) -> tuple[Matrix, Matrix]:
    """K and N: n + K f is what is eliminated at the link, and from there n + N f what the parent feels.

    Where a held link has its origin off its joint's axis (`parallel.reach`), the torque along the axis is taken about
    the axis, and the others about the origin, so that these are shifted once for several links; elsewhere K = 0.
    """
    found = far_end(link)
    if found is None:
        return Matrix.zeros(3, 3), skew(link.X.p)
    axis, r = found
    along = skew(r).T @ axis
    K = Matrix([[part * entry for entry in along] for part in axis])
    return K, skew(link.X.p) - K


def _levered(N: Matrix, wrench: Wrench) -> Wrench:
    n, f = wrench
    return n + N @ f, f


def _eliminate(
    link: Link, k: int, K: Matrix, I: ArticulatedInertia, P: Wrench, tau: Sequence[Any]
) -> tuple[_Pivot, ArticulatedInertia, Wrench]:
    (hw, hv), speed = link.H[k], link.speeds[k]
    hv = hv - K.T @ hw
    Un, Uf = I.apply(hw, hv)
    D = hw.dot(Un) + hv.dot(Uf)
    if is_zero(D):
        raise ModelError(
            "nothing beyond this joint has mass or inertia: the mass matrix is singular everywhere.",
            place=f"joint '{link.joint}'",
            cure="Give mass or inertia to a body beyond that joint, or weld it.",
            code="E-MODEL-021",
        )
    reciprocal = 1 / D
    e = tau[speed] - (hw.dot(P[0]) + hv.dot(P[1]))
    rate, Dn, Df = e * reciprocal, Un * reciprocal, Uf * reciprocal
    pivot = _Pivot(speed, (hw, hv), (Dn, Df), rate)
    if link.parent == BASE and k == 0:
        return pivot, I, P
    return pivot, I.less(Un, Uf, Dn, Df), (P[0] + Un * rate, P[1] + Uf * rate)


def _outward(tree: Tree, levers: Sequence[tuple[Matrix, Matrix]], pivots: Sequence[Sequence[_Pivot]]) -> list[Any]:
    """What u̇ has beyond the reference, from the base to the tips; A is what that adds to the motion."""
    result: list[Any] = [as_expr(0)] * len(tree.u)
    motion: list[Wrench] = []
    for link, (K, N), own in zip(tree.links, levers, pivots, strict=True):
        alpha, a = (_ZERO, _ZERO) if link.parent == BASE else motion[link.parent]
        alpha, a = link.outward(alpha), link.outward(a + N.T @ alpha)
        for pivot in reversed(own):
            (hw, hv), (Dn, Df) = pivot.H, pivot.share
            along = hw.dot(alpha) + hv.dot(a)  # what the joint undoes: (U/D)·H = 1
            rate = pivot.rate - (Dn.dot(alpha - hw * along) + Df.dot(a - hv * along)) - along
            result[pivot.speed] = rate
            alpha, a = alpha + hw * rate, a + hv * rate
        motion.append((alpha, a + K.T @ alpha))
    return result


def recipe(system: Model, tree: Tree) -> Recipe:
    """Accelerations by articulated bodies; mass matrix and inverse dynamics from the composite-body recipe."""
    loads = Loads(system, tree)
    companion = composite_body.recipe(system, tree)

    def forward() -> Vector:
        tau = [effort + given for effort, given in zip(tree.tau, loads.speed_forces(), strict=True)]
        return Vector(forward_dynamics(tree, tree.u, tau, loads.wrenches(), tree.gravity))

    if tree.is_coupled:  # a shared speed cannot be eliminated joint by joint
        return companion
    return Recipe(forward=forward, inverse=companion.inverse, mass_matrix=companion.mass_matrix)
