"""Newton-Euler with forces and moments in link coordinates, velocities and accelerations in fixed ones.

D. E. Orin, R. B. McGhee, M. Vukobratović and G. Hartoch, "Kinematic and kinetic analysis of open-chain linkages
utilizing Newton-Euler methods", Mathematical Biosciences 43 (1979), as W. M. Silver tells it in A.I. Memo 622 (1981),
section 1.3: what `stepanenko_vukobratovic` does in steps 2 to 4 is done in the components of each link,

    1  outward   W_i, ω_i, ω̇_i, v̇_i in the ground's components, as there; then ω'_i = W_iᵀ ω_i, ω̇'_i = W_iᵀ ω̇_i and
                 v̇'_i = W_iᵀ (v̇_i - g) in the link's
    2  links     F'_i = m_i (v̇'_i + ω̇'_i × c'_i + ω'_i × (ω'_i × c'_i)),    N'_i = I'_i ω̇'_i + ω'_i × I'_i ω'_i
    3, 4         f'_i = F'_i + Σ A_j f'_j,    n'_i = N'_i + c'_i × F'_i + Σ (A_j n'_j + p'_j × A_j f'_j)

so that offsets, mass centres and inertias are constants. Luh, Walker and Paul then referred velocities and
accelerations to the links too (`silver`), and W_i is not formed. The paper of Orin and others is not at hand: this is
Silver's account of it. Needs a tree; any joint. Cost: linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dynamics.equations import Recipe
from ..expr import Vector
from ..geometry.twist import Wrench
from ..kinematics.tree import Tree
from ..model.model import Model
from . import silver
from .stepanenko_vukobratovic import ground_motion


def inverse_dynamics(
    tree: Tree,
    inertias: Sequence[silver.CentralInertia],
    u: Sequence[Any],
    ud: Sequence[Any],
    wrenches: Sequence[Wrench],
    gravity: Sequence[Any],
) -> list[Any]:
    """The effort on every speed that gives the accelerations ud, with external wrenches on the links."""
    g = Vector(gravity)
    motion = [(W.T @ w, W.T @ wd, W.T @ (vd - g)) for W, _, w, wd, vd in ground_motion(tree, u, ud)]
    return silver.balanced(tree, inertias, motion, wrenches)


def recipe(model: Model, tree: Tree) -> Recipe:
    """Inverse dynamics by these steps; the mass matrix from it, column by column."""
    return silver.recipe(model, tree, inverse_dynamics)
