"""Kane's method after Sayers.

M. W. Sayers, "Symbolic Vector/Dyadic Multibody Formalism for Tree-Topology Systems", Journal of Guidance, Control, and
Dynamics 14 (1991), equations (1) to (46), with the corrections listed in docs/errata.md: for every speed

    0 = Σ_B (T^B - α^B·I^B - ω^B × I^B·ω^B)·ω_i^B + (F^B - m^B a^B)·v_i^B                                  (12)
    M_ij = Σ_B ω_j^B·I^B·ω_i^B + m^B v_j^B·v_i^B                                                         (40)
    f_i = Σ_B (T^B - α_rem^B·I^B - ω^B × I^B·ω^B)·ω_i^B + (F^B - m^B a_rem^B)·v_i^B                      (42)

    paper               here
    ω_i^B, v_i^B        a column of a joint's map, in the body where the paper introduces it: the caret of (44)
    α_rem, a_rem, R^B   alpha, a and W of Newton-Euler's outward sweep with u̇ = 0; a begins with -g          (39)
    T*, F*              the wrench (n, f) that a motion takes of a link
    ω_t, v_t            a joint's `drive`: motion prescribed in time, part of the remainders                   (30)

Two ways to take the sums. `literal` takes them body by body as printed, with the paper's lumping (15) to (19) and its
choice of speeds. The recipe here takes them from the tips inward: what lies beyond a joint moves with one partial
velocity of that joint's speeds, so that inertias and remainders are added up before they are multiplied; and mass
that a joint does not move has been given to the parent by the pass `regroup`, of which the paper's lumping is a case.
Both are uncoupled in the graph, in an order that follows the zeros of the mass matrix.

Needs a tree; any joint. Cost: quadratic in depth.
"""

from __future__ import annotations

from ...equations import Recipe, right_side
from ...expr import Vector, as_expr
from ...geometry.linear import factor_by_sparsity
from ...kinematics.tree import Tree
from ...model.system import System
from .. import newton_euler
from ..composite_body import composite_inertias, mass_matrix


def recipe(system: System, tree: Tree) -> Recipe:
    """M and f by (40) and (42) from the tips inward, accelerations by LᵀDL in the graph."""
    remainders = newton_euler.recipe(system, tree)

    def forward() -> Vector:
        M = mass_matrix(tree, composite_inertias(tree)).map(as_expr)
        known, f = right_side(tree, remainders)
        return factor_by_sparsity(M, tree.speed_order, tree.speeds).solve(f) + known  # (2)

    return Recipe(
        forward=forward,
        inverse=remainders.inverse,
        mass_matrix=lambda: mass_matrix(tree, composite_inertias(tree)),
    )
