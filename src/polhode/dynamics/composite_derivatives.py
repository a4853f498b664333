"""Derivatives of the inverse dynamics of a tree in closed form, by composite bodies in one common frame.

S. Singh, R. P. Russell and P. M. Wensing, "Efficient Analytical Derivatives of Rigid-Body Dynamics Using Spatial Vector
Algebra" (2022), here with the Coriolis matrix B written in moments of mass. All twists and wrenches are taken about the
origin of one frame, that of the first link (or the ground, where several links are joined to it), so that a column of
the Jacobian and the composite of a subtree meet in a plain scalar product:

    S       a speed's column of the Jacobian, v and a the twist and acceleration of a link (gravity is one of the base)
    Ṡ       v × S,   P = v_parent × S,   Q = a_parent × S + v_parent × P
    2B δ    (2 (tr(K) 1 - K) δω, 2 δω × p)   with K = ∫ ẋ rᵀ dm and p = ∫ ẋ dm

    ∂τ_k/∂q_i = S_k · (I Q_i + 2B P_i + S_i ×* f)          i beyond k; I, B, f of all that i carries
    ∂τ_i/∂q_k = S_i · (I Q_k + 2B P_k)                     the other way round, and on one link
    ∂τ_k/∂u_i = S_k · (I (P_i + Ṡ_i) + 2B S_i),   ∂τ_i/∂u_k = S_i · (I (P_k + Ṡ_k) + 2B S_k)

Needs a tree; any joint. Cost: linear in the links, and some seventy operations for each pair of related speeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..expr import Matrix, Vector, as_expr
from ..geometry import Inertia, Pose
from ..geometry.inertia import acceleration_matrix
from ..geometry.lie import bracket, dual_bracket
from ..geometry.twist import Wrench
from ..kinematics.tree import BASE, Tree

Columns = list[list[Any]]

_STILL = Vector([0] * 6)


@dataclass(frozen=True)
class Column:
    """A speed's column of the Jacobian of its link, in the common frame, and its rate."""

    link: int
    speed: int
    S: Vector
    P: Vector
    S_dot: Vector


@dataclass(frozen=True)
class Moving:
    """Inertia, K = ∫ ẋ rᵀ dm and linear momentum of a subtree."""

    inertia: Inertia
    K: Matrix
    p: Vector

    def __add__(self, other: Moving) -> Moving:
        return Moving(self.inertia + other.inertia, self.K + other.K, self.p + other.p)

    def times(self, twist: Vector) -> Vector:
        """I δ."""
        n, f = self.inertia.momentum(twist[:3], twist[3:])
        return Vector([*n, *f])

    def coriolis(self, twist: Vector) -> Vector:
        """2B δ."""
        w = twist[:3]
        return Vector([*(self._turning @ w), *(w.cross(self.p) * 2)])

    def coriolis_row(self, twist: Vector) -> Vector:
        """δᵀ 2B, whose last three entries vanish: the first three."""
        turning: Vector = self._turning.T @ twist[:3]
        return turning + self.p.cross(twist[3:]) * 2

    @cached_property
    def _turning(self) -> Matrix:
        """2 (tr(K) 1 - K)."""
        K = self.K * 2
        x, y, z = K[0, 0], K[1, 1], K[2, 2]
        return Matrix([[y + z, -K[0, 1], -K[0, 2]], [-K[1, 0], x + z, -K[1, 2]], [-K[2, 0], -K[2, 1], x + y]])


