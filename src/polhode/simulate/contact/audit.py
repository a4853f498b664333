"""The power audit of a run with contacts: at every sample, over every impact, and from the start to the end.

At a sample the rate of energy, with the accelerations that contacts leave, equals the power of all ports and friction,
λ·v. Over an impact the energy changes by ½ Λ·(v⁺ + v⁻). In between the powers are integrated over the samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...compiled.reactions import motion
from ..initial_state import Floats
from ..trajectory.power_audit import Part, PowerAudit
from ..trajectory.reactions import efforts_along, with_contact_forces
from .results import ContactHistory, Forces

if TYPE_CHECKING:
    from ..trajectory.trajectory import Trajectory

_LEAST = 1e-12  # W, J


def with_contacts(run: Trajectory, whole: Any, tau: ArrayLike | None) -> PowerAudit:
    """The audit of the whole mechanism, of each impact, and of the run."""
    history: ContactHistory = run.info["contacts"]
    forces, known = Forces(run, history), run.mechanism
    efforts = efforts_along(run, tau)
    udot, multipliers = motion(known, run.q, run.u, with_contact_forces(run, efforts)[0], **run.given)
    has_multipliers = any(array.name == "multipliers" for array in known.program("power").arrays)
    given = {**run.given, **({"multipliers": multipliers} if has_multipliers else {})}
    table = known.evaluate("power", run.q, run.u, udot, efforts, **given)
    width = len(whole.ports) + 1
    last = np.broadcast_to(table, (len(run.t), table.shape[-1]))[:, -width:]
    ports = {**dict(zip(whole.ports, last[:, :-1].T, strict=True)), **_friction(history, forces)}
    inflow, rate = np.sum(list(ports.values()), axis=0), last[:, -1]
    scale = max(_LEAST, float(np.abs(list(ports.values())).sum(axis=0).max(initial=0.0)), float(np.abs(rate).max()))
    k = int(np.argmax(np.abs(inflow - rate)))
    names = list(ports)
    port = names[int(np.argmax([abs(each[k]) for each in ports.values()]))]
    parts = [Part("the whole mechanism", abs(inflow[k] - rate[k]) / scale, float(run.t[k]), inflow[k], rate[k], port)]
    parts += [_impacts(run, history, forces), *_pieces(run, history, inflow)]
    parts.sort(key=lambda part: -part.residual)
    span = float(np.ptp(run.t))
    return PowerAudit(tuple(parts), ports, 0.0, (len(run.t) - 1) / span if span else 0.0)


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


def _impacts(run: Trajectory, history: ContactHistory, forces: Forces) -> Part:
    """The balance of the impact with the largest gap."""
    energy, worst = run.energy.total, (0.0, 0.0, 0.0, 0.0)
    for each in history.changes:
        after = int(np.searchsorted(run.t, each.t, side="left"))
        if each.impulses is None or not 0 < after < len(run.t) or run.t[after] != each.t:
            continue
        before = after - 1
        work = 0.5 * float(each.impulses @ (forces.velocities[after] + forces.velocities[before]))
        change = float(energy[after] - energy[before])
        if each.t - run.t[before] <= 1e-12 * max(1.0, each.t) and abs(work - change) > worst[0]:
            worst = abs(work - change), each.t, work, change
    return Part("the impacts", worst[0] / _scale(run), worst[1], worst[2], worst[3], "")


def _pieces(run: Trajectory, history: ContactHistory, inflow: Floats) -> list[Part]:
    """The balance of energy and work from the start on: smooth pieces by quadrature, impacts by their impulses."""
    from scipy.interpolate import CubicSpline

    energy, scale = run.energy.total, _scale(run)
    cuts = [int(np.searchsorted(run.t, each.t, side="left")) for each in history.changes if each.t > run.t[0]]
    worst = (0.0, 0.0, 0.0, 0.0)
    for first, last in zip([0, *cuts], [*cuts, len(run.t)], strict=True):
        t, power = run.t[first:last], inflow[first:last]
        if len(t) < 8:
            continue
        fine, coarse = (CubicSpline(t[::n], power[::n]).antiderivative() for n in (1, 2))
        end = float(t[::2][-1])
        work, error = float(fine(t[-1]) - fine(t[0])), abs(float(fine(end) - fine(t[0]) - coarse(end) + coarse(t[0])))
        change = float(energy[last - 1] - energy[first])
        gap = max(0.0, abs(change - work) - error)
        if gap > worst[0]:
            worst = gap, float(t[-1]), work, change
    return [Part("the run", worst[0] / scale, worst[1], worst[2], worst[3], "")]
