"""Steps and closed forms as functions of their own: evaluated, exported, and the step against NumPy's algebra."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph


def arm() -> ph.Equations:
    return ph.from_dh([(0, 0, 1, 0.5), (0, 0.2, 1, -0.3), (0, 0, 1, 0.7), (0, 0.1, 0.5, 1.0)]).derive()


def test_a_step_is_the_damped_solution_of_least_squares() -> None:
    equations, rng = arm(), np.random.default_rng(0)
    f = equations.compile()
    q, free, wish = rng.uniform(-1, 1, 4), np.array([1.0, 0, 1, 1]), rng.uniform(-0.01, 0.01, 4)
    p, R = f.pose("link4", q)
    turn, move = rng.uniform(-0.05, 0.05, (2, 3))
    target = np.concatenate([p + move, (Rotation.from_rotvec(turn).as_matrix() @ R).ravel()])
    square, change, slope = f.evaluate(ph.PoseStepOf("link4"), q, target, [2.0], free, wish)
    e = np.concatenate([turn, move])
    J = f.jacobian("link4", q)
    JW = J * free
    y = np.linalg.solve(JW @ JW.T + 2.0 * (e @ e) * np.eye(6), e - JW @ wish)
    assert square == pytest.approx(e @ e) and slope == pytest.approx(J.T @ e)
    assert change == pytest.approx(free * (wish + J.T @ y))


def test_both_can_be_exported(tmp_path: Path) -> None:
    s = ph.System("arm")
    s.joint("pan", s.ground, s.body("post"), ph.Revolute("z"))
    s.joint("lift", "post", s.body("upper"), ph.Revolute("y"))
    s.joint("elbow", "upper", s.body("fore", 1), ph.Revolute("y"), at=(1, 0, 0))
    s.frame("tip", "fore", (1, 0, 0))
    asked = [ph.ClosedFormOf("tip", "position"), ph.PoseStepOf("tip", "position")]
    written = s.derive().export("c", tmp_path, of=asked, prefix="")
    assert sum(path.suffix == ".c" and "main" not in path.name for path in written) == 2


def test_what_is_asked_must_be_known() -> None:
    with pytest.raises(ph.PolhodeError, match="there is no kind of target"):
        arm().operations(ph.PoseStepOf("link4", "speed"))
