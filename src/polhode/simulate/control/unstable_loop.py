"""A sampled loop that is unstable: each sample is answered by more than the last, and the motion grows without end.

A state that is held for a sample too long is overshot, and the next control is larger, with the other sign. States
reach no bound for a long time, since what is fast takes ever more steps; the controls tell it after a few samples.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..guard import Stop
from ..initial_state import Floats

#: Speeds that lead, within a sample, so many times further than the mechanism was from its zero, are no motion.
_BEYOND = 1e3
#: Controls that grow by this factor from sample to sample, over as many samples.
_GROWTH, _SAMPLES = 1.1, 8
#: Fewer samples do not tell.
_FEWEST = 3


def growth_of(controls: Floats) -> float:
    """By which factor controls (K, …) have grown from sample to sample; 1 where the last are not the largest.

    >>> growth_of(np.array([[1.0], [-4.0], [16.0]])), growth_of(np.array([[1.0], [9.0], [2.0]]))
    (4.0, 1.0)
    """
    sizes = np.abs(controls).max(axis=1, initial=0.0)
    if len(sizes) < _FEWEST or sizes[-1] < sizes.max():
        return 1.0
    first = sizes[-1 - min(_SAMPLES, len(sizes) - 1)]
    return float((sizes[-1] / first) ** (1.0 / min(_SAMPLES, len(sizes) - 1))) if first > 0.0 else 1.0


def unstable_loop(
    controls: Floats, start: tuple[Floats, Floats], t: float, speeds: Mapping[str, float], sample_time: float
) -> Stop | None:
    """Why a sampled law that gave these controls (K, …), from coordinates and speeds at the start, ends a run here.

    None where it does not: the speeds by their names are those of a motion, or the controls do not grow.

    >>> grown, start = np.array([[1.0], [-50.0], [2500.0]]), (np.array([0.1]), np.zeros(1))
    >>> print(unstable_loop(grown, start, 0.02, {"v": 2e6}, 0.01))
    at t = 0.02 s the sampled loop is unstable: its controls grow by a factor of 50 at each sample, and 'v' is 2e+06.
    >>> unstable_loop(grown, start, 0.02, {"v": 10.0}, 0.01) is None
    True
    """
    if not speeds:
        return None
    q, u = (float(np.abs(each).max(initial=0.0)) for each in start)
    worst = max(speeds, key=lambda name: abs(speeds[name]))
    growth = growth_of(controls)
    if abs(speeds[worst]) <= _BEYOND * max(u, (1.0 + q) / sample_time) or growth < _GROWTH:
        return None
    return Stop(
        "diverged",
        f"at t = {t:.6g} s the sampled loop is unstable: its controls grow by a factor of {growth:.3g} at each "
        f"sample, and '{worst}' is {speeds[worst]:.3g}.",
        f"Sample faster than every {sample_time:g} s, or lower the gains.",
    )
