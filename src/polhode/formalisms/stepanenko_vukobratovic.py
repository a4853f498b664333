"""Newton-Euler with every vector in fixed coordinates.

Y. Stepanenko and M. Vukobratović, "Dynamics of articulated open-chain active mechanisms", Mathematical Biosciences 28
(1976), as W. M. Silver tells it in A.I. Memo 622 (1981), section 1.3, steps 1 to 4:

    1  outward   W_i = W_λ A_i,  ω_i = ω_λ + ẑ_i q̇_i,  ω̇_i = ω̇_λ + ẑ_i q̈_i + ω_λ × ẑ_i q̇_i
                 v̇_i = v̇_λ + ω̇_λ × p_i + ω_λ × (ω_λ × p_i)
    2  links     F_i = m_i (v̇_i + ω̇_i × c_i + ω_i × (ω_i × c_i)),    N_i = I_i ω̇_i + ω_i × I_i ω_i               (1.3)
    3  inward    f_i = F_i - m_i g + Σ f_j,    n_i = N_i + c_i × (F_i - m_i g) + Σ (n_j + p_j × f_j)
    4  joints    τ_i = ẑ_i · n_i where joint i turns, ẑ_i · f_i where it slides

    there       here
    λ, j        the link before, and the links that link i carries
    W_i, A_i    from the components of link i to the ground's, and to those of the link before: `link.X.R`
    p_i         W_λ p'_i, from the joint of the link before to joint i
    c_i, I_i    W_i c'_i, from joint i to the mass centre, and W_i I'_i W_iᵀ; c'_i and I'_i are constants of the link
    m_i g       the weight, among the forces of step 3; Luh's base that is accelerated came later

What it costs beside the recursion of Luh, Walker and Paul (`silver`) are the products W_i, and the offsets, mass
centres and inertias that are turned to the ground. Its authors' paper is not at hand: this is Silver's account of it.
Needs a tree; any joint. Cost: linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dynamics.equations import Recipe
from ..expr import Matrix, Vector
from ..geometry.twist import ZERO, Twist, Wrench
from ..kinematics.tree import BASE, Tree
from ..model.model import Model
from . import silver

#: W, p, ω, ω̇ and v̇ of the joint, in ground components.
GroundMotion = tuple[Matrix, Vector, Vector, Vector, Vector]


def ground_motion(tree: Tree, u: Sequence[Any], ud: Sequence[Any]) -> list[GroundMotion]:
    """Step 1."""
    motion: list[GroundMotion] = []
    for link in tree.links:
        if link.parent == BASE:
            W, p, w, wd, vd = link.X.R, link.X.p, ZERO, ZERO, ZERO
        else:
            before, _, w, wd, vd = motion[link.parent]
            W, p = before @ link.X.R, before @ link.X.p
        velocity, rate = link.relative_velocity(u), link.relative_acceleration(u, ud)
        zw, zv, zwd, zvd = (W @ part for part in (*velocity, *rate))
        vd = vd + wd.cross(p) + w.cross(w.cross(p)) + zvd + (w + w + zw).cross(zv)
        motion.append((W, p, w + zw, wd + zwd + w.cross(zw), vd))
    return motion


def inverse_dynamics(
    tree: Tree,
    inertias: Sequence[silver.CentralInertia],
    u: Sequence[Any],
    ud: Sequence[Any],
    wrenches: Sequence[Wrench],
    gravity: Sequence[Any],
) -> list[Any]:
    """The effort on every speed that gives the accelerations ud, with external wrenches on the links."""
    motion = ground_motion(tree, u, ud)
    totals: list[tuple[Vector, Vector]] = []  # n and f, about the joint
    for (W, _, w, wd, vd), body, (n_given, f_given) in zip(motion, inertias, wrenches, strict=True):
        c, I = W @ body.c, W @ body.I @ W.T
        F = (vd + wd.cross(c) + w.cross(w.cross(c))) * body.m - Vector(gravity) * body.m
        N = I @ wd + w.cross(I @ w)  # (1.3)
        totals.append((N + c.cross(F) - W @ n_given, F - W @ f_given))
    tau: list[Any] = [0] * len(tree.u)
    for i in reversed(range(len(tree.links))):
        link, (W, p, *_), (n, f) = tree.links[i], motion[i], totals[i]
        for speed, (turn, slide) in zip(link.speeds, link.H, strict=True):
            tau[speed] = Wrench(n, f).power(Twist(W @ turn, W @ slide), tau[speed])
        if link.parent != BASE:
            n_before, f_before = totals[link.parent]
            totals[link.parent] = (n_before + n + p.cross(f), f_before + f)
    return tau


def recipe(model: Model, tree: Tree) -> Recipe:
    """Inverse dynamics by these steps; the mass matrix from it, column by column."""
    return silver.recipe(model, tree, inverse_dynamics)
