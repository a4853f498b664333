"""The articulated-body algorithm: accelerations from the articulated inertia at each joint, all beyond it free to move.

R. Featherstone, "The Calculation of Robot Dynamics Using Articulated-Body Inertias" (1983); *Rigid Body Dynamics
Algorithms* (2008), Table 7.1:

    v_i  = v_λ + S_i q̇_i,    c_i = v_i × S_i q̇_i                                                   (1), (2)
    p_i  = v_i ×* I_i v_i - f_iˣ                                                                   (3)
    U_i  = I_iᴬ S_i,    D_i = S_iᵀ U_i,    u_i = τ_i - S_iᵀ p_iᴬ                                     (4), (5), (6)
    I_iᵃ = I_iᴬ - U_i D_i⁻¹ U_iᵀ,    p_iᵃ = p_iᴬ + I_iᵃ c_i + U_i D_i⁻¹ u_i                           (7), (8)
    I_λᴬ = I_λ + Σ I_iᵃ,    p_λᴬ = p_λ + Σ p_iᵃ over the children i of λ                             (9), (10)
    a_i' = a_λ + c_i,    a_0 = -gravity                                                            (11)
    q̈_i  = D_i⁻¹ (u_i - U_iᵀ a_i'),    a_i = a_i' + S_i q̈_i                                         (12), (13)

    book        here
    λ, ⁱX_λ, S  as in `newton_euler`
    Iᴬ, pᴬ      `I` and `p`: of the link first, then with all that it carries added
    u_i         e, for u are the speeds

A joint of several speeds takes (4) to (8) for one column after the other, which is Gauss's elimination with D, and (12)
in the opposite order. The acceleration of a prescribed joint is added to c. Needs a tree; any joint, each with
speeds of its own. Cost: linear in the number of links. `short.articulated_body` is the same with fewer operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dynamics.equations import Recipe
from ..dynamics.loads import loads_of
from ..errors import ModelError
from ..expr import Matrix, Vector, is_zero
from ..geometry.lie import bracket, change_of_frame, dual_bracket
from ..geometry.twist import Wrench
from ..kinematics.tree import BASE, Link, Tree
from ..model.model import Model
from . import composite_body
from .newton_euler import at_base


def forward_dynamics(
    tree: Tree, u: Sequence[Any], tau: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    """The accelerations u̇ for given efforts and external wrenches."""
    v_0, a_0 = at_base(gravity)
    X = [change_of_frame(link.X) for link in tree.links]
    I = [link.inertia.matrix() for link in tree.links]
    v: list[Vector] = []
    c: list[Vector] = []
    p: list[Vector] = []
    for i, link in enumerate(tree.links):
        S_qd, prescribed = link.relative_velocity(u).six, link.relative_acceleration(u, [0] * len(u)).six
        v.append(X[i] @ (v_0 if link.parent == BASE else v[link.parent]) + S_qd)  # (1)
        c.append(bracket(v[i], S_qd) + prescribed)  # (2)
        p.append(dual_bracket(v[i], I[i] @ v[i]) - wrenches[i].six)  # (3)
    eliminated: dict[int, tuple[Vector, Any, Any]] = {}
    for i, link in reversed(list(enumerate(tree.links))):
        for speed, S in reversed([*zip(link.speeds, (column.six for column in link.H), strict=True)]):
            U = I[i] @ S  # (4)
            D, e = pivot(link, S.dot(U)), tau[speed] - S.dot(p[i])  # (5), (6)
            I[i], p[i] = I[i] - outer(U, U / D), p[i] + U * (e / D)  # (7), (8)
            eliminated[speed] = U, D, e
        if link.parent != BASE:
            I[link.parent] = I[link.parent] + X[i].T @ I[i] @ X[i]  # (9)
            p[link.parent] = p[link.parent] + X[i].T @ (p[i] + I[i] @ c[i])  # (8), (10)
    ud: list[Any] = [0] * len(u)
    a: list[Vector] = []
    for i, link in enumerate(tree.links):
        a.append(X[i] @ (a_0 if link.parent == BASE else a[link.parent]) + c[i])  # (11)
        for speed, S in zip(link.speeds, (column.six for column in link.H), strict=True):
            U, D, e = eliminated[speed]
            ud[speed] = (e - U.dot(a[i])) / D  # (12)
            a[i] = a[i] + S * ud[speed]  # (13)
    return ud


def outer(a: Vector, b: Vector) -> Matrix:
    """a bᵀ."""
    return Matrix([[x * y for y in b] for x in a])


def pivot(link: Link, D: Any) -> Any:
    """The articulated inertia along a joint, which must not vanish."""
    if is_zero(D):
        raise ModelError(
            "no mass or inertia resists this joint where those beyond it give way: the mass matrix is singular "
            "everywhere.",
            place=f"joint '{link.joint}'",
            cure="Is its axis right? A body without inertia is a point, and turning about an axis through it moves "
            "nothing. Give mass or inertia to its body, or weld it.",
            code="E-MODEL-SINGULAR",
        )
    return D


def recipe(model: Model, tree: Tree) -> Recipe:
    """Accelerations by articulated bodies; mass matrix and inverse dynamics from the composite-body recipe."""
    loads = loads_of(model, tree)
    companion = composite_body.recipe(model, tree)

    def forward() -> Vector:
        tau = Vector(tree.tau) + loads.speed_forces()
        return Vector(forward_dynamics(tree, tree.u, tau, loads.wrenches(), tree.gravity))

    if tree.is_coupled:  # a shared speed cannot be eliminated joint by joint
        return companion
    return Recipe(forward=forward, inverse=companion.inverse, mass_matrix=companion.mass_matrix)
