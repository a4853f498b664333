"""Motions by MuJoCo: the same states in another order and other axes."""

import numpy as np
import pytest
from bench.motions import Motion

import polhode as ph

pytest.importorskip("mujoco")

from bench.peers.mujoco import Rollout


def thrown() -> ph.System:
    system = ph.System("thrown")
    body = system.body("body", 1, (0, "0.1", 0), (1, 2, "2.5"))
    system.joint("flight", system.ground, body, ph.Free())
    return system


def test_a_thrown_body_ends_where_ours_does() -> None:
    speeds = {"flight_wx": 1.0, "flight_wy": -0.5, "flight_wz": 2.0, "flight_vx": 0.3}
    motion = Motion("thrown", thrown, 0.5, {}, speeds)
    run = motion.equations.simulate(0.5, speeds=speeds, progress=False)
    ours = np.concatenate([np.asarray(run.q)[-1], np.asarray(run.u)[-1]])
    theirs = Rollout(motion, "RK4", 1e-3)()
    assert np.allclose(ours, theirs, atol=1e-8)
