"""Iterative linear-quadratic regulation: motions of least cost, within limits, and laws that keep to them."""

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.control import Law, iLQR
from polhode.control.ilqr import box_step
from polhode.model.samples.underactuated import cart_pole


def block() -> tuple[ph.Equations, Any, Any, Any]:
    s = ph.System("block", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    force = s.input("F")
    s.joint_force(slide, force)
    return s.derive(), slide.q[0], slide.u[0], force


def test_a_linear_problem_is_solved_as_it_is_by_a_riccati_recursion_and_limits_make_a_motion_bang_bang() -> None:
    e, x, v, force = block()
    h = 0.1
    made = iLQR(e, 2 * x**2 + v**2 + force**2, 10 * x**2, duration=2, sample_time=h, start={"x": 1})
    A, B = np.array([[1, h], [0, 1]]), np.array([[h * h / 2], [h]])
    Q, R, P = np.diag([4 * h, 2 * h]), np.array([[2 * h]]), np.diag([20.0, 0.0])
    gains = []
    for _ in range(20):
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
        gains.append(K)
    np.testing.assert_allclose(made.K, gains[::-1], rtol=1e-4)
    assert made.cost == pytest.approx(P[0, 0] / 2, rel=1e-6) and made.converged
    e, x, v, force = block()
    final = 500 * (x - 1) ** 2 + 500 * v**2
    made = iLQR(e, force**2 / 1000, final, duration=2, sample_time=0.05, limits={"F": 1})
    assert np.abs(made.c).max() <= 1 and made.x[-1] == pytest.approx([1, 0], abs=0.02)
    np.testing.assert_allclose(made.c[:15, 0], 1, atol=1e-6)  # a metre in two seconds takes all of one newton
    np.testing.assert_allclose(made.c[-15:, 0], -1, atol=1e-6)


def test_costs_only_fall_and_the_law_keeps_to_the_motion() -> None:
    e = cart_pole().derive()
    x, theta = e.q
    v, w = e.u
    force = e.system.inputs["F"].symbol
    made = iLQR(
        e, force**2 / 100, 100 * theta**2 + 10 * w**2 + 20 * x**2 + 10 * v**2, duration=1.6, sample_time=0.04,
        start={"theta": float(np.pi)}, guess=3 * np.sin(np.arange(40) * 0.15), tolerance=1e-5,
    )  # fmt: skip
    assert np.all(np.diff(made.costs) < 0)
    assert abs(made.x[-1, 1]) < 0.1  # swung up
    law = Law(made.law.controls)
    run = e.simulate(1.6, controller=law, start={"theta": float(np.pi) - 0.05})
    assert abs(run.q[-1, 1] - made.x[-1, 1]) < 0.2
    open_loop = e.simulate(
        1.6, start={"theta": float(np.pi) - 0.05}, inputs={"F": ph.sampled(made.t[:-1], made.c[:, 0])}
    )
    assert abs(open_loop.q[-1, 1] - made.x[-1, 1]) > abs(run.q[-1, 1] - made.x[-1, 1])


def test_what_is_not_known_to_be_least_is_told() -> None:
    e, x, _, force = block()
    with pytest.warns(UserWarning, match="is not known to be least"):
        iLQR(
            e,
            force**2 + ph.cos(8 * x) * 50 + v_squared(e),
            x**2,
            duration=2,
            sample_time=0.1,
            iterations=1,
            start={"x": 1},
        )


def v_squared(e: ph.Equations) -> Any:
    return e.u[0] ** 2


@pytest.mark.parametrize(("wrong", "sentence"), [
    ({"duration": 0.05}, "not two or more whole sample times"), ({"duration": "long"}, "not a duration"),
    ({"sample_time": -1}, "-1 is not a time > 0"), ({"cost": ph.symbol("y")}, "depends on y"),
    ({"cost": [1]}, "not a number or an expression"), ({"limits": {"G": 1}}, "no control 'G'"),
    ({"limits": {"F": (2, 1)}}, "are no limits"), ({"guess": {"G": 1}}, "not inputs to begin with"),
    ({"guess": [1, 2]}, "not inputs to begin with"), ({"start": {"y": 1}}, "no coordinate, speed or state 'y'"),
    ({"iterations": 0}, "number of iterations: 0 is not a whole number, 1 or more"),
    ({"tolerance": 0}, "not a tolerance"), ({"guess": {"F": 1e300}}, "grows beyond all numbers"),
    ({"parameters": {"k": 1}}, "no parameter 'k'"),
])  # fmt: skip
def test_wrong_calls_get_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    e, x, _, force = block()
    given: dict[str, Any] = {"cost": force**2 + x**4, "duration": 1, "sample_time": 0.1, **wrong}
    with pytest.raises(ph.PolhodeError, match=sentence):
        iLQR(e, **given)


def test_a_box_step_is_the_least_of_its_quadratic() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        A = rng.normal(size=(4, 4))
        H, g = A @ A.T + 0.1 * np.eye(4), 3 * rng.normal(size=4)
        found = box_step(H, g, -np.ones(4), np.ones(4))
        assert found is not None
        x, free, inverse = found
        slope = H @ x + g
        assert np.abs(slope[free]).max(initial=0) < 1e-9
        assert np.all(slope[x >= 1] <= 1e-9) and np.all(slope[x <= -1] >= -1e-9)
        np.testing.assert_allclose(inverse @ H[np.ix_(free, free)], np.eye(free.sum()), atol=1e-9)
    assert box_step(-np.eye(1), np.ones(1), -np.ones(1), np.ones(1)) is None


def test_a_cost_that_inputs_lower_without_end_is_not_said_to_be_least():
    e = cart_pole().derive()
    force = e.system.inputs["F"].symbol
    with pytest.warns(UserWarning, match="not known to be least"):
        made = iLQR(e, cost=-(force**2), final=e.q[1] ** 2, duration=0.2, sample_time=0.04)
    assert not made.converged
