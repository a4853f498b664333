"""Splines on SO(3) beside SciPy's `RotationSpline`: a hundred random knots, consecutive turns up to 120°."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.spatial.transform import Rotation
from scipy.spatial.transform import RotationSpline as ScipySpline

from polhode.planning import RotationSpline

from .clock import least_times, seconds_of_one
from .table import Row, Timing

SECTION = "splines"
_KNOTS, _TIMES = 100, 1000


def knots(seed: int) -> tuple[np.ndarray, Rotation]:
    """Times and orientations, a random turn of at most 120° from each to the next."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(_KNOTS - 1, 3))
    angles = rng.uniform(0, 2 * np.pi / 3, (_KNOTS - 1, 1))
    found = [Rotation.identity()]
    for turn in Rotation.from_rotvec(axes / np.linalg.norm(axes, axis=1, keepdims=True) * angles):
        found.append(found[-1] * turn)
    return np.cumsum(rng.uniform(0.5, 1.5, _KNOTS)), Rotation.concatenate(found)


def rows(quick: bool, say: Callable[[str], None]) -> list[Row]:
    """The section's table."""
    say("building and evaluating")
    t, R = knots(0)
    ours, theirs = RotationSpline(t, R), ScipySpline(t, R)
    at = np.linspace(t[0], t[-1], _TIMES)
    fastest = [float(np.linalg.norm(w, axis=1).max()) for w in (ours(at).w, theirs(at, 1))]
    cases: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "building": (partial(RotationSpline, t, R), partial(ScipySpline, t, R)),
        f"R at {_TIMES} times": (lambda: ours(at).R, lambda: theirs(at).as_matrix()),
        f"ω at {_TIMES} times": (lambda: ours(at).w, lambda: theirs(at, 1)),
        f"ω̇ at {_TIMES} times": (lambda: ours(at).wdot, lambda: theirs(at, 2)),
        "R at one time": (lambda: ours(at[9]).R, lambda: theirs(at[9]).as_matrix()),
    }
    made: list[Row] = []
    for name, (mine, other) in cases.items():
        passes = {"ours": partial(seconds_of_one, mine), "theirs": partial(seconds_of_one, other)}
        least = least_times(passes, 20 if quick else 200)
        goal, note = (0.5, f"largest |ω| {fastest[0] / fastest[1]:.2f} of SciPy's") if name == "building" else (1.0, "")
        made.append(Timing(SECTION, f"{_KNOTS} knots", name, least["ours"], "SciPy", least["theirs"], goal, note=note))
    return made
