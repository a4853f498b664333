"""Numbers out of expressions: floats at a point, and constants to any precision."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..errors import PolhodeError, ValueMissing
from .graph import topological
from .node import CALL, NUMBER, SYMBOL, Expr


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


#: What each operation does to floats; the slow reference for every other way of computing.
ON_FLOATS: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "neg": lambda a: -a, "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "exp": math.exp, "log": math.log,
    "asin": math.asin, "acos": math.acos, "atan": math.atan, "atan2": math.atan2, "sinh": math.sinh,
    "cosh": math.cosh, "tanh": math.tanh, "abs": abs, "sign": _sign, "min": min, "max": max, "pow": math.pow,
    "floor": math.floor, "where": lambda side, a, b: a if side > 0 else b, "pi": lambda: math.pi,
}  # fmt: skip


def evaluate(roots: Iterable[Expr], values: Mapping[Expr, float]) -> list[float]:
    """The roots as floats, for given values of the symbols."""
    return Evaluator(roots)(values)


class Evaluator:
    """Roots for repeated evaluation: nodes in order, with the indices of their operands."""

    def __init__(self, roots: Iterable[Expr]) -> None:
        roots = list(roots)
        self._nodes = topological(roots)
        index = {id(node): k for k, node in enumerate(self._nodes)}
        self._args = [[index[id(arg)] for arg in node.args] for node in self._nodes]
        self._roots = [index[id(root)] for root in roots]

    def __call__(self, values: Mapping[Expr, float]) -> list[float]:
        result: list[float] = []
        for node, places in zip(self._nodes, self._args, strict=True):
            if node.op == NUMBER:
                result.append(_float(node))
            elif node.op == SYMBOL:
                result.append(float(_value_of(node, values)))
            elif node.op == CALL:
                result.append(node.data.at(*(result[k] for k in places)))
            else:
                result.append(_on_floats(node.op, [result[k] for k in places]))
        return [result[k] for k in self._roots]

    def on_arrays(self, values: Mapping[Expr, Any]) -> list[Any]:
        """The roots as arrays, for arrays of values of the symbols, all of one shape; nan or inf where undefined."""
        import numpy as np

        named = {
            "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative", "asin": "arcsin",
            "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "min": "minimum", "max": "maximum", "pow": "power",
        }  # fmt: skip
        result: list[Any] = []
        with np.errstate(all="ignore"):
            for node, places in zip(self._nodes, self._args, strict=True):
                if node.op in (NUMBER, "pi"):
                    result.append(math.pi if node.op == "pi" else _float(node))
                elif node.op == SYMBOL:
                    result.append(_value_of(node, values))
                elif node.op == CALL:
                    result.append(node.data.over(*(result[k] for k in places)))
                elif node.op == "where":
                    side, a, b = (result[k] for k in places)
                    result.append(np.where(np.greater(side, 0.0), a, b))
                else:
                    result.append(getattr(np, named.get(node.op, node.op))(*(result[k] for k in places)))
        return [result[k] for k in self._roots]


def _on_floats(op: str, args: list[float]) -> float:
    """One floating-point operation; nan where undefined, inf where too large."""
    try:
        return ON_FLOATS[op](*args)
    except ZeroDivisionError:
        return math.copysign(math.inf, args[0]) * math.copysign(1, args[1]) if args[0] else math.nan
    except OverflowError:
        return math.inf
    except ValueError:
        return -math.inf if op == "log" and args[0] == 0 else math.nan


def _float(node: Expr) -> float:
    try:
        return float(node.data)
    except OverflowError:
        return math.inf if node.data > 0 else -math.inf


def _value_of(node: Expr, values: Mapping[Expr, float]) -> float:
    try:
        return values[node]
    except KeyError:
        cure = f"Give a value for '{node.name}'."
        raise ValueMissing(f"{node.data[0]} '{node.name}' has no value.", cure=cure, code="E-VALUE-MISSING") from None


def constant_value(root: Expr, digits: int = 40) -> Any:
    """An expression without symbols as an mpmath number, computed with guard digits."""
    return constant_values([root], digits)[0]


def constant_values(roots: Sequence[Expr], digits: int = 40) -> list[Any]:
    """Expressions without symbols as mpmath numbers, computed with guard digits; shared nodes are computed once."""
    for node in topological(roots):
        if node.op == SYMBOL:
            _value_of(node, {})
    values = _constants(roots, digits) if roots else {}  # mpmath takes its time to load
    return [values[id(root)] for root in roots]


def real_value(root: Expr) -> float:
    """An expression without symbols as a number; one with symbols is none, which `math.sin` finds out here."""
    named = next((node.name for node in topological([root]) if node.op == SYMBOL), None)
    if named is not None:
        cure = "For functions of expressions write ph.sin, ph.sqrt, …; x.subs({…}) puts numbers in."
        raise ValueMissing(f"an expression of '{named}' is no number.", cure=cure, code="E-VALUE-TYPE")
    return float(constant_value(root))


def constant_sign(root: Expr) -> int:
    """The sign of an expression without symbols; of a plain number without any computing."""
    value = root.data if root.op == NUMBER else constant_value(root)
    return int(value > 0) - int(value < 0)


def check_constants(root: Expr) -> None:
    """Refuse an expression with a constant in it that is no real number, such as max(x, log(-1))."""
    if any(node.op not in _EXACT for node in topological([root])):
        _constants([root], 15)


#: Beyond 2 to this power, or below 1 over it, a constant is not computed: its exponent alone would fill the memory.
_LARGEST_EXPONENT = 100_000
_EXACT = frozenset(("add", "sub", "mul", "neg", NUMBER, SYMBOL, "pi"))


def _constants(roots: Sequence[Expr], digits: int) -> dict[int, Any]:
    """The parts of expressions that have no symbols, as mpmath numbers, by their ids."""
    import mpmath

    with mpmath.workdps(digits + 15):
        on_mp: dict[str, Callable[..., Any]] = {
            **ON_FLOATS, "sqrt": mpmath.sqrt, "sin": mpmath.sin, "cos": mpmath.cos, "exp": mpmath.exp,
            "log": mpmath.log, "asin": mpmath.asin, "acos": mpmath.acos, "atan": mpmath.atan,
            "atan2": mpmath.atan2, "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh,
            "abs": mpmath.fabs, "sign": mpmath.sign, "pow": mpmath.power, "pi": lambda: +mpmath.pi,
            "floor": mpmath.floor,
        }  # fmt: skip
        result: dict[int, Any] = {}
        for node in topological(roots):
            if node.op == SYMBOL or not all(id(arg) in result for arg in node.args):
                continue
            try:
                if node.op == NUMBER:
                    value = mpmath.mpf(node.data.numerator) / node.data.denominator
                elif node.op == CALL:  # a table holds doubles, and so is its value
                    value = mpmath.mpf(node.data.at(*(float(result[id(arg)]) for arg in node.args)))
                else:
                    value = on_mp[node.op](*(result[id(arg)] for arg in node.args))
            except ArithmeticError:
                value = mpmath.nan
            real = isinstance(value, mpmath.mpf) and mpmath.isfinite(value)
            if not real or (value and abs(mpmath.mag(value)) > _LARGEST_EXPONENT):
                cure = "Check the function's argument."
                raise PolhodeError(f"{node!r} is not a finite real number.", cure=cure, code="E-EXPR-NUMBER")
            result[id(node)] = value
        return result
