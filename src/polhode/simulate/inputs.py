"""Efforts and inputs over time: constant, or given by a controller."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import PolhodeError, suggestion
from .initial_state import Floats, numbers


class ControllerFailed(Exception):
    """A controller raised, or gave what cannot be used; the run stops with this sentence."""


@dataclass(frozen=True, eq=False)
class Signal:
    """Values by name: constant, or a function of time, coordinates and speeds."""

    what: str
    names: tuple[str, ...]
    constant: Floats
    function: Callable[[float, Floats, Floats], Any] | None = None
    latest: list[Any] = field(default_factory=list)  # the state asked for last, and the values there

    def at(self, t: float, q: Floats, u: Floats) -> Floats:
        """The values now; a controller is asked once for a state, and gets copies so that it cannot change it."""
        if self.function is None:
            return self.constant
        if self.latest:
            t_asked, q_asked, u_asked, values = self.latest
            if t == t_asked and np.array_equal(q, q_asked) and np.array_equal(u, u_asked):
                return np.asarray(values)
        values = self._asked(self.function, t, q, u)
        self.latest[:] = t, q.copy(), u.copy(), values
        return values

    def _asked(self, function: Callable[[float, Floats, Floats], Any], t: float, q: Floats, u: Floats) -> Floats:
        try:
            given = function(t, q.copy(), u.copy())
        except Exception as error:
            raise ControllerFailed(f"the controller of {self.what} raised {type(error).__name__}: {error}") from error
        if given is None:
            raise ControllerFailed(
                f"the controller of {self.what} returned None; it must return values, {{}} where nothing is to act."
            )
        try:
            values = _values(given, self.what, self.names, self.constant)
        except PolhodeError as error:
            raise ControllerFailed(
                f"the controller of {self.what} gave no usable value: {error.problems[0].message}"
            ) from error
        if not np.isfinite(values).all():
            name = self.names[int(np.argmin(np.isfinite(values)))]
            raise ControllerFailed(f"the controller of {self.what} gave no finite number for '{name}'.")
        return values


def read_signal(given: Any, what: str, names: Sequence[str], default: Floats) -> Signal:
    """Read constants, a mapping by name, or a controller `f(t, q, u)` that returns either."""
    if callable(given):
        return Signal(what, tuple(names), default, given)
    values = _values(given, what, tuple(names), default)
    if not np.isfinite(values).all():
        raise PolhodeError("the values are not all finite.", place=what, code="E-SIM-006")
    return Signal(what, tuple(names), values)


def _values(given: Any, what: str, names: tuple[str, ...], default: Floats) -> Floats:
    if given is None:
        return default
    if not isinstance(given, Mapping):
        if np.ndim(given) == 0 and len(names) == 1:
            given = [given]
        return numbers(given, len(names), what)
    values = default.copy()
    for key, value in given.items():
        if key not in names:
            raise PolhodeError(f"there is no '{key}' in {what}.", cure=suggestion(key, names), code="E-SIM-007")
        if callable(value) or np.ndim(value) > 0:
            raise _varying(key, value, what)
        values[names.index(key)] = numbers([value], 1, f"{what} '{key}'")[0]
    return values


def _varying(name: str, value: Any, what: str) -> PolhodeError:
    """The error of one value that varies in time, with how to write it."""
    kind, then = ("a function", "f(t)") if callable(value) else ("an array", "np.interp(t, times, values)")
    return PolhodeError(
        f"'{name}' is given as {kind}; a value that varies in time comes from one controller of them all.",
        place=what,
        cure=f"Write {what}=lambda t, q, u: {{{name!r}: {then}}}.",
        code="E-SIM-008",
    )
