"""Tables: numbers on a grid, and how to read between and beyond them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any

from ...errors import ModelError, PolhodeError, unknown, wrong_kind
from .function import Opaque
from .piecewise import Pieces, interpolant

KINDS = ("linear", "cubic", "pchip", "held", "polynomial")
#: What the abscissae of samples are called.
TIMES = "times"
OUTSIDE = ("hold", "line", "error")
_FEWEST = {"linear": 2, "cubic": 4, "pchip": 2, "held": 1, "polynomial": 2}
#: Degree and number of continuous derivatives of each kind; -1 if the value jumps.
_DEGREES = {"linear": 1, "cubic": 3, "pchip": 3, "held": 0}
_SMOOTH = {"linear": 0, "cubic": 2, "pchip": 1, "held": -1}
#: A table with more numbers than this is refused: it would be compiled into every function that uses it.
LARGEST = 250_000


@dataclass(frozen=True)
class Points:
    """Numbers on a grid, the last axis running fastest, and how they are joined; shared by a table's derivatives."""

    axes: tuple[tuple[float, ...], ...]
    values: tuple[float, ...]
    kind: str
    outside: str

    @cached_property
    def digest(self) -> str:
        """Digest of the whole table, in hexadecimal digits."""
        word = blake2b(digest_size=16)
        word.update(repr((self.kind, self.outside, [len(axis) for axis in self.axes])).encode())
        for number in (*(x for axis in self.axes for x in axis), *self.values):
            word.update(number.hex().encode())
        return word.hexdigest()

    @cached_property
    def interpolant(self) -> Pieces:
        """The piecewise polynomial through the points."""
        return interpolant(self.axes, self.values, self.kind, self.outside)

    @cached_property
    def degree(self) -> int:
        """Number of derivatives before the table is zero."""
        return self.interpolant.sizes[0] - 1 if self.kind == "polynomial" else _DEGREES[self.kind]

    @cached_property
    def smoothness(self) -> int:
        """How many derivatives are continuous between the ends; -1 if the value jumps."""
        if self.kind != "polynomial":
            return _SMOOTH[self.kind]
        jumps = [{*line} - {self.axes[0][0], self.axes[0][-1]} for line in self.interpolant.breaks()]
        return next((order - 1 for order, jump in enumerate(jumps) if jump), len(jumps))


@dataclass(frozen=True)
class Table(Opaque):
    """An interpolated function of one or two variables; `orders` counts derivatives by each, -1 the antiderivative."""

    points: Points
    orders: tuple[int, ...]
    name: str = field(default="table", compare=False)

    @property
    def label(self) -> str:
        """The name, with a prime for each derivative; of two variables `f_D01` is ∂²f/∂x∂y."""
        if self.arity == 1:
            return self.name + "'" * self.orders[0] if self.orders[0] >= 0 else f"integral_of_{self.name}"
        digits = "".join(str(k) * order for k, order in enumerate(self.orders))
        return f"{self.name}_D{digits}" if digits else self.name

    @property
    def arity(self) -> int:
        return len(self.points.axes)

    @property
    def foldable(self) -> bool:
        return True

    @property
    def digest(self) -> str:
        return f"{self.points.digest}:{','.join(map(str, self.orders))}"

    @cached_property
    def pieces(self) -> Pieces:
        """The piecewise polynomial that it is."""
        if self.orders == (-1,):
            return self.points.interpolant.integral()
        return self.points.interpolant.derivative(self.orders) if any(self.orders) else self.points.interpolant

    def partial(self, place: int) -> Table | None:
        orders = tuple(order + (k == place) for k, order in enumerate(self.orders))
        return None if orders[place] > self.points.degree else replace(self, orders=orders)

    def integral(self) -> Table:
        """The antiderivative that is zero at the first abscissa; its derivative is this table."""
        if self.orders != (0,):
            message = "only a table of one variable, as it was given, has an antiderivative here."
            cure = "Integrate it beforehand and give the result as a table."
            raise ModelError(message, f"table '{self.name}'", cure, "E-FUNCTION-UNSUPPORTED")
        return replace(self, orders=(-1,))

    def at(self, *point: float) -> float:
        return self.pieces.at(*point)

    def over(self, *arrays: Any) -> Any:
        return self.pieces.over(*arrays)

    @property
    def is_extended(self) -> bool:
        """Whether there are second arguments, in whose piece each axis is read."""
        return False


