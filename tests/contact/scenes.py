"""What the classical cases of contact share: bodies without rotation, and the times at which modes change."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import quad

import polhode as ph
from polhode.model.constraints import DryFriction, Stop

G = 9.81
#: Tolerances at which errors of integration are below those of the closed forms that are compared with.
EXACT = {"rtol": 1e-12, "atol": 1e-12}
OPEN, STICK, SLIP = 0, 1, 2


def moving(s: ph.System, name: str, mass: Any, along: str, inertia: Any = 0) -> ph.Body:
    """A body by a row of joints such as "block x", with speeds such as "block vx"; "turn" is from x to z.

    `along` is "xz", "xyz" or "xzt": translations along x, y, z, and a turn t.
    """
    carrier = s.ground
    for letter in along:
        is_last = letter == along[-1]
        body = s.body(name, mass, inertia=(inertia,) * 3) if is_last else s.body(f"{name} {letter}", 0)
        kind = ph.Revolute("-y") if letter == "t" else ph.Prismatic(letter)
        s.joint(f"{name} {letter}", carrier, body, kind, speeds=[f"{name} v{letter}"])
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
    changes = run.info["contacts"].changes
    last = [c for c, after in zip(changes, [*changes[1:], None], strict=True) if not after or after.t - c.t > tolerance]
    new = [k for k, c in enumerate(last) if k == 0 or c.modes.tolist() != last[k - 1].modes.tolist()]
    return np.array([last[k].t for k in new]), [last[k].modes.tolist() for k in new]


def impacts(run: Any) -> np.ndarray:
    """The times of all impacts."""
    return np.array([change.t for change in run.info["contacts"].changes if change.impulses is not None])


def time_between(rate: Callable[[float], float], start: float, end: float) -> float:
    """∫ dx/rate(x) from a turning point, where the rate has a zero like a square root, to an end."""
    width = end - start
    value, _ = quad(lambda s: 2 * s * width / rate(start + width * s * s), 0, 1, epsabs=1e-13, epsrel=1e-13)
    return float(value)
