"""Kane's method after Sayers.

M. W. Sayers, "Symbolic Vector/Dyadic Multibody Formalism for Tree-Topology Systems", Journal of Guidance, Control, and
Dynamics 14 (1991), equations (1) to (46), with the corrections listed in docs/errata.md: for every speed

    0 = Σ_B (T^B - α^B·I^B - ω^B × I^B·ω^B)·ω_i^B + (F^B - m^B a^B)·v_i^B                                  (12)
    M_ij = Σ_B ω_j^B·I^B·ω_i^B + m^B v_j^B·v_i^B                                                         (40)
    f_i = Σ_B (T^B - α_rem^B·I^B - ω^B × I^B·ω^B)·ω_i^B + (F^B - m^B a_rem^B)·v_i^B                      (42)

    paper               here
    ω_i^B, v_i^B        a column of a joint's map, in the body where the paper introduces it: the caret of (44)
    α_rem, a_rem, R^B   what the accelerations are at u̇ = 0; a begins with -g                             (39)
    ω_t, v_t            a joint's `drive`: motion prescribed in time, part of the remainders               (30)

The sums are taken body by body as printed (`literal`), with the paper's lumping (15) to (19), from the mechanism as
it was written. Speeds are the system's own, so that the results are those of any formalism, or with `speeds="sayers"`
the paper's (`SayersSpeeds`), in which the report of `polhode.papers.sayers` always is. The equations are uncoupled in
the graph, in an order that follows the zeros of M.

Needs a tree; any joint. Cost: quadratic in the number of bodies.
"""

from __future__ import annotations

from ...constraints import Constraints
from ...dynamics.equations import Recipe
from ...kinematics.tree import Tree
from ...model.model import Model
from .literal import Literal, SayersSpeeds, speeds_of


def recipe(model: Model, tree: Tree) -> Recipe:
    """M and f by (43) to (46) in the system's own speeds, accelerations by LᵀDL in the graph."""
    return Literal(model, tree, absolute=False).recipe()


def sayers(model: Model, rows: Constraints) -> tuple[SayersSpeeds, Recipe]:
    """The paper's speeds, and M and f by the same sums in them."""
    speeds = speeds_of(model, rows)
    return speeds, speeds.literal.recipe()
