"""Rotations of what a user gives: any form, in numbers or symbols."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import PolhodeError, shown, understood
from ...expr import Matrix, as_expr, pi
from .axial_vector import far_lift
from .charts import CHARTS, chart_named
from .euler import digits_of, sequence_lift
from .exact import as_rotation
from .nearest import checked
from .quaternion import from_lift
from .scalars import Components, cos, dot, is_array, scaled, sin, split
from .stored import Stored, composed, numeric, of_coordinates, of_exact_matrix, symbolic
from .turns import about, rotation, unit_axis
from .values import batch_of, finite, first_true, is_exact, matrix_of, one_column, read, read_spinor

Exact = bool | None


def of_matrix(R: Any, nearest: bool, exact: Exact) -> Stored:
    entries = read(matrix_of(R), (3, 3), "a rotation matrix", exact)
    if not any(map(is_array, entries)):
        return of_exact_matrix(as_rotation(Matrix([entries[0:3], entries[3:6], entries[6:9]]), "from_matrix"))
    return numeric(CHARTS["matrix"].lift(checked(entries, nearest)), "a rotation matrix")


def of_quaternion(q: Any, scalar_first: bool, exact: Exact) -> Stored:
    e = read(q, (4,), "a quaternion", exact)
    return of_coordinates(CHARTS["quaternion"], e if scalar_first else (e[3], *e[:3]), "the quaternion")


def of_spinor(psi: Any, exact: Exact) -> Stored:
    return of_coordinates(CHARTS["quaternion"], read_spinor(psi, "a spinor", exact), "the spinor")


def of_vector(c: Any, exact: Exact) -> Stored:
    return of_coordinates(CHARTS["vector"], read(c, (3,), "a vector-parameter", exact))


def of_sine_vector(d: Any, cosine: Any, exact: Exact) -> Stored:
    exact = is_exact(d) or is_exact(cosine) if exact is None else exact
    entries = read(d, (3,), "a sine vector", exact)
    if cosine is not None:
        scalar = as_expr(cosine) if exact else finite(cosine, "a cosine")
        batch_of((scalar, *entries))
        return of_coordinates(CHARTS["quaternion"], (scalar, *entries), "the sine vector with its cosine")
    _check_length(entries, 1, "a sine vector")
    return of_coordinates(CHARTS["sine"], entries)


def of_axial_vector(a: Any, far: Any, exact: Exact) -> Stored:
    entries = read(a, (3,), "an axial vector", exact)
    _check_length(entries, 2, "an axial vector")
    near = of_coordinates(CHARTS["axial"], entries)
    if far is False:
        return near
    beyond = far_lift(entries)
    if near.is_exact:
        return symbolic(beyond, from_lift(beyond))
    import numpy as np

    there = np.asarray(far, dtype=bool)
    batch_of((there, *near.lift))
    return numeric(tuple(np.where(there, b, n) for b, n in zip(beyond, near.lift, strict=True)), "the axial vector")


def of_exponential(l: Any, exact: Exact) -> Stored:
    return of_coordinates(CHARTS["exponential"], read(l, (3,), "an exponential vector", exact))


def of_axis_angle(axis: Any, angle: Any, exact: Exact) -> Stored:
    if is_exact(axis) or is_exact(angle) if exact is None else exact:
        n, half = unit_axis(axis), as_expr(angle) / 2
        return symbolic((cos(half), *scaled(sin(half), n)), about(n, as_expr(angle)))
    given = [float(x) for x in unit_axis(axis)] if isinstance(axis, str) else axis
    direction = numeric((0, *read(given, (3,), "an axis", False)), "the axis").lift[1:]
    turn = finite(angle, "an angle") / 2
    batch_of((turn, *direction))
    return numeric((cos(turn), *scaled(sin(turn), direction)), "the axis")


def of_angles(sequence: str, angles: Any, extrinsic: bool, degrees: bool, exact: Exact) -> Stored:
    word = digits_of(sequence)
    if len(word) == 1:
        angles = one_column(angles)
    x = read(angles, (len(word),), f"a list of angles {shown(sequence)}", exact)
    if degrees:
        x = tuple(angle * (float(pi) / 180) if is_array(angle) else angle * pi / 180 for angle in x)
    if len(word) == 3:
        return of_coordinates(chart_named(word, extrinsic), x)
    if extrinsic:
        word, x = word[::-1], x[::-1]
    lift = sequence_lift(word, x)
    if any(map(is_array, x)):
        return numeric(lift, "a turn")
    return symbolic(lift, rotation(*zip(("xyz"[int(digit) - 1] for digit in word), x, strict=True)))


def of_turns(turns: Iterable[Any], exact: Exact) -> Stored:
    exact = is_exact(turns) if exact is None else exact
    made = identity(None, exact)
    for turn in turns:
        with understood("a turn", turn, cure='Give an axis and an angle, for example ("z", 0.3).'):
            axis, angle = turn
            made = composed(made, of_axis_angle(axis, angle, exact))
    return made


def identity(count: int | tuple[int, ...] | None, exact: bool) -> Stored:
    if exact:
        return symbolic((1, 0, 0, 0), Matrix.identity(3))
    import numpy as np

    ones = np.ones(_shape(count))
    return Stored((ones, 0 * ones, 0 * ones, 0 * ones), ones.shape)


def random(count: int | tuple[int, ...] | None, seed: Any) -> Stored:
    import numpy as np

    with understood("a seed", seed, cure="Give a whole number, or a generator of NumPy's."):
        generator = np.random.default_rng(seed)
    return numeric(split(generator.standard_normal((*_shape(count), 4))), "a random quaternion")


def _shape(count: Any) -> tuple[int, ...]:
    with understood("a size", count, cure="Give a number of rotations, or the shape of a batch."):
        shape = () if count is None else (count,) if isinstance(count, int) else tuple(count)
        if any(size < 0 for size in shape):
            raise ValueError
    return shape


def _check_length(x: Components, longest: int, what: str) -> None:
    """Refuse a sine or axial vector of numbers that no rotation has."""
    if not any(map(is_array, x)):
        return
    import numpy as np

    with np.errstate(over="ignore"):
        length = np.sqrt(dot(x, x))
    bad = length > longest * (1 + 1e-9)
    if np.any(bad):
        raise PolhodeError(
            f"{first_true(bad)} is given by {what} of length {length[bad].flat[0]:.6g}.",
            cure=f"It is at most {longest}.",
            code="E-ROT-016",
        )
