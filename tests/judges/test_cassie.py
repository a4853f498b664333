"""Cassie from home, where the four-bars of its feet are nearly flat: it falls as a free body."""

import pytest
from tests.robots import ROBOTS

import polhode as ph


@pytest.mark.trial
def test_cassie_falls_from_home_natively() -> None:
    path = ROBOTS / "cassie_description" / "robots" / "cassie_v2.sdf"
    run = ph.load(path).derive().simulate(2, samples=3)
    assert run["root_joint_z"][-1] == pytest.approx(-9.81 * 2**2 / 2, abs=1e-4)
    assert run.info["evaluations"] < 25 * run.info["steps"], "no singular pose is sought at each state"
    assert max(run.drift.position, run.drift.velocity) < 1e-12
