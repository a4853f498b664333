"""The power audit of a run with contacts: at every sample, over every impact, and from the start to the end.

At a sample the rate of energy, with the accelerations that contacts leave, equals the power of all ports and friction,
λ·v. Over an impact the energy changes by ½ Λ·(v⁺ + v⁻), and by what drives do. In between the powers are
integrated over the samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...compiled.reactions import motion
from ...dynamics.power import power
from ..initial_state import Floats
from ..trajectory.power_audit import Part, PowerAudit
from ..trajectory.reactions import efforts_along
from .results import ContactHistory, Forces

if TYPE_CHECKING:
    from ..trajectory.trajectory import Trajectory

_LEAST = 1e-12  # W, J


def with_contacts(run: Trajectory, tau: ArrayLike | None) -> PowerAudit:
    """The audit of the whole mechanism, of each impact, and of the run."""
    history: ContactHistory = run.info["contacts"]
    forces, known, efforts = run._contact_forces, run.mechanism, efforts_along(run, tau)
    rows = known.evaluate("contact_matrix", run.q, **run.given)

    def powers(force: Floats) -> Floats:
        """Power of each port from outside, and the rate of energy, with these forces in the rows."""
        udot, multipliers = motion(known, run.q, run.u, efforts + (force[:, None] @ rows)[:, 0], **run.given)
        given = {**run.given, "multipliers": multipliers}
        table = known.evaluate("touching_power", run.q, run.u, udot, efforts, force, **given)
        return np.broadcast_to(table, (len(run.t), table.shape[-1]))

    names, made = power(known.equations, solved=False, touching=True).ports, powers(forces.forces)
    ports = {**dict(zip(names, made[:, :-1].T, strict=True)), **_friction(history, forces)}
    inflow, rate = np.sum(list(ports.values()), axis=0), made[:, -1]
    span = float(np.ptp(run.t))
    sizes = [np.abs(list(ports.values())).sum(axis=0).max(initial=0.0), np.abs(rate).max()]
    scale = max(_LEAST, *map(float, sizes), _scale(run) / span if span else 0.0)
    k = int(np.argmax(np.abs(inflow - rate)))
    port = max(ports, key=lambda name: abs(ports[name][k]))
    parts = [Part("the whole mechanism", abs(inflow[k] - rate[k]) / scale, float(run.t[k]), inflow[k], rate[k], port)]
    whole, quadrature = _pieces(run, history, inflow)
    parts += [_impacts(run, history, forces, powers), whole]
    parts.sort(key=lambda part: -part.residual)
    return PowerAudit(tuple(parts), ports, quadrature, (len(run.t) - 1) / span if span else 0.0)


def _friction(history: ContactHistory, forces: Forces) -> dict[str, Floats]:
    """The power of the forces of each element."""
    made: dict[str, Floats] = {}
    for k, (name, *_) in enumerate(history.groups):
        rows = forces.rows_of(k)
        power = np.einsum("ti,ti->t", forces.forces[:, rows], forces.velocities[:, rows])
        made[f"contact '{name}'"] = made.get(f"contact '{name}'", 0.0) + power
    return made


def _scale(run: Trajectory) -> float:
    energy = run.energy
    return max(_LEAST, float(np.max(energy.kinetic) + np.ptp(energy.potential)))


def _impacts(run: Trajectory, history: ContactHistory, forces: Forces, powers: Callable[[Floats], Floats]) -> Part:
    """The balance of the impact with the largest gap; drives and constraints in time give impulses too."""
    energy, worst = run.energy.total, (0.0, 0.0, 0.0, 0.0)
    impulses = np.zeros_like(forces.velocities)
    for each in history.changes:
        after = int(np.searchsorted(run.t, each.t, side="left"))
        times = run.t[max(0, after - 1) : after + 1]
        if each.impulses is not None and len(times) == 2 and np.abs(times - each.t).max() <= 1e-12 * max(1.0, each.t):
            impulses[after] = each.impulses
    driven = (powers(impulses) - powers(np.zeros_like(impulses)))[:, :-1].sum(axis=1)
    for k in np.flatnonzero(impulses.any(axis=1)):
        work = 0.5 * float(impulses[k] @ (forces.velocities[k] + forces.velocities[k - 1])) + float(driven[k])
        change = float(energy[k] - energy[k - 1])
        if abs(work - change) > worst[0]:
            worst = abs(work - change), float(run.t[k]), work, change
    return Part("the impacts", worst[0] / _scale(run), worst[1], worst[2], worst[3], "")


def _pieces(run: Trajectory, history: ContactHistory, inflow: Floats) -> tuple[Part, float]:
    """The balance of energy and work of smooth pieces by quadrature; and what is not known, relative to the scale.

    Pieces are from one change of contacts, or jump of efforts and inputs, to the next.
    """
    from scipy.interpolate import CubicSpline

    energy, scale = run.energy.total, _scale(run)
    acted = run.acted
    jumps = [] if acted is None else (acted.times[1:] - acted.slack).tolist()
    times = [*(each.t for each in history.changes if each.t > run.t[0]), *jumps]
    cuts = np.unique(np.searchsorted(run.t, times, side="left")).tolist()
    worst, errors = (0.0, 0.0, 0.0, 0.0), np.abs(np.diff(energy))
    errors[np.diff(run.t) <= 1e-12 * np.maximum(1.0, run.t[1:])] = 0.0  # impacts
    for first, last in zip([0, *cuts], [*cuts, len(run.t)], strict=True):
        t, power = run.t[first:last], inflow[first:last]
        if len(t) < 8:
            continue
        fine, coarse = (CubicSpline(t[::n], power[::n]).antiderivative() for n in (1, 2))
        end = float(t[::2][-1])
        work, error = float(fine(t[-1]) - fine(t[0])), abs(float(fine(end) - fine(t[0]) - coarse(end) + coarse(t[0])))
        change = float(energy[last - 1] - energy[first])
        gap, errors[first : last - 1] = max(0.0, abs(change - work) - error), 0.0
        errors[first] = error
        if gap > worst[0]:
            worst = gap, float(t[-1]), work, change
    return Part("the run", worst[0] / scale, worst[1], worst[2], worst[3], ""), float(errors.sum()) / scale
