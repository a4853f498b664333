"""Contacts, stops and dry friction on a tree, row by row.

    gap                g(q, t) ≥ 0
    velocity           A(q, t) u + a(q, t)
    acceleration       A u̇ + γ(q, u, t)

The rows of a group are its normal velocity, ġ, where it has a gap, and its tangent velocities. Forces λ along them act
as Aᵀλ.

Two bodies with many rows between them share a twist (v, ω): the velocity of the first against the second at its origin,
in the frame of the second. A row along an axis e at an arm r is e·(v + ω × r), and so are A, γ and what its force does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..expr import Expr, Matrix, Vector, as_expr, directional, jacobian, symbol
from ..kinematics.motion import flow
from ..kinematics.tree import Tree
from ..model.constraints.unilateral import Group
from ..model.model import Model
from .moving import MovingTree

#: The laws of a group.
LAWS = ("kinetic", "static", "stribeck", "restitution")
_TWIST = range(6)


@dataclass(frozen=True, eq=False)
class UnilateralRows:
    """The groups of all contacts, stops and dry friction of a model on its tree, each with the element's name."""

    moving: MovingTree
    groups: tuple[tuple[str, Group], ...]

    @property
    def tree(self) -> Tree:
        return self.moving.tree

    @property
    def names(self) -> list[str]:
        """The name of each group: that of its element, and its part."""
        return [f"{name} {group.part}" if group.part else name for name, group in self.groups]

    @cached_property
    def gaps(self) -> list[Expr]:
        """The gap of each group, 1 for one without."""
        return [as_expr(1) if group.gap is None else group.gap for _, group in self.groups]

    @cached_property
    def margins(self) -> list[Expr]:
        """How far each group is inside of the edge of its surface, 1 for one without an edge."""
        return [as_expr(1) if group.margin is None else group.margin for _, group in self.groups]

    @cached_property
    def velocities(self) -> Vector:
        """A u + a, row by row."""
        return Vector([rate for _, group in self.groups for rate in group.rates])

    @property
    def forces(self) -> Vector:
        """Symbols λ of the forces along the rows."""
        return Vector([symbol(f"contact force {k}", "variation") for k in range(len(self.velocities))])

    @cached_property
    def A(self) -> Matrix:
        """A(q, t): a row for each velocity, a column for each speed."""
        return jacobian(list(self.velocities), list(self.tree.u))

    @cached_property
    def gamma(self) -> Vector:
        """γ(q, u, t)."""
        return Vector(directional(self.velocities, flow(self.tree, self.moving.time)))

    @cached_property
    def basis(self) -> Basis:
        """The twists of bodies that have more than six rows between them, and all other rows."""
        basis, begun, counts = Basis(), dict[frozenset[str], tuple[int, str, str]](), Counter[frozenset[str]]()
        for _, group in self.groups:
            counts[_bodies(group)] += len(group.rates)
        for _, group in self.groups:
            meeting, pair = group.meeting, _bodies(group)
            if meeting is None or counts[pair] <= len(_TWIST):
                basis.layout.append((len(basis.velocities), 0, -1))
                basis.velocities += group.rates
                continue
            (body, _), (other, _) = meeting.ends
            if pair not in begun:
                begun[pair] = len(basis.velocities), body, other
                basis.velocities += self._twist(body, other)
            first, _, carrier = begun[pair]
            axes, (arm, arm_back) = meeting.axes[: len(group.rates)], meeting.arms
            if other != carrier:  # seen from the other side
                R = self.moving.relative(carrier, other).R
                axes, arm = [R @ -axis for axis in axes], R @ arm_back
            basis.layout.append((first, basis.place(basis.axes, axes), basis.place(basis.arms, [arm])))
        return basis

    def _twist(self, of: str, other: str) -> list[Expr]:
        """(v, ω) of a body against another at its origin, in the frame of the other."""
        X, back = self.moving.pose(of), self.moving.pose(other).R.T
        one, two = (self.moving.velocity(body, X.p) for body in (of, other))
        return [as_expr(x) for x in (*(back @ (one.linear - two.linear)), *(back @ (one.angular - two.angular)))]


@dataclass(eq=False)
class Basis:
    """Velocities of which all rows are combinations; axes and arms, three numbers each.

    The `layout` of a group is where its velocities begin, its axes, and its arm: -1 where its rows are velocities here.
    """

    velocities: list[Expr] = field(default_factory=list)
    axes: list[Expr] = field(default_factory=list)
    arms: list[Expr] = field(default_factory=list)
    layout: list[tuple[int, int, int]] = field(default_factory=list)
    _places: dict[tuple[int, ...], int] = field(default_factory=dict)

    def place(self, entries: list[Expr], vectors: Sequence[Vector]) -> int:
        """The index of vectors among the entries; new ones are added."""
        new = [as_expr(x) for vector in vectors for x in vector]
        key = (id(entries), *(x.fp for x in new))
        if key not in self._places:
            self._places[key] = len(entries) // 3
            entries += new
        return self._places[key]


def _bodies(group: Group) -> frozenset[str]:
    """The bodies of a contact."""
    return frozenset() if group.meeting is None else frozenset(body for body, _ in group.meeting.ends)


def unilateral_rows(model: Model, tree: Tree) -> UnilateralRows:
    """The rows of all contacts, stops and dry friction."""
    moving, groups = MovingTree(model, tree), []
    for name, element in model.contacts.items():
        for group in element.groups(moving):
            groups.append((name, replace(group, **{law: moving.given(getattr(group, law)) for law in LAWS})))
    return UnilateralRows(moving, tuple(groups))
