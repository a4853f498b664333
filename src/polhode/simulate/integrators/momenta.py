"""Coordinates and momenta in the place of coordinates and speeds, for methods that are symplectic in them.

Gauss' methods step coordinates and momenta (`dynamics.canonical`) where a mechanism has them and no Python function,
law or time event acts: then they are symplectic. Elsewhere they step coordinates and speeds, and are symmetric.
"""

from __future__ import annotations

import numpy as np

from ...dynamics.canonical import why_not_canonical
from ...native.compiled import Compiled
from ...ode.native_run import NativeRun
from ..initial_state import Floats
from ..rates import Rates


class Momenta:
    """States (q, p, z) as they are stepped for states (q, u, z) of a run."""

    def __init__(self, rates: Rates) -> None:
        self.rates, self.n, self.m = rates, rates.coordinates, len(rates.functions.derivation.synopsis.speeds)
        self.canonical_rates, self.momenta, self.speeds = (
            rates.functions.native(name).with_parameters(rates.functions.parameter_values(name, rates.given))
            for name in ("canonical_rates", "canonical_momenta", "canonical_speeds")
        )

    def stepped(self, x: Floats) -> Floats:
        """A state as it is stepped."""
        n, m = self.n, self.m
        return np.concatenate([x[:n], self.momenta(x[:n], x[n : n + m]), x[n + m :]])

    def states(self, stepped: Floats) -> Floats:
        """States (k, n) of the run for states as they are stepped."""
        n = self.n
        return np.concatenate([stepped[:, :n], self.speeds(stepped), stepped[:, 2 * n :]], axis=1)

    def use(self, run: NativeRun) -> None:
        """Let a native run step coordinates and momenta."""
        known = {"tau": self.rates.drive.tau, "inputs": self.rates.drive.inputs}
        run.use(run.compiled(self.canonical_rates, known, state="canonical"))
        run.pair_quaternions([first + self.n for first, _ in self.rates.groups])


def why_no_momenta(rates: Rates) -> str:
    """Why a mechanism is not stepped in momenta; empty where it is."""
    found = why_not_canonical(rates.functions.equations)
    if found:
        return found
    if rates.drive.laws is not None:
        return "an effort or input follows a law"
    if rates.signs is not None:
        return "a force jumps"
    if len(rates.breaks):
        return "what acts on it changes suddenly"
    return "" if rates.can_step_natively else "a controller drives it"


__all__ = ["Compiled", "Momenta", "why_no_momenta"]