@dataclass(frozen=True)
class CompositeTree:
    """A tree at the speeds `u` in the common frame."""

    tree: Tree
    u: Sequence[Any]

    @cached_property
    def _poses(self) -> list[Pose]:
        """The pose of every link in the common frame."""
        alone = len(self.tree.children[BASE]) == 1
        poses: list[Pose] = []
        for link in self.tree.links:
            first = Pose.identity() if alone else link.X
            poses.append(first if link.parent == BASE else poses[link.parent] @ link.X)
        return poses

    @cached_property
    def _base_acceleration(self) -> Vector:
        """Gravity as an acceleration of the base, -g, in the common frame."""
        roots = self.tree.children[BASE]
        up = -Vector(self.tree.gravity)
        return Vector([0, 0, 0, *(self.tree.links[roots[0]].outward(up) if len(roots) == 1 else up)])

    @cached_property
    def _outward(self) -> list[tuple[Vector, list[Column]]]:
        """For each link its twist, and the columns of its own speeds."""
        table: list[tuple[Vector, list[Column]]] = []
        for i, (link, X) in enumerate(zip(self.tree.links, self._poses, strict=True)):
            v_in = _STILL if link.parent == BASE else table[link.parent][0]
            S_of = [(speed, _moved(X, w, v)) for speed, (w, v) in zip(link.speeds, link.H, strict=True)]
            v_own = _STILL if link.drive is None else _moved(X, link.drive.w, link.drive.v)
            for speed, S in S_of:
                v_own = v_own + S * self.u[speed]
            rates = [(speed, S, bracket(v_in, S)) for speed, S in S_of]
            columns = [Column(i, speed, S, P, P + bracket(v_own, S)) for speed, S, P in rates]
            table.append((v_in + v_own, columns))
        return table

    @cached_property
    def velocities(self) -> list[Vector]:
        """The twist of every link."""
        return [twist for twist, _ in self._outward]

    @cached_property
    def columns(self) -> list[list[Column]]:
        """For each link the columns of its own speeds."""
        return [columns for _, columns in self._outward]

    def _inward(self, i: int) -> Iterator[int]:
        """The links from one to the base, itself first."""
        while i != BASE:
            yield i
            i = self.tree.links[i].parent

    def accelerations(self, ud: Sequence[Any]) -> list[Vector]:
        """a = a_parent + Σ (S u̇ + P u)."""
        table: list[Vector] = []
        for link, columns in zip(self.tree.links, self.columns, strict=True):
            total = self._base_acceleration if link.parent == BASE else table[link.parent]
            for column in columns:
                total = total + column.S * ud[column.speed] + column.P * self.u[column.speed]
            table.append(total)
        return table

    @cached_property
    def _inertias(self) -> list[Inertia]:
        return [link.inertia.seen_from(X) for link, X in zip(self.tree.links, self._poses, strict=True)]

    @cached_property
    def composites(self) -> list[Moving]:
        """For each link all that it carries."""
        composites = []
        for inertia, twist in zip(self._inertias, self.velocities, strict=True):
            w, v = twist[:3], twist[3:]
            turned = Matrix([w.cross(column) for column in inertia.J.columns]).T
            K = Matrix([[v[i] * inertia.h[j] + turned[i, j] for j in range(3)] for i in range(3)])
            composites.append(Moving(inertia, K, v * inertia.m + w.cross(inertia.h)))
        return self._gathered(composites)

    def _gathered(self, terms: list[Any]) -> list[Any]:
        """Sums over all that a link carries, from the tips on."""
        table = list(terms)
        for i in reversed(range(len(table))):
            parent = self.tree.links[i].parent
            if parent != BASE:
                table[parent] = table[parent] + table[i]
        return table

    def wrenches(self, accelerations: Sequence[Vector]) -> list[Vector]:
        """For each link the inertial wrench of all that it carries: I a + v ×* I v, summed."""
        wrenches = []
        for inertia, twist, a in zip(self._inertias, self.velocities, accelerations, strict=True):
            w, v, alpha = twist[:3], twist[3:], a[:3]
            n, f = inertia.wrench(acceleration_matrix(w, alpha), a[3:] + w.cross(v))
            wrenches.append(Vector([*n, *f]))
        return self._gathered(wrenches)

    def efforts(self, wrenches: Sequence[Vector]) -> list[Any]:
        """S · f for every speed."""
        total: list[Any] = [0] * len(self.u)
        for column in self._all():
            total[column.speed] = total[column.speed] + column.S.dot(wrenches[column.link])
        return total

    def external(self, wrenches: Sequence[Wrench]) -> list[Any]:
        """The efforts of wrenches on the links, given about their origins in their components."""
        moved = [wrench.turned(X.R).about(X.p).six for X, wrench in zip(self._poses, wrenches, strict=True)]
        return self.efforts(self._gathered(moved))

    def _all(self) -> Iterator[Column]:
        return (column for columns in self.columns for column in columns)

    def _related(self, column: Column) -> Iterator[tuple[Column, bool]]:
        """The columns that move this one: those of its own link (True), and those further in."""
        for i in self._inward(column.link):
            for other in self.columns[i]:
                yield other, i == column.link

    @cached_property
    def mass_matrix(self) -> Matrix:
        """M = S_k · I S_i."""
        M: list[list[Any]] = [[as_expr(0)] * len(self.u) for _ in self.u]
        for i in self._all():
            momentum = self.composites[i.link].times(i.S)
            for k, on_one_link in self._related(i):
                amount = k.S.dot(momentum)
                M[k.speed][i.speed] = M[k.speed][i.speed] + amount
                if not on_one_link:
                    M[i.speed][k.speed] = M[k.speed][i.speed] if i.speed != k.speed else M[i.speed][i.speed] + amount
        return Matrix(M)

    @cached_property
    def coriolis_matrix(self) -> Matrix:
        """C = Σ ∫ Jᵀ J̇ dm over all mass, J the Jacobian of a particle: C_ki = S_k · (I Ṡ_i + B S_i)."""
        C: list[list[Any]] = [[as_expr(0)] * len(self.u) for _ in self.u]
        for i in self._all():
            composite = self.composites[i.link]
            momentum, row = composite.times(i.S), composite.coriolis_row(i.S) / 2
            force = composite.times(i.S_dot) + composite.coriolis(i.S) / 2
            for k, on_one_link in self._related(i):
                C[k.speed][i.speed] = C[k.speed][i.speed] + k.S.dot(force)
                if not on_one_link:
                    C[i.speed][k.speed] = C[i.speed][k.speed] + row.dot(k.S[:3]) + momentum.dot(k.S_dot)
        return Matrix(C).map(as_expr)

    def derivatives(self, ud: Sequence[Any]) -> tuple[Columns, Columns]:
        """∂τ/∂q and ∂τ/∂u at the accelerations ud, column by column."""
        size = len(self.u)
        accelerations = self.accelerations(ud)
        forces = self.wrenches(accelerations)
        by_q: Columns = [[as_expr(0)] * size for _ in self.u]
        by_u: Columns = [[as_expr(0)] * size for _ in self.u]
        Q = {id(column): self._second_rate(column, accelerations) for column in self._all()}
        for i in self._all():
            composite = self.composites[i.link]
            momentum, row = composite.times(i.S), composite.coriolis_row(i.S)
            with_q = composite.times(Q[id(i)]) + composite.coriolis(i.P)
            with_u = composite.times(i.P + i.S_dot) + composite.coriolis(i.S)
            turned = with_q + dual_bracket(i.S, forces[i.link])
            for k, on_one_link in self._related(i):
                at_q, at_u = by_q[i.speed], by_u[i.speed]
                at_q[k.speed] = at_q[k.speed] + k.S.dot(with_q if on_one_link else turned)
                at_u[k.speed] = at_u[k.speed] + k.S.dot(with_u)
                if not on_one_link:
                    back_q, back_u = by_q[k.speed], by_u[k.speed]
                    back_q[i.speed] = back_q[i.speed] + row.dot(k.P[:3]) + momentum.dot(Q[id(k)])
                    back_u[i.speed] = back_u[i.speed] + row.dot(k.S[:3]) + momentum.dot(k.P + k.S_dot)
        return by_q, by_u

    def _second_rate(self, column: Column, accelerations: Sequence[Vector]) -> Vector:
        """Q = a_parent × S + v_parent × P."""
        parent = self.tree.links[column.link].parent
        if parent == BASE:
            return bracket(self._base_acceleration, column.S)
        return bracket(accelerations[parent], column.S) + bracket(self.velocities[parent], column.P)


def _moved(X: Pose, w: Vector, v: Vector) -> Vector:
    """A link's twist about the common origin: (R w, R v + p × R w)."""
    turned = X.R @ w
    return Vector([*turned, *(X.R @ v + X.p.cross(turned))])
