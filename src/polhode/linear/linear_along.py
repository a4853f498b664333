"""Small motions about a motion: ẋ = A(t) x + B(t) c, y = C(t) x + D(t) c along a trajectory.

A, B, C and D of small motions about any state, as graphs of the state, and compiled (`LinearMatrices`).

    ẋ = A(q, u, z, τ, t) x + B(q, u, z, τ, t) c,    y = C(…) x + D(…) c

x are displacements, speeds and states without mass, as in `linearize`; accelerations are those that the equations
give. Directions of displacements turn with the motion, and so δṡ = D⁻ (∂q̇/∂q D - Ḋ) δs + …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..codegen.ir.program import identifier
from ..compiled.functions import Functions
from ..compiled.quantities import Outputs, Quantity
from ..compiled.variations import check_names, digest_of
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.variations import Variations
from ..errors import PolhodeError, fault_at, understood
from ..expr import Expr, Matrix, Vector, as_expr, directional, quiet_collector
from ..expr.spelling import spelled
from ..laws.named_symbols import controls_of
from ..notebook import Told
from ..simulate.initial_state import Floats
from ..simulate.trajectory.trajectory import Trajectory
from .displacements import Displacements, displacements, output_rates, read_outputs

_PLACE = "linearize_along"
fault = fault_at(_PLACE)


class Matrices(NamedTuple):
    """A, B, C and D at a time, or with a leading axis at many."""

    A: Floats
    B: Floats
    C: Floats
    D: Floats


@dataclass(frozen=True, eq=False, repr=False)
class LinearAlong(Told):
    """A (T, n, n), B (T, n, m), C (T, p, n), D (T, p, m) at the times `t` of a trajectory, and by `at` at any others.

    Efforts and inputs are those that acted, and do not answer small motions: a controller is not in A, though it was in
    the run. `notices` say what is worth knowing of the trajectory.
    """

    trajectory: Trajectory
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: Floats
    B: Floats
    C: Floats
    D: Floats
    notices: tuple[str, ...]
    functions: Functions = field(repr=False)
    asked: LinearMatrices = field(repr=False)

    @property
    def t(self) -> Floats:
        """The times."""
        return self.trajectory.t

    def at(self, t: Any) -> Matrices:
        """A, B, C and D at a time, or at many, exact for the state that the trajectory has there."""
        with understood("a time, or several", t, place="at", cure="Give seconds."):
            times = np.asarray(t, dtype=np.float64)
        low, high = float(self.t.min()), float(self.t.max())
        if np.any(times < low) or np.any(times > high) or not np.isfinite(times).all():
            cure = "Give times within."
            raise PolhodeError(f"the trajectory goes from {low:g} s to {high:g} s.", "at", cure, "E-LINEAR-NUMBER")
        found = _evaluated(self.functions, self.trajectory.at(times.reshape(-1)), self.asked)
        return Matrices(*(each.reshape(*times.shape, *each.shape[1:]) for each in found))

    def transition(self) -> Floats:
        """Φ(t, t₀) (T, n, n) at all times: Φ̇ = A Φ from Φ = 1, by fourth-order Magnus steps from sample to sample.

        More samples make it more exact; the error goes with the fourth power of their distance.
        """
        from scipy.linalg import expm

        steps = np.diff(self.t)[:, None, None]
        middle, half = (self.t[:-1] + self.t[1:]) / 2.0, np.diff(self.t) * np.sqrt(3.0) / 6.0
        A, B = (self.at(middle + side * half).A for side in (-1.0, 1.0))
        turns = expm(steps / 2.0 * (A + B) - np.sqrt(3.0) / 12.0 * steps**2 * (A @ B - B @ A))
        found = [np.eye(len(self.states))]
        for turn in turns:
            found.append(turn @ found[-1])
        return np.array(found)

    def __repr__(self) -> str:
        told = f"LinearAlong({len(self.t)} times; states: {', '.join(self.states)}; inputs: {', '.join(self.inputs)})"
        return "\n".join([told, *self.notices])


def linear_along(
    functions: Functions, trajectory: Trajectory, chosen: Sequence[str] | None, outputs: Any
) -> LinearAlong:
    """Small motions about a trajectory of the mechanism; with constraints on independent speeds."""
    own = functions.equations
    if own.constraints is not None and own.constraints.rows and own.dependent_speeds is None and len(trajectory.t):
        near = dict(zip(trajectory.coordinates, map(float, trajectory.q[0]), strict=True))
        functions = Functions(replace(functions.derivation, constraints="embedded", near=near))
        own = functions.equations
    inputs, moved = tuple(controls_of(own, chosen, _PLACE)), displacements(own)
    observed = {} if outputs is None else read_outputs(own, moved, outputs, _PLACE)
    states = names_of_states(own, moved)
    if not len(trajectory.t):
        raise PolhodeError("the trajectory has no samples.", _PLACE, "Run it longer.", "E-LINEAR-MISSING")
    known = functions.derivation.synopsis
    if tuple(known.coordinates) != trajectory.coordinates or tuple(known.states) != trajectory.states:
        raise fault(
            f"the trajectory is of another mechanism: its coordinates are {', '.join(trajectory.coordinates)}.",
            f"Give a run with {', '.join(known.coordinates)}.",
            "E-LINEAR-UNSUPPORTED",
        )
    asked = LinearMatrices(inputs, tuple(observed.items()))
    found = _evaluated(functions, trajectory, asked)
    notices: tuple[str, ...] = () if trajectory.is_whole else (f"The run is not whole: {trajectory.message}",)
    if trajectory.acted is not None and trajectory.acted.columns:
        notices += ("Efforts or inputs that Python gave are taken as lines between the samples.",)
    return LinearAlong(trajectory, states, inputs, tuple(observed) or states, *found, notices, functions, asked)


def _evaluated(functions: Functions, run: Trajectory, asked: LinearMatrices) -> Matrices:
    """The matrices at all samples, by one call."""
    equations = functions.equations
    speeds = [run.speed(name) for name in equations.speeds]
    u = np.array(speeds).T.reshape(len(run.t), len(speeds))
    tau = np.zeros((len(run.t), len(equations.tau))) if run.tau is None else run.tau
    more: dict[str, Any] = {"inputs": run.inputs} if run.inputs is not None else {}
    more |= {"z": run.z} if run.states else {}
    found = functions.evaluate(asked, run.q, u, tau, t=run.t, parameters=run.parameters, **more)
    made = Matrices(*(np.broadcast_to(each, (len(run.t), *each.shape[-2:])) for each in found))
    lost = ~np.all([np.isfinite(each).all(axis=(1, 2)) for each in made], axis=0)
    if lost.any():
        raise fault(
            f"at {run.t[int(np.argmax(lost))]:.6g} s the other speeds do not follow from "
            f"{', '.join(equations.speeds)}, and small motions cannot be written on these.",
            "Derive with other independent speeds, or end the run before.",
            "E-LINEAR-SINGULAR",
        )
    return made


@dataclass(frozen=True, eq=False)
class LinearRates:
    """The names of the states, and the matrices as graphs of the state that small motions are about."""

    states: tuple[str, ...]
    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix


@quiet_collector()
def linear_rates(
    equations: EquationsOfMotion, controls: Mapping[str, Expr], observed: Mapping[str, Expr] | None = None
) -> LinearRates:
    """The matrices as graphs; outputs are those `observed`, else the states."""
    constraints = equations.constraints
    if constraints is not None and constraints.rows and equations.dependent_speeds is None:
        message = "small motions of equations with multipliers have no independent states."
        cure = 'Derive with independent=[…], or with constraints="embedded".'
        raise PolhodeError(message, f"system '{equations.system.name}'", cure, "E-LINEAR-SINGULAR")
    moved, made = displacements(equations), Variations(equations)
    rates = dict(zip(equations.tree.q, equations.all_coordinate_rates, strict=True))
    size = len(equations.q)
    steps = [dict(zip(equations.tree.q, direction, strict=True)) for direction in moved.directions]
    steps += [{each: as_expr(1)} for each in (*equations.u, *equations.z)]
    turns = [directional([as_expr(entry) for entry in direction], rates) for direction in moved.directions]
    turns += [[as_expr(0)] * size] * (len(steps) - len(turns))
    columns = []
    for along, turn in zip(made.along(steps), turns, strict=True):
        change = Vector([a - b for a, b in zip(along[:size], turn, strict=True)])
        columns.append([*(as_expr(entry) for entry in moved.back @ change), *along[size:]])
    driven = [column[size:] for column in made.along([{each: as_expr(1)} for each in controls.values()])]
    at_once = [[as_expr(0)] * len(moved.names) + column for column in driven]
    states = names_of_states(equations, moved)
    C, D = Matrix.identity(len(states)), Matrix([[as_expr(0)] * len(controls)] * len(states))
    if observed:
        C, D = output_rates(equations, moved, observed, [*controls.values()], _known(equations), "linearize_along")
    return LinearRates(states, _matrix(columns, len(states)), _matrix(at_once, len(states)), C, D)


def _known(equations: EquationsOfMotion) -> list[Expr]:
    """What outputs may depend on."""
    inputs = [entry.symbol for entry in equations.system.inputs.values()]
    return [*equations.tree.q, *equations.u, *equations.z, *equations.tau, *inputs, equations.system.time]


def names_of_states(equations: EquationsOfMotion, moved: Displacements) -> tuple[str, ...]:
    """The names of displacements, speeds and states without mass."""
    return (*moved.names, *map(spelled, equations.u), *equations.states)


def _matrix(columns: Sequence[Sequence[Expr]], height: int) -> Matrix:
    return Matrix.columns_of([list(column) for column in columns], height)


@dataclass(frozen=True, repr=False)
class LinearMatrices(Quantity):
    """A, B, C, D of small motions by the controls named, of q, u and τ; see `linear.linear_along`."""

    controls: tuple[str, ...]
    observed: tuple[tuple[str, Expr], ...] = ()  # outputs by name; none for the states

    kind = "linear_matrices"
    arrays = ("q", "u", "tau")

    def __post_init__(self) -> None:
        check_names(self.controls, self.kind)

    def __repr__(self) -> str:
        digest = digest_of([entry for _, entry in self.observed]) if self.observed else ""
        return f"{type(self).__name__}({self.controls!r}, {digest!r})"

    @property
    def label(self) -> str:
        return identifier(self.kind, *self.controls)

    def outputs(self, equations: EquationsOfMotion) -> Outputs:

        controls = controls_of(equations, self.controls, self.kind)
        made = linear_rates(equations, controls, dict(self.observed))
        size, inputs, outputs = len(made.states), len(self.controls), len(made.C)
        shapes = {"A": (size, size), "B": (size, inputs), "C": (outputs, size), "D": (outputs, inputs)}
        return [(name, shape, [as_expr(x) for x in getattr(made, name).entries()]) for name, shape in shapes.items()]
