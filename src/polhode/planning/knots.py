"""What splines are given: times, orientations, velocities at the ends; read into arrays, or a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, shown
from .charts import Floats
from .quaternions import conjugate, product

_ORTHOGONAL = 1e-6
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
    for attribute in ("as_matrix", "matrix"):  # SciPy's rotations, and ours
        if hasattr(R, attribute):
            R = getattr(R, attribute)
            R = R() if callable(R) else R
            break
    array = numbers(R, "the orientations", place)
    if array.shape != (count, 3, 3):
        raise PolhodeError(
            f"the orientations have the shape {array.shape}, not ({count}, 3, 3).",
            place=place,
            cure="Give one rotation matrix for each time.",
            code="E-PATH-013",
        )
    gap = np.abs(array @ array.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    wrong = np.flatnonzero((gap > _ORTHOGONAL) | (np.linalg.det(array) < 0))
    if len(wrong):
        raise PolhodeError(
            f"orientation {wrong[0]} is no rotation: R Rᵀ is off by {gap[wrong[0]]:.1g}"
            f"{', its determinant is negative' if np.linalg.det(array[wrong[0]]) < 0 else ''}.",
            place=place,
            cure="Give orthogonal matrices with determinant 1.",
            code="E-PATH-014",
        )
    q = quaternions_of(array)
    cosine = np.abs(product(conjugate(q[:-1]), q[1:])[:, 0])
    opposite = np.flatnonzero(cosine < _OPPOSITE)
    if len(opposite):
        raise PolhodeError(
            f"orientations {opposite[0]} and {opposite[0] + 1} are half a turn apart: either way is as short.",
            place=place,
            cure="Put an orientation between them that says which way to turn.",
            code="E-PATH-015",
        )
    sides = np.cumprod(np.concatenate([[1.0], np.where(np.sum(q[:-1] * q[1:], axis=1) < 0, -1.0, 1.0)]))
    return np.asarray(q * sides[:, None])


def quaternions_of(R: Floats) -> Floats:
    """Unit quaternions of rotation matrices: the longest column of 4 q qᵀ, brought to unit length."""
    trace = np.trace(R, axis1=-2, axis2=-1)[..., None, None]
    symmetric = R + np.swapaxes(R, -1, -2) + (1 - trace) * np.eye(3)
    vector = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    outer = np.empty((*R.shape[:-2], 4, 4))
    outer[..., 0, 0] = 1 + trace[..., 0, 0]
    outer[..., 0, 1:] = outer[..., 1:, 0] = vector
    outer[..., 1:, 1:] = symmetric
    best = np.argmax(np.einsum("...ii->...i", outer), axis=-1)
    column = np.take_along_axis(outer, best[..., None, None], axis=-1)[..., 0]
    return np.asarray(column / np.linalg.norm(column, axis=-1, keepdims=True))


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
