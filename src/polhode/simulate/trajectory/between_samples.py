"""States between the samples of a run: by the integrator's own interpolant, or by cubics through what is known.

Hermite's cubic goes through the states at both ends of an interval with the rates that the equations of motion give
there. Where what drives the run jumps (`breaks`) the state is known too, and the rates before and after the jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...compiled.functions import Functions
from ...compiled.reactions import motion
from ...errors import PolhodeError, understood, warn
from ..initial_state import Floats
from .trajectory import Trajectory

OWN = "the integrator's own interpolant"
HERMITE = "Hermite's cubics through the samples, with rates from the equations of motion"
#: Cubics that are off by more are worth a warning; and the part of an interval over which their slopes are taken.
_EXACT, _PART = 1e-5, 1e-6
AKIMA = "Akima's cubics through the samples: the rates are not known"


@dataclass(frozen=True, eq=False)
class Nodes:
    """Times (k,) and states (k, n) that are known, with their rates (k, n) up to each and from each on."""

    t: Floats
    x: Floats
    before: Floats
    after: Floats


def read_times(t: Any) -> Floats:
    """One time, or several, as an array."""
    with understood("an array of times", t, place="at", cure="Give a time in seconds, or several."):
        if np.iscomplexobj(t):
            raise TypeError
        return np.atleast_1d(np.asarray(t, dtype=np.float64))


def between(trajectory: Trajectory, times: Floats) -> tuple[Floats, str]:
    """States (T, n) at times inside a trajectory, and the name of the interpolation."""
    t = trajectory.t
    if not len(t) or times.ndim != 1 or not np.isfinite(times).all():
        message = "the times are not a list of finite numbers." if len(t) else "the trajectory has no samples."
        raise PolhodeError(message, "trajectory", "Give times in seconds, as [0, 0.1].", "E-TRAJECTORY-NUMBER")
    slack = 1e-12 * max(1.0, abs(float(t[-1])))
    if times.size and (times.min() < t[0] - slack or times.max() > t[-1] + slack):
        message = f"the trajectory runs from {t[0]:g} to {t[-1]:g} s, not from {times.min():g} to {times.max():g} s."
        raise PolhodeError(message, cure="Simulate for longer.", code="E-TRAJECTORY-NUMBER")
    inside = np.clip(times, t[0], t[-1])
    functions = trajectory.functions
    groups = functions.derivation.synopsis.quaternion_groups if functions else []
    if trajectory.interpolant is not None:
        x, how = np.array(trajectory.interpolant(inside), dtype=np.float64), OWN
    elif len(t) == 1:
        x, how = np.repeat(trajectory.x, len(times), axis=0), HERMITE
    elif functions is not None and trajectory.tau is not None:
        nodes = nodes_of(trajectory, functions, groups)
        x, how = hermite(nodes, inside), HERMITE
        off = _error(trajectory, functions, nodes, inside)
        if off > _EXACT:
            how = f"{HERMITE}; off by about {off:.0e}"
            warn(
                f"states between the samples are by {how}: the steps of a run are not kept where it is stored or sent "
                "elsewhere, or was driven by samples. Take more samples, or give these times to the run."
            )  # fmt: skip
    else:
        from scipy.interpolate import Akima1DInterpolator

        x, how = np.asarray(Akima1DInterpolator(t, _on_one_side(trajectory.x.copy(), groups)[0])(inside)), AKIMA
    for first, count in groups:
        x[:, first : first + count] /= np.linalg.norm(x[:, first : first + count], axis=1, keepdims=True)
    return x, how


def _error(trajectory: Trajectory, functions: Functions, nodes: Nodes, times: Floats) -> float:
    """About how far cubics are off at most around some times, relative to the size of the state or one.

    Their error is e(s) = c s² (1 - s)², so that e' is largest at s = (1 - 1/√3)/2, and e is 0.325 h e' in the middle.
    """
    k = np.unique(np.clip(np.searchsorted(nodes.t, times, side="right") - 1, 0, len(nodes.t) - 2))
    h = nodes.t[k + 1] - nodes.t[k]
    t = nodes.t[k] + (0.5 - 0.5 / 3**0.5) * h
    x, later = hermite(nodes, t), hermite(nodes, t + _PART * h)
    if trajectory.acted is None:
        tau, inputs = (
            None if part is None else _linear(trajectory.t, part, t) for part in (trajectory.tau, trajectory.inputs)
        )
    else:
        tau, inputs = trajectory.acted.along(t, x)
    rates = _rates(trajectory.with_states(t, x, tau, inputs), functions)
    off = 0.325 * np.abs(h[:, None] * rates - (later - x) / _PART) / np.maximum(1.0, np.abs(x))
    return float(np.nanmax(off, initial=0.0))


def _linear(t: Floats, values: Floats, times: Floats) -> Floats:
    """Columns of values at times t, joined by lines, at other times."""
    return np.column_stack(
        [np.interp(times, t, column) for column in np.asarray(values).T] or [np.zeros((len(times), 0))]
    )


def nodes_of(trajectory: Trajectory, functions: Functions, groups: Sequence[tuple[int, int]] = ()) -> Nodes:
    """The samples, and the states at the breaks between them, with their rates on both sides."""
    acted = trajectory.acted
    after = _rates(trajectory, functions)
    if acted is None or not acted.jumps:
        x, signs = _on_one_side(trajectory.x.copy(), groups)
        return Nodes(trajectory.t, x, after * signs, after * signs)
    inner = (acted.times > trajectory.t[0] + acted.slack) & (acted.times < trajectory.t[-1] - acted.slack)
    inner[0] = False
    tau, inputs = (part[inner[1:]] for part in acted.before_breaks())
    t_breaks, x_breaks = acted.times[inner], acted.states[inner]
    at_breaks = trajectory.with_states(acted.before[inner], x_breaks, tau, inputs)
    rates_before = _rates(at_breaks, functions)
    tau, inputs = acted.along(t_breaks, x_breaks)
    rates_after = _rates(trajectory.with_states(t_breaks, x_breaks, tau, inputs), functions)
    # a sample at a break is that break
    first = np.searchsorted(t_breaks, trajectory.t - acted.slack)
    alone = np.append(t_breaks, np.inf)[first] > trajectory.t + acted.slack
    t = np.concatenate([trajectory.t[alone], t_breaks])
    order = np.argsort(t, kind="stable")
    x, signs = _on_one_side(np.concatenate([trajectory.x[alone], x_breaks])[order], groups)
    before, later = (np.concatenate([after[alone], rates])[order] * signs for rates in (rates_before, rates_after))
    return Nodes(t[order], x, before, later)


def hermite(nodes: Nodes, times: Floats) -> Floats:
    """The states (T, n) at times (T,) between the nodes."""
    k = np.clip(np.searchsorted(nodes.t, times, side="right") - 1, 0, len(nodes.t) - 2)
    h = (nodes.t[k + 1] - nodes.t[k])[:, None]
    s = (times - nodes.t[k])[:, None] / h
    r = 1.0 - s
    ends = r * r * (1.0 + 2.0 * s) * nodes.x[k] + s * s * (3.0 - 2.0 * s) * nodes.x[k + 1]
    return np.asarray(ends + h * s * r * (r * nodes.after[k] - s * nodes.before[k + 1]))


def _rates(trajectory: Trajectory, functions: Functions) -> Floats:
    """q̇, u̇ and ż at every sample; where the equations give none, differences of the samples."""
    if not len(trajectory.t):
        return np.zeros_like(trajectory.x)
    arguments, equations = trajectory.given, functions.equations
    acting = trajectory.q, trajectory.u, np.asarray(trajectory.tau)
    if trajectory.info.get("contacts") is not None:
        udot = trajectory._contact_forces.accelerations
    elif functions.derivation.synopsis.contacts:  # of a run that is read from columns
        udot = np.full_like(trajectory.u, np.nan)
    elif {*equations.speeds} <= {*equations.tree.speeds}:
        places = [equations.tree.speeds.index(name) for name in equations.speeds]
        udot = np.atleast_2d(motion(functions, *acting, **arguments)[0])[:, places]
    else:  # pseudo-velocities
        udot = np.atleast_2d(functions.forward_dynamics(*acting, **arguments))
    parts = [functions.coordinate_rates(trajectory.q, trajectory.u, **arguments), udot]
    if equations.z:
        beside = {name: value for name, value in arguments.items() if name != "z"}
        parts.append(functions.evaluate("z_rates", trajectory.q, trajectory.u, trajectory.z, **beside))
    rates = np.hstack([np.broadcast_to(part, (len(trajectory.t), part.shape[-1])) for part in parts])
    lost = ~np.isfinite(rates)
    if lost.any() and len(trajectory.t) > 1:
        rates[lost] = np.gradient(trajectory.x, trajectory.t, axis=0)[lost]
    return rates


def _on_one_side(x: Floats, groups: Sequence[tuple[int, int]]) -> tuple[Floats, Floats]:
    """States with continuous signs of quaternions, and the factors ±1."""
    signs = np.ones_like(x)
    for first, count in groups:
        part = slice(first, first + count)
        turns = np.cumprod(np.where(np.einsum("ti,ti->t", x[:-1, part], x[1:, part]) < 0.0, -1.0, 1.0))
        signs[1:, part] = turns[:, None]
    return x * signs, signs
