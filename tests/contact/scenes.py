"""What the classical cases of contact share: bodies without rotation, and the times at which modes change."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.integrate import quad

import polhode as ph
from polhode.model.constraints import DryFriction, Stop

G = 9.81
#: Tolerances at which errors of integration are below those of the closed forms that are compared with.
EXACT = {"rtol": 1e-12, "atol": 1e-12}
OPEN, STICK, SLIP = 0, 1, 2


def translating(s: ph.System, name: str, mass: Any, axes: str, parent: Any = None, **options: Any) -> ph.Body:
    """A body that translates along axes of its parent, by joints such as "block x" with speeds such as "block vx"."""
    carrier = s.ground if parent is None else parent
    for axis in axes:
        is_last = axis == axes[-1]
        body = s.body(name, mass, **options) if is_last else s.body(f"{name} along {axis}", 0)
        s.joint(f"{name} {axis}", carrier, body, ph.Prismatic(axis), speeds=[f"{name} v{axis}"])
        carrier = body
    return carrier


def stop(s: ph.System, name: str, joint: str, **given: Any) -> None:
    """A stop of a joint."""
    s.constraint(name, Stop, joint=joint, **given)


def dry(s: ph.System, name: str, joint: str, **given: Any) -> None:
    """Dry friction in a joint."""
    s.constraint(name, DryFriction, joint=joint, **given)


def modes(run: Any, tolerance: float = 1e-6) -> tuple[np.ndarray, list[list[int]]]:
    """Times at which modes become others, and the modes from then on; changes at nearly one time are the last."""
    times: list[float] = []
    kept: list[list[int]] = []
    for change in run.info["contacts"].changes:
        if times and change.t - times[-1] <= tolerance:
            times[-1], kept[-1] = change.t, change.modes.tolist()
        elif not kept or kept[-1] != change.modes.tolist():
            times.append(change.t)
            kept.append(change.modes.tolist())
    return np.array(times), kept


def impacts(run: Any) -> np.ndarray:
    """The times of all impacts."""
    return np.array([change.t for change in run.info["contacts"].changes if change.impulses is not None])


def time_between(rate: Callable[[float], float], start: float, end: float) -> float:
    """∫ dx/rate(x) from a turning point, where the rate has a zero like a square root, to an end."""
    width = end - start
    value, _ = quad(lambda s: 2 * s * width / rate(start + width * s * s), 0, 1, epsabs=1e-13, epsrel=1e-13)
    return float(value)


def values(run: Any, names: Sequence[str]) -> np.ndarray:
    """The last values of coordinates or speeds."""
    return np.array([(run[n] if n in run.coordinates else run.speed(n))[-1] for n in names])
