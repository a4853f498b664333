"""Poses of SDF as numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.spatial.transform import Rotation

from polhode.formats.robot_file.parts import Placement
from polhode.formats.sdf.reader import _matrix, _placement


def test_roll_pitch_and_yaw_turn_about_fixed_axes() -> None:
    xyz, rpy = (tuple(Fraction(k, 10) for k in each) for each in ((1, 2, 3), (7, -4, 11)))
    pose = _matrix(Placement(xyz, rpy), Fraction(0))
    assert np.abs(pose[:3, :3] - Rotation.from_euler("xyz", [float(k) for k in rpy]).as_matrix()).max() < 1e-15
    assert _placement(pose, 0) == Placement(xyz, rpy)
