"""Contacts, stops and dry friction on a tree, row by row.

    gap                g(q, t) ≥ 0
    velocity           A(q, t) u + a(q, t)
    acceleration       A u̇ + γ(q, u, t)

The rows of a group are its normal velocity, ġ, where it has a gap, and its tangent velocities. Forces λ along them act
as Aᵀλ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ..expr import Expr, Matrix, Vector, as_expr, directional, jacobian, symbol
from ..kinematics.motion import flow
from ..kinematics.tree import Tree
from ..model.constraints.unilateral import Group
from ..model.model import Model
from .moving import MovingTree

#: The laws of a group.
LAWS = ("kinetic", "static", "stribeck", "restitution")


@dataclass(frozen=True, eq=False)
class UnilateralRows:
    """The groups of all contacts, stops and dry friction of a model on its tree, each with the element's name."""

    tree: Tree
    time: Expr
    groups: tuple[tuple[str, Group], ...]

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
        return Vector(directional(self.velocities, flow(self.tree, self.time)))


def unilateral_rows(model: Model, tree: Tree) -> UnilateralRows:
    """The rows of all contacts, stops and dry friction."""
    moving, made = MovingTree(model, tree), []
    for name, element in model.contacts.items():
        for group in element.groups(moving):
            made.append((name, replace(group, **{law: moving.given(getattr(group, law)) for law in LAWS})))
    return UnilateralRows(tree, model.time, tuple(made))
