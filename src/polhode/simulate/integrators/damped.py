"""Compiled equations as the generalised-α method takes them: for stiff structures, with constraints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...compiled.functions import Functions
from ...errors import PolhodeError
from ...native.compiled import Compiled
from ...ode.methods.generalised_alpha import SecondOrderMemory, SecondOrderSystem
from ..initial_state import Floats
from ..rates import Rates

#: The arrays and outputs of the compiled functions, and the method's names for them.
_NAMES = {
    "q": "pose", "u": "turn", "x": "state", "t": "clock", "qdot": "pose_rate", "rates": "accelerations",
    **{name: name for name in ("multipliers", "balance", "row_rates", "row_values", "matrix")},
}  # fmt: skip


def system_of(
    functions: Functions, parameters: Mapping[str, Any] | None, tau: Floats, inputs: Floats
) -> SecondOrderSystem:
    """The equations of compiled functions as the method takes them, under efforts and inputs that may change."""

    def compiled(name: str) -> Compiled:
        made: Compiled = functions.native(name)
        return made.with_parameters(functions.parameter_values(name, parameters))

    stabilisation = functions.equations.recipe.stabilisation
    rows = () if stabilisation is None else stabilisation.rows.rows
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
    if not rates.is_autonomous:
        raise PolhodeError(
            "the method generalised_alpha steps compiled equations, and a function in Python drives this run.",
            place="method",
            cure='Use method="auto", hold what the function returns (ph.held), or give a law as an expression.',
            code="E-SIM-120",
        )
    system = system_of(rates.functions, rates.given, rates.drive.tau, rates.drive.inputs)
    return SecondOrderMemory(system, radius)
