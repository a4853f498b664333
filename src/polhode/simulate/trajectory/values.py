"""Values along a trajectory: dependent coordinates and speeds, and any expression at the samples.

Coordinates and speeds that are prescribed, coupled to others or dependent are no unknowns: they follow from the state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...compiled.catalogue import plan_outputs
from ...compiled.functions import Functions
from ...dynamics.equations import EquationsOfMotion
from ...dynamics.omission import without_omitted
from ...errors import PolhodeError
from ...expr import Expr, as_expr, free_symbols, substitute
from ...expr.spelling import acceleration_of
from ...native import compile_program
from ..initial_state import Floats
from .reactions import forces_of
from .trajectory import Trajectory


def dependent_of(equations: EquationsOfMotion) -> tuple[dict[str, Expr], dict[str, Expr]]:
    """The symbols of coordinates, and of speeds, that follow the state, by name."""
    joints = equations.system.joints.values()
    coordinates = {q.name: q for joint in joints for q in joint.q if q not in (*equations.q, *equations.omitted)}
    return coordinates, {u.name: u for joint in joints for u in joint.u if u not in equations.u}


def is_known(equations: EquationsOfMotion, dependent: Expr) -> bool:
    """Whether what follows the state does so without an omitted coordinate."""
    try:
        without_omitted(equations, "values", substitute([dependent], substitutions_of(equations)))
    except PolhodeError:
        return False
    return True


def substitutions_of(equations: EquationsOfMotion) -> Mapping[Expr, Expr]:
    """Values of dependent symbols, and of their accelerations, in independent ones."""
    tree, dependent_speeds = equations.tree, equations.dependent_speeds
    followed: dict[Expr, Expr] = dict(tree.followed)
    rates = {acceleration_of(u): rate for u, rate in tree.rates.items()}
    if dependent_speeds is not None:
        followed |= dependent_speeds.followed
        accelerations = dependent_speeds.E @ equations.udot + dependent_speeds.gamma
        rates |= {acceleration_of(tree.u[k]): as_expr(accelerations[k]) for k in dependent_speeds.replaced}
    # A coupled speed is a multiple of its leader's, and so is its acceleration.
    leaders = {u: acceleration_of(u) for u in tree.u}
    coupled = [u for u in dependent_of(equations)[1].values() if u in tree.followed and u not in tree.rates]
    coupled_speeds = substitute([tree.followed[u] for u in coupled], leaders)
    coupled_rates = substitute(coupled_speeds, rates)
    rates |= {acceleration_of(u): rate for u, rate in zip(coupled, coupled_rates, strict=True)}
    values = substitute(list(followed.values()), {} if dependent_speeds is None else dependent_speeds.followed)
    return dict(zip(followed, values, strict=True)) | rates


def columns_of(trajectory: Trajectory, equations: EquationsOfMotion) -> tuple[Floats, Floats, Floats]:
    """The unknowns of a mechanism in a trajectory that may hold what follows them too."""
    from ..simulation_program import plain_names

    columns = []
    for kind, ours, values, theirs, more in zip(
        ("coordinates", "speeds", "states"),
        (trajectory.coordinates, trajectory.speeds, trajectory.states),
        (trajectory.q, trajectory.u, trajectory.z),
        (equations.coordinates, equations.speeds, equations.states),
        (*dependent_of(equations), ()),
        strict=True,
    ):
        if list(ours) == plain_names(theirs):  # as a simulation program writes them
            ours = tuple(theirs)
        if [name for name in ours if name in theirs or name not in more] != list(theirs):
            raise _other_columns(kind, ", ".join(ours) or "none", theirs)
        columns.append(values[:, [ours.index(name) for name in theirs]])
    return columns[0], columns[1], columns[2]


def acting_columns(values: Floats | None, ours: Sequence[str], theirs: Sequence[str], kind: str) -> Floats | None:
    """Efforts or inputs by name as a mechanism orders them; unnamed ones must be as many."""
    if values is None:
        return None
    if not ours and values.shape[1] == len(theirs):
        return values
    if sorted(ours) != sorted(theirs):
        names = ", ".join(ours) or f"{values.shape[1]} without names"
        raise _other_columns(kind, names, theirs)
    return values[:, [list(ours).index(name) for name in theirs]]


def _other_columns(kind: str, ours: str, theirs: Sequence[str]) -> PolhodeError:
    message = f"the trajectory's {kind} are {ours}; the mechanism's are {', '.join(theirs) or 'none'}."
    return PolhodeError(message, "of", "Give the equations of this run's mechanism.", "E-TRAJECTORY-TWICE")


def compiled_values(
    functions: Functions, expressions: Sequence[Any], knows_efforts: bool = True
) -> Callable[[Trajectory], Floats]:
    """Values (expressions, samples) as a function of trajectories; accelerations are by the equations of motion."""
    equations = functions.equations
    roots = substitute([as_expr(value) for value in expressions], substitutions_of(equations))
    roots = without_omitted(equations, "values", roots)
    _check_known(roots, functions, knows_efforts)
    planned = plan_outputs(equations, "values", ("q", "u", "udot", "tau"), [("values", (len(roots),), roots)])
    native = compile_program(planned.program, cache=False)
    accelerates = any(root.data[0] == "acceleration" for root in free_symbols(roots))

    def along(trajectory: Trajectory) -> Floats:
        arrays = {
            "q": trajectory.q,
            "u": trajectory.u,
            "z": trajectory.z,
            "udot": np.zeros_like(trajectory.u),
            "tau": np.zeros((1, len(equations.tau))) if trajectory.tau is None else trajectory.tau,
            "t": trajectory.t[:, None],
            "inputs": functions.input_values() if trajectory.inputs is None else trajectory.inputs,
        }
        if accelerates and functions.derivation.synopsis.contacts:
            arrays["udot"] = forces_of(trajectory).accelerations
        elif accelerates:
            rest: dict[str, Any] = {"t": trajectory.t, "inputs": arrays["inputs"], "parameters": trajectory.parameters}
            q, u, z = trajectory.q, trajectory.u, trajectory.z
            arrays["udot"] = functions.forward_dynamics(q, u, arrays["tau"], z, **rest)
        values = native(
            *(np.broadcast_to(arrays[name], (len(trajectory), arrays[name].shape[-1])) for name in native.arrays),
            parameters=functions.values_of(planned.parameters, trajectory.parameters),
        )
        return np.ascontiguousarray(np.asarray(values, dtype=np.float64).T)

    return along


def _check_known(roots: Sequence[Expr], functions: Functions, knows_efforts: bool) -> None:
    """Refuse symbols that a trajectory has no values of: those of another system, and efforts that were not stored."""
    equations, system = functions.equations, functions.equations.system
    available = {
        *equations.q,
        *equations.u,
        *equations.z,
        *equations.udot,
        system.time,
        *(equations.tau if knows_efforts else ()),
    }
    available |= {entry.symbol for table in (system.parameters, system.inputs) for entry in table.values()}
    foreign = [met for met in free_symbols(roots) if met not in available]
    if foreign:
        message = f"the {foreign[0].data[0]} '{foreign[0].name}' is not known along this trajectory."
        cure = "Use coordinates, speeds, states, accelerations, efforts, time, parameters, inputs of its own system."
        raise PolhodeError(message, cure=cure, code="E-TRAJECTORY-NAME")
