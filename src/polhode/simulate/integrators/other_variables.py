"""States as some methods step them: coordinates and momenta, or equations of second order.

Gauss' methods step coordinates and momenta (`dynamics.canonical`) where a mechanism has them and no Python function,
law or time event acts: then they are symplectic. Elsewhere they step coordinates and speeds, and are symmetric. The
generalised-α method takes compiled equations of second order, for stiff structures, with constraints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.functions import Functions
from ...errors import PolhodeError
from ...native.compiled import Compiled
from ...ode.native_run import NativeRun
from ..initial_state import Floats
from ..rates import Rates

if TYPE_CHECKING:
    from ...ode.methods.generalised_alpha import SecondOrderMemory, SecondOrderSystem


class Momenta:
    """States (q, p, z) as they are stepped for states (q, u, z) of a run."""

    def __init__(self, rates: Rates) -> None:
        self.rates, self.n, self.m = rates, rates.coordinates, len(rates.functions.derivation.synopsis.speeds)
        self.canonical_rates, self.momenta, self.speeds = (
            rates.functions.native(name).with_parameters(rates.functions.parameter_values(name, rates.given))
            for name in ("canonical_rates", "canonical_momenta", "canonical_speeds")
        )

    def stepped(self, x: Floats) -> Floats:
        """The integrator's state for one of the run."""
        n, m = self.n, self.m
        return np.concatenate([x[:n], self.momenta(x[:n], x[n : n + m]), x[n + m :]])

    def states(self, stepped: Floats) -> Floats:
        """States (k, n) of the run for those of the integrator."""
        n = self.n
        return np.concatenate([stepped[:, :n], self.speeds(stepped), stepped[:, 2 * n :]], axis=1)

    def use(self, run: NativeRun) -> None:
        """Let a native run step coordinates and momenta."""
        held = {"tau": self.rates.drive.tau, "inputs": self.rates.drive.inputs}
        run.use(run.compiled(self.canonical_rates, held, state="canonical"))
        run.pair_quaternions([first + self.n for first, _ in self.rates.groups])


def why_no_momenta(rates: Rates) -> str:
    """Why a mechanism is not stepped in momenta; empty where it is."""
    from ...dynamics.canonical import why_not_canonical

    reason = why_not_canonical(rates.functions.equations)
    if reason:
        return reason
    if rates.drive.laws is not None:
        return "an effort or input follows a law"
    if rates.signs is not None:
        return "a force jumps"
    if len(rates.breaks):
        return "what acts on it changes suddenly"
    return "" if rates.can_step_natively else "a controller drives it"


#: The arrays and outputs of the compiled functions, and the method's names for them.
_NAMES = {
    "q": "pose", "u": "turn", "x": "state", "t": "clock", "qdot": "pose_rate", "rates": "accelerations",
    **{name: name for name in ("multipliers", "balance", "row_rates", "row_values", "matrix")},
}  # fmt: skip


def system_of(
    functions: Functions, parameters: Mapping[str, Any] | None, tau: Floats, inputs: Floats
) -> SecondOrderSystem:
    """The equations of compiled functions as the method takes them, under efforts and inputs that may change."""
    from ...ode.methods.generalised_alpha import SecondOrderSystem

    def compiled(name: str) -> Compiled:
        native: Compiled = functions.native(name)
        return native.with_parameters(functions.parameter_values(name, parameters))

    stabilisation = functions.equations.recipe.stabilisation
    rows = () if stabilisation is None else stabilisation.rows.rows
    if stabilisation is not None:
        stabilisation.rows.check_linear("generalised_alpha takes linear ones alone", 'Use method="auto".')
    return SecondOrderSystem(
        compiled("coordinate_rates"),
        compiled("residual"),
        compiled("constraint_normals") if rows else None,
        _NAMES,
        {"tau": tau, "inputs": inputs},
        [number for number, row in enumerate(rows) if row.is_position],
    )


def second_order_memory(rates: Rates, radius: float) -> SecondOrderMemory:
    """The memory of the method for the equations of a run."""
    from ...ode.methods.generalised_alpha import SecondOrderMemory

    if not rates.is_autonomous:
        message = "the method generalised_alpha steps compiled equations, and a function in Python drives this run."
        cure = 'Use method="auto", hold what the function returns (ph.held), or give a law as an expression.'
        raise PolhodeError(message, "method", cure, "E-RUN-UNSUPPORTED")
    system = system_of(rates.functions, rates.given, rates.drive.tau, rates.drive.inputs)
    return SecondOrderMemory(system, radius)
