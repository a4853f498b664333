"""Pinocchio as judge of inverse kinematics: a robot's frame is where it was wanted, by number and in closed form."""

from typing import Any

import numpy as np
import pytest
from tests.robots import ROBOTS

import polhode as ph

pin = pytest.importorskip("pinocchio", reason="Pinocchio is the judge here: pip install polhode[test]")
CASES = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "tool0", ()),
    "panda": ("panda_description/urdf/panda.urdf", "panda_hand_tcp", ("panda_finger_joint1", "panda_finger_joint2")),
}
#: Angles in these files are off by 2e-9, which our reader rounds and Pinocchio does not.
ROUNDED = 1e-8


@pytest.fixture(scope="module", params=CASES)
def robot(request: pytest.FixtureRequest) -> tuple[ph.Equations, Any, str]:
    path, tip, locked = CASES[request.param]
    model = pin.buildModelFromUrdf(str(ROBOTS / path))
    model = pin.buildReducedModel(model, [model.getJointId(name) for name in locked], pin.neutral(model))
    return ph.load(ROBOTS / path, locked=locked).derive(), model, tip


def poses_of(model: Any, tip: str, q: Any) -> tuple[Any, Any]:
    data, frame = model.createData(), model.getFrameId(tip)
    found = []
    for each in q:
        pin.framesForwardKinematics(model, data, each)
        found.append(data.oMf[frame].copy())
    return np.array([X.translation for X in found]), np.array([X.rotation for X in found])


def test_a_thousand_random_poses_are_reached_within_the_limits(robot: tuple[ph.Equations, Any, str]) -> None:
    equations, model, tip = robot
    low, high = np.maximum(model.lowerPositionLimit, -np.pi), np.minimum(model.upperPositionLimit, np.pi)
    rng = np.random.default_rng(11)
    p, R = poses_of(model, tip, rng.uniform(low, high, (1000, model.nq)))
    found = equations.inverse_kinematics(tip, (p, R), near=rng.uniform(low, high, (1000, model.nq)))
    assert found.solved.mean() >= 0.999
    assert (found.q >= model.lowerPositionLimit).all() and (found.q <= model.upperPositionLimit).all()
    there, turned = poses_of(model, tip, found.q[:50])
    assert np.abs(there - p[:50])[found.solved[:50]].max() < ROUNDED
    assert np.abs(turned - R[:50])[found.solved[:50]].max() < ROUNDED


def test_every_branch_of_the_ur5_leads_to_the_pose(robot: tuple[ph.Equations, Any, str]) -> None:
    equations, model, tip = robot
    if model.nq == 7:
        with pytest.raises(ph.PolhodeError, match="infinitely many"):
            equations.closed_form_inverse_kinematics(tip)
        return
    form = equations.closed_form_inverse_kinematics(tip)
    p, R = poses_of(model, tip, np.random.default_rng(3).uniform(-3, 3, (20, 6)))
    found = form.all_at((p, R))
    assert found.shape == (20, 8, 6)
    real = np.isfinite(found).all(axis=-1)
    assert real.sum(axis=1).max() == 8 and (real.sum(axis=1) >= 2).all()
    there, turned = poses_of(model, tip, found[real])
    row = np.nonzero(real)[0]
    assert np.abs(there - p[row]).max() < ROUNDED and np.abs(turned - R[row]).max() < ROUNDED


def test_restarts_are_counted_and_what_cannot_move_reaches_nothing() -> None:
    s = ph.System("hinge")
    s.joint("a", s.ground, s.body("link", 1, com=(1, 0, 0)), ph.Revolute("z"))
    with pytest.raises(ph.PolhodeError, match="is not a whole number, 0 or more"):
        s.derive().inverse_kinematics("link", (np.zeros(3), np.eye(3)), restarts=-1)
    assert s.derive().manipulability("ground", [0.3]).measure == 0.0
