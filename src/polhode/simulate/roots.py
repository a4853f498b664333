"""Where a function of time is zero."""

from __future__ import annotations

from collections.abc import Callable

#: A zero is known to this, in seconds, and to this part of the time.
_CLOSE, _PART = 1e-15, 1e-14


def find_root(value: Callable[[float], float], before: float, after: float) -> float:
    """The time at which a value is zero, between two; the first of them if its sign is the same at both.

    By inverse quadratic interpolation where three values are on a curve that allows it, else by halving (T. R.
    Chandrupatla, A new hybrid quadratic/bisection algorithm, Advances in Engineering Software 28, 1997).

    >>> round(find_root(lambda t: (t - 1) ** 3, 0.0, 1.7), 9)
    1.0
    >>> find_root(lambda t: t, 1.0, 2.0)
    1.0
    """
    a, b = float(after), float(before)
    fa, fb = value(a), value(b)
    if not (fa < 0.0 < fb or fb < 0.0 < fa):
        return float(before)
    part = 0.5
    while True:
        t = a + part * (b - a)
        ft = value(t)
        if (ft > 0.0) == (fa > 0.0):
            c, fc = a, fa
        else:
            b, fb, c, fc = a, fa, b, fb
        a, fa = t, ft
        best = a if abs(fa) < abs(fb) else b
        close = (_CLOSE + _PART * abs(best)) / abs(b - a) if b != a else 1.0
        if fa == 0.0 or close >= 0.5:
            return float(best)
        part = 0.5
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb) if fc != fb else 2.0
        if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            part = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        part = min(max(part, close), 1.0 - close)
