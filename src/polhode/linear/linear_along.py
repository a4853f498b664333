"""Small motions about a motion: ẋ = A(t) x + B(t) c, y = C(t) x + D(t) c along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..compiled.functions import Functions
from ..errors import PolhodeError, fault_at, understood
from ..laws.named_symbols import controls_of
from ..notebook import Told
from ..simulate.initial_state import Floats
from ..simulate.trajectory.trajectory import Trajectory
from .displacements import displacements, read_outputs
from .linear_rates import LinearMatrices, names_of_states

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

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    >>> e = s.derive()
    >>> along = e.linearize_along(e.simulate(1, start={"hinge": 1}, samples=5))
    >>> along.t.tolist(), along.A.shape, along.at(0.3).A.shape, along.transition().shape
    ([0.0, 0.25, 0.5, 0.75, 1.0], (5, 2, 2), (2, 2), (5, 2, 2))
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
    quantity: LinearMatrices = field(repr=False)

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
        matrices = _evaluated(self.functions, self.trajectory.at(times.reshape(-1)), self.quantity)
        return Matrices(*(array.reshape(*times.shape, *array.shape[1:]) for array in matrices))

    def transition(self) -> Floats:
        """Φ(t, t₀) (T, n, n) at all times: Φ̇ = A Φ from Φ = 1, by fourth-order Magnus steps from sample to sample.

        More samples make it more exact; the error goes with the fourth power of their distance.
        """
        from scipy.linalg import expm

        steps = np.diff(self.t)[:, None, None]
        middle, half = (self.t[:-1] + self.t[1:]) / 2.0, np.diff(self.t) * np.sqrt(3.0) / 6.0
        A, B = (self.at(middle + side * half).A for side in (-1.0, 1.0))
        turns = expm(steps / 2.0 * (A + B) - np.sqrt(3.0) / 12.0 * steps**2 * (A @ B - B @ A))
        transitions = [np.eye(len(self.states))]
        for turn in turns:
            transitions.append(turn @ transitions[-1])
        return np.array(transitions)

    def __repr__(self) -> str:
        names = f"states: {', '.join(self.states)}; inputs: {', '.join(self.inputs)}"
        return "\n".join([f"LinearAlong({len(self.t)} times; {names})", *self.notices])


def linear_along(
    functions: Functions, trajectory: Trajectory, chosen: Sequence[str] | None, outputs: Any
) -> LinearAlong:
    """Small motions about a trajectory of the mechanism; with constraints on independent speeds."""
    form = functions.equations
    if form.constraints is not None and form.constraints.rows and form.dependent_speeds is None and len(trajectory.t):
        near = dict(zip(trajectory.coordinates, map(float, trajectory.q[0]), strict=True))
        functions = Functions(replace(functions.derivation, constraints="embedded", near=near))
        form = functions.equations
    inputs, moved = tuple(controls_of(form, chosen, _PLACE)), displacements(form)
    observed = {} if outputs is None else read_outputs(form, moved, outputs, _PLACE)
    states = names_of_states(form, moved)
    if not len(trajectory.t):
        raise PolhodeError("the trajectory has no samples.", _PLACE, "Run it longer.", "E-LINEAR-MISSING")
    synopsis = functions.derivation.synopsis
    if tuple(synopsis.coordinates) != trajectory.coordinates or tuple(synopsis.states) != trajectory.states:
        message = f"the trajectory is of another mechanism: its coordinates are {', '.join(trajectory.coordinates)}."
        raise fault(message, f"Give a run with {', '.join(synopsis.coordinates)}.", "E-LINEAR-UNSUPPORTED")
    quantity = LinearMatrices(inputs, tuple(observed.items()))
    matrices = _evaluated(functions, trajectory, quantity)
    notices: tuple[str, ...] = () if trajectory.is_whole else (f"The run is not whole: {trajectory.message}",)
    if trajectory.acted is not None and trajectory.acted.columns:
        notices += ("Efforts or inputs that Python gave are taken as lines between the samples.",)
    return LinearAlong(trajectory, states, inputs, tuple(observed) or states, *matrices, notices, functions, quantity)


def _evaluated(functions: Functions, run: Trajectory, quantity: LinearMatrices) -> Matrices:
    """The matrices at all samples, by one call."""
    equations = functions.equations
    speeds = [run.speed(name) for name in equations.speeds]
    u = np.array(speeds).T.reshape(len(run.t), len(speeds))
    tau = np.zeros((len(run.t), len(equations.tau))) if run.tau is None else run.tau
    more: dict[str, Any] = {"inputs": run.inputs} if run.inputs is not None else {}
    more |= {"z": run.z} if run.states else {}
    arrays = functions.evaluate(quantity, run.q, u, tau, t=run.t, parameters=run.parameters, **more)
    matrices = Matrices(*(np.broadcast_to(array, (len(run.t), *array.shape[-2:])) for array in arrays))
    lost = ~np.all([np.isfinite(array).all(axis=(1, 2)) for array in matrices], axis=0)
    if lost.any():
        lacking = f"the other speeds do not follow from {', '.join(equations.speeds)}"
        message = f"at {run.t[int(np.argmax(lost))]:.6g} s {lacking}, and small motions cannot be written on these."
        raise fault(message, "Derive with other independent speeds, or end the run before.", "E-LINEAR-SINGULAR")
    return matrices
