"""Forces along a trajectory: what joints and constraints carried, what drove prescribed motions; and the drift left.

Whether a contact could bear what a run asks of it: ground pushes and does not pull, and friction has its limit.

A foot that is held by a constraint is held whatever it takes. What it takes tells whether plain ground would do:

    N = n·f > 0                 it pushes                   (elsewhere a foot would lift)
    |f - N n| / N ≤ μ           it does not slide           (the friction that is needed)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...compiled.quantities import DrivingForceOf, Quantity, ReactionOf
from ...compiled.reactions import Floats, evaluate, motion
from ...errors import PolhodeError, understood
from ..constraints.manifold import Manifold

if TYPE_CHECKING:
    from .trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Contact:
    """What a contact carries over time: along its normal, positive where it pushes, and across."""

    time: Floats
    normal: Floats
    across: Floats

    @property
    def friction(self) -> Floats:
        """The coefficient of friction that is needed at every sample; not a number where nothing pushes."""
        pushes = self.normal > 0
        return np.where(pushes, self.across / np.where(pushes, self.normal, 1.0), np.nan)

    @property
    def pulls(self) -> tuple[tuple[float, float], ...]:
        """The first and last samples of each stretch in which it would have to pull."""
        wrong = np.flatnonzero(self.normal < 0)
        stretches = np.split(wrong, np.flatnonzero(np.diff(wrong) > 1) + 1) if len(wrong) else []
        return tuple((float(self.time[each[0]]), float(self.time[each[-1]])) for each in stretches)

    def __str__(self) -> str:
        needed = np.max(self.friction, initial=0.0, where=np.isfinite(self.friction))
        words = f"needs a coefficient of friction of {needed:.3g}"
        if not self.pulls:
            return f"pushes with {self.normal.min():.4g} to {self.normal.max():.4g} N; {words}"
        when = ", ".join(f"{start:.4g} s to {end:.4g} s" for start, end in self.pulls)
        return f"pulls with up to {-self.normal.min():.4g} N, as ground cannot, from {when}; elsewhere it {words}"


def contact_of(time: Floats, force: Floats, normal: ArrayLike = (0.0, 0.0, 1.0)) -> Contact:
    """A force (T, 3) on a body as a contact whose normal, a direction, points into that body."""
    with understood("a direction", normal, place="contact normal", cure="Give three components, as (0, 0, 1)."):
        n = np.asarray(normal, dtype=np.float64).reshape(3)
    size = float(np.linalg.norm(n))
    if not (np.isfinite(size) and size > 0):
        cure = "Give three components, as (0, 0, 1)."
        raise PolhodeError("the normal has no direction.", "contact", cure, "E-DERIVE-SINGULAR")
    n = n / size
    along = force @ n
    return Contact(time, along, np.linalg.norm(force - np.outer(along, n), axis=1))


class ReactionHistory(NamedTuple):
    """A wrench over time: `time` (T,), `torque` (T, 3) about its place, `force` (T, 3)."""

    time: Floats
    torque: Floats
    force: Floats

    def contact(self, normal: ArrayLike = (0.0, 0.0, 1.0)) -> Contact:
        """Whether plain ground could exert this force: where it would have to pull, and what friction it needs."""
        return contact_of(self.time, self.force, normal)


def reaction_along(
    trajectory: Trajectory,
    name: str,
    at: str | None = None,
    frame: str | None = None,
    on: str | None = None,
    tau: ArrayLike | None = None,
) -> ReactionHistory:
    """What a joint or constraint carries at every sample."""
    torque, force = _evaluated(trajectory, ReactionOf(name, at, frame, on), tau)
    shape = (len(trajectory.t), 3)
    return ReactionHistory(trajectory.t, np.broadcast_to(torque, shape), np.broadcast_to(force, shape))


def driving_force_along(trajectory: Trajectory, coordinate: str, tau: ArrayLike | None = None) -> Floats:
    """The effort of a prescribed coordinate at every sample."""
    return np.broadcast_to(_evaluated(trajectory, DrivingForceOf(coordinate), tau), trajectory.t.shape)


def motion_along(trajectory: Trajectory, tau: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """Accelerations of all speeds (T, speeds) and multipliers of all constraints (T, rows) at every sample."""
    known = trajectory.mechanism
    return motion(known, trajectory.q, trajectory.u, efforts_along(trajectory, tau), **given_along(trajectory))


def efforts_along(trajectory: Trajectory, tau: ArrayLike | None = None) -> Floats:
    """The efforts at every sample: those that are given, or those of the run."""
    with understood("an array of efforts", tau, place="tau", cure="Give one row for each sample."):
        known = trajectory.tau if tau is None else np.asarray(tau, dtype=np.float64)
    if known is None:
        message = "this trajectory does not hold the efforts that drove it."
        cure = "Give tau=…, one row for each sample (tau=0 if there were none), or keep it with trajectory.save."
        raise PolhodeError(message, cure=cure, code="E-TRAJECTORY-MISSING")
    wanted = (len(trajectory.t), len(trajectory.mechanism.equations.tau))
    with understood(f"an array that fits {wanted}", tau, place="tau", cure="Give one row for each sample."):
        return np.broadcast_to(known, wanted)


def given_along(trajectory: Trajectory) -> dict[str, Any]:
    """States without mass, time, inputs and parameters as the functions of a mechanism take them."""
    inputs = {} if trajectory.inputs is None else {"inputs": trajectory.inputs}
    return {"z": trajectory.z, "t": trajectory.t, "parameters": trajectory.parameters, **inputs}


def _evaluated(trajectory: Trajectory, asked: Quantity, tau: ArrayLike | None) -> Any:
    efforts = efforts_along(trajectory, tau)
    known = trajectory.mechanism
    return evaluate(known, asked, trajectory.q, trajectory.u, efforts, **given_along(trajectory))


# ---- constraints ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drift:
    """The largest that is left of the constraints at the samples: in position, |φ| and |ψ|, in velocity, |A u + a|."""

    position: float = 0.0
    velocity: float = 0.0


def drift_along(trajectory: Trajectory) -> Drift:
    """How far a run strays from its constraints."""
    functions = trajectory.mechanism
    constraints = functions.equations.constraints
    if constraints is None or not constraints.rows or not len(trajectory.t):
        return Drift()
    positions = ["constraint_values"] * bool(constraints.positions) + ["definition_values"] * bool(
        constraints.definitions
    )
    values = [functions.evaluate(name, trajectory.q, **trajectory._given(name)) for name in positions]
    rates = functions.constraint_rates(trajectory.q, trajectory.u, **trajectory._given("constraint_rates"))
    return Drift(max((float(np.abs(each).max()) for each in values), default=0.0), float(np.abs(rates).max()))


def multipliers_along(trajectory: Trajectory) -> dict[str, Floats]:
    """λ of each constraint over time, of least size where constraints are redundant."""
    functions = trajectory.mechanism
    constraints = functions.equations.constraints
    if constraints is None or not constraints.rows:
        return {}
    if functions.equations.dependent_speeds is not None:
        cure = 'Derive with constraints="multipliers".'
        raise PolhodeError("only runs with multipliers have them.", cure=cure, code="E-TRAJECTORY-MISSING")
    manifold = Manifold(functions, constraints, trajectory.parameters)
    tau = np.zeros((len(trajectory.t), len(functions.equations.tau))) if trajectory.tau is None else trajectory.tau
    inputs = np.zeros((len(trajectory.t), 0)) if trajectory.inputs is None else trajectory.inputs
    manifold.set_scale(float(trajectory.t[0]), trajectory.q[0])
    found = [
        manifold.multipliers(t, x, *given)
        for t, x, *given in zip(
            trajectory.t.tolist(), np.hstack([trajectory.q, trajectory.u, trajectory.z]), tau, inputs, strict=True
        )
    ]
    return dict(zip(constraints.names, np.transpose(found), strict=True))
