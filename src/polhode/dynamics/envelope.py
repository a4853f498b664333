"""A tree whose joints may do all that the brackets of their speeds reach, and the generalized forces on it.

A nonholonomic simple joint keeps as many coordinates as the algebra that its columns generate. Methods that
differentiate in coordinates (Lagrange, Hamel) start from the speeds of that whole algebra, and hold the extra ones at
zero afterwards, as H. G. Kwatny and G. L. Blankenship do in their section III.

Where joints follow others, or have a prescribed motion, methods for free joints take all joints as free first; then,
with the speeds of all joints u_all = E u + e(t), E being constant, the equations are projected (d'Alembert's
principle):

    M = Eᵀ M_all E,    τ(u̇) = Eᵀ τ_all(E u̇ + ė)

with what the coordinates and speeds of the followers stand for put in their places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ..expr import Expr, Matrix, Vector, as_expr, derivative, gradient, substitute, symbol
from ..geometry.twist import Twist
from ..kinematics.tree import Link, Tree
from ..model.model import Model
from .equations import Recipe
from .loads import Loads, loads_of


@dataclass(frozen=True)
class Envelope:
    """The enlarged tree, which of its speeds are the system's, and Γ with its left inverse."""

    tree: Tree
    real: tuple[int, ...]
    extra: tuple[int, ...]
    gamma: Matrix
    back: Matrix


def envelope(tree: Tree) -> Envelope:
    """Every link with the columns of its generated algebra; a tree of holonomic joints stays as it is."""
    u, tau = list(tree.u), list(tree.tau)
    links: list[Link] = []
    for link in tree.links:
        spare = [] if link.drive else link.stage.algebra[link.stage.speeds :]
        columns = tuple(map(Twist.of, spare))
        extra = tuple(range(len(u), len(u) + len(columns)))
        u += [symbol(f"{link.name} {link.joint} beyond {k + 1}", "speed") for k in range(len(columns))]
        tau += [as_expr(0)] * len(columns)
        links.append(replace(link, H=(*link.H, *columns), speeds=(*link.speeds, *extra)) if columns else link)
    size = len(tree.u)
    larger = tree if len(u) == size else replace(tree, links=tuple(links), u=Vector(u), tau=Vector(tau))
    gamma = larger.kinematic_matrix()
    return Envelope(larger, tuple(range(size)), tuple(range(size, len(u))), gamma, larger.kinematic_left_inverse())


def generalized_forces(model: Model, tree: Tree, gamma: Matrix) -> Vector:
    """Generalised forces without efforts: -Γᵀ ∂𝒱/∂q, forces on speeds, and wrenches by the links' Jacobians."""
    loads = loads_of(model, tree)
    slope = Vector(gradient(as_expr(loads.potential_energy), list(tree.q)))
    total = [forces - column.dot(slope) for forces, column in zip(applied_forces(loads), gamma.columns, strict=True)]
    return Vector([as_expr(entry) for entry in total])


def applied_forces(loads: Loads) -> list[Expr]:
    """Generalised forces without efforts and without a potential."""
    return [as_expr(entry) for entry in loads.generalized_forces(conservative=False)]


def projected(model: Model, tree: Tree, free: Tree, recipe: Recipe) -> Recipe:
    """The recipe of a tree with followers from that of the tree in which they are free."""
    E = Matrix([[derivative([tree.followed.get(u, u)], x)[0] for x in tree.u] for u in free.u])
    e_rate = Vector([tree.rates.get(u, as_expr(0)) for u in free.u])

    def followed(entries: Iterable[Any]) -> list[Expr]:
        return substitute([as_expr(entry) for entry in entries], tree.followed)

    @cache
    def mass_matrix() -> Matrix:
        size = len(free.u)
        flat = followed(recipe.mass_matrix().entries())
        return E.T @ Matrix([flat[k * size : (k + 1) * size] for k in range(size)]) @ E

    def inverse(ud: Sequence[Any]) -> Vector:
        taken = recipe.inverse(E @ Vector(ud) + e_rate)
        return E.T @ Vector(followed(taken)) + slope_of_auxiliary(model, tree)

    return Recipe(inverse=inverse, mass_matrix=mass_matrix, bias=cache(lambda: inverse([as_expr(0)] * len(tree.u))))


def slope_of_auxiliary(model: Model, tree: Tree) -> Vector:
    """Vᵀ ∂𝒱/∂q over the coordinates that constraints add, which belong to no joint."""
    auxiliary = list(tree.q[tree.auxiliary_coordinates])
    slope = gradient(as_expr(loads_of(model, tree).given_potential), auxiliary)
    total = Vector([as_expr(0)] * len(tree.u))
    for row, entry in zip(tree.kinematic_matrix()[len(tree.q) - len(auxiliary) :], slope, strict=True):
        total = total + row * entry
    return total
