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

from ...compiled.quantities import Quantity
from ...compiled.reactions import Floats, evaluate
from ...errors import PolhodeError, understood
from .trajectory import Trajectory

if TYPE_CHECKING:
    from ..contact.results import Forces


@dataclass(frozen=True, eq=False)
class Contact:
    """Contact forces over time: normal, positive where it pushes, and tangential."""

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
        return tuple((float(self.time[stretch[0]]), float(self.time[stretch[-1]])) for stretch in stretches)

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


def efforts_along(trajectory: Trajectory, tau: ArrayLike | None = None) -> Floats:
    """The efforts at every sample: those that are given, or those of the run."""
    with understood("an array of efforts", tau, place="tau", cure="Give one row for each sample."):
        efforts = trajectory.tau if tau is None else np.asarray(tau, dtype=np.float64)
    if efforts is None:
        message = "this trajectory does not hold the efforts that drove it."
        cure = "Give tau=…, one row for each sample (tau=0 if there were none), or keep it with trajectory.save."
        raise PolhodeError(message, cure=cure, code="E-TRAJECTORY-MISSING")
    wanted = (len(trajectory.t), len(trajectory.mechanism.equations.tau))
    with understood(f"an array that fits {wanted}", tau, place="tau", cure="Give one row for each sample."):
        return np.broadcast_to(efforts, wanted)


def evaluated_along(trajectory: Trajectory, quantity: Quantity, tau: ArrayLike | None) -> Any:
    """A reaction or driving force at every sample."""
    efforts, functions = efforts_along(trajectory, tau), trajectory.mechanism
    forces: list[Floats] = []
    if functions.derivation.synopsis.contacts:
        efforts, contact_forces = with_contact_forces(trajectory, efforts)
        forces.append(contact_forces)
    return evaluate(functions, quantity, trajectory.q, trajectory.u, efforts, *forces, **trajectory.given)


def with_contact_forces(trajectory: Trajectory, efforts: Floats) -> tuple[Floats, Floats]:
    """Efforts and what contacts, stops and dry friction add to them; the forces of these, row by row."""
    contact_forces = forces_of(trajectory).forces
    rows = trajectory.mechanism.evaluate("contact_matrix", trajectory.q, **trajectory.given)
    return np.asarray(efforts + (contact_forces[:, None] @ rows)[:, 0]), contact_forces


def forces_of(trajectory: Trajectory) -> Forces:
    """The forces of contacts, stops and dry friction along a run; one without their history is refused."""
    from ..contact.results import check_history

    check_history(trajectory)
    return trajectory._contact_forces


@dataclass(frozen=True)
class Drift:
    """The largest residuals of the constraints: in position, |φ| and |ψ|, in velocity, |A u + a|."""

    position: float = 0.0
    velocity: float = 0.0