class ExtendedTable(Table):
    """A table f(x, s): the polynomial of the piece that s lies in, at x, also beyond the ends of that piece."""

    @property
    def arity(self) -> int:
        return 2 * len(self.points.axes)

    @property
    def digest(self) -> str:
        return f"{super().digest}:extended"

    @property
    def is_extended(self) -> bool:
        return True

    def at(self, *point: float) -> float:
        axes = len(self.points.axes)
        return self.pieces.at(*point[:axes], within=point[axes:])

    def over(self, *arrays: Any) -> Any:
        axes = len(self.points.axes)
        return self.pieces.over(*arrays[:axes], within=arrays[axes:])


def checked(
    x: Any,
    y: Any,
    *,
    name: str = "",
    kind: str = "linear",
    outside: str = "hold",
    place: str = "",
    labels: tuple[str, str] = ("x", "y"),
) -> Table:
    """A table of abscissae x (or a pair) and ordinates y (or rows); raise with the caller's `words` if invalid."""
    if not isinstance(name, str):
        raise wrong_kind("a name for a table", name, "table", 'Give name="torque", for example.', "E-FUNCTION-TYPE")
    place = place or (f"table '{name}'" if name else "table")
    if not isinstance(kind, str) or kind not in KINDS:
        raise unknown("kind", kind, KINDS, place=place, code="E-FUNCTION-NAME", error=ModelError)
    if not isinstance(outside, str) or outside not in OUTSIDE:
        raise unknown("extrapolation", outside, OUTSIDE, place=place, code="E-FUNCTION-NAME", error=ModelError)
    pair = isinstance(x, tuple) and len(x) == 2 and all(_is_list(entry) for entry in x)
    if pair and kind in ("held", "pchip", "polynomial"):
        whose = {"pchip": "a monotone cubic has", "held": "what is held has", "polynomial": "given polynomials have"}
        message = f"{whose[kind]} one variable."
        raise ModelError(message, place, "Choose linear or cubic for a table of two variables.", "E-FUNCTION-SHAPE")
    axes = tuple(
        _axis(entries, label, kind, place) for entries, label in zip(x if pair else (x,), labels, strict=False)
    )
    joined = _coefficients if kind == "polynomial" else _grid
    values = joined(y, axes, (labels[0], "z" if pair else labels[1]), place)
    if len(values) > LARGEST:
        cure = "Thin it out."
        raise ModelError(f"it has {len(values):,} numbers, more than {LARGEST:,}.", place, cure, "E-FUNCTION-SHAPE")
    table = Table(Points(axes, values, kind, outside), (0,) * len(axes), name or "table")
    if outside != "error" and not all(map(math.isfinite, table.pieces.coefficients)):
        message = "its abscissae lie so close, or its ordinates so far apart, that slopes are infinite."
        raise ModelError(message, place, "Scale it, or leave out points.", "E-FUNCTION-NUMBER")
    return table


def _is_list(value: Any) -> bool:
    return not isinstance(value, str) and (isinstance(value, Sequence) or hasattr(value, "tolist"))


