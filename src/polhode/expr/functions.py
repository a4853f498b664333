"""Functions of expressions and of plain numbers: sin, cos, sqrt, …

Each works on graph nodes (to derive) and on floats (to check), so that the mechanics above is written once.
Trigonometric functions have exact fingerprints (see `angle`); the others are opaque: a fixed pseudo-random value
for each argument's fingerprint, plus the few rules that they need.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..errors import PolhodeError
from . import field
from .angle import Angle
from .node import MUL, NEG, NUMBER, ONE, ZERO, Expr, as_expr, div, intern_leaf, lasting, mul, neg, number


class Extended(ABC):
    """A number type beyond expressions and floats that has its own functions."""

    __slots__ = ()
    __array_ufunc__ = None  # NumPy arrays hand over to its operators

    @classmethod
    @abstractmethod
    def function(cls, name: str, *args: Any) -> Any:
        """A function by its name in `functions.BY_NAME`, of arguments one of which at least is such a number."""

    @abstractmethod
    def latex(self, of_part: Callable[[Any], str]) -> str:
        """The number in LaTeX, its parts written by a function."""


#: The number π, exactly; sin(pi/6) is 1/2.
pi: Expr = lasting(intern_leaf(("pi",), "pi", (), field.hash_to_field("constant", "pi")))


def sin(x: Any) -> Any:
    """The sine of an angle in radians."""
    return _sine(x, shift=0) if type(x) is Expr else _of_number("sin", math.sin, x)


def cos(x: Any) -> Any:
    """The cosine of an angle in radians."""
    return _sine(x, shift=1) if type(x) is Expr else _of_number("cos", math.cos, x)


def tan(x: Any) -> Any:
    """The tangent of an angle, as sine over cosine."""
    return sin(x) / cos(x) if type(x) is Expr else _of_number("tan", math.tan, x)


def _of_number(name: str, on_float: Callable[..., Any], *args: Any) -> Any:
    extended = next((x for x in args if isinstance(x, Extended)), None)
    return on_float(*args) if extended is None else extended.function(name, *args)


def _sine(x: Expr, shift: int) -> Expr:
    """sin(x + shift·π/2), reduced by whole quarter turns of x, with a canonical sign."""
    if x.op == NEG:
        result = _sine(x.args[0], shift)
        return result if shift else neg(result)
    angle = Angle.of(x)
    quarter = angle.pi_part * 2
    if quarter and quarter.denominator == 1:
        x, angle = angle.without_pi()
        shift += int(quarter)
        if x.op == NEG:  # what is left may be a plain negative
            x, angle = x.args[0], -angle
            flip = shift % 2 == 0
            result = _quadrant(x, angle, shift)
            return neg(result) if flip else result
    return _quadrant(x, angle, shift)


def _quadrant(x: Expr, angle: Angle, shift: int) -> Expr:
    shift %= 4
    result = _sine_or_cosine("cos" if shift % 2 else "sin", x, angle)
    return neg(result) if shift >= 2 else result


#: sin(turn·π) = scale·√radicand, for the turns between 0 and 1/2 where it is so.
_SPECIAL: dict[Fraction, tuple[Fraction, int]] = {
    Fraction(0): (Fraction(0), 1), Fraction(1, 6): (Fraction(1, 2), 1), Fraction(1, 4): (Fraction(1, 2), 2),
    Fraction(1, 3): (Fraction(1, 2), 3), Fraction(1, 2): (Fraction(1), 1),
}  # fmt: skip


def _sine_or_cosine(op: str, x: Expr, angle: Angle) -> Expr:
    if angle.is_pi_multiple:
        exact = _exact_sine(op, angle.pi_part)
        if exact is not None:
            return exact
    cosine, sine = angle.fingerprints()
    return intern_leaf((op, id(x)), op, (x,), sine if op == "sin" else cosine)


def _exact_sine(op: str, ratio: Fraction) -> Expr | None:
    """sin or cos of ratio·π where it is rational or a square root: multiples of π/4 and of π/6."""
    turn = (ratio if op == "sin" else ratio + Fraction(1, 2)) % 2
    sign = -1 if turn >= 1 else 1
    turn %= 1
    turn = min(turn, 1 - turn)
    if turn not in _SPECIAL:
        return None
    scale, radicand = _SPECIAL[turn]
    root: Expr = sqrt(number(radicand))
    return mul(number(sign * scale), root)


def sqrt(x: Any) -> Any:
    """The non-negative square root; of a rational it is exact."""
    if type(x) is not Expr:
        return _of_number("sqrt", math.sqrt, x)
    if x.op == NUMBER:
        return _sqrt_of_number(x.data)
    if x.op == MUL and x.args[0].op == NUMBER:  # √(4x) = 2√x
        outside, inside = field.square_free(x.args[0].data)
        if outside != 1:
            return mul(number(outside), sqrt(mul(number(inside), x.args[1])))
    return _opaque("sqrt", x)


def _sqrt_of_number(value: Fraction) -> Expr:
    if value < 0:
        raise PolhodeError(f"the square root of {value} is not real.", "sqrt", "Give a number ≥ 0.", "E-EXPR-NUMBER")
    if value == 0:
        return ZERO
    outside, inside = field.square_free(value)
    if inside == 1:
        return number(outside)
    x = number(inside)
    exact = field.root_of_integer(inside)
    root = _opaque("sqrt", x) if exact is None else intern_leaf(("sqrt", id(x)), "sqrt", (x,), exact)
    return mul(number(outside), root)


def _opaque(op: str, *args: Expr, fp: int | None = None) -> Expr:
    if fp is None:
        fp = field.hash_to_field(op, *(arg.fp for arg in args))
    return intern_leaf((op, *map(id, args)), op, args, fp)


#: A number of more bits than this takes seconds to multiply.
_MOST_BITS = 4_000_000


def power(base: Expr, exponent: Expr) -> Expr:
    """base ** exponent; whole and half exponents become products and roots."""
    if exponent.op != NUMBER:
        return _opaque("pow", base, exponent)
    value: Fraction = exponent.data
    if value.denominator == 2:
        root: Expr = sqrt(base)
        return power(root, number(value * 2))
    if value.denominator != 1:
        return _opaque("pow", base, exponent)
    count = abs(value.numerator)
    size = max(base.data.numerator.bit_length(), base.data.denominator.bit_length()) if base.op == NUMBER else 1
    if count > 4096 or count * size > _MOST_BITS:
        raise PolhodeError(f"an exponent of {count} is too large.", cure="Use exp and log.", code="E-EXPR-SIZE")
    result, square = ONE, base
    while count:
        if count & 1:
            result = mul(result, square)
        count >>= 1
        if count:
            square = mul(square, square)
    return result if value >= 0 else div(ONE, result)


def _unary(op: str, on_float: Callable[[float], float], fixed: dict[int, int]) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        if type(x) is not Expr:
            return _of_number(op, on_float, x)
        if x.op == NUMBER and x.data in fixed:
            return number(fixed[x.data])
        return _opaque(op, x)

    function.__name__ = op
    function.__doc__ = f"{op}(x), of an expression or a number."
    return function


def _odd(op: str, on_float: Callable[[float], float]) -> Callable[[Any], Any]:
    plain = _unary(op, on_float, {0: 0})

    def function(x: Any) -> Any:
        if type(x) is not Expr or x.op == NUMBER:
            return plain(x)
        if x.op == NEG:
            return neg(function(x.args[0]))
        opposite = field.P - x.fp  # f(a - b) is -f(b - a), whichever was written
        return plain(x) if x.fp <= opposite else _opaque(op, x, fp=field.P - field.hash_to_field(op, opposite))

    function.__name__ = op
    function.__doc__ = f"{op}(x), odd in x, of an expression or a number."
    return function


exp = _unary("exp", math.exp, {0: 1})
log = _unary("log", math.log, {1: 0})
cosh = _unary("cosh", math.cosh, {0: 1})
acos = _unary("acos", math.acos, {1: 0})
asin = _odd("asin", math.asin)
atan = _odd("atan", math.atan)
sinh = _odd("sinh", math.sinh)
tanh = _odd("tanh", math.tanh)


def absolute(x: Any) -> Any:
    """|x|."""
    if type(x) is not Expr:
        return _of_number("abs", abs, x)
    if x.op == NUMBER:
        return number(abs(x.data))
    if x.op == NEG:
        x = x.args[0]
    return _opaque("abs", x, fp=field.hash_to_field("abs", min(x.fp, field.P - x.fp)))


def sign(x: Any) -> Any:
    """The sign of x: -1, 0 or 1."""
    if type(x) is not Expr:
        return _of_number("sign", lambda a: (a > 0) - (a < 0), x)
    if x.op == NUMBER:
        return number((x.data > 0) - (x.data < 0))
    if x.op == "sign":
        return x
    if x.op == NEG:
        return neg(sign(x.args[0]))
    opposite = field.P - x.fp
    if x.fp <= opposite:
        return _opaque("sign", x)
    return _opaque("sign", x, fp=field.P - field.hash_to_field("sign", opposite))


def floor(x: Any) -> Any:
    """The largest whole number that is not above x."""
    if type(x) is not Expr:
        return _of_number("floor", math.floor, x)
    return number(math.floor(x.data)) if x.op == NUMBER else _opaque("floor", x)


def _binary(op: str, on_float: Callable[[float, float], float], symmetric: bool = False) -> Callable[[Any, Any], Any]:
    def function(a: Any, b: Any) -> Any:
        if (type(a) is not Expr and type(b) is not Expr) or isinstance(a, Extended) or isinstance(b, Extended):
            return _of_number(op, on_float, a, b)
        a, b = as_expr(a), as_expr(b)
        if not symmetric:
            return _opaque(op, a, b)
        return a if a.fp == b.fp else _opaque(op, a, b, fp=field.hash_to_field(op, *sorted((a.fp, b.fp))))

    function.__name__ = op
    function.__doc__ = f"{op}(a, b), of expressions or numbers."
    return function


atan2 = _binary("atan2", math.atan2)
minimum = _binary("min", min, symmetric=True)
maximum = _binary("max", max, symmetric=True)


def where(g: Any, a: Any, b: Any) -> Any:
    """a where g > 0, else b; the other of them need not be defined there.

    The node holds the sign of g, not g, so that whatever follows signs, as runs and linear models do, follows it too.
    """
    if any(isinstance(x, Extended) for x in (g, a, b)):
        cure = "Give expressions or numbers, for the real and the dual part apart."
        raise PolhodeError("where takes no dual numbers.", "where", cure, "E-EXPR-TYPE")
    if all(type(x) is not Expr for x in (g, a, b)):
        return a if g > 0 else b
    side, a, b = sign(as_expr(g)), as_expr(a), as_expr(b)
    if side.op == NUMBER:
        return a if side.data > 0 else b
    return a if a.fp == b.fp else _opaque("where", side, a, b)


#: Functions by name, for the model file's grammar and for rebuilding nodes.
BY_NAME: dict[str, Callable[..., Any]] = {
    "sin": sin, "cos": cos, "tan": tan, "sqrt": sqrt, "exp": exp, "log": log, "asin": asin, "acos": acos,
    "atan": atan, "atan2": atan2, "sinh": sinh, "cosh": cosh, "tanh": tanh, "abs": absolute, "sign": sign,
    "min": minimum, "max": maximum, "floor": floor, "where": where,
}  # fmt: skip
