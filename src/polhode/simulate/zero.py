"""Where a value passes through zero."""

from __future__ import annotations

from collections.abc import Callable

#: A zero is known to this, in seconds, and to this part of the time.
_CLOSE, _PART = 1e-15, 1e-14


def zero_between(value: Callable[[float], float], before: float, after: float) -> float:
    """The time at which a value is zero, between two; the first of them if its sign is the same at both.

    By Brent's method, and by halving where that is slow, as at a zero of third order.

    >>> round(zero_between(lambda t: (t - 1) ** 3, 0.0, 1.7), 9)
    1.0
    >>> zero_between(lambda t: t, 1.0, 2.0)
    1.0
    """
    from scipy.optimize import brentq

    begin, end = value(before), value(after)
    if not (begin < 0.0 < end or end < 0.0 < begin):
        return float(before)
    found, told = brentq(value, before, after, xtol=_CLOSE, rtol=_PART, full_output=True, disp=False)
    if told.converged:
        return float(found)
    while after - before > _CLOSE + _PART * abs(after):
        middle = 0.5 * (before + after)
        if value(middle) * begin > 0.0:
            before = middle
        else:
            after = middle
    return float(after)
