"""A user's functions of the state as a run calls them: f(t, q, u) or, with states without mass, f(t, q, u, z).

A run holds its state in one array x = (q, u, z). It hands over q and the rest; what is here parts that into u and z.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from ...dynamics.equations import EquationsOfMotion
from ..initial_state import Floats

Callback = Callable[[float, Floats, Floats], Any]


def with_rest(function: Callable[..., Any], equations: EquationsOfMotion) -> Callback:
    """A function of time, q and the rest of the state; it has `direction` and `terminal` where the given one has.

    >>> import numpy as np
    >>> from polhode.model.samples import motor_driven_pendulum
    >>> f = with_rest(lambda t, q, u, z: (u, z), motor_driven_pendulum().derive())
    >>> [part.tolist() for part in f(0.0, np.zeros(1), np.array([1.0, 2.0]))]
    [[1.0], [2.0]]
    """
    if not equations.states:
        return function
    end, has_z = len(equations.u), _takes_states(function)

    def called(t: float, q: Floats, rest: Floats) -> Any:
        return function(t, q, rest[:end], rest[end:]) if has_z else function(t, q, rest[:end])

    for mark in ("direction", "terminal"):
        if hasattr(function, mark):
            setattr(called, mark, getattr(function, mark))
    return called


def _takes_states(function: Callable[..., Any]) -> bool:
    """Whether a function can be called with four arguments; a built-in one that does not say takes three."""
    try:
        signature(function).bind(0.0, 0, 0, 0)
    except (TypeError, ValueError):
        return False
    return True
