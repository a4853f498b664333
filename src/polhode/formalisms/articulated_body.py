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
from dataclasses import dataclass
from typing import Any

from ..dynamics.equations import EquationsOfMotion, Recipe
from ..dynamics.loads import loads_of
from ..errors import ModelError, PolhodeError, check_known
from ..expr import Matrix, Vector, is_zero, quiet_collector
from ..geometry.lie import bracket, change_of_frame, dual_bracket
from ..geometry.twist import ZERO, Wrench
from ..kinematics.tree import BASE, Link, Tree
from ..model.model import Model
from . import composite_body
from .newton_euler import at_base


@dataclass(frozen=True)
class ArticulatedBody:
    """A link and all that it carries, their joints free under given efforts; about its origin, in its components.

    The wrench [n; f] through its joint is I a + p, a = [ω̇; v̇ - ω × v] with v̇ less gravity; or Ĥ W + ĥ with
    W = [ω̇; v̇], C. Mladenova's (272): `I` is Ĥ, and `bias` ĥ.
    """

    I: Matrix
    p: Vector
    v: Vector  # velocity [ω; v]
    c: Vector  # acceleration relative to the parent's at u̇ = 0
    pivots: dict[int, tuple[Vector, Any, Any]]  # U, D and e of each speed of its joint

    @property
    def bias(self) -> Vector:
        """ĥ = p - I [0; ω × v]."""
        w, v = Vector(self.v[:3]), Vector(self.v[3:])
        return self.p - self.I @ Vector([*ZERO, *w.cross(v)])


def articulated_bodies(
    tree: Tree, u: Sequence[Any], tau: Sequence[Any], wrenches: Sequence[Wrench]
) -> list[ArticulatedBody]:
    """The articulated body of each link."""
    v_0, _ = at_base(ZERO)
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
    result: list[ArticulatedBody] = []
    for i, link in reversed(list(enumerate(tree.links))):
        result.append(ArticulatedBody(I[i], p[i], v[i], c[i], {}))
        for speed, S in reversed([*zip(link.speeds, (column.six for column in link.H), strict=True)]):
            U = I[i] @ S  # (4)
            D, e = pivot(link, S.dot(U)), tau[speed] - S.dot(p[i])  # (5), (6)
            I[i], p[i] = I[i] - outer(U, U / D), p[i] + U * (e / D)  # (7), (8)
            result[-1].pivots[speed] = U, D, e
        if link.parent != BASE:
            I[link.parent] = I[link.parent] + X[i].T @ I[i] @ X[i]  # (9)
            p[link.parent] = p[link.parent] + X[i].T @ (p[i] + I[i] @ c[i])  # (8), (10)
    return result[::-1]


def forward_dynamics(
    tree: Tree, u: Sequence[Any], tau: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    """The accelerations u̇ for given efforts and external wrenches."""
    _, a_0 = at_base(gravity)
    ud: list[Any] = [0] * len(u)
    a: list[Vector] = []
    for i, (link, body) in enumerate(zip(tree.links, articulated_bodies(tree, u, tau, wrenches), strict=True)):
        a.append(change_of_frame(link.X) @ (a_0 if link.parent == BASE else a[link.parent]) + body.c)  # (11)
        for speed, S in zip(link.speeds, (column.six for column in link.H), strict=True):
            U, D, e = body.pivots[speed]
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


def articulated_body(equations: EquationsOfMotion, name: str) -> ArticulatedBody:
    """The articulated body of the link that a body belongs to, under the efforts τ and all loads."""
    tree, place = equations.tree, "articulated body"
    if equations.constraints is not None or equations.dependent_speeds is not None or tree.is_coupled:
        message = "articulated bodies are those of a tree whose joints have speeds of their own."
        cure = "Leave out constraints, couplings, flexible bodies and other speeds."
        raise PolhodeError(message, place, cure, "E-DERIVE-UNSUPPORTED")
    carried = {body: link for body, (link, _) in tree.bodies.items() if link != BASE}
    check_known("moving body", [name], carried, place=place, code="E-DERIVE-NAME")
    loads = loads_of(equations.system, tree)
    tau = Vector(tree.tau) + loads.speed_forces()
    with quiet_collector():
        return articulated_bodies(tree, tree.u, tau, loads.wrenches())[carried[name]]