def _numbers(entries: Any, label: str, place: str) -> tuple[float, ...]:
    if not _is_list(entries):
        raise _no_list(label, entries, place)
    numbers = []
    plain = entries.tolist() if hasattr(entries, "tolist") else entries
    if not _is_list(plain):
        raise _no_list(label, entries, place)
    for index, entry in enumerate(plain):
        try:
            number = float(entry)
        except (TypeError, ValueError, OverflowError, PolhodeError):
            number = math.nan
        if isinstance(entry, bool | str) or not math.isfinite(number):
            cure = "Give finite numbers."
            raise ModelError(f"{label}[{index}] is {entry!r}, not a finite number.", place, cure, "E-FUNCTION-NUMBER")
        numbers.append(number + 0.0)  # -0.0 is 0.0
    return tuple(numbers)


def _axis(entries: Any, label: str, kind: str, place: str) -> tuple[float, ...]:
    knots = _numbers(entries, label, place)
    if len(knots) < _FEWEST[kind]:
        message = (
            f"{label} has {len(knots)} {'entry' if len(knots) == 1 else 'entries'}; a {kind} table needs "
            f"{_FEWEST[kind]} or more."
        )
        cure = "Give more points." if kind in ("held", "linear") else "Give more points, or choose kind='linear'."
        raise ModelError(message, place, cure, "E-FUNCTION-SHAPE")
    what = label if label == TIMES else "abscissae"
    for index, (before, after) in enumerate(pairwise(knots)):
        if not before < after:
            raise ModelError(
                f"the {what} must ascend, but {label}[{index}] is {before!r} and {label}[{index + 1}] is {after!r}.",
                place=place,
                cure=f"Sort the points by their {what} and remove doubles.",
                code="E-FUNCTION-NUMBER",
            )
    return knots


def _grid(values: Any, axes: Sequence[Sequence[float]], labels: tuple[str, str], place: str) -> tuple[float, ...]:
    """The ordinates in one row, after their shape has been compared with the axes."""
    along, label = labels
    if len(axes) == 1:
        ordinates = _numbers(values, label, place)
        _matching(along, len(axes[0]), label, len(ordinates), place)
        return ordinates
    if not _is_list(values):
        raise _no_list(label, values, place)
    rows = list(values)
    _matching(along, len(axes[0]), label, len(rows), place)
    table = [_numbers(row, f"{label}[{k}]", place) for k, row in enumerate(rows)]
    for k, row in enumerate(table):
        _matching("y", len(axes[1]), f"{label}[{k}]", len(row), place)
    return tuple(number for row in table for number in row)


def _coefficients(values: Any, axes: Sequence[Any], labels: tuple[str, str], place: str) -> tuple[float, ...]:
    """Coefficients of all intervals in one row, as many for each, constant first; rows are put one after the other."""
    plain = values.tolist() if hasattr(values, "tolist") else values
    rows = [*plain] if _is_list(plain) and plain and all(map(_is_list, plain)) else []
    coefficients = tuple(x for k, row in enumerate(rows) for x in _numbers(row, f"{labels[1]}[{k}]", place))
    coefficients, intervals = coefficients or _numbers(plain, labels[1], place), len(axes[0]) - 1
    if len(coefficients) < 2 * intervals or len(coefficients) % intervals or len({len(row) for row in rows}) > 1:
        message = f"{labels[1]} has {len(coefficients)} coefficients for {intervals} intervals, not as many for each."
        cure = "Give a row for each interval, from the constant on, at least two numbers, in powers of x - x[k]."
        raise ModelError(message, place, cure, "E-FUNCTION-SHAPE")
    return coefficients


def _no_list(label: str, value: object, place: str) -> ModelError:
    return ModelError(
        f"{label} is {value!r}, not a list of numbers.", place=place, cure="Give a list.", code="E-FUNCTION-TYPE"
    )


def _matching(axis: str, required: int, label: str, count: int, place: str) -> None:
    if required != count:
        cure = "Give one ordinate for each point; of two variables, a row for each x and in it an entry for each y."
        raise ModelError(f"{axis} has {required} entries and {label} has {count}.", place, cure, "E-FUNCTION-SHAPE")
