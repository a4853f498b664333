"""Controls within their limits."""

from __future__ import annotations

from typing import TypeAlias

from ..expr import Expr, as_expr
from ..expr.exact import maximum, minimum

INFINITE = float("inf")
#: The least and the greatest value: numbers, which may be infinite, or expressions of parameters.
Range: TypeAlias = tuple[float | Expr, float | Expr]


def saturated(value: Expr, limits: Range | None) -> Expr:
    """A control within its limits, of which either may be infinite; as it is where it has none.

    >>> import polhode as ph
    >>> c = ph.symbol("c", "input")
    >>> saturated(c, (-2, 3)), saturated(c, (0, INFINITE)), saturated(c, None)
    (max(-2, min(3, c)), max(0, c), c)
    """
    if limits is None:
        return value
    low, high = limits
    below = value if high == INFINITE else minimum(high, value)
    return as_expr(below if low == -INFINITE else maximum(low, below))
