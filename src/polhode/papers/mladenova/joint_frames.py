"""Dynamic matrices by a recursion in 2N frames, links and rotors; Mladenova, section 8, (309)-(347), (361)-(388).

    B(q) u̇ + C(q, u) + G(q) + E(q, u) = τ                                                     (350), + G corrected

Frames 2i - 1 and 2i are the rotor and the link of joint i, both carried by link i - 1: links of a tree in which a rotor
carries nothing. Her recursion differs from the classical ones in one thing: quantities of a frame are in its components
but about the origin of the base, so that they are turned from frame to frame and never moved. Since
recursions in spatial vectors hold about any origin, those of `composite_body` and `newton_euler` on the tree written
about that of the base are hers, with the corrections of docs/errata.md.

    (341), (342)                        p of a frame, and λ = -δ × p + τ of a column (δ, τ) of `link.H`: `about_base`
    (343), (344); (346), (347)          velocities, (5.7) of `newton_euler`; their rates without u̇, (5.8)
    (373)-(377); (380)-(383)            K, H, M: `composite_inertias`; N, D: (5.9), (5.10) of `newton_euler`
    (378), (379), (387), (388)          B: (2)-(5) of `composite_body`
    (384); (385), (386)                 C and G: (5.11) of `newton_euler`, without and with gravity alone
    (354)                               E: springs, and all other loads

Needs a tree of rigid bodies; any joint. Terms of prescribed motions are in C; matrices of closed loops are those of the
tree. For arms with `system.motor` on each joint B has the blocks of (360) and Table 4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ...calls import public
from ...dynamics.loads import loads_of
from ...dynamics.whole import check_rigid, check_whole
from ...errors import PolhodeError
from ...expr import Matrix, Vector, as_expr
from ...formalisms.composite_body import composite_inertias, mass_matrix
from ...formalisms.derivation import Derived
from ...formalisms.newton_euler import inverse_dynamics
from ...geometry import Pose
from ...geometry.twist import Twist, Wrench
from ...kinematics.prescribed import Drive
from ...kinematics.tree import BASE, Link, Tree

_ZERO, _UNIT = Vector([0, 0, 0]), Matrix.identity(3)


@dataclass(frozen=True, eq=False)
class DynamicMatrices:
    """B, C, G, E of B u̇ + C + G + E = τ, rows in the order of the speeds."""

    B: Matrix
    C: Vector
    G: Vector
    E: Vector

    def efforts(self, accelerations: Any) -> Vector:
        """τ at these accelerations u̇."""
        return self.B @ Vector(accelerations) + self.C + self.G + self.E


def about_base(tree: Tree) -> Tree:
    """The tree with each link's quantities in its components about the origin of the base."""
    links: list[Link] = []
    p: list[Vector] = []
    for link in tree.links:
        p.append(link.X.R.T @ ((_ZERO if link.parent == BASE else p[link.parent]) + link.X.p))  # (341)
        drive = link.drive and Drive(
            link.drive.w, link.drive.v - link.drive.w.cross(p[-1]),
            link.drive.alpha, link.drive.a - link.drive.alpha.cross(p[-1]),
        )  # fmt: skip
        H = tuple(Twist(delta, tau - delta.cross(p[-1])) for delta, tau in link.H)  # (342)
        inertia, pose = link.inertia.seen_from(Pose(_UNIT, p[-1])), Pose(link.X.R, _ZERO)
        links.append(replace(link, fixed=pose, motion=Pose(_UNIT, _ZERO), H=H, inertia=inertia, drive=drive))
    return replace(tree, links=tuple(links))


@public
def dynamic_matrices(equations: Derived) -> DynamicMatrices:
    """B, C, G and E of equations of motion by the recursion in joint frames."""
    record, what = equations.record, "the recursion in joint frames"
    check_whole(record, what)
    check_rigid(record.system, what, "Derive with another formalism.")
    if record.dependent_speeds is not None:
        message, cure = f"{what} is that of all speeds of a tree.", "Derive with multipliers, without independent=[…]."
        raise PolhodeError(message, f"system '{record.system.name}'", cure, "E-DERIVE-UNSUPPORTED")
    tree, still = about_base(record.tree), [0] * len(record.u)
    free = [Wrench.zero()] * len(tree.links)
    C = Vector(map(as_expr, inverse_dynamics(tree, tree.u, still, free, _ZERO)))  # (384)
    G = Vector(map(as_expr, inverse_dynamics(tree.at_rest, still, still, free, tree.gravity)))  # (385)
    E = -Vector(loads_of(record.system, record.tree).generalized_forces())
    return DynamicMatrices(mass_matrix(tree, composite_inertias(tree)), C, G, E)
