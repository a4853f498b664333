"""Knots for the tests of splines: random turns of a bounded angle, at unequal times."""

import numpy as np
from scipy.spatial.transform import Rotation


def random_knots(seed: int, count: int, largest: float) -> tuple[np.ndarray, Rotation]:
    """`count` + 1 times and orientations, consecutive ones at most `largest` apart."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(count, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    turns = Rotation.from_rotvec(axes * rng.uniform(0, largest, (count, 1)))
    knots = [Rotation.from_quat(rng.normal(size=4))]
    for turn in turns:
        knots.append(knots[-1] * turn)
    return np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 2.0, count))]), Rotation.concatenate(knots)
