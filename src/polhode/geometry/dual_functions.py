"""Functions with their partial derivatives, at expressions, floats and arrays: what a dual number carries along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import PolhodeError, fault_at, shown
from ..expr import Expr, as_expr
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
    """f(a, …) and Σ b ∂f/∂a of a function by its name, with `along` the dual parts b.

    >>> with_slope("log", [2.0], [1.0])[1]
    0.5
    """
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
        slope = along[0] * b * (value / a if exact and not _is_half(b) else _power(a, b - 1))
    if some(along[1]):
        slope = slope + along[1] * value * with_slope("log", [a], [0])[0]
    return value, slope


def _is_half(b: Any) -> bool:
    """Whether an exponent is half a whole number: such powers are products of roots, which need no division by a."""
    return as_expr(b).is_number and as_expr(b).data.denominator <= 2


def _power(a: Any, b: Any) -> Any:
    """a ** b, where fractions meet floats or arrays too."""
    if not any(isinstance(each, Expr) for each in (a, b)):
        a, b = (each if is_array(each) else float(each) for each in (a, b))
    return a**b


def _real_value(name: str, compute: Callable[[], Any], at: list[Any]) -> Any:
    """What a function is at numbers, if it is a real number there."""
    try:
        with silent():
            value = compute()
    except (ValueError, OverflowError, ZeroDivisionError):
        value = None
    if value is None or isinstance(value, complex) or (is_array(value) and _is_wild(value)):
        raise fault(
            f"{name} of {_told(at)} is not a finite real number.", "Give a real part at which it is.", "E-DUAL-005"
        )
    return value


def _is_wild(value: Any) -> bool:
    import numpy as np

    return not np.isfinite(value).all()


def _without_slope(name: str, at: list[Any]) -> PolhodeError:
    return fault(
        f"{name} has no derivative at {_told(at)}, and so no value at a dual number there.",
        "Give another real part, or no dual part.",
        "E-DUAL-004",
    )


def _told(at: list[Any]) -> str:
    return " and ".join(map(shown, at))


def has_zero(part: Any) -> bool:
    """Whether a number is zero, or one in an array."""
    return bool((part == 0).any()) if is_array(part) else not part


def some(part: Any) -> bool:
    """Whether a part is not zero, or true, in any entry of an array."""
    return bool(part.any()) if is_array(part) else bool(part)
