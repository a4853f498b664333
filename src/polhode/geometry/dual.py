"""Dual numbers a + μ b with μ² = 0, over expressions, fractions, floats and NumPy arrays.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", section 4.2, (151), (152).
Vectors and matrices of dual numbers are `Vector` and `Matrix`, as those of any other number: a formula for points and
rotations is one for lines and rigid motions as soon as its numbers are dual, the principle of transference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any, overload

from ..errors import PolhodeError, fault_at, shown, understood
from ..expr import Expr, Matrix, Vector, as_expr, latex
from ..expr.functions import Extended
from .rotations.scalars import FUNCTIONS, is_array
from .rotations.values import silent

fault = fault_at("dual")

_f = FUNCTIONS


def _step(a: Any, b: Any) -> Any:
    """1 where a > b, 0 where a < b."""
    return (1 + _f["sign"](a - b)) / 2


#: For each function: its partial derivatives as numerators over a denominator, of its value and its arguments.
_PARTIALS: dict[str, Callable[..., tuple[tuple[Any, ...], Any]]] = {
    "sin": lambda y, a: ((_f["cos"](a),), 1),
    "cos": lambda y, a: ((-_f["sin"](a),), 1),
    "tan": lambda y, a: ((1 + y * y,), 1),
    "sqrt": lambda y, a: ((1,), 2 * y),
    "exp": lambda y, a: ((y,), 1),
    "log": lambda y, a: ((1,), a),
    "asin": lambda y, a: ((1,), _f["sqrt"](1 - a * a)),
    "acos": lambda y, a: ((-1,), _f["sqrt"](1 - a * a)),
    "atan": lambda y, a: ((1,), 1 + a * a),
    "atan2": lambda y, a, b: ((b, -a), a * a + b * b),
    "sinh": lambda y, a: ((_f["cosh"](a),), 1),
    "cosh": lambda y, a: ((_f["sinh"](a),), 1),
    "tanh": lambda y, a: ((1 - y * y,), 1),
    "abs": lambda y, a: ((_f["sign"](a),), 1),
    "sign": lambda y, a: ((0,), 1),
    "floor": lambda y, a: ((0,), 1),
    "min": lambda y, a, b: ((_step(b, a), _step(a, b)), 1),
    "max": lambda y, a, b: ((_step(a, b), _step(b, a)), 1),
}
#: What must not be zero where a function bends or jumps.
_BENDS: dict[str, Callable[..., Any]] = {
    "abs": lambda a: a, "sign": lambda a: a, "min": lambda a, b: a - b, "max": lambda a, b: a - b,
    "floor": lambda a: a - _f["floor"](a),
}  # fmt: skip


def with_slope(name: str, at: list[Any], along: list[Any]) -> tuple[Any, Any]:
    """f(a, …) and Σ b ∂f/∂a of a function by its name, with `along` the dual parts b."""
    value = _real_value(name, lambda: _f[name](*at), at)
    if not any(map(some, along)):
        return value, along[0]
    if name in _BENDS and has_zero(_BENDS[name](*at)):
        raise _without_slope(name, at)
    tops, bottom = _PARTIALS[name](value, *at)
    if has_zero(bottom):
        raise _without_slope(name, at)
    total: Any = 0
    for top, b in zip(tops, along, strict=True):
        total = total + top * b
    return value, total / bottom


def power_with_slope(a: Any, b: Any, along: tuple[Any, Any]) -> tuple[Any, Any]:
    """a^b and a' b a^(b-1) + b' a^b log a."""
    value = _real_value("pow", lambda: _power(a, b), [a, b])
    slope: Any = 0
    if some(along[0]):
        exact = isinstance(a, Expr) or isinstance(b, Expr)
        if has_zero(a) and (exact or some(b < 1)):
            raise _without_slope("pow", [a, b])
        is_half = exact and as_expr(b).is_number and as_expr(b).data.denominator <= 2  # a product of roots
        slope = along[0] * b * (value / a if exact and not is_half else _power(a, b - 1))
    if some(along[1]):
        slope = slope + along[1] * value * with_slope("log", [a], [0])[0]
    return value, slope


def _power(a: Any, b: Any) -> Any:
    """a ** b, where fractions meet floats or arrays too."""
    if not any(isinstance(x, Expr) for x in (a, b)):
        a, b = (x if is_array(x) else float(x) for x in (a, b))
    return a**b


def _real_value(name: str, compute: Callable[[], Any], at: list[Any]) -> Any:
    """Value of a function at numbers, if real."""
    import numpy as np

    try:
        with silent():
            value = compute()
    except (ValueError, OverflowError, ZeroDivisionError):
        value = None
    if value is None or isinstance(value, complex) or (is_array(value) and not np.isfinite(value).all()):
        message = f"{name} of {' and '.join(map(shown, at))} is not a finite real number."
        raise fault(message, "Give a real part at which it is.", "E-ROTATION-NUMBER")
    return value


def _without_slope(name: str, at: list[Any]) -> PolhodeError:
    where = " and ".join(map(shown, at))
    message = f"{name} has no derivative at {where}, and so no value at a dual number there."
    return fault(message, "Give another real part, or no dual part.", "E-ROTATION-SINGULAR")


def has_zero(part: Any) -> bool:
    """Whether a number is zero, or one in an array."""
    return bool((part == 0).any()) if is_array(part) else not part


def some(part: Any) -> bool:
    """Whether a part is not zero, or true, in any entry of an array."""
    return bool(part.any()) if is_array(part) else bool(part)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dual(Extended):
    """A dual number real + μ dual; functions of it are f(a + μ b) = f(a) + μ b f'(a).

    >>> from polhode.expr import symbols
    >>> theta, d = symbols("theta d")
    >>> Dual(theta, d).sin()
    sin(theta) + μ*(d*cos(theta))
    >>> Dual(theta, d).sin() ** 2 + Dual(theta, d).cos() ** 2
    1
    """

    real: Any
    dual: Any = 0

    def __add__(self, other: Any) -> Dual:
        a = _as_dual(other)
        return NotImplemented if a is None else Dual(self.real + a.real, self.dual + a.dual)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dual:
        a = _as_dual(other)
        return NotImplemented if a is None else Dual(self.real - a.real, self.dual - a.dual)

    def __rsub__(self, other: Any) -> Dual:
        a = _as_dual(other)
        return NotImplemented if a is None else a - self

    def __mul__(self, other: Any) -> Dual:
        a = _as_dual(other)
        if a is None:
            return NotImplemented
        return Dual(self.real * a.real, self.real * a.dual + self.dual * a.real)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        a = _as_dual(other)
        if a is None:
            return NotImplemented
        if has_zero(a.real):
            message = "a dual number without a real part has no reciprocal."
            cure = "Lines that are parallel, and motions without a turn, need a formula of their own."
            raise PolhodeError(message, cure=cure, code="E-ROTATION-SINGULAR")
        ratio = _over(self.real, a.real)
        return Dual(ratio, _over(self.dual - ratio * a.dual, a.real))

    def __rtruediv__(self, other: Any) -> Dual:
        a = _as_dual(other)
        return NotImplemented if a is None else a / self

    def __pow__(self, exponent: Any) -> Dual:
        """a^n + μ n a^(n-1) b, with any exponent."""
        if isinstance(exponent, int):
            if exponent <= 0:
                return 1 / self**-exponent if exponent else Dual(1)
            below = self.real ** (exponent - 1)
            return Dual(below * self.real, exponent * below * self.dual)
        if not isinstance(exponent, Dual) and not _is_number(exponent):
            return NotImplemented
        other = exponent if isinstance(exponent, Dual) else Dual(exponent)
        return Dual(*power_with_slope(self.real, other.real, (self.dual, other.dual)))

    def __rpow__(self, base: Any) -> Dual:
        return Dual(base) ** self if _is_number(base) else NotImplemented

    def __abs__(self) -> Dual:
        return Dual.function("abs", self)

    def __neg__(self) -> Dual:
        return Dual(-self.real, -self.dual)

    def __pos__(self) -> Dual:
        return self

    def __eq__(self, other: object) -> bool:
        a = _as_dual(other)
        return NotImplemented if a is None else not some(self.real - a.real) and not some(self.dual - a.dual)

    def __hash__(self) -> int:
        return hash((self.real, self.dual)) if some(self.dual) else hash(self.real)

    def __bool__(self) -> bool:
        """False where both parts vanish."""
        return some(self.real) or some(self.dual)

    def sin(self) -> Dual:
        """sin θ + μ d cos θ."""
        return Dual.function("sin", self)

    def cos(self) -> Dual:
        """cos θ - μ d sin θ."""
        return Dual.function("cos", self)

    def tan(self) -> Dual:
        """tan θ + μ d (1 + tan² θ)."""
        return Dual.function("tan", self)

    def sqrt(self) -> Dual:
        """√a + μ b/(2 √a)."""
        return Dual.function("sqrt", self)

    @classmethod
    def function(cls, name: str, *args: Any) -> Dual:
        """f(a) + μ b f'(a) of a function by its name: sin, exp, acos, abs, …; atan2, min and max of two `args`."""
        parts = [arg if isinstance(arg, Dual) else Dual(_number(arg)) for arg in args]
        return Dual(*with_slope(name, [part.real for part in parts], [part.dual for part in parts]))

    def map(self, function: Callable[[Any], Any]) -> Dual:
        """The number with a function applied to both parts."""
        return Dual(function(self.real), function(self.dual))

    def latex(self, of_part: Callable[[Any], str]) -> str:
        """a + μ (b), each part written by `of_part`, or what of it is not zero."""
        if not some(self.dual):
            return of_part(self.real)
        moment = rf"\mu \left({of_part(self.dual)}\right)"
        return f"{of_part(self.real)} + {moment}" if some(self.real) else moment

    def _repr_latex_(self) -> str:
        return f"${latex(self)}$"

    def __repr__(self) -> str:
        if not some(self.dual):
            return repr(self.real)
        return f"{self.real} + μ*({self.dual})" if some(self.real) else f"μ*({self.dual})"


