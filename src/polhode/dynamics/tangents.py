"""Variations of a state that keep its constraints: those that a motion near by has, brought back as the state is.

Where φ(q; p) = 0 and A u + a = 0 hold along a motion and along its neighbours, a variation S of it satisfies

    φ′ = 0,    (A u + a)′ = 0      along S (and along the parameter that it belongs to),

and what integration has let slip is answered by the least change in the metric of M, as for the state itself: with
multipliers δ = -M⁻¹Aᵀ(A M⁻¹Aᵀ)⁻¹ φ′, on the coordinates Γ δ, and likewise on the speeds; with dependent speeds by these
alone. A variation of a unit quaternion is tangent to the sphere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..expr import Expr, Vector, as_expr, directional, quiet_collector
from .equations import EquationsOfMotion

Direction = Mapping[Expr, Expr]


@quiet_collector()
def tangent_variations(
    equations: EquationsOfMotion, columns: Sequence[Sequence[Expr]], others: Sequence[Direction]
) -> list[list[Expr]]:
    """Variations (q′, u′, …), each with how parameters move along it, brought to those that keep all constraints."""
    return [_tangent(equations, list(column), other) for column, other in zip(columns, others, strict=True)]


def _tangent(equations: EquationsOfMotion, column: list[Expr], other: Direction) -> list[Expr]:
    size, speeds = len(equations.q), len(equations.u)
    q, u, rest = column[:size], column[size : size + speeds], column[size + speeds :]
    constraints = equations.constraints
    if constraints is not None:
        q = _with_auxiliary(equations, q, other)
        if equations.dependent_speeds is not None:
            q = _with_dependent_coordinates(equations, q, other)
        else:
            q, u = _with_least_change(equations, q, u, other)
    for first in equations.quaternions:
        own = range(first, first + 4)
        along = sum((equations.q[k] * q[k] for k in own), start=as_expr(0))
        for k in own:
            q[k] = q[k] - along * equations.q[k]
    return [*q, *u, *rest]


def _with_auxiliary(equations: EquationsOfMotion, q: list[Expr], other: Direction) -> list[Expr]:
    """Auxiliary coordinates follow their definitions."""
    constraints = equations.constraints
    if constraints is None or not constraints.definitions:
        return q
    steps = directional(list(constraints.definition_steps), {**dict(zip(equations.q, q, strict=True)), **other})
    place = equations.auxiliary_coordinates
    return [*q[: place.start], *(a + b for a, b in zip(q[place], steps, strict=True))]


def _with_least_change(
    equations: EquationsOfMotion, q: list[Expr], u: list[Expr], other: Direction
) -> tuple[list[Expr], list[Expr]]:
    """The least change of coordinates, then of speeds, that answers the independent rows."""
    keeping = equations.stabilisation
    still = [as_expr(0)] * len(u)

    def along(entries: Sequence[Expr]) -> list[Expr]:
        moving = dict(zip((*equations.q, *equations.u), (*q, *u), strict=True))
        return [-entry for entry in directional(entries, {**moving, **other})]

    if any(row.value is not None for row in keeping.rows.rows):
        step, _ = keeping.response(still, along([as_expr(row.value or 0) for row in keeping.rows.rows]))
        q = _moved(equations, q, step)
    change, _ = keeping.response(still, along([row.rate for row in keeping.rows.rows]))
    return q, [as_expr(a + b) for a, b in zip(u, change, strict=True)]


def _with_dependent_coordinates(equations: EquationsOfMotion, q: list[Expr], other: Direction) -> list[Expr]:
    """A change of dependent coordinates alone that answers all rows."""
    dependent = equations.dependent_speeds
    if dependent is None or all(row.value is None for row in dependent.constraints.rows):
        return q
    moving = {**dict(zip(equations.q, q, strict=True)), **other}
    off = directional([as_expr(row.value or 0) for row in dependent.constraints.rows], moving)
    step = [as_expr(0)] * len(equations.tree.u)
    for k, (entry,) in zip(dependent.dependent, dependent.solved([[-entry] for entry in off]), strict=True):
        step[k] = as_expr(entry)
    return _moved(equations, q, step)


def _moved(equations: EquationsOfMotion, q: Sequence[Expr], step: Sequence[Expr]) -> list[Expr]:
    """A variation of the coordinates after a small displacement in units of the tree's speeds."""
    displaced: Vector = equations.tree.kinematic_matrix() @ Vector(step)
    return [as_expr(a + b) for a, b in zip(q, equations.kept(displaced), strict=True)]
