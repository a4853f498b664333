"""Directions that must be unit vectors, and references that must not be parallel to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import PolhodeError
from ...expr import Vector, as_expr, is_zero, sqrt
from ...model.reading import vector_of
from .arrow import Arrow


def unit_direction(value: Arrow | Iterable[Any], place: str) -> Any:
    """A direction of exactly unit length, given back as it is: an arrow, or three components.

    >>> unit_direction((0, 0.6, 0.8), "spin axis")
    Vector([0, 3/5, 4/5])
    """
    made = value if isinstance(value, Arrow) else vector_of(value, place)
    if not is_zero(made.dot(made) - 1):
        raise PolhodeError(
            f"the direction {made!r} is not a unit vector.",
            place=place,
            cure="Divide a direction of known length by it (arrow.normalized()); turn a frame where it is symbolic.",
            code="E-VECTOR-009",
        )
    return made


def reference_direction(axis: Any, reference: Arrow | Iterable[Any], place: str) -> Any:
    """The unit vector across an axis on the side of a reference: (r - a (a·r))/|…|, for a unit axis a.

    >>> reference_direction((0, 0, 1), (3, 4, 5), "spin axis")
    Vector([3/5, 4/5, 0])
    """
    a = unit_direction(axis, place)
    r = reference if isinstance(reference, Arrow) else vector_of(reference, place)
    across = r - a * a.dot(r)
    square = as_expr(across.dot(across))
    if is_zero(square):
        raise PolhodeError(
            f"the reference {r!r} is parallel to the axis {a!r}.",
            place=place,
            cure="Give a reference direction that leaves the axis.",
            code="E-VECTOR-010",
        )
    made = across / sqrt(square)
    return made if isinstance(made, Arrow) else Vector([as_expr(entry) for entry in made])