@overload
def dual(real: Matrix, mu: Any = 0) -> Matrix: ...
@overload
def dual(real: Vector, mu: Any = 0) -> Vector: ...
@overload
def dual(real: Any, mu: Any = 0) -> Any: ...
def dual(real: Any, mu: Any = 0) -> Any:
    """real + μ mu: of two numbers a dual number, of two vectors or matrices one of dual numbers.

    The dual angle of two lines (152) is the angle between them + μ the distance along their common normal; a line is
    the dual vector of its direction + μ its moment. NumPy arrays are numbers, one for each entry.
    """
    if isinstance(real, list | tuple):
        with understood("of the shape of the real part", mu, place="dual", cure="Give as many numbers."):
            parts = [0] * len(real) if isinstance(mu, int) and mu == 0 else list(mu)
            entries = [dual(a, b) for a, b in zip(real, parts, strict=True)]
            return Matrix(entries) if entries and isinstance(entries[0], Vector) else Vector(entries)
    return Dual(_number(real), _number(mu))


def _number(value: Any) -> Any:
    """A number that can be part of a dual one."""
    if _is_number(value):
        return value
    cure = "Give expressions, numbers or NumPy arrays of them."
    raise PolhodeError(f"{shown(value)} is not a number.", "dual", cure, "E-ROTATION-NUMBER")


