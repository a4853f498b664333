"""Lagrange's equations with the angular velocity: Newton-Euler by another road.

W. M. Silver, "On the Representation of Angular Velocity and its Effect on the Efficiency of Manipulator Dynamics
Computation", MIT A.I. Memo 622 (1981), section 3, equations (3.11) to (3.16). Written with ω in place of Ẇ, Lagrange's
equations contain Newton's force and Euler's torque on every link, each projected on a partial velocity:

    τ_j = Σ_i (F_i · ∂v_i/∂q̇_j + N_i · ∂ω_i/∂q̇_j),    F = m v̇,  N = I ω̇ + ω × I ω                 (3.11), (3.12)

    paper       here
    v̇_i         acceleration of the link's mass centre, gravity being an acceleration of the base
    I_i         `CentralInertia.I`: inertia about the mass centre
    ẑ_j         the joint's twist H: rotation part hw, translation part hv; one of them is zero for a turn or a slide
    p_{j,i}     from joint j to the mass centre of link i

Summed from the tip to the base, in the components of each link, (3.12) is the recursion of Luh, Walker and Paul.

The base is at rest or its motion is known (section 1.3): a joint whose motion is prescribed adds what it is given.

Needs a tree; any joint, for (3.12) holds for speeds that are no derivatives of coordinates too (Jourdain). Cost:
linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..dynamics.equations import Recipe
from ..errors import PolhodeError
from ..expr import Matrix, Vector, is_zero
from ..geometry.inertia import inertia_of_moments
from ..geometry.twist import ZERO, Wrench
from ..kinematics.tree import BASE, Link, Tree
from ..model.model import Model
from . import newton_euler

#: ω, ω̇, and v̇ of the joint, in the link's components.
LinkMotion = tuple[Vector, Vector, Vector]


@dataclass(frozen=True)
class CentralInertia:
    """Mass, mass centre in the link, and inertia about the mass centre."""

    m: Any
    c: Vector
    I: Matrix


def central_inertia(link: Link) -> CentralInertia:
    """The mass centre c = h/m of a link, and I = tr(J) 1 - J for J = ∫ r rᵀ dm - h cᵀ taken there, (2.11)."""
    m, h, J = link.inertia.m, link.inertia.h, link.inertia.J
    if is_zero(m):
        if not all(is_zero(entry) for entry in h):
            message = "the link has a first moment and no mass, so it has no mass centre."
            cure = "Leave 'regroup' and 'lend', which take mass away, out of the passes; or give passes=()."
            raise PolhodeError(message, f"joint '{link.joint}'", cure, "E-DERIVE-MISSING")
        return CentralInertia(0, ZERO, inertia_of_moments(J))
    c = h / m
    moments = Matrix([[J[i, j] - h[i] * c[j] for j in range(3)] for i in range(3)])
    return CentralInertia(m, c, inertia_of_moments(moments))


def inverse_dynamics(
    tree: Tree,
    inertias: Sequence[CentralInertia],
    u: Sequence[Any],
    ud: Sequence[Any],
    wrenches: Sequence[Wrench],
    gravity: Sequence[Any],
) -> list[Any]:
    """The effort on every speed that gives the accelerations ud, with external wrenches on the links."""
    motion: list[LinkMotion] = []
    for link in tree.links:
        w, wd, vd = (ZERO, ZERO, -Vector(gravity)) if link.parent == BASE else motion[link.parent]
        vd = link.outward(vd + wd.cross(link.X.p) + w.cross(w.cross(link.X.p)))
        w, wd = link.outward(w), link.outward(wd)
        (zw, zv), (zwd, zvd) = link.relative_velocity(u), link.relative_acceleration(u, ud)
        vd = vd + zvd + (w + w + zw).cross(zv)  # Coriolis' part, and a screw's own
        motion.append((w + zw, wd + zwd + w.cross(zw), vd))  # (3.14)
    return balanced(tree, inertias, motion, wrenches)


def balanced(
    tree: Tree, inertias: Sequence[CentralInertia], motion: Sequence[LinkMotion], wrenches: Sequence[Wrench]
) -> list[Any]:
    """The efforts by Newton's and Euler's equations of each link, summed inward, all in the links' components."""
    totals: list[Wrench] = []  # Σ (p × F + N) and Σ F
    for (w, wd, vd), body, (n_given, f_given) in zip(motion, inertias, wrenches, strict=True):
        F = (vd + wd.cross(body.c) + w.cross(w.cross(body.c))) * body.m
        N = body.I @ wd + w.cross(body.I @ w)  # (1.3)
        totals.append(Wrench(body.c.cross(F) + N - n_given, F - f_given))
    tau: list[Any] = [0] * len(tree.u)
    for i in reversed(range(len(tree.links))):
        link = tree.links[i]
        for speed, column in zip(link.speeds, link.H, strict=True):
            tau[speed] = totals[i].power(column, tau[speed])  # (3.12) with (3.15), (3.16)
        if link.parent != BASE:
            totals[link.parent] = link.wrench_inward(totals[i], totals[link.parent])
    return tau


def recipe(model: Model, tree: Tree, recursion: Callable[..., list[Any]] = inverse_dynamics) -> Recipe:
    """Inverse dynamics by (3.12), or by another recursion; the mass matrix from it, column by column."""
    inertias = [central_inertia(link) for link in tree.links]
    return newton_euler.recipe(model, tree, lambda of, *motion: recursion(of, inertias, *motion))
