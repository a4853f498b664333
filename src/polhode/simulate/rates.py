"""The right-hand side of a run: x = (q, u, z) to its rate, through native code.

A quaternion is used at unit length inside the equations, and its rate is multiplied by its length: Γ is linear in the
quaternion, so that ė = Γ(e) ω turns e whatever its length, and a length that has drifted by rounding changes nothing in
the motion. This holds for every integrator, whether it can be corrected between steps or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled.functions import Functions
from ..compiled.native.compiled import Compiled
from ..compiled.native.stepper import NativeRun
from ..errors import ModelError
from .initial_state import Floats, quaternion_groups
from .inputs import Signal
from .switching import with_fixed_signs


class NonFinite(Exception):
    """The right-hand side gave something that is not a number."""

    def __init__(self, t: float, x: Floats, rate: Floats) -> None:
        super().__init__()
        self.t, self.x, self.rate = t, x, rate


class Rates:
    """A function of time and state that counts its calls and stops at the first value that is not finite."""

    def __init__(
        self,
        functions: Functions,
        parameters: Mapping[str, Any] | None,
        tau: Signal,
        inputs: Signal,
        of: str = "state_rates",
    ) -> None:
        self.of = of
        self.tau, self.inputs = tau, inputs
        self.groups = quaternion_groups(functions.equations)
        self.coordinates = len(functions.equations.q)
        self.evaluations = 0
        self.signs_released: float | None = None  # when signs were first not fixed, though a run fixes them
        self.alpha = np.zeros(1)
        self._driven = tau.function is not None or inputs.function is not None
        self._time = np.zeros(1)
        self.use(functions, parameters)

    def use(self, functions: Functions, parameters: Mapping[str, Any] | None) -> None:
        """Use these functions from now on."""
        self.functions, self.given = functions, parameters
        values = functions.parameter_values(self.of, parameters)
        self.signs = with_fixed_signs(functions, self.of, values)
        self._compiled: Compiled = functions.native(self.of).with_parameters(values)
        self.native = self.signs or self._compiled
        self._more = self.native.arrays[2:]

    @property
    def is_autonomous(self) -> bool:
        """Whether no controller is asked: then a whole run can stay in native code."""
        return not self._driven

    @property
    def can_step_natively(self) -> bool:
        """Whether native integrators can call the rates without Python."""
        return not (self._driven or self.signs is not None or self._compiled.backend == "numpy")

    def steps_natively(self, run: NativeRun) -> None:
        """Let a native run step these rates."""
        known = {"tau": self.tau.constant, "inputs": self.inputs.constant, "alpha": self.alpha}
        run.use(run.compiled(self._compiled, known))

    def singular_pose(self, t: float, x: Floats) -> tuple[Floats, float] | None:
        """A singular pose of the constraints near a state, and how far around it they are ill conditioned."""
        return None

    def differentiates_natively(self, run: NativeRun) -> bool:
        """Give an implicit native run the compiled derivatives of the rates; whether there are any.

        There are none where Python has a say in the rates, under constraints, or through a function of a user's own
        whose derivative was not given.
        """
        if run.implicit is None or self.is_constrained or not self.can_step_natively:
            return False
        name = f"{self.of}_jacobian"
        try:
            made = self.functions.native(name)
        except ModelError as problem:
            if problem.problems[0].code != "E-FUNCTION-001":
                raise
            return False
        known = {"tau": self.tau.constant, "inputs": self.inputs.constant, "alpha": self.alpha}
        values = self.functions.parameter_values(name, self.given)
        run.implicit.compiled(run.compiled(made.with_parameters(values), known))
        return True

    def actuation(self, t: float, x: Floats) -> Floats:
        """The efforts and inputs at a state, one after the other; asked again for a state they cost nothing."""
        if self.groups:
            x, _ = self.unit(x)
        q, rest = x[: self.coordinates], x[self.coordinates :]
        return np.concatenate([self.tau.at(t, q, rest), self.inputs.at(t, q, rest)])

    def __call__(self, t: float, x: Floats) -> Floats:
        self.evaluations += 1
        lengths: list[float] = []
        if self.groups:
            x, lengths = self.unit(x)
        return self._stretched(t, x, self.native(*self._arguments(t, x)), lengths)

    def _arguments(self, t: float, x: Floats) -> list[Floats]:
        """The arrays that native code wants."""
        q, rest = x[: self.coordinates], x[self.coordinates :]  # u and z together: see `callbacks`
        arguments = [x, self.tau.at(t, q, rest)]
        for name in self._more:
            if name == "t":
                self._time[0] = t
                arguments.append(self._time)
            else:
                arguments.append(self.alpha if name == "alpha" else self.inputs.at(t, q, rest))
        return arguments

    def switches(self, t: float, x: Floats) -> Floats:
        """The values that the signs in the rates are of."""
        return np.asarray(self.switches_along(np.array([t]), x[None, :])[0])

    def switches_along(self, times: Floats, states: Floats) -> Floats:
        """The same at several times (k,) and states (k, n); a controller is asked only if it can change them."""
        if self.signs is None:
            return np.zeros((len(times), 0))
        if self.groups:
            states = np.array([self.unit(x)[0] for x in states])
        known: dict[str, Any] = {"t": times[:, None], "alpha": self.alpha, "modes": self.signs.modes}
        for name, given in (("tau", self.tau), ("inputs", self.inputs)):
            known[name] = given.constant
            if name in self.signs.depends_on and given.function is not None:
                size = self.coordinates
                each = zip(times.tolist(), states, strict=True)
                known[name] = np.array([given.at(t, x[:size], x[size:]) for t, x in each])
        return np.asarray(self.signs.values(states, *(known[name] for name in self.signs.values.arrays[1:])))

    def _stretched(self, t: float, x: Floats, rate: Floats, lengths: list[float]) -> Floats:
        """Finite rates, those of quaternions by the lengths that they had."""
        if not np.logical_and.reduce(np.isfinite(rate)):
            raise NonFinite(t, x, rate)
        for (first, count), length in zip(self.groups, lengths, strict=True):
            rate[first : first + count] *= length
        return rate

    def measure(self, t: float, x: Floats) -> None:
        """Look around before the first step; there is nothing to learn where there are no constraints."""

    def on_a_branch(self, t: float, x: Floats) -> Floats:
        """The state from which a run goes on that was to start at another: at a singular pose they may differ."""
        return x

    @property
    def is_constrained(self) -> bool:
        """Whether there are constraints, which `projected` brings back."""
        return False

    def constraint_failure(self, t: float, x: Floats) -> str:
        """What about the constraints may be the reason why a run cannot go on here, if anything."""
        return ""

    @property
    def is_well_conditioned(self) -> bool:
        """Whether native code can be trusted with the next steps."""
        return True

    def projected(self, t: float, x: Floats) -> Floats:
        """The state as a run goes on with it after a step: as it is, where there are no constraints."""
        return x

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
