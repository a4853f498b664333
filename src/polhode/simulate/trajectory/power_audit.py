"""The power audit of a run: at every sample, does what flows into each part equal what it stores?

Bodies, joints and constraints are audited one by one, with the accelerations and multipliers that hold at the samples;
then the whole run, energy against the integral of the powers that came from outside:

    E(t) - E(0) = ∫ Σ P dt

The first fails where accelerations are solved for badly or constraints are not kept, the second where the steps are too
long. Samples that are too sparse to integrate over are no fault: the error of that integral is estimated and left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...compiled.reactions import Floats
from ...dynamics.power import power
from ...errors import SimulationError
from ...notebook import Cell, Shown, Table
from .between_samples import nodes_of
from .reactions import efforts_along, given_along, motion_along

if TYPE_CHECKING:
    from ...dynamics.power import Balance
    from .trajectory import Trajectory

TOLERANCE = 1e-6
#: Forces of constraints count as if they moved at least so fast: what rests has no power to compare with.
_SLOW = 1e-3
_LEAST = 1e-12  # W, J
#: By which power of their distance samples make the work between them uncertain.
_ORDER = 4.0


@dataclass(frozen=True)
class Part:
    """One part's books: the largest gap relative to what is in play, when it was, and the largest port then."""

    name: str
    residual: float
    time: float
    inflow: float
    stored: float
    port: str

    def __str__(self) -> str:
        unit = "J" if self.name == "the run" else "W"
        port = f"; its largest port is {self.port}" if self.port else ""
        return (
            f"at t = {self.time:.6g} s {self.name} takes in {self.inflow:.6g} {unit} and stores {self.stored:.6g} "
            f"{unit}, {self.residual:.1e} of the energy scale apart{port}"
        )


@dataclass(frozen=True, eq=False)
class PowerAudit(Shown):
    """The books of a run: its parts, the worst first, and the power of every port from outside over time.

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
        """The largest gap, relative to what is in play."""
        return self.parts[0].residual if self.parts else 0.0

    def __getitem__(self, name: str) -> Part:
        """A part by its name: "body 'arm'", "joint 'hinge'", "constraint 'loop'", "the whole mechanism", "the run"."""
        return next(part for part in self.parts if part.name == name)

    def notices(self, tolerance: float = TOLERANCE) -> tuple[str, ...]:
        """That samples are too few to judge the run to a tolerance, where they are, and how many would do."""
        if not 0 < tolerance < self.quadrature or self["the run"].residual > tolerance or not self.rate:
            return ()
        return (
            f"there are too few samples to decide whether the run keeps its energy to {tolerance:g}: the work between "
            f"them is known to {self.quadrature:.1e} of the energy scale. Try rate={self._enough(tolerance):.4g}.",
        )

    def _enough(self, tolerance: float) -> float:
        """Samples a second at which the work between them would be known well enough."""
        return float(self.rate * 2.0 ** np.ceil(np.log2(self.quadrature / tolerance) / _ORDER))

    def _more_samples(self, tolerance: float) -> str:
        return f", and more samples, rate={self._enough(tolerance):.4g}" if self.quadrature > tolerance > 0 else ""

    def check(self, tolerance: float = TOLERANCE, trajectory: Trajectory | None = None) -> None:
        """Raise if the residual is above a `tolerance`, with the `trajectory` in the error."""
        if not self.residual <= tolerance:
            worst = self.parts[0]
            raise SimulationError(
                f"the power audit fails: {worst}, more than {tolerance:g}.",
                trajectory=trajectory,
                cure=f"Use smaller tolerances or steps{self._more_samples(tolerance)}."
                if worst.name == "the run"
                else "Look at this part: its masses, its ports, whether its constraints are kept.",
                code="E-RUN-AUDIT",
            )

    def _cell(self) -> Cell:
        rows = [
            (
                part.name,
                f"{part.residual:.1e}",
                f"{part.time:.6g}",
                f"{part.inflow:.6g}",
                f"{part.stored:.6g}",
                part.port,
            )
            for part in self.parts
        ]
        head = ["part", "gap", "at t, s", "takes in", "stores", "largest port"]
        title = f"power audit: largest gap {self.residual:.1e} of the energy scale"
        return Cell(title, [Table(head, rows, numbers_from=1), *self.notices()])

    def __str__(self) -> str:
        lines = [f"power audit: largest gap {self.residual:.1e} of the energy scale"]
        lines += [f"  {part.residual:8.1e}  {part.name}" for part in self.parts]
        return "\n".join([*lines, *self.notices()])


@dataclass(frozen=True, eq=False)
class _Book:
    """One part's powers over time: a column for each port, and the rate of what it stores."""

    name: str
    ports: tuple[str, ...]
    powers: Floats
    rate: Floats

    @property
    def inflow(self) -> Floats:
        return np.asarray(self.powers.sum(axis=1))

    @property
    def turnover(self) -> float:
        """The most that ever flowed, whichever way."""
        return float(np.abs(self.powers).sum(axis=1).max(initial=0.0))

    def closed(self, time: Floats, scale: float) -> Part:
        """The sample at which the gap is largest."""
        k = _largest(self.inflow - self.rate)
        gap = abs(float(self.inflow[k] - self.rate[k])) / scale
        port = self.ports[int(np.argmax(np.abs(self.powers[k])))] if self.ports else ""
        return Part(self.name, gap, float(time[k]), float(self.inflow[k]), float(self.rate[k]), port)


