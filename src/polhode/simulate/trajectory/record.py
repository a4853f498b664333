"""The record of a run: states, efforts, inputs and notices so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..initial_state import Floats


@dataclass(eq=False)
class Record:
    """Times and states of a run, kept while it goes on so that nothing is lost when it stops."""

    size: int
    pieces: list[tuple[Floats, Floats]] = field(default_factory=list)
    steps: int = 0
    info: dict[str, Any] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)  # warnings for the user
    interpolant: Callable[[Floats], Floats] | None = None  # of the integrator, where it keeps one
    actuation: list[tuple[float, Floats]] = field(default_factory=list)  # efforts and inputs of a controller

    def add(self, t: Floats, x: Floats) -> None:
        """Append times (k,) and states (k, n), less a first one at a time that is there already."""
        first = int(len(t) > 0 and len(self.pieces) > 0 and t[0] <= self.pieces[-1][0][-1])
        if len(t) > first:
            self.pieces.append((t[first:], x[first:]))

    def restart(self, x: Floats) -> None:
        """Begin with another state."""
        self.pieces[:] = [(np.zeros(1), x[None, :])]

    def end(self, t: float, x: Floats) -> None:
        """Append the last good state unless it is there already."""
        if not self.pieces or self.pieces[-1][0][-1] < t:
            self.add(np.array([t]), np.array(x)[None, :])

    def jump(self, t: float, before: Floats, after: Floats) -> None:
        """Append the state after an event at t, behind that before it, a last bit before t; no other is at t."""
        while self.pieces and self.pieces[-1][0][-1] >= t:
            times, states = self.pieces.pop()
            self.add(times[:-1], states[:-1])
        self.end(np.nextafter(t, -np.inf), before)
        self.add(np.array([t]), np.array(after)[None, :])

    def add_actuation(self, t: float, values: Floats) -> None:
        """Append the efforts and inputs that act from this state on."""
        if self.actuation and self.actuation[-1][0] == t:
            self.actuation.pop()
        self.actuation.append((t, values))

    @property
    def last(self) -> tuple[float, Floats]:
        """The last time and state."""
        t, x = self.pieces[-1]
        return float(t[-1]), x[-1]

    @property
    def times(self) -> Floats:
        return np.concatenate([t for t, _ in self.pieces]) if self.pieces else np.zeros(0)

    @property
    def states(self) -> Floats:
        return np.concatenate([x for _, x in self.pieces]) if self.pieces else np.zeros((0, self.size))


#: A function that is given the simulated time reached.
Report = Callable[[float], None]
