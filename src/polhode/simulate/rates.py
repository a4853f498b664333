"""The right-hand side of a run: x = (q, u) to its rate, through native code.

A quaternion is used at unit length inside the equations, and its rate is multiplied by its length: Γ is linear in the
quaternion, so that ė = Γ(e) ω turns e whatever its length, and a length that has drifted by rounding changes nothing in
the motion. This holds for every integrator, whether it can be corrected between steps or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..functions import Functions
from .drive import Drive
from .state import Floats, quaternion_groups


class NonFinite(Exception):
    """The right-hand side gave something that is not a number."""

    def __init__(self, t: float, x: Floats, rate: Floats) -> None:
        super().__init__()
        self.t, self.x, self.rate = t, x, rate


class Rates:
    """A function of time and state that counts its calls and stops at the first value that is not finite."""

    def __init__(self, functions: Functions, parameters: Mapping[str, Any] | None, tau: Drive, inputs: Drive) -> None:
        values = functions.parameter_values("state_rates", parameters)
        self.functions = functions
        self.parameters = values
        self.native = functions.native("state_rates").with_parameters(values)
        self.tau, self.inputs = tau, inputs
        self.groups = quaternion_groups(functions.equations)
        self.coordinates = len(functions.equations.q)
        self.evaluations = 0
        self._more = self.native.arrays[2:]
        self._driven = tau.function is not None or inputs.function is not None
        self._time = np.zeros(1)

    @property
    def is_autonomous(self) -> bool:
        """Whether no controller is asked: then a whole run can stay in native code."""
        return not self._driven

    def __call__(self, t: float, x: Floats) -> Floats:
        self.evaluations += 1
        lengths = None
        if self.groups:
            x, lengths = self.unit(x)
        q, u = x[: self.coordinates], x[self.coordinates :]
        arguments = [x, self.tau.at(t, q, u)]
        for name in self._more:
            if name == "t":
                self._time[0] = t
                arguments.append(self._time)
            else:
                arguments.append(self.inputs.at(t, q, u))
        rate: Floats = self.native(*arguments)
        if not np.logical_and.reduce(np.isfinite(rate)):
            raise NonFinite(t, x, rate)
        if lengths is not None:
            for (first, count), length in zip(self.groups, lengths, strict=True):
                rate[first : first + count] *= length
        return rate

    def unit(self, x: Floats) -> tuple[Floats, list[float]]:
        """The state with quaternions of unit length, and the lengths that they had."""
        x = np.array(x)
        lengths = []
        for first, count in self.groups:
            part = x[first : first + count]
            length = float(np.sqrt(part.dot(part)))
            part /= length
            lengths.append(length)
        return x, lengths
