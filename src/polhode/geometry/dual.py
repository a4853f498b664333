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

from ..errors import PolhodeError, shown, understood
from ..expr import Expr, Matrix, Vector
from ..expr.extended import Extended
from .dual_functions import has_zero, power_with_slope, some, with_slope
from .rotations.scalars import is_array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dual(Extended):
    """A dual number real + μ dual; functions of it are f(a + μ b) = f(a) + μ b f'(a).

    >>> from polhode.expr import symbols
    >>> theta, d = symbols("theta d")
    >>> Dual(theta, d).sin()
    sin(theta) + μ*(d*cos(theta))
    >>> Dual(theta, d).sin() ** 2 + Dual(theta, d).cos() ** 2
    1

    Other functions and parts:

    >>> from polhode.expr import latex
    >>> Dual(theta, d).tan().real, Dual(theta**2, d).sqrt()
    (sin(theta)/cos(theta), sqrt(theta**2) + μ*(d/(2*sqrt(theta**2))))
    >>> Dual(theta, d).map(lambda part: 2 * part), Dual(theta, d).latex(latex)
    (2*theta + μ*(2*d), '\\\\theta + \\\\mu \\\\left(d\\\\right)')
    >>> Dual.function("exp", Dual(theta, d))
    exp(theta) + μ*(d*exp(theta))
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
            raise PolhodeError(
                "a dual number without a real part has no reciprocal.",
                cure="Lines that are parallel, and motions without a turn, need a formula of their own.",
                code="E-DUAL-001",
            )
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
        """a + μ (b), each part written by `of_part`."""
        return rf"{of_part(self.real)} + \mu \left({of_part(self.dual)}\right)"

    def _repr_latex_(self) -> str:
        from ..expr import latex

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

    >>> dual((0, 0, 1), (0, -2, 0)).dot(dual((0, 1, 0)))
    μ*(-2)
    """
    if isinstance(real, list | tuple):
        with understood("of the shape of the real part", mu, place="dual", cure="Give as many numbers."):
            parts = [0] * len(real) if _is_zero(mu) else list(mu)
            made = [dual(a, b) for a, b in zip(real, parts, strict=True)]
            return Matrix(made) if made and isinstance(made[0], Vector) else Vector(made)
    return Dual(_number(real), _number(mu))


def _number(value: Any) -> Any:
    """A number that can be part of a dual one."""
    if _is_number(value):
        return value
    raise PolhodeError(
        f"{shown(value)} is not a number.",
        place="dual",
        cure="Give expressions, numbers or NumPy arrays of them.",
        code="E-DUAL-003",
    )


def _is_number(value: Any) -> bool:
    known = isinstance(value, Expr | Real) and not isinstance(value, bool)
    return known or (is_array(value) and value.dtype.kind in "iuf")


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
    """The dual part of a dual number, or of each entry of a vector or matrix: d/dμ.

    >>> dual_part(dual((0, 0, 1), (2, 0, 0)))
    Vector([2, 0, 0])
    """
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


def _is_zero(value: Any) -> bool:
    return isinstance(value, int) and value == 0


def _over(a: Any, b: Any) -> Any:
    """a / b, exactly for whole numbers."""
    return Fraction(a, b) if isinstance(a, int) and isinstance(b, int) else a / b