def _is_number(value: Any) -> bool:
    is_scalar = isinstance(value, Expr | Real) and not isinstance(value, bool)
    return is_scalar or (is_array(value) and value.dtype.kind in "iuf")


@overload
def real_part(value: Matrix) -> Matrix: ...
@overload
def real_part(value: Vector) -> Vector: ...
@overload
def real_part(value: Any) -> Any: ...
def real_part(value: Any) -> Any:
    """The real part of a dual number, or of each entry of a vector or matrix."""
    return _part(value, 0)


@overload
def dual_part(value: Matrix) -> Matrix: ...
@overload
def dual_part(value: Vector) -> Vector: ...
@overload
def dual_part(value: Any) -> Any: ...
def dual_part(value: Any) -> Any:
    """The dual part of a dual number, or of each entry of a vector or matrix: d/dμ."""
    return _part(value, 1)


def _part(value: Any, which: int) -> Any:
    if isinstance(value, Matrix):
        return value.map(lambda entry: _part(entry, which))
    if isinstance(value, Vector):
        return Vector([_part(entry, which) for entry in value])
    if isinstance(value, Dual):
        return value.dual if which else value.real
    return 0 if which else value


def _as_dual(value: Any) -> Dual | None:
    """A number as a dual one; vectors, matrices and texts are none."""
    if isinstance(value, Dual):
        return value
    return None if isinstance(value, str | list | tuple) else Dual(value)


def _over(a: Any, b: Any) -> Any:
    """a / b, exactly for whole numbers."""
    return Fraction(a, b) if isinstance(a, int) and isinstance(b, int) else a / b
