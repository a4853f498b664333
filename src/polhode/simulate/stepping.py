"""One step after another, each with what lies between its ends: the one place that knows who integrates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .guard import Stop
from .initial_state import Floats
from .integrators.adaptive import Control


@dataclass(frozen=True, eq=False)
class Step:
    """An accepted step, forwards or backwards in time; the interpolant is to be asked before the next one."""

    t_old: float
    t: float
    x: Floats
    interpolant: Callable[[float], Floats]


class Stepper:
    """Steps of an explicit Runge–Kutta pair of order 8 under control of its error (DOP853).

    >>> import numpy as np
    >>> stepper = Stepper(lambda t, x: -x, 0.0, np.ones(1), 1.0, Control())
    >>> while stepper.t < 1.0:
    ...     last = stepper.step()
    >>> round(float(last.x[0] - np.exp(-1)), 9)
    0.0
    """

    def __init__(
        self,
        rates: Callable[[float, Floats], Floats],
        t: float,
        x: Floats,
        end: float,
        control: Control,
        first: float | None = None,
    ) -> None:
        from scipy.integrate import DOP853

        first = None if first is None else min(abs(first), control.largest_step, abs(end - t))
        self._rates, self._control, self._steps = rates, control, 0
        self._solver = DOP853(
            rates, t, x, end, first_step=first, max_step=control.largest_step, rtol=control.rtol, atol=control.atol
        )

    @property
    def t(self) -> float:
        return float(self._solver.t)

    @property
    def rate(self) -> Floats:
        """The rates at the end of the last step."""
        found: Floats = self._solver.f
        return found

    def step(self) -> Step:
        """One step; a Stop where there is none small enough, or too many were taken."""
        solver = self._solver
        message = solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            raise Stop(
                "step_underflow",
                f"at t = {self.t:.6g} s no step is small enough ({message or 'the state is not finite'}).",
                "The mechanism may be stiff, or a force not smooth; allow larger rtol and atol.",
            )
        self._steps += 1
        if self._steps > self._control.most_steps:
            raise Stop(
                "too_many_steps", f"at t = {self.t:.6g} s the run had taken {self._steps:,} steps.", "Allow more."
            )
        found: list[Any] = []

        def interpolant(t: float) -> Floats:
            if not found:  # three more stages, if anybody asks
                found.append(solver.dense_output())
            state: Floats = found[0](t)
            return state

        return Step(float(solver.t_old), self.t, solver.y, interpolant)

    def restate(self, x: Floats) -> None:
        """Go on from another state, near the one reached."""
        self._solver.y, self._solver.f = x, self._rates(self.t, x)