def audited(trajectory: Trajectory, tau: ArrayLike | None = None) -> PowerAudit:
    """The audit of a trajectory, at its samples."""
    books, multipliers = _books_along(trajectory, tau)
    least = max(_LEAST, _SLOW * float(np.abs(multipliers).max(initial=0.0)))
    scale = max(least, *(book.turnover for book in books))
    whole = books[-1]
    parts = [book.closed(trajectory.t, scale) for book in books]
    quadrature = 0.0
    if not _inputs_move_energy(trajectory):
        run, quadrature = _run(trajectory, whole, least)
        parts.append(run)
    parts.sort(key=lambda part: -part.residual if np.isfinite(part.residual) else -np.inf)
    span = float(np.ptp(trajectory.t)) if len(trajectory.t) else 0.0
    rate = (len(trajectory.t) - 1) / span if span else 0.0
    return PowerAudit(tuple(parts), dict(zip(whole.ports, whole.powers.T, strict=True)), quadrature, rate)


def _books_along(trajectory: Trajectory, tau: ArrayLike | None = None) -> tuple[list[_Book], Floats]:
    """The books of all parts at the samples, that of the whole mechanism last, and the multipliers."""
    known = trajectory.mechanism
    udot, multipliers = motion_along(trajectory, tau)
    powers = known.evaluate(
        "power", trajectory.q, trajectory.u, udot, efforts_along(trajectory, tau),
        multipliers=multipliers, **given_along(trajectory),
    )  # fmt: skip
    table = np.broadcast_to(powers, (len(trajectory.t), powers.shape[-1]))
    return _books(power(known.equations, solved=False).parts(), table), multipliers


def _books(parts: Iterable[tuple[str, Balance]], powers: Floats) -> list[_Book]:
    """The columns of the function `power`, part by part: its ports, then its rate."""
    made, first = [], 0
    for name, balance in parts:
        last = first + len(balance.ports)
        made.append(_Book(name, tuple(balance.ports), powers[:, first:last], powers[:, last]))
        first = last + 1
    return made


def _inputs_move_energy(trajectory: Trajectory) -> bool:
    """Whether the energy depends on inputs that changed: how fast they did, and so their power, is not known."""
    if trajectory.inputs is None or not np.ptp(trajectory.inputs, axis=0).any():
        return False
    return any(array.name == "inputs" for array in trajectory.mechanism.program("energy").arrays)


def _run(trajectory: Trajectory, whole: _Book, least: float) -> tuple[Part, float]:
    """Energy against work, and the part of it that the samples cannot tell."""
    energy = trajectory.energy
    change = energy.total - energy.total[0]
    if trajectory.acted is not None and trajectory.acted.jumps:
        work, coarse = _work(trajectory), _work(_thinned(trajectory))
    else:
        work, coarse = _integral(trajectory.t, whole.inflow), _integral(trajectory.t[::2], whole.inflow[::2])
    rough = np.interp(trajectory.t, trajectory.t[::2], coarse)
    in_play = float(np.max(energy.kinetic) + np.ptp(energy.potential) + np.abs(work).max())
    scale = max(in_play, least * float(np.ptp(trajectory.t)), _LEAST)
    unsure = np.zeros_like(work)
    unsure[::2] = np.abs(work - rough)[::2]
    unsure[1:-1:2] = unsure[2::2]  # between two of the coarse samples it is no surer than at the next
    unsure = np.maximum.accumulate(unsure)
    gap = np.maximum(np.abs(change - work) - unsure, 0.0)
    k = _largest(gap)
    part = Part("the run", float(gap[k]) / scale, float(trajectory.t[k]), float(work[k]), float(change[k]), "")
    return part, float(unsure.max()) / scale


def _thinned(trajectory: Trajectory) -> Trajectory:
    """Every other sample."""
    tau, inputs = (None if part is None else part[::2] for part in (trajectory.tau, trajectory.inputs))
    return trajectory.with_states(trajectory.t[::2], trajectory.x[::2], tau, inputs)


def _work(trajectory: Trajectory) -> Floats:
    """∫ Σ P dt up to every sample where P jumps at the breaks: by Simpson's rule from one node to the next."""
    nodes = nodes_of(trajectory, trajectory.mechanism)
    acted = trajectory.acted
    if acted is None or len(nodes.t) < 2:
        return np.zeros_like(trajectory.t)

    def inflow(t: Floats, x: Floats, acting: tuple[Floats, Floats]) -> Floats:
        return _books_along(trajectory.with_states(t, x, *acting))[0][-1].inflow

    after = inflow(nodes.t, nodes.x, acted.along(nodes.t, nodes.x))
    before = after.copy()
    at, known = np.isin(nodes.t, acted.times[1:]), np.isin(acted.times[1:], nodes.t)
    tau, inputs = acted.before_breaks()
    before[at] = inflow(acted.before[1:][known], acted.states[1:][known], (tau[known], inputs[known]))
    middle = 0.5 * (nodes.t[1:] + nodes.t[:-1])
    x_middle = trajectory.at(middle).x
    between = inflow(middle, x_middle, acted.along(middle, x_middle))
    pieces = np.diff(nodes.t) / 6.0 * (after[:-1] + 4.0 * between + before[1:])
    whole = np.concatenate([[0.0], np.cumsum(pieces)])
    return np.asarray(whole[np.searchsorted(nodes.t, trajectory.t - acted.slack)])


def _integral(time: Floats, power: Floats) -> Floats:
    """∫ P dt from the first sample on, through cubics."""
    if len(time) < 2 or not np.isfinite(power).all():
        return np.where(np.isfinite(power), 0.0, np.nan)
    from scipy.interpolate import CubicSpline

    whole = CubicSpline(time, power).antiderivative()
    return np.asarray(whole(time) - whole(time[0]))


def _largest(gap: Floats) -> int:
    """Where a gap is largest; one that is no number is the largest of all."""
    return int(np.argmax(np.where(np.isfinite(gap), np.abs(gap), np.inf)))
