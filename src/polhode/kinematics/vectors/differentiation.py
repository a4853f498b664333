"""How arrows and dyadics change, as a frame sees it: with time, and with one coordinate or speed alone.

A unit vector e of a frame changes by a turn. In time, ė = ω × e; with a coordinate, ∂e/∂q = ω_q × e, where ω_q is the
axis about which q turns the frame of e in the frame that looks; with a speed not at all. So a coefficient changes and a
unit vector turns, whatever is differentiated: T. R. Kane and D. A. Levinson, Dynamics: Theory and Applications (1985),
sections 1.7 and 2.1, where partial derivatives are taken in a reference frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import PolhodeError, fault_at, shown
from ...expr import Expr, Vector, as_expr, derivative, directional, free_symbols, substitute
from ...expr.node import SYMBOL
from .scene import CONSTANT, Axis, Key, Scene
from .walk import along, gathered, spin_between

fault = fault_at("partial derivative")


def rates(entries: Iterable[Expr], scene: Scene) -> list[Expr]:
    """How coefficients change in time: q̇ = Γ u, u̇ the acceleration symbols, ṫ = 1."""
    given = substitute(entries, scene.tree.followed)
    for x in free_symbols(given):
        if x not in scene.rates and x.data[0] not in CONSTANT:
            raise PolhodeError(
                f"how the {x.data[0]} '{x.name}' changes in time is not known.",
                place="differentiation",
                cure="Differentiate what depends on coordinates, speeds, parameters and time.",
                code="E-VECTOR-007",
            )
    return directional(given, scene.rates)


def partials(entries: Iterable[Expr], by: Expr, scene: Scene) -> list[Expr]:
    """How coefficients change with a coordinate or speed, all others being held."""
    given = substitute(entries, scene.tree.followed)
    for x in free_symbols(given):
        if x.data[0] == "intermediate":
            raise fault(
                f"how '{x.name}', a name for another expression, changes is not known.",
                "Differentiate what it stands for: named(…).unnamed().",
                "E-VECTOR-014",
            )
    return derivative(given, by)


def variable_of(scene: Scene, by: Any) -> Expr:
    """A speed or coordinate by its symbol or name; where both have a name it is the speed."""
    tree = scene.tree
    known: list[Expr] = [*tree.u, *tree.q]
    x = next((x for x in known if by is x or (isinstance(by, str) and by == x.name)), None)
    if x is None:
        raise fault(
            f"{shown(by)} is neither a speed nor a coordinate of the system.",
            f"Give one of {', '.join(dict.fromkeys([*tree.speeds, *tree.coordinates]))}.",
            "E-VECTOR-006",
        )
    if any(x in tree.q[first : first + 4] for first in tree.quaternions):
        raise fault(
            f"'{x.name}' does not change alone: it is a component of a unit quaternion.",
            "Differentiate by the speeds, or store the orientation as angles or as a vector-parameter.",
            "E-VECTOR-015",
        )
    return x


def axis_of(scene: Scene, frame: Key, own: Key, by: Expr) -> dict[Axis, Expr]:
    """ω_q: the turn of frame `own` in `frame` for one unit of a coordinate, all others being held; none for a speed.

    Where the coordinate alone changes at its speed, that is what multiplies the speed in the angular velocity, in
    native form; else it is read off the rotation matrix, Rᵀ ∂R/∂q.
    """
    if by not in scene.tree.q:
        return {}
    speed = scene.rates[by]
    if speed.op == SYMBOL and not any(speed in free_symbols([rate]) for q, rate in scene.rates.items() if q is not by):
        spin = spin_between(scene, frame, own)
        return gathered(zip(spin, derivative(spin.values(), speed), strict=True))
    R = scene.rotation(frame, own)
    entries = substitute([as_expr(entry) for entry in R.entries()], scene.tree.followed)
    slopes = derivative(entries, by)
    columns = [Vector(slopes[k::3]) for k in range(3)]
    W = [[as_expr(R[:, i].dot(column)) for column in columns] for i in range(3)]  # Rᵀ ∂R/∂q, in components of `own`
    return dict(along(own, Vector([W[2][1], W[0][2], W[1][0]])))
