"""Calls of opaque functions: a node that algebra does not look into, with a derivative that is another such node.

The fingerprint of f(a, …) is a fixed pseudo-random value for f's digest and the fingerprints of the arguments, so that
two calls of one function are equal where their arguments are equal as functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ModelError, number, understood, unknown
from .field import hash_to_field
from .node import CALL, Expr, as_expr, intern_leaf
from .opaque import table as tables
from .opaque import user
from .opaque.function import Opaque


def call(function: Opaque, args: Sequence[Expr]) -> Expr:
    """The node f(args)."""
    _check_count(function, len(args))
    if isinstance(function, tables.Table) and all(arg.is_number for arg in args):
        _check_inside(function, function.at(*(float(arg.data) for arg in args)), args)
    fp = hash_to_field(CALL, function.digest, *(arg.fp for arg in args))
    return intern_leaf((CALL, function.digest, *map(id, args)), CALL, tuple(args), fp, function)


@dataclass(frozen=True, repr=False)
class Function:
    """A table or a user's function: call it with expressions to use it in a model, with numbers to look at it.

    >>> from polhode.expr import symbol
    >>> x = symbol("x")
    >>> spring = table([-1, 0, 2], [-5, 0, 8], name="spring")
    >>> spring(2 * x), spring(2 * x).diff(x), spring(1.5)
    (spring(2*x), 2*spring'(2*x), 6.0)

    >>> spring.name, spring.derivative()(1), spring.integral()(2)
    ('spring', 4.0, 5.5)
    """

    opaque: Opaque

    @property
    def name(self) -> str:
        """The function's name."""
        return self.opaque.label

    def __repr__(self) -> str:
        return f"Function({self.name})"

    def __call__(self, *args: Any) -> Any:
        """A node where any argument is an expression, else the value; NumPy arrays give an array of values."""
        _check_count(self.opaque, len(args))
        if any(type(arg) is Expr for arg in args):
            return call(self.opaque, [as_expr(arg) for arg in args])
        if any(getattr(arg, "ndim", 0) or isinstance(arg, list | tuple) for arg in args):
            return self.opaque.over(*args)
        numbers = [float(arg) for arg in args]
        value = self.opaque.at(*numbers)
        if isinstance(self.opaque, tables.Table) and not any(map(math.isnan, numbers)):
            _check_inside(self.opaque, value, args)
        return value

    def derivative(self, place: int = 0) -> Function:
        """The derivative by the argument at a `place`, from 0, as a function."""
        partial = self.opaque.partial(place)
        if partial is None:
            message = f"its derivative by argument {place} is zero everywhere."
            raise ModelError(message, f"table '{self.name}'", "Use 0.", "E-FUNCTION-UNSUPPORTED")
        return Function(partial)

    def integral(self) -> Function:
        """The antiderivative of a table of one variable that is zero at the first abscissa.

        A tabulated spring with force -f(x) has the potential energy f.integral()(x).
        """
        if not isinstance(self.opaque, tables.Table):
            message = "a user's function has no antiderivative here."
            cure = "Give it as a function of its own."
            raise ModelError(message, f"function '{self.name}'", cure, "E-FUNCTION-UNSUPPORTED")
        return Function(self.opaque.integral())


def table(x: Any, y: Any, *, name: str = "", kind: str = "linear", outside: str = "hold") -> Function:
    """An interpolated function of one variable, table(x, y), or of two, table((x, y), z) with a row of z for each x.

    `kind` is linear, cubic (a natural spline) or, of one variable, pchip (monotone between points), held (each value
    until the next abscissa) or polynomial (y: a row of coefficients for each interval, constant first, by powers of the
    distance to its left end). `outside` says what holds beyond the first and last abscissa: the last value (hold), a
    straight line (line) or nothing (error), which gives nan in compiled code.

    >>> tyre = table([0, 0.1, 0.2], [0, 900, 1000], name="tyre", kind="pchip")
    >>> tyre(0.1), tyre(0.5)
    (900.0, 1000.0)
    """
    return Function(tables.checked(x, y, name=name, kind=kind, outside=outside))


def sampled(
    times: Any, values: Any = None, kind: str = "linear", *, rate: float | None = None, name: str = "samples"
) -> Function:
    """A table of time: values at given times, or at a `rate` in 1/s from t = 0 on, joined as `kind`
    says: "held", "linear" or "cubic". The `name` is for messages.

    Before the first sample the first value holds, after the last one the last.
    """
    kinds = ("held", "linear", "cubic")
    if not isinstance(kind, str) or kind not in kinds:
        raise unknown("interpolation", kind, kinds, place="sampled", code="E-FUNCTION-NAME", error=ModelError)
    if (rate is None) == (values is None):
        message = "samples need their times or one rate." if rate is None else "samples have times or a rate, not both."
        cure = "Give sampled(times, values), or sampled(values, rate=…) for values at equal distances from t = 0 on."
        raise ModelError(message, "sampled", cure, "E-FUNCTION-TWICE")
    if rate is not None:
        frequency = number(rate, "a number of samples a second, > 0", above=0.0, place="sampled rate")
        with understood("a list of numbers", times, place="sampled"):
            times, values = [k / frequency for k in range(len(times))], times
    unnamed = name == "samples" or not isinstance(name, str)
    return samples_of(times, values, kind, name, "sampled" if unnamed else f"sampled '{name}'")


def samples_of(times: Any, values: Any, kind: str, name: str, place: str) -> Function:
    """A table of time; `place` names it in messages."""
    return Function(tables.checked(times, values, name=name, kind=kind, place=place, labels=(tables.TIMES, "values")))


def function(
    name: str,
    c: str = "",
    python: Callable[..., Any] | None = None,
    derivatives: Mapping[int, Function] | None = None,
    arity: int | None = None,
) -> Function:
    """A function of your own, as C source `c`, as a callable `python`, or both; `derivatives` by the number of the
    argument.

    The C source defines ``double name(double, …)``; it is compiled and linked to native code, and stands as it is in
    exported C. A callable alone is called from native code, which is slow. The code is yours and is trusted: give
    none that you would not run. `arity` is the number of arguments, where neither shows it.

    >>> two = function("two", "double two(double x) { return 2.0; }", lambda x: 2.0)
    >>> twice = function("twice", "double twice(double x) { return 2.0*x; }", lambda x: 2 * x, {0: two})
    >>> twice(as_expr(3)), twice(3)
    (twice(3), 6.0)
    """
    place, cure = f"function '{name}' derivatives", "Give functions by the number of the argument, as {0: slope}."
    with understood("a mapping from numbers to functions", derivatives, place=place, cure=cure):
        items = dict(derivatives or {}).items()
    slopes: dict[int, Any] = {index: getattr(slope, "opaque", slope) for index, slope in items}
    return Function(user.checked(name, c, python, slopes, arity))


def _check_count(function: Opaque, count: int) -> None:
    if count != function.arity:
        message = f"it takes {function.arity} argument{'s' * (function.arity > 1)}, not {count}."
        raise ModelError(message, f"function '{function.label}'", "Give one value for each.", "E-FUNCTION-SHAPE")


def _check_inside(function: tables.Table, value: float, args: Sequence[Any]) -> None:
    """A table that ends where its points end has no value at a number beyond them."""
    if math.isnan(value):
        spans = " and ".join(f"{axis[0]!r} to {axis[-1]!r}" for axis in function.points.axes)
        message = f"its argument {', '.join(map(str, args))} is outside its range {spans}."
        cure = "Extend the table, or choose outside='hold' or 'line'."
        raise ModelError(message, f"table '{function.label}'", cure, "E-FUNCTION-NUMBER")
