"""Newton's and Euler's equations in screw form: one equation a body, in dual vectors.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", sections 4.2 and 4.3,
equations (151) to (167), with the corrections listed in docs/errata.md. Every vector is a dual one, and all of them go
from frame to frame by one dual orthogonal matrix, lines, velocities and forces alike:

    Ô_i-1,i = O + μ p̂ O                                     the motion of a joint                          (151)
    V̂_i = Ô_i-1,iᵀ V̂_i-1 + ϑ̂'_i k̂_i                          outward, the sum of (161) link by link         (161)
    V̂'_i = Ô_i-1,iᵀ V̂'_i-1 + ϑ̂''_i k̂_i + V̂_i × ϑ̂'_i k̂_i       its rate in the components of the link
    F̂_i = φ̂_i V̂_i,    F̂'_i + V̂_i × F̂_i = f̂_i                momentum and the force that changes it         (166)
    f̂_i-1 ← f̂_i-1 + Ô_i-1,i f̂_i                             inward, what a link passes on
    τ_i = dual part of k̂_i · f̂_i                            the power of a force screw on a unit of speed

    paper               here
    V̂ = [V; ω]          ω + μ V, the velocity screw about the link's origin, in its components              (164)
    F̂ = [F; M]          F + μ M, the momentum screw: linear + μ angular about the same origin               (164)
    f̂ = [f; n]          f + μ n, the force screw: force + μ couple                                          (164)
    V̂^×                 the cross product of dual vectors: ω × F + μ (ω × M + V × F)                        (165)
    φ̂                   `momentum_screw`; it takes dual parts to real ones, so it is no matrix of dual numbers  (167)
    ϑ̂' k̂                `relative_velocity`: a line turned about, μ a direction slid along, or any columns H u

The ground is accelerated against gravity. Needs a tree; any joint. Cost: linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dynamics.equations import Recipe
from ..expr import Vector
from ..geometry import Inertia
from ..geometry.dual import dual, dual_part, real_part
from ..geometry.dual_motion import dual_orthogonal
from ..geometry.twist import ZERO, Wrench
from ..kinematics.tree import BASE, Tree
from ..model.model import Model
from . import newton_euler


def inverse_dynamics(
    tree: Tree, u: Sequence[Any], ud: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    """The effort on every speed that gives the accelerations ud, with external wrenches on the links."""
    O = [dual_orthogonal(link.X) for link in tree.links]  # (151)
    V: list[Vector] = []
    V_dot: list[Vector] = []
    f: list[Vector] = []
    for i, link in enumerate(tree.links):
        V_parent, V_dot_parent = at_base(gravity) if link.parent == BASE else (V[link.parent], V_dot[link.parent])
        k_rate, k_rate_dot = dual(*link.relative_velocity(u)), dual(*link.relative_acceleration(u, ud))  # (158)
        V.append(O[i].T @ V_parent + k_rate)  # (161)
        V_dot.append(O[i].T @ V_dot_parent + k_rate_dot + V[i].cross(k_rate))
        F, F_dot = momentum_screw(link.inertia, V[i]), momentum_screw(link.inertia, V_dot[i])
        f.append(F_dot + V[i].cross(F) - force_screw(wrenches[i]))  # (166), less what acts from outside
    tau: list[Any] = [0] * len(u)
    for i, link in reversed(list(enumerate(tree.links))):
        for speed, column in zip(link.speeds, link.H, strict=True):
            tau[speed] = tau[speed] + dual_part(dual(*column).dot(f[i]))  # a speed shared by two joints sums both
        if link.parent != BASE:
            f[link.parent] = f[link.parent] + O[i] @ f[i]
    return tau


def momentum_screw(inertia: Inertia, V: Vector) -> Vector:
    """F̂ = φ̂ V̂, the dual vector of m v - h × ω and I ω + h × v, h = m s the first moment; (166), (167)."""
    M, F = inertia.momentum(real_part(V), dual_part(V))
    return dual(F, M)


def force_screw(wrench: Wrench) -> Vector:
    """f̂ = f + μ n of a torque n and a force f; (164)."""
    n, f = wrench
    return dual(f, n)


def at_base(gravity: Sequence[Any]) -> tuple[Vector, Vector]:
    """V̂_0 = 0 and its rate -gravity."""
    return dual(ZERO), dual(ZERO, -Vector(gravity))


def recipe(model: Model, tree: Tree) -> Recipe:
    """Inverse dynamics by the recursion in screws; the mass matrix from it, column by column."""
    return newton_euler.recipe(model, tree, inverse_dynamics)
