"""What a rotation is stored as, and the group: numbers as unit quaternions, symbols as quaternions of any length.

Unit quaternions have no singularity: a form is computed when needed, so that chains of rotations never meet
the singularities of the forms that they are given in. Symbols also keep their matrix, and the coordinates given.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from ...errors import PolhodeError, ShapeError, shown
from ...expr import Matrix, as_expr, is_zero
from .chart import Chart
from .charts import CHARTS
from .exact import ROUNDING, from_rounded_quaternion
from .quaternion import conjugate, from_lift, from_quaternion, product
from .scalars import Components, dot, is_array, joined, split
from .values import broadcast, first_true, silent


@dataclass(frozen=True)
class Stored:
    """A quaternion; the shape of its batch, or None of expressions; of these the matrix and the coordinates given."""

    lift: Components
    batch: tuple[int, ...] | None
    matrix: Matrix | None = None
    given: tuple[Chart, Components] | None = None

    @property
    def is_exact(self) -> bool:
        return self.batch is None

    @property
    def rows(self) -> Matrix:
        """R, its entries scalars of whatever kind."""
        return from_quaternion(self.lift) if self.matrix is None else self.matrix


def numeric(p: Components, what: str) -> Stored:
    """A rotation of numbers: its quaternion normalised."""
    import numpy as np

    q = joined(p)
    largest = np.abs(q).max(axis=-1, keepdims=True)
    zero = largest[..., 0] == 0
    if np.any(zero):
        message = f"{first_true(zero)} is given by zeros: {what} has no direction."
        cure = "Give one that is not zero; (1, 0, 0, 0) is the quaternion of no rotation."
        raise PolhodeError(message, cure=cure, code="E-ROTATION-SINGULAR")
    q = q / largest
    q /= np.sqrt((q * q).sum(axis=-1, keepdims=True))
    return Stored(split(q), q.shape[:-1])


def symbolic(lift: Components, R: Matrix, given: tuple[Chart, Components] | None = None) -> Stored:
    """A rotation of expressions."""
    return Stored(tuple(map(as_expr, lift)), None, R.map(as_expr), given)


def of_exact_matrix(R: Matrix) -> Stored:
    """The rotation of an exactly orthogonal matrix."""
    return symbolic(CHARTS["matrix"].lift(tuple(R.entries())), R)


def of_coordinates(chart: Chart, x: Components, what: str = "the quaternion") -> Stored:
    """The rotation of coordinates in a chart."""
    if any(map(is_array, x)):
        return numeric(chart.lift(x), what)
    lift = chart.lift(x)
    square = dot(lift, lift)
    if is_zero(square):
        raise PolhodeError(f"{what} is zero.", cure="Give one that is not zero.", code="E-ROTATION-NUMBER")
    if chart is CHARTS["quaternion"] and not is_zero(square - 1):
        return symbolic(lift, from_lift(lift))
    return symbolic(lift, chart.rotation(x), (chart, x))


def exactly(r: Stored) -> Stored:
    """The same of exact numbers."""
    if r.is_exact:
        return r
    if r.batch != ():
        cure = "Take one of them by its index, or give numbers for the symbols."
        raise ShapeError("a batch of rotations is not exact.", cure=cure, code="E-ROTATION-UNSUPPORTED")
    return of_exact_matrix(from_rounded_quaternion([Fraction(repr(float(e))) for e in r.lift], ROUNDING)[0])


def composed(r: Stored, s: Stored) -> Stored:
    """R S; exact if one of them is."""
    if r.batch is not None and s.batch is not None:
        broadcast(r.batch, s.batch)
        return numeric(product(r.lift, s.lift), "a product")
    one, two = exactly(r), exactly(s)
    return symbolic(product(one.lift, two.lift), one.rows @ two.rows)


def inverse(r: Stored) -> Stored:
    """Rᵀ."""
    return Stored(conjugate(r.lift), r.batch, None if r.matrix is None else r.matrix.T)


def coordinates_in(r: Stored, chart: Chart, form: str) -> Components:
    """The coordinates in a chart, refused where it is singular."""
    if r.is_exact:
        if r.given is not None and r.given[0] is chart:
            return r.given[1]
        if r.matrix is not None and chart is CHARTS["matrix"]:
            return tuple(r.matrix.entries())
        if chart is CHARTS["vector"] and is_zero(r.lift[0]):
            raise _singular(form, chart, "the rotation")
        return chart.coordinates(r.lift)
    with silent():
        x = chart.coordinates(r.lift)
    shape_of(r, x, chart, form)
    return x


def shape_of(r: Stored, x: Components, chart: Chart, form: str) -> tuple[int, ...] | None:
    """The shape of computed numbers, which must be finite; None for expressions."""
    if r.is_exact:
        return None
    import numpy as np

    bad = ~np.all([np.isfinite(entry) for entry in np.broadcast_arrays(*x)], axis=0)
    if np.any(bad):
        raise _singular(form, chart, first_true(bad))
    return tuple(np.shape(bad))


@contextmanager
def regular(chart: Chart, form: str) -> Iterator[None]:
    """Context in which a division by zero is reported as the chart's singularity."""
    try:
        with silent():
            yield
    except PolhodeError as error:
        if any(problem.code != "E-EXPR-ZERO" for problem in error.problems):
            raise
        raise _singular(form, chart, "the rotation") from None


def _singular(form: str, chart: Chart, place: str) -> PolhodeError:
    return PolhodeError(
        f"{place} is where the form {shown(form)} is singular: {chart.singular}.",
        cure="Take the quaternion or the matrix, or `local(form)`, which refers it to another rotation.",
        code="E-ROTATION-SINGULAR",
    )
