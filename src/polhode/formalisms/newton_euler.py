"""The recursive Newton-Euler algorithm: velocities and accelerations outward, forces inward.

J. Y. S. Luh, M. W. Walker and R. P. C. Paul, "On-Line Computational Scheme for Mechanical Manipulators" (1980), in the
spatial vectors of R. Featherstone, *Rigid Body Dynamics Algorithms* (2008), Table 5.1:

    v_i  = v_λ + S_i q̇_i                                                                           (5.7)
    a_i  = a_λ + S_i q̈_i + Ṡ_i q̇_i,    a_0 = -gravity                                              (5.8)
    f_iᴮ = I_i a_i + v_i ×* I_i v_i                                                                (5.9)
    f_i  = f_iᴮ - f_iˣ + Σ f_j over the children j                                                 (5.10)
    τ_i  = S_iᵀ f_i                                                                                (5.11)

    book        here
    λ           the parent, `link.parent`
    ⁱX_λ        `change_of_frame(link.X)`: motions outward; its transpose takes forces inward
    S_i         the columns `link.H`, constant in the link, so that Ṡ q̇ = v × S q̇
    q̇, q̈        the speeds u and their rates, which need not be derivatives of coordinates
    S q̇, S q̈    `relative_velocity`, `relative_acceleration`; functions of time where a joint is prescribed
    I_i         `link.inertia.matrix()`
    fˣ          the external wrench on the link

Each quantity of a link is about its origin, in its components. Needs a tree; any joint. Cost: linear in the number of
links. `short.newton_euler` is the same with fewer operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dynamics.equations import Recipe, by_columns
from ..dynamics.loads import loads_of
from ..expr import Vector
from ..geometry.inertia import acceleration_matrix
from ..geometry.lie import bracket, change_of_frame, dual_bracket
from ..geometry.twist import ZERO, Twist, Wrench
from ..kinematics.tree import BASE, Tree
from ..model.model import Model


def inverse_dynamics(
    tree: Tree, u: Sequence[Any], ud: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    """The effort on every speed that gives the accelerations ud, with external wrenches on the links."""
    X = [change_of_frame(link.X) for link in tree.links]
    v: list[Vector] = []
    a: list[Vector] = []
    f: list[Vector] = []
    tau: list[Any] = [0] * len(u)
    for i, link in enumerate(tree.links):
        v_parent, a_parent = at_base(gravity) if link.parent == BASE else (v[link.parent], a[link.parent])
        S_qd, S_qdd = link.relative_velocity(u).six, link.relative_acceleration(u, ud).six
        I = link.inertia.matrix()
        v.append(X[i] @ v_parent + S_qd)  # (5.7)
        a.append(X[i] @ a_parent + S_qdd + bracket(v[i], S_qd))  # (5.8)
        f.append(I @ a[i] + dual_bracket(v[i], I @ v[i]) - wrenches[i].six)  # (5.9), less fˣ
        for material in link.deforming:
            w, a_origin = Vector(v[i][:3]), Vector(a[i][3:]) + Vector(v[i][:3]).cross(Vector(v[i][3:]))
            f[i] = f[i] + Wrench(*material.wrench(w, u, ud)).six
            bent = material.efforts(w, acceleration_matrix(w, Vector(a[i][:3])), a_origin, u, ud)
            for speed, effort in zip(material.speeds, bent, strict=True):
                tau[speed] = tau[speed] + effort
    for i, link in reversed(list(enumerate(tree.links))):
        for speed, S in zip(link.speeds, link.H, strict=True):
            tau[speed] = tau[speed] + S.six.dot(f[i])  # (5.11); a speed shared by two joints sums both
        if link.parent != BASE:
            f[link.parent] = f[link.parent] + X[i].T @ f[i]  # (5.10)
    return tau


def at_base(gravity: Sequence[Any]) -> tuple[Vector, Vector]:
    """v_0 = 0 and a_0 = -gravity."""
    return Twist.zero().six, Twist(ZERO, -Vector(gravity)).six


def recipe(model: Model, tree: Tree, recursion: Callable[..., list[Any]] = inverse_dynamics) -> Recipe:
    """Inverse dynamics by a recursion; the mass matrix from it, column by column."""
    loads = loads_of(model, tree)
    size = len(tree.u)
    free = [Wrench.zero() for _ in tree.links]

    def inverse(ud: Sequence[Any]) -> Vector:
        tau = recursion(tree, tree.u, ud, loads.wrenches(), tree.gravity)
        return Vector(tau) - loads.speed_forces()

    return by_columns(inverse, lambda unit: recursion(tree.at_rest, [0] * size, unit, free, ZERO), size)
