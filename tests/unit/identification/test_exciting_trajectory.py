"""Motions that show all base parameters, within limits."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import evaluate
from polhode.identification.exciting_trajectory import ExcitingTrajectory


@cache
def arm() -> ph.Equations:
    s = ph.System("arm", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("upper", 1, (0.2, 0, 0)), ph.Revolute("y"), limits=(-1, 2))
    s.joint("b", "upper", s.body("fore", 1, (0.1, 0, 0)), ph.Prismatic("x"), at=(1, 0, 0))
    return s.derive()


@cache
def found() -> ExcitingTrajectory:
    return arm().exciting_trajectory(4.0, harmonics=3, limits={"b": (0, 0.3)}, speeds=1.5, accelerations={"a": 6})


def test_limits_of_the_model_or_others_are_kept_from_rest_to_rest() -> None:
    q, u, udot = found()(np.linspace(0, 4, 4001))
    assert q[:, 0].min() >= -1 and q[:, 0].max() <= 2 and q[:, 1].min() >= 0 and q[:, 1].max() <= 0.3
    assert np.abs(u).max() <= 1.5 and np.abs(udot[:, 0]).max() <= 6
    for still in (u[0], udot[0], u[-1], udot[-1]):
        np.testing.assert_allclose(still, 0, atol=1e-12)
    np.testing.assert_allclose(q[0], q[-1], atol=1e-12)
    s = ph.System("arm")
    fast = s.parameter("fast", 0.4)
    s.joint("a", s.ground, s.body("upper", 1, (0.2, 0, 0)), ph.Revolute("y"), limits=(-1, 2), speed_limits=(-0.5, 3))
    s.joint("b", "upper", s.body("fore", 1, (0.1, 0, 0)), ph.Prismatic("x"), at=(1, 0, 0), speed_limits=fast)
    e, t = s.derive(), np.linspace(0, 8, 2001)
    largest = np.abs(e.exciting_trajectory(8.0, harmonics=2)(t)[1]).max(axis=0)
    assert (largest <= [0.5, 0.4]).all() and (largest > [0.1, 0.08]).all()
    largest = np.abs(e.exciting_trajectory(8.0, harmonics=2, speeds={"a": 0.1}, parameters={"fast": 0.2})(t)[1]).max(
        axis=0
    )
    assert (largest <= [0.1, 0.2]).all()
    assert np.abs(e.exciting_trajectory(8.0, harmonics=2, speeds=0.05)(t)[1]).max() <= 0.05


def test_speeds_are_rates_of_the_series_and_expressions_the_same() -> None:
    t = np.linspace(0, 4, 4001)
    q, u, udot = found()(t)
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[1:-1], u[1:-1], atol=1e-4)
    np.testing.assert_allclose(np.gradient(u, t, axis=0)[1:-1], udot[1:-1], atol=1e-3)
    time = arm().system.time
    np.testing.assert_allclose(evaluate(list(found().expressions(time)), {time: 1.3}), found()([1.3])[0][0], atol=1e-12)


def test_it_is_better_than_random_motions() -> None:
    columns = list(arm().base_parameters().columns)
    f, rng = arm().compile(), np.random.default_rng(1)

    def condition(motion: Any) -> float:
        return float(np.linalg.cond(f.regressor(*motion)[0][..., columns].reshape(-1, len(columns))))

    assert condition(found()(found().t)) == pytest.approx(found().condition, rel=1e-9)
    conditions = []
    for _ in range(20):
        a, b = rng.normal(size=(2, 2, 3))
        q, u, udot = ExcitingTrajectory(("a", "b"), 4.0, np.zeros(2), a, b, 0, 24)(np.linspace(0, 4, 200))
        fits = np.minimum([3, 0.3] / np.ptp(q, axis=0), 1.5 / np.abs(u).max(axis=0))
        fits = np.minimum(fits, [6, np.inf] / np.abs(udot).max(axis=0))[:, None]
        shape = ExcitingTrajectory(("a", "b"), 4.0, np.array([0.5, 0.15]), a * fits, b * fits, 0, 24)
        conditions.append(condition(shape(shape.t)))
    assert found().condition < 0.8 * min(conditions)


@pytest.mark.parametrize(("options", "said"), [
    ({"period": 0}, "is not a time > 0"), ({"harmonics": 1}, "two harmonics or more"),
    ({"limits": {"c": (0, 1)}}, "there is no coordinate 'c'"), ({"limits": {"a": (1, 0)}}, "leave no room"),
    ({"limits": {"a": 3}}, "is not a pair"), ({"speeds": -1}, "not positive"),
    ({"speeds": {"c": 1}}, "there is no coordinate 'c'"),
    ({"accelerations": "high"}, "is not a number, or numbers by coordinate"),
    ({"limits": {"a": (0, 1e-6), "b": (0, 1e-6)}}, "no motion within these limits"),
])  # fmt: skip
def test_what_cannot_be_is_told(options: dict[str, Any], said: str) -> None:
    refused(said, lambda: arm().exciting_trajectory(**({"period": 4.0, "harmonics": 2} | options)))


def test_orientations_are_no_series() -> None:
    s = ph.System("ball")
    s.joint("a", s.ground, s.body("ball", 1), ph.Spherical())
    refused("not the rates of its coordinates", lambda: s.derive().exciting_trajectory(1.0))
