"""What splines are given: times, orientations, velocities at the ends; read into arrays, or a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, shown
from ..geometry.rotations import Rotation
from ..geometry.rotations.values import matrix_of
from .charts import Floats, conjugate, product

#: Two orientations as near to half a turn apart as this have no shorter way between them.
_OPPOSITE = 1e-9


def numbers(values: Any, what: str, place: str) -> Floats:
    """An array of finite floats."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise PolhodeError(
            f"{what}: {shown(values)} are not numbers.",
            place=place,
            cure="Give an array of numbers.",
            code="E-PATH-010",
        ) from None
    if not np.isfinite(array).all():
        raise PolhodeError(
            f"{what} must be finite numbers.", place=place, cure="Remove NaN and infinity.", code="E-PATH-011"
        )
    return array


def knot_times(t: Any, place: str) -> Floats:
    """Two times or more, increasing."""
    found = numbers(t, "the knots' times", place)
    if found.ndim != 1 or len(found) < 2 or not (np.diff(found) > 0).all():
        raise PolhodeError(
            "the knots' times must be two or more and increase.", place=place, cure="Sort them.", code="E-PATH-012"
        )
    return found


def unit_quaternions(R: Any, count: int, place: str) -> Floats:
    """The knots' orientations as unit quaternions, each on the side of the one before it."""
    if not isinstance(R, Rotation):
        matrices = [matrix_of(each) for each in R] if isinstance(R, list | tuple) else matrix_of(R)
        R = Rotation.from_matrix(numbers(matrices, "the orientations", place))
    q = R.quaternion
    if np.shape(q) != (count, 4):
        raise PolhodeError(
            f"there are not {count} orientations, one for each time.",
            place=place,
            cure="Give an array of as many rotation matrices.",
            code="E-PATH-013",
        )
    opposite = np.flatnonzero(np.abs(product(conjugate(q[:-1]), q[1:])[:, 0]) < _OPPOSITE)
    if len(opposite):
        raise PolhodeError(
            f"orientations {opposite[0]} and {opposite[0] + 1} are half a turn apart: either way is as short.",
            place=place,
            cure="Put an orientation between them that says which way to turn.",
            code="E-PATH-015",
        )
    return on_one_side(np.asarray(q))


def on_one_side(q: Floats) -> Floats:
    """Quaternions of the same rotations, each on the side of the one before it."""
    signs = np.where(np.sum(q[:-1] * q[1:], axis=1) < 0, -1.0, 1.0)
    return np.asarray(q * np.cumprod(np.concatenate([[1.0], signs]))[:, None])


def end_vector(value: Any, what: str, place: str) -> Floats | None:
    """An angular velocity at an end, or None."""
    if value is None:
        return None
    found = numbers(value, what, place)
    if found.shape != (3,):
        raise PolhodeError(
            f"{what} has the shape {found.shape}, not (3,).",
            place=place,
            cure="Give an angular velocity in body components.",
            code="E-PATH-016",
        )
    return found


def place_in(knots: Floats, t: Any, place: str) -> tuple[Floats, NDArray[np.intp]]:
    """Times as an array and the segment in which each lies; the last segment has its end."""
    asked = numbers(t, "times", place)
    low, high = float(knots[0]), float(knots[-1])
    slack = 1e-12 * (high - low)
    if asked.size and (asked.min() < low - slack or asked.max() > high + slack):
        raise PolhodeError(
            f"a time lies outside of the knots' {low:g} … {high:g}.",
            place=place,
            cure="Ask between the first and the last knot.",
            code="E-PATH-017",
        )
    return asked, np.searchsorted(knots[1:-1], asked, side="right")
