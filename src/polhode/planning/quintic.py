"""The quintic between two states of rest or motion, as planners take it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..expr import Expr, as_expr


def quintic(t: Any, start: Sequence[Any], end: Sequence[Any], duration: Any) -> Expr:
    """The polynomial of time that has value, velocity and acceleration `start` at 0 and `end` after the duration.

    >>> from polhode.expr import symbol
    >>> t = symbol("t")
    >>> move = quintic(t, (0, 0, 0), (1, 0, 0), 1)
    >>> [float(move.subs({t: each})) for each in (0, "1/2", 1)], float(move.diff(t).subs({t: 1}))
    ([0.0, 0.5, 1.0], 0.0)
    """
    T, s = as_expr(duration), as_expr(t) / duration
    (p, v, a), (P, V, A) = ([as_expr(entry) * T**order for order, entry in enumerate(each)] for each in (start, end))
    gap, lack, bend = P - p - v - a / 2, V - v - a, A - a
    cubic, quartic, fifth = 10 * gap - 4 * lack + bend / 2, -15 * gap + 7 * lack - bend, 6 * gap - 3 * lack + bend / 2
    return as_expr(p + s * (v + s * (a / 2 + s * (cubic + s * (quartic + s * fifth)))))
