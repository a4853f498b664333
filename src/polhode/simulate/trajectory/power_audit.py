"""The power audit of a run: at every sample, does what flows into each part equal what it stores?

Bodies, joints and constraints are audited one by one, with the accelerations and multipliers that hold at the samples;
then the whole run, energy against the integral of the powers that came from outside:

    E(t) - E(0) = ∫ Σ P dt

The first fails where accelerations are solved for badly or constraints are not kept, the second where the steps are too
long. Samples that are too sparse to integrate over are no fault: the error of that integral is estimated and left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...compiled.reactions import Floats, motion
from ...dynamics.power import power
from ...errors import SimulationError
from ...notebook import Cell, Shown, Table
from .between_samples import nodes_of
from .reactions import efforts_along
from .trajectory import Trajectory

TOLERANCE = 1e-6
#: The speed, in m/s or rad/s, that makes a power of the forces of constraints at rest.
_SLOW = 1e-3
_LEAST = 1e-12  # W, J
#: The order of the error of the work in the distance of samples.
_ORDER = 4.0


@dataclass(frozen=True)
class Part:
    """Power balance of a part: the largest residual, relative to the scale, when it was, and the largest port then."""

    name: str
    residual: float
    time: float
    inflow: float
    stored: float
    port: str

    def __str__(self) -> str:
        unit, scale = ("J", "energy") if self.name == "the run" else ("W", "power")
        port = f"; its largest port is {self.port}" if self.port else ""
        return (
            f"at t = {self.time:.6g} s {self.name} takes in {self.inflow:.6g} {unit} and stores {self.stored:.6g} "
            f"{unit}, {self.residual:.1e} of the {scale} scale apart{port}"
        )


@dataclass(frozen=True, eq=False)
class PowerAudit(Shown):
    """Power balances of a run: its parts, the worst first, and the power of every port from outside over time.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    >>> audit = s.derive().simulate(1, start={"hinge": 1}).power_audit()
    >>> audit.residual < 1e-6, audit.check(), audit.notices(1e-3)
    (True, None, ())
    """

    parts: tuple[Part, ...]
    ports: Mapping[str, Floats]
    quadrature: float  # relative error of the integral over the samples, estimated
    rate: float = 0.0  # samples a second

    @property
    def residual(self) -> float:
        """The largest residual, relative to the scale of powers."""
        return self.parts[0].residual if self.parts else 0.0

    def __getitem__(self, name: str) -> Part:
        """A part by its name: "body 'arm'", "joint 'hinge'", "constraint 'loop'", "the whole mechanism", "the run"."""
        return next(part for part in self.parts if part.name == name)

    def notices(self, tolerance: float = TOLERANCE) -> tuple[str, ...]:
        """A sentence where samples are too few to judge the run to a tolerance, with a rate that would do."""
        if not 0 < tolerance < self.quadrature or self["the run"].residual > tolerance or not self.rate:
            return ()
        return (
            f"there are too few samples to decide whether the run keeps its energy to {tolerance:g}: the work between "
            f"them is known to {self.quadrature:.1e} of the energy scale. Try rate={self._enough(tolerance):.4g}.",
        )

    def _enough(self, tolerance: float) -> float:
        """Samples a second at which the error of the work between them is within a tolerance."""
        return float(self.rate * 2.0 ** np.ceil(np.log2(self.quadrature / tolerance) / _ORDER))

    def check(self, tolerance: float = TOLERANCE, trajectory: Trajectory | None = None) -> None:
        """Raise if the residual is above a `tolerance`, with the `trajectory` in the error."""
        if not self.residual <= tolerance:
            worst, more = self.parts[0], ""
            if self.quadrature > tolerance > 0:
                more = f", and more samples, rate={self._enough(tolerance):.4g}"
            cure = "Look at this part: its masses, its ports, whether its constraints are kept."
            if worst.name == "the run":
                cure = f"Use smaller tolerances or steps{more}."
            message = f"the power audit fails: {worst}, more than {tolerance:g}."
            raise SimulationError(message, trajectory=trajectory, cure=cure, code="E-RUN-AUDIT")

    def _cell(self) -> Cell:
        rows = [
            (part.name, f"{part.residual:.1e}", *(f"{x:.6g}" for x in (part.time, part.inflow, part.stored)), part.port)
            for part in self.parts
        ]
        head = ["part", "gap", "at t, s", "takes in", "stores", "largest port"]
        return Cell(self._title, [Table(head, rows, numbers_from=1), *self.notices()])

    @property
    def _title(self) -> str:
        return f"power audit: largest gap {self.residual:.1e} of the scale"

    def __str__(self) -> str:
        lines = [f"  {part.residual:8.1e}  {part.name}" for part in self.parts]
        return "\n".join([self._title, *lines, *self.notices()])


@dataclass(frozen=True, eq=False)
class _Powers:
    """Powers of a part over time: a column for each port, and the rate of its energy."""

    name: str
    ports: tuple[str, ...]
    powers: Floats
    rate: Floats

    @property
    def inflow(self) -> Floats:
        return np.asarray(self.powers.sum(axis=1))

    def balance(self, time: Floats, scale: float) -> Part:
        """The balance at the sample with the largest residual."""
        k = _largest(self.inflow - self.rate)
        gap = abs(float(self.inflow[k] - self.rate[k])) / scale
        port = self.ports[int(np.argmax(np.abs(self.powers[k])))] if self.ports else ""
        return Part(self.name, gap, float(time[k]), float(self.inflow[k]), float(self.rate[k]), port)


def audited(trajectory: Trajectory, tau: ArrayLike | None = None) -> PowerAudit:
    """The audit of a trajectory, at its samples."""
    if trajectory.info.get("contacts") is not None:
        from ..contact.audit import with_contacts

        return with_contacts(trajectory, tau)
    if trajectory.mechanism.derivation.synopsis.contacts:
        from ..contact.results import check_history

        check_history(trajectory)
    powers, multipliers = _powers_along(trajectory, tau)
    least = max(_LEAST, _SLOW * float(np.abs(multipliers).max(initial=0.0)))
    scale = max(least, *(float(np.abs(balance.powers).sum(axis=1).max(initial=0.0)) for balance in powers))
    total = powers[-1]
    parts = [balance.balance(trajectory.t, scale) for balance in powers]
    quadrature = 0.0
    if not _inputs_move_energy(trajectory):
        run, quadrature = _run(trajectory, total, least)
        parts.append(run)
    parts.sort(key=lambda part: -part.residual if np.isfinite(part.residual) else -np.inf)
    span = float(np.ptp(trajectory.t)) if len(trajectory.t) else 0.0
    rate = (len(trajectory.t) - 1) / span if span else 0.0
    return PowerAudit(tuple(parts), dict(zip(total.ports, total.powers.T, strict=True)), quadrature, rate)


def _powers_along(trajectory: Trajectory, tau: ArrayLike | None = None) -> tuple[list[_Powers], Floats]:
    """Powers of all parts at the samples, those of the whole mechanism last, and the multipliers."""
    functions, efforts = trajectory.mechanism, efforts_along(trajectory, tau)
    state = trajectory.q, trajectory.u
    udot, multipliers = motion(functions, *state, efforts, **trajectory.given)
    powers = functions.evaluate("power", *state, udot, efforts, multipliers=multipliers, **trajectory.given)
    table = np.broadcast_to(powers, (len(trajectory.t), powers.shape[-1]))
    balances, first = [], 0
    for name, balance in power(functions.equations, solved=False).parts():  # of each its ports, then its rate
        last = first + len(balance.ports)
        balances.append(_Powers(name, tuple(balance.ports), table[:, first:last], table[:, last]))
        first = last + 1
    return balances, multipliers


def _inputs_move_energy(trajectory: Trajectory) -> bool:
    """Whether the energy depends on inputs that change: their rates, and so their power, are not known."""
    if trajectory.inputs is None or not np.ptp(trajectory.inputs, axis=0).any():
        return False
    return any(array.name == "inputs" for array in trajectory.mechanism.program("energy").arrays)


def _run(trajectory: Trajectory, total: _Powers, least: float) -> tuple[Part, float]:
    """Balance of energy and work, and the relative error of the work by quadrature over the samples."""
    energy = trajectory.energy
    change = energy.total - energy.total[0]
    if trajectory.acted is not None and trajectory.acted.jumps:
        tau, inputs = (None if part is None else part[::2] for part in (trajectory.tau, trajectory.inputs))
        thinned = trajectory.with_states(trajectory.t[::2], trajectory.x[::2], tau, inputs)
        work, coarse = _work(trajectory), _work(thinned)
    else:
        work, coarse = _integral(trajectory.t, total.inflow), _integral(trajectory.t[::2], total.inflow[::2])
    scale = float(np.max(energy.kinetic) + np.ptp(energy.potential) + np.abs(work).max())
    scale = max(scale, least * float(np.ptp(trajectory.t)), _LEAST)
    error = np.zeros_like(work)
    error[::2] = np.abs(work - np.interp(trajectory.t, trajectory.t[::2], coarse))[::2]
    error[1:-1:2] = error[2::2]  # between two of the coarse samples as at the next
    error = np.maximum.accumulate(error)
    gap = np.maximum(np.abs(change - work) - error, 0.0)
    k = _largest(gap)
    part = Part("the run", float(gap[k]) / scale, float(trajectory.t[k]), float(work[k]), float(change[k]), "")
    return part, float(error.max()) / scale


def _work(trajectory: Trajectory) -> Floats:
    """∫ Σ P dt up to every sample where P jumps at the breaks: by Simpson's rule from one node to the next."""
    nodes = nodes_of(trajectory, trajectory.mechanism)
    acted = trajectory.acted
    if acted is None or len(nodes.t) < 2:
        return np.zeros_like(trajectory.t)

    def inflow(t: Floats, x: Floats, acting: tuple[Floats, Floats]) -> Floats:
        return _powers_along(trajectory.with_states(t, x, *acting))[0][-1].inflow

    after = inflow(nodes.t, nodes.x, acted.along(nodes.t, nodes.x))
    before = after.copy()
    at, recorded = np.isin(nodes.t, acted.times[1:]), np.isin(acted.times[1:], nodes.t)
    tau, inputs = acted.before_breaks()
    before[at] = inflow(acted.before[1:][recorded], acted.states[1:][recorded], (tau[recorded], inputs[recorded]))
    middle = 0.5 * (nodes.t[1:] + nodes.t[:-1])
    x_middle = trajectory.at(middle).x
    between = inflow(middle, x_middle, acted.along(middle, x_middle))
    pieces = np.diff(nodes.t) / 6.0 * (after[:-1] + 4.0 * between + before[1:])
    work = np.concatenate([[0.0], np.cumsum(pieces)])
    return np.asarray(work[np.searchsorted(nodes.t, trajectory.t - acted.slack)])


def _integral(time: Floats, power: Floats) -> Floats:
    """∫ P dt from the first sample on, through cubics."""
    if len(time) < 2 or not np.isfinite(power).all():
        return np.where(np.isfinite(power), 0.0, np.nan)
    from scipy.interpolate import CubicSpline

    integral = CubicSpline(time, power).antiderivative()
    return np.asarray(integral(time) - integral(time[0]))


def _largest(gap: Floats) -> int:
    """Index of the largest gap, or of the first that is not finite."""
    return int(np.argmax(np.where(np.isfinite(gap), np.abs(gap), np.inf)))
