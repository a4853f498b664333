"""Expressions along a trajectory: what a user wants to watch, computed at every sample by native code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled.functions import Functions
from ..compiled.native import compile_program
from ..compiled.planning import plan_outputs
from ..errors import PolhodeError
from ..expr import Expr, as_expr, free_symbols, substitute
from .followers import substitutions_of
from .state import Floats

if TYPE_CHECKING:
    from .trajectory import Trajectory


def values_along(trajectory: Trajectory, functions: Functions, expressions: Sequence[Any]) -> Floats:
    """The values (expressions, samples); accelerations are those that the equations of motion give."""
    equations = functions.equations
    roots = substitute([as_expr(value) for value in expressions], substitutions_of(equations))
    _check_known(roots, functions, trajectory.tau is not None)
    planned = plan_outputs(equations, "values", ("q", "u", "udot", "tau"), [("values", (len(roots),), roots)])
    arrays = {
        "q": trajectory.q,
        "u": trajectory.u,
        "udot": np.zeros_like(trajectory.u),
        "tau": np.zeros((1, len(equations.tau))) if trajectory.tau is None else trajectory.tau,
        "t": trajectory.t[:, None],
        "inputs": functions.input_values() if trajectory.inputs is None else trajectory.inputs,
    }
    if any(root.data[0] == "acceleration" for root in free_symbols(roots)):
        given = {"t": trajectory.t, "inputs": arrays["inputs"], "parameters": trajectory.parameters}
        arrays["udot"] = functions.forward_dynamics(trajectory.q, trajectory.u, arrays["tau"], **given)
    native = compile_program(planned.program, cache=False)
    found = native(
        *(np.broadcast_to(arrays[name], (len(trajectory), arrays[name].shape[-1])) for name in native.arrays),
        parameters=functions.values_of(planned.parameters, trajectory.parameters),
    )
    return np.ascontiguousarray(np.asarray(found, dtype=np.float64).T)


def _check_known(roots: Sequence[Expr], functions: Functions, knows_efforts: bool) -> None:
    """Refuse what a trajectory does not know: symbols of another system, and efforts that were not kept."""
    equations, system = functions.equations, functions.equations.system
    known = {*equations.q, *equations.u, *equations.udot, system.time, *(equations.tau if knows_efforts else ())}
    known |= {given.symbol for table in (system.parameters, system.inputs) for given in table.values()}
    strange = [met for met in free_symbols(roots) if met not in known]
    if strange:
        raise PolhodeError(
            f"the {strange[0].data[0]} '{strange[0].name}' is not known along this trajectory.",
            cure="Use coordinates, speeds, accelerations, efforts, time, parameters and inputs of its own system.",
            code="E-TRAJ-005",
        )
