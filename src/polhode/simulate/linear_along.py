"""Small motions about a motion: ẋ = A(t) x + B(t) c along a trajectory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compiled.functions import Functions
from ..compiled.linear_matrices import LinearMatrices
from ..errors import PolhodeError, understood
from .initial_state import Floats
from .trajectory import Trajectory

_PLACE = "linearize_along"


@dataclass(frozen=True, eq=False, repr=False)
class LinearAlong:
    """A (T, n, n) and B (T, n, m) at the times `t` of a trajectory; `at` gives them at any others.

    Efforts and inputs are those that acted, and do not answer small motions: a controller is not in A, though it was in
    the run. `notices` say what is worth knowing of the trajectory.
    """

    trajectory: Trajectory
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    A: Floats
    B: Floats
    notices: tuple[str, ...] = ()
    functions: Functions | None = field(default=None, repr=False)

    @property
    def t(self) -> Floats:
        """The times."""
        return self.trajectory.t

    def at(self, t: Any) -> tuple[Floats, Floats]:
        """A and B at a time (n, n), (n, m), or at many, exact for the state that the trajectory has there."""
        with understood("a time, or several", t, place="at", cure="Give seconds."):
            times = np.asarray(t, dtype=np.float64)
        low, high = float(self.t.min()), float(self.t.max())
        if np.any(times < low) or np.any(times > high) or not np.isfinite(times).all():
            raise PolhodeError(
                f"the trajectory goes from {low:g} s to {high:g} s.",
                place="at",
                cure="Give times within.",
                code="E-LIN-027",
            )
        A, B = _evaluated(self._known, self.trajectory.at(times.reshape(-1)), self.inputs)
        return A.reshape(*times.shape, *A.shape[1:]), B.reshape(*times.shape, *B.shape[1:])

    @property
    def _known(self) -> Functions:
        if self.functions is None:
            raise PolhodeError("these matrices do not know their mechanism.", place=_PLACE, code="E-LIN-028")
        return self.functions

    def transition(self) -> Floats:
        """Φ(t, t₀) (T, n, n) at all times: Φ̇ = A Φ from Φ = 1, by fourth-order Magnus steps from sample to sample.

        More samples make it more exact; the error goes with the fourth power of their distance.
        """
        from scipy.linalg import expm

        steps = np.diff(self.t)[:, None, None]
        middle, half = (self.t[:-1] + self.t[1:]) / 2.0, np.diff(self.t) * np.sqrt(3.0) / 6.0
        A, B = (self.at(middle + side * half)[0] for side in (-1.0, 1.0))
        turns = expm(steps / 2.0 * (A + B) - np.sqrt(3.0) / 12.0 * steps**2 * (A @ B - B @ A))
        found = [np.eye(len(self.states))]
        for turn in turns:
            found.append(turn @ found[-1])
        return np.array(found)

    def __repr__(self) -> str:
        told = f"LinearAlong({len(self.t)} times; states: {', '.join(self.states)}; inputs: {', '.join(self.inputs)})"
        return "\n".join([told, *self.notices])


def linear_along(
    functions: Functions, trajectory: Trajectory, states: tuple[str, ...], inputs: tuple[str, ...]
) -> LinearAlong:
    """Small motions about a trajectory, by functions of its mechanism on independent speeds."""
    if not len(trajectory.t):
        raise PolhodeError("the trajectory has no samples.", place=_PLACE, cure="Run it longer.", code="E-LIN-029")
    known = functions.derivation.synopsis
    if tuple(known.coordinates) != trajectory.coordinates or tuple(known.states) != trajectory.states:
        raise PolhodeError(
            f"the trajectory is of another mechanism: its coordinates are {', '.join(trajectory.coordinates)}.",
            place=_PLACE,
            cure=f"Give a run with {', '.join(known.coordinates)}.",
            code="E-LIN-034",
        )
    A, B = _evaluated(functions, trajectory, inputs)
    notices = () if trajectory.is_whole else (f"The run is not whole: {trajectory.message}",)
    return LinearAlong(trajectory, states, inputs, A, B, notices, functions)


def _evaluated(functions: Functions, run: Trajectory, inputs: tuple[str, ...]) -> tuple[Floats, Floats]:
    """A and B at all samples, by one call."""
    equations = functions.equations
    speeds = [run.speed(name) for name in equations.speeds]
    u = np.array(speeds).T.reshape(len(run.t), len(speeds))
    tau = np.zeros((len(run.t), len(equations.tau))) if run.tau is None else run.tau
    more: dict[str, Any] = {"inputs": run.inputs} if run.inputs is not None else {}
    more |= {"z": run.z} if run.states else {}
    asked = LinearMatrices(inputs)
    A, B = functions.evaluate(asked, run.q, u, tau, t=run.t, parameters=run.parameters, **more)
    A, B = (np.broadcast_to(each, (len(run.t), *each.shape[-2:])) for each in (A, B))
    lost = ~(np.isfinite(A).all(axis=(1, 2)) & np.isfinite(B).all(axis=(1, 2)))
    if lost.any():
        raise PolhodeError(
            f"at {run.t[int(np.argmax(lost))]:.6g} s the other speeds do not follow from "
            f"{', '.join(equations.speeds)}, and small motions cannot be written on these.",
            place=_PLACE,
            cure="Derive with other independent speeds, or end the run before.",
            code="E-LIN-030",
        )
    return A, B
