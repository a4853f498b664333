"""Optimal motions of robots as their makers describe them: what is found is a motion of the plant."""

import numpy as np
import pytest
from tests.robots import ROBOTS

import polhode as ph


def test_a_solo_jumps_by_contact_forces_on_its_floating_base() -> None:
    """The ground pushes the feet for 0.22 s; the trunk ends level, 0.2 m higher and without vertical speed."""
    s = ph.load(ROBOTS / "solo_description/robots/solo12.urdf", base="floating")
    stance = (1 - ph.tanh(60 * (s.time - 0.22))) / 2
    pushes = []
    for foot in ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"):
        pushes.append(f"push {foot}")
        s.force(foot, (0, 0, stance * s.input(pushes[-1], 0)))
    e = s.derive()
    legs = e.coordinates[7:]
    bend = {"HAA": 0.0, "HFE": 0.8, "KFE": -1.6}
    pose = {name: bend[name[3:]] * (1 if name[0] == "F" else -1) for name in legs}
    base = dict(
        zip((f"root_joint_{x}" for x in ("e0", "e1", "e2", "e3", "x", "y", "z")), (1, 0, 0, 0, 0, 0, 0.2), strict=True)
    )
    problem = e.collocation(
        0.36, start=pose, end={**base, **pose, "root_joint_vz": 0}, inputs=[*pushes, *legs], nodes=12,
        cost={"effort": 1, sum(v * v for v in e.u[6:]): 1, sum(a * a for a in e.udot[6:]): 1e-3},
        limits={**dict.fromkeys(pushes, (0, 30)), **{f"tau_{name}": 5 for name in legs}},
    )  # fmt: skip
    best = problem.solve(guess=dict.fromkeys(pushes, 8), accuracy=1e-3)
    assert best.status == "optimal" and best.error.largest < 1e-3 < best.meshes[0].error
    assert np.abs(np.linalg.norm(best.q[:, :4], axis=1) - 1).max() < 1e-9
    assert best.replay["root_joint_z"][-1] == pytest.approx(0.2, abs=1e-2)


def test_a_panda_follows_its_motion_of_little_time_after_refinement() -> None:
    """From pose to pose within the limits of its joints, speeds and motors: the replay follows to 1e-3."""
    e = ph.load(ROBOTS / "panda_description/urdf/panda.urdf").derive()
    arm = e.coordinates[:7]
    begin, goal = (0, -0.7, 0, -2.3, 0, 1.6, 0.8), (1.2, 0.3, -0.5, -1.4, 0.6, 2.2, 1.5)
    rest = {f"{name}'": 0 for name in e.coordinates}
    problem = e.collocation(
        (0.2, 3), start=dict(zip(arm, begin, strict=True)), end={**dict(zip(arm, goal, strict=True)), **rest},
        cost={"time": 1, "effort": 1e-4}, inputs=e.speeds, nodes=15,
    )  # fmt: skip
    best = problem.solve()
    assert best.status == "optimal" and best.meshes[0].error > 1e-3
    assert best.deviation.largest < 1e-3 and best.duration == pytest.approx(0.56, abs=0.01)
