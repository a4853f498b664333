"""Joints that follow others, or whose motion is prescribed, for methods that know free joints alone.

All joints are first taken as free; then, with the speeds of all joints u_all = E u + e(t), E being constant, the
equations are projected (d'Alembert's principle):

    M = Eᵀ M_all E,    τ(u̇) = Eᵀ τ_all(E u̇ + ė)

with what the coordinates and speeds of the followers stand for put in their places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from ..expr import Expr, Matrix, Vector, as_expr, derivative, gradient, substitute
from ..kinematics.tree import Tree
from ..model.model import Model
from .equations import Recipe
from .loads import loads_of


def projected(model: Model, tree: Tree, free: Tree, recipe: Recipe) -> Recipe:
    """The recipe of a tree with followers from that of the tree in which they are free."""
    E = Matrix([[derivative([tree.followed.get(u, u)], own)[0] for own in tree.u] for u in free.u])
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
    """Vᵀ ∂𝒱/∂q over the coordinates that constraints bring with them, which are none of a joint's."""
    own = list(tree.q[tree.auxiliary_coordinates])
    slope = gradient(as_expr(loads_of(model, tree).given_potential), own)
    total = Vector([as_expr(0)] * len(tree.u))
    for row, entry in zip(tree.kinematic_matrix()[len(tree.q) - len(own) :], slope, strict=True):
        total = total + row * entry
    return total
