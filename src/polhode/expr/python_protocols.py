"""What Python and NumPy ask of numbers, answered for expressions: `abs`, comparisons, and NumPy's functions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError

if TYPE_CHECKING:
    from .node import Expr

#: NumPy's names of the functions that expressions have under another one.
_RENAMED = {
    "absolute": "abs", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "maximum": "max",
    "minimum": "min",
}  # fmt: skip
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "power": operator.pow, "float_power": operator.pow, "negative": operator.neg, "positive": operator.pos,
    "square": lambda x: x * x, "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt,
    "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip


class NotOfExpressions(PolhodeError, TypeError):
    """Something was asked of an expression that only a number has; Python knows it as a TypeError."""


class NumberLike:
    """What `Expr` has of a number beside its arithmetic.

    >>> from polhode.expr import symbol, as_expr
    >>> q = symbol("q")
    >>> abs(q), as_expr(2) < 3
    (abs(q), True)
    >>> max(q, 0)
    Traceback (most recent call last):
    ...
    polhode.expr.python_protocols.NotOfExpressions: q < 0 is decided when numbers are known, not while a model is made.
      Use ph.maximum, ph.minimum, ph.absolute or ph.sign, which stay in the expression.  [E-EXPR-040]
    """

    __slots__ = ()

    def __abs__(self) -> Expr:
        from .functions import absolute

        made: Expr = absolute(self)
        return made

    def __lt__(self, other: object) -> bool:
        return _compared(self, "<", operator.lt, other)

    def __le__(self, other: object) -> bool:
        return _compared(self, "<=", operator.le, other)

    def __gt__(self, other: object) -> bool:
        return _compared(self, ">", operator.gt, other)

    def __ge__(self, other: object) -> bool:
        return _compared(self, ">=", operator.ge, other)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's function of expressions and numbers, as ours of the same meaning; arrays take no part."""
        from .functions import BY_NAME
        from .node import as_expr

        name: str = ufunc.__name__
        try:
            if method != "__call__" or options or any(getattr(each, "ndim", 0) for each in inputs):
                raise PolhodeError
            values = [as_expr(each[()] if hasattr(each, "ndim") else each) for each in inputs]
        except PolhodeError:
            # what is no number is equal to no expression; whatever else is asked of both, NumPy refuses
            return {"equal": False, "not_equal": True}.get(name, NotImplemented)
        function = _OPERATORS.get(name) or BY_NAME.get(_RENAMED.get(name, name))
        if function is None:
            known = ", ".join(sorted({*BY_NAME} - {"abs", "min", "max"}))
            raise NotOfExpressions(
                f"numpy.{name} takes numbers, no expressions.",
                cure=f"Expressions have ph.absolute, ph.minimum, ph.maximum and {known}.",
                code="E-EXPR-041",
            )
        return function(*values)


def _compared(left: Any, sign: str, compare: Callable[[Any, Any], bool], other: object) -> bool:
    """Whether two numbers compare so; what is no number yet does not."""
    from .node import as_expr

    if isinstance(other, str):
        return NotImplemented  # type: ignore[no-any-return]
    try:
        right = as_expr(other)
    except PolhodeError:
        return NotImplemented  # type: ignore[no-any-return]
    if left.is_number and right.is_number:
        return compare(left.data, right.data)
    raise NotOfExpressions(
        f"{left} {sign} {right} is decided when numbers are known, not while a model is made.",
        cure="Use ph.maximum, ph.minimum, ph.absolute or ph.sign, which stay in the expression.",
        code="E-EXPR-040",
    )
