"""Whether Taylor steps are cheaper than those of a Runge–Kutta method of order eight.

To an error ε, TP86 takes steps in proportion to ε^(-1/8), of twelve evaluations each; Taylor steps become dearer, but
hardly more. One of order p costs L (b p + c p²) for a program of L instructions, where evaluations of long programs are
cheaper by the instruction than those of short ones: they wait less, and are packed.

Measured at equal error, on chains of one to six pendulums, tops, free bodies and robots, the two are equal near
L = 45 (1e-9 / rtol)^(1/8). Beyond 250 instructions TP86 is faster down to its rounding errors.
"""

from __future__ import annotations

_EQUAL_AT, _TOLERANCE, _ORDER, _MOST = 45.0, 1e-9, 8, 250


def is_taylor_faster(length: int, rtol: float) -> bool:
    """For a right-hand side of so many instructions (`Outline.length`), at a relative tolerance.

    >>> is_taylor_faster(35, 1e-9), is_taylor_faster(352, 1e-9), is_taylor_faster(100, 1e-12)
    (True, False, True)
    """
    if rtol <= 0.0:
        return length <= _MOST
    equal = _EQUAL_AT * float((_TOLERANCE / rtol) ** (1 / _ORDER))
    return length <= min(_MOST, equal)
