"""Dynamic matrices by a recursion in 2N frames, links and rotors; Mladenova, section 8, (309)-(347), (361)-(388).

    B(q) q̈ + C(q, q̇) + G(q) + E(q, q̇) = τ                                                    (350), + G corrected

Joint i of an arm with elastic joints has two frames on link i - 1, that of its rotor, 2i - 1, and that of its link, 2i,
so that velocities go outward from frame l to frames l + 1 and l + 2, and composite bodies inward the same way: the
frames are the links of a tree, in which a rotor carries nothing. All quantities of a frame are in its components and
about the origin of the base, so that they are turned from joint to joint and not moved; K, H, M, N, D of a frame are
those of all that it carries, with the corrections of docs/errata.md.

    paper                   here
    ˡR_s, ˡp_s              `link.X`
    δ_s, τ_s                a column `link.H`: the axis of a turn, the direction of a slide; (315)-(319)
    ˢp_s                    from the origin of the base to that of the frame, (341)
    λ_s = -δ × p + τ        (342)
    u_s, ω_s                velocity of the point at the origin of the base, angular velocity; (343), (344)
    u̇*, ω̇*                  their rates without q̈; (346), (347)
    K, H, M                 inertia about the base's origin, first moment, mass; (373)-(377)
    N, D                    moment and force of the velocities; (380)-(383)
    X, Y                    momentum of a unit speed, taken inward by (387)
    E                       springs of (354), and all other loads, on the left side

Needs a tree of rigid bodies; any joint. Terms of prescribed motions are in C; matrices of closed loops are those of
the tree. For arms with `system.motor` on each joint B has the blocks of (360) and Table 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...calls import public
from ...dynamics.loads import loads_of
from ...dynamics.whole import check_rigid, check_whole
from ...errors import PolhodeError
from ...expr import Matrix, Vector, as_expr
from ...expr.typeset import Typeset
from ...geometry import Pose
from ...geometry.twist import Twist
from ...kinematics.tree import BASE, Link, Tree

if TYPE_CHECKING:
    from ...formalisms.derivation import Derived

_ZERO = Vector([0, 0, 0])


@dataclass(frozen=True, eq=False, repr=False)
class DynamicMatrices(Typeset):
    """B, C, G, E of B u̇ + C + G + E = τ, rows in the order of the speeds u."""

    u: Vector
    B: Matrix
    C: Vector
    G: Vector
    E: Vector

    def __repr__(self) -> str:
        return f"DynamicMatrices(of {len(self.u)} speeds)"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in "BCGE"]

    def efforts(self, accelerations: Any) -> Vector:
        """τ at these accelerations u̇."""
        return self.B @ Vector(accelerations) + self.C + self.G + self.E


@dataclass(frozen=True)
class _Frame:
    """What goes outward: position, velocities, their rates without q̈, gravity; columns (δ, λ), in its components."""

    p: Vector
    V: Twist
    rate: Twist
    g: Vector
    columns: tuple[Twist, ...] = ()

    def carried(self, link: Link, u: Vector) -> _Frame:
        """The frame of a link that this one carries."""
        back = link.X.R.T
        p = back @ (self.p + link.X.p)  # (341)
        columns = tuple(_about_base(column, p) for column in link.H)
        own = _about_base(link.relative_velocity(u), p)
        given = _about_base(link.relative_acceleration(u, [0] * len(u)), p)  # of prescribed motions
        w, v = back @ self.V.angular + own.angular, back @ self.V.linear + own.linear  # (344), (343)
        turned = self.rate.turned(back)
        bent = Twist(w.cross(own.angular), w.cross(own.linear) + v.cross(own.angular))  # (346), (347)
        return _Frame(p, Twist(w, v), turned + bent + given, back @ self.g, columns)


def _about_base(twist: Twist, p: Vector) -> Twist:
    """A twist about the origin of the base, λ = -δ × p + τ, (342)."""
    return Twist(twist.angular, twist.linear - twist.angular.cross(p))


@public
def dynamic_matrices(equations: Derived) -> DynamicMatrices:
    """B, C, G and E of equations of motion by the recursion in joint frames.

    >>> import polhode as ph
    >>> s = ph.System("arm", gravity=(0, 0, "-9.81"))
    >>> bar = s.body("bar", 2, com=(0, 0, 1), inertia=(1, 1, 0))
    >>> _ = s.joint("q", s.ground, bar, ph.Revolute("y"))
    >>> _ = s.motor("q", 10, stiffness=100, inertia=0.01)
    >>> found = dynamic_matrices(s.derive())
    >>> found.B, found.E[0] == 100 * (s.joints["q"].q[0] - s.joints["q rotor"].q[0] / 10)
    (Matrix([[3, 0], [0, 1/100]]), True)
    """
    record = equations.record
    what, tree = "the recursion in joint frames", record.tree
    check_whole(record, what)
    check_rigid(record.system, what, "Derive with another formalism.")
    if record.dependent_speeds is not None:
        message, cure = (
            f"{what} is that of all speeds of a tree.",
            "Derive with multipliers: without independent speeds.",
        )
        raise PolhodeError(message, f"system '{record.system.name}'", cure, "E-DERIVE-UNSUPPORTED")
    B, C, G = _by_frames(tree)
    loads = Vector(loads_of(record.system, tree).generalized_forces())
    return DynamicMatrices(record.u, B, C, G, -loads)


def _by_frames(tree: Tree) -> tuple[Matrix, Vector, Vector]:
    """B, C and G, on the speeds of a tree."""
    base = _Frame(_ZERO, Twist.zero(), Twist.zero(), tree.gravity)
    frames: list[_Frame] = []
    for link in tree.links:
        frames.append((base if link.parent == BASE else frames[link.parent]).carried(link, tree.u))
    K: list[Matrix] = []
    H: list[Vector] = []
    M: list[Any] = []
    N: list[Vector] = []
    D: list[Vector] = []
    for link, frame in zip(tree.links, frames, strict=True):
        own = link.inertia.seen_from(Pose(Matrix.identity(3), frame.p))  # about the origin of the base
        I = own.I
        (w, u), (wd, ud) = frame.V, frame.rate
        K.append(I)  # (373)
        H.append(own.h)  # (375)
        M.append(own.m)  # (377)
        D.append(ud * own.m + wd.cross(own.h) + w.cross(u * own.m + w.cross(own.h)))  # (382)
        N.append(I @ wd + w.cross(I @ w) + own.h.cross(ud + w.cross(u)))  # (380)
    size = len(tree.u)
    B: list[list[Any]] = [[as_expr(0)] * size for _ in range(size)]
    C: list[Any] = [as_expr(0)] * size
    G: list[Any] = [as_expr(0)] * size
    for k, link in reversed(list(enumerate(tree.links))):
        R, l = link.X.R, link.parent
        for i, (speed, (delta, lam)) in enumerate(zip(link.speeds, frames[k].columns, strict=True)):
            X, Y = K[k] @ delta + H[k].cross(lam), delta.cross(H[k]) + lam * M[k]  # (378)
            B[speed][speed] = B[speed][speed] + delta.dot(X) + lam.dot(Y)  # (379)
            C[speed] = C[speed] + delta.dot(N[k]) + lam.dot(D[k])  # (384)
            G[speed] = G[speed] - frames[k].g.dot(Y)  # (385)
            s, before = k, i
            while s != BASE:
                at = tree.links[s]
                for other, (d, t) in list(zip(at.speeds, frames[s].columns, strict=True))[:before]:
                    amount = d.dot(X) + t.dot(Y)  # (388)
                    B[speed][other] = B[speed][other] + amount
                    B[other][speed] = B[other][speed] + amount
                X, Y, s, before = at.X.R @ X, at.X.R @ Y, at.parent, 6  # (387)
        if l != BASE:
            K[l], H[l], M[l] = K[l] + R @ K[k] @ R.T, H[l] + R @ H[k], M[l] + M[k]  # (374), (376), (377)
            N[l], D[l] = N[l] + R @ N[k], D[l] + R @ D[k]  # (381), (383)
    return Matrix(B).map(as_expr), Vector(map(as_expr, C)), Vector(map(as_expr, G))
