"""Splines on SO(3) beside SciPy's, on the same knots: a hundred random ones, up to 120° apart."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.spatial.transform import RotationSpline as ScipySpline

import polhode as ph


@pytest.mark.parametrize("seed", range(6))
def test_it_turns_hardly_faster_than_scipys(seed):
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(100, 3)) * (1, 1, 4 if seed % 2 else 1)  # every second one turns about one way for long
    turns = Rotation.from_rotvec(axes / np.linalg.norm(axes, axis=1, keepdims=True) * rng.uniform(0.1, 2.094, (100, 1)))
    knots = [Rotation.identity()]
    for turn in turns:
        knots.append(knots[-1] * turn)
    R = Rotation.concatenate(knots)
    t = np.concatenate([[0], np.cumsum(rng.uniform(0.3, 2, 100))])
    at = np.linspace(t[0], t[-1], 8000)
    theirs = ScipySpline(t, R)
    fastest = np.linalg.norm(theirs(at, 1), axis=1).max()
    assert np.linalg.norm(ph.RotationSpline(t, R)(at).w, axis=1).max() < 1.5 * fastest
    ends = theirs(t[[0, -1]], 1)
    ours = ph.RotationSpline(t, R, start=ends[0], end=ends[1])(at)
    apart = (Rotation.from_matrix(ours.R).inv() * theirs(at)).magnitude()
    assert apart.max() < 0.5
