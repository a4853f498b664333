"""The quintic between two states of rest or motion, as planners take it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import fault_at, shown
from ..expr import Expr, as_expr, is_zero, minimum

fault = fault_at("quintic")


def quintic(t: Any, start: Sequence[Any], end: Sequence[Any], duration: Any, *, hold: bool | None = None) -> Expr:
    """The polynomial of time that has value, velocity and acceleration `start` at 0 and `end` after the duration.

    With `hold` it stays at its end afterwards; without, the polynomial goes on. Where nothing is said it is held if it
    ends at rest. As a reference of a controller it is one of `system.time`.

    >>> import polhode as ph
    >>> t = ph.System("arm").time
    >>> move = quintic(t, (0, 0, 0), (1, 0, 0), 2)
    >>> [float(move.subs({t: each})) for each in (0, 1, 2, 3)], float(move.diff(t).subs({t: 2}))
    ([0.0, 0.5, 1.0, 1.0], 0.0)
    """
    for state in (start, end):
        if isinstance(state, str) or len(state) != 3:
            message = f"{shown(state)} is not a value, a velocity and an acceleration."
            raise fault(message, "Give three numbers, or expressions: (0, 0, 0) at rest.", "E-PLANNING-SHAPE")
    T, ends_at_rest = as_expr(duration), all(is_zero(vector) for vector in end[1:])
    if T.is_number and not float(T.data) > 0.0:
        raise fault(f"the duration {shown(duration)} is not positive.", "Give seconds above 0.", "E-PLANNING-NUMBER")
    now = as_expr(minimum(t, duration) if hold or (hold is None and ends_at_rest) else t)
    s = now / T
    (p, v, a), (P, V, A) = ([as_expr(entry) * T**order for order, entry in enumerate(state)] for state in (start, end))
    gap, lack, bend = P - p - v - a / 2, V - v - a, A - a
    cubic, quartic, fifth = 10 * gap - 4 * lack + bend / 2, -15 * gap + 7 * lack - bend, 6 * gap - 3 * lack + bend / 2
    return as_expr(p + s * (v + s * (a / 2 + s * (cubic + s * (quartic + s * fifth)))))
