"""What methods with step-size control refuse, and which explicit one a run takes that may choose."""

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError, SimulationError
from polhode.expr import absolute
from polhode.model.samples import four_bar
from polhode.simulate import Trajectory


def slider() -> ph.System:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    return s


def test_taylor_series_need_smooth_rates_without_constraints() -> None:
    with pytest.raises(PolhodeError, match="a controller in Python acts"):
        slider().derive().simulate(1, tau=lambda t, q, u: -q, method="taylor")
    with pytest.raises(PolhodeError, match="there are constraints"):
        four_bar().derive().simulate(1, start={"crank": 0.3}, method="taylor")
    for force, told in ((ph.sign, "there are forces that jump"), (absolute, "no Taylor series")):
        s = slider()
        s.joint_force("x", -force(s.joints["x"].u[0]))
        with pytest.raises(PolhodeError, match=told):
            s.derive().simulate(1, speeds={"x": 1}, method="taylor")


def spun(storage: str = "quaternion") -> ph.Equations:
    """A body that falls and turns: too long for series to be the faster."""
    s = ph.System("top")
    s.joint("tip", s.ground, s.body("top", 1, (0, 0, 0.1), (0.02, 0.03, 0.01)), ph.Spherical(storage))
    return s.derive()


@pytest.fixture(scope="module")
def top() -> ph.Equations:
    return spun()


def method_of(equations: ph.Equations, **options: Any) -> str:
    return str(equations.simulate(0.05, rtol=1e-6, atol=1e-6, progress=False, **options).info["method"])


def test_smooth_rates_are_stepped_by_tp86_and_others_by_dop853(top: ph.Equations) -> None:
    assert method_of(top) == "TP86" and method_of(top, tau={"tip_wx": "0.01*sin(t)"}) == "TP86"
    assert method_of(four_bar().derive(), start={"crank": 0.3}) == "TP86"
    assert method_of(top, tau={"tip_wx": ph.sampled([0, 0.02, 1], [0, 0.01, 0], "held")}) == "DOP853"
    assert method_of(top, tau=lambda t, q, u: -0.01 * u) == "DOP853"
    assert method_of(top, tau={"tip_wx": "0.01*abs(sin(t))"}) == "DOP853" and method_of(spun("angles")) == "DOP853"


def test_a_batch_takes_what_its_members_take_alone(top: ph.Equations) -> None:
    speeds = {"tip_wz": np.array([1.0, 2.0])}
    both = top.simulate(0.5, speeds=speeds, samples=3)
    alone = top.simulate(0.5, speeds={"tip_wz": 2.0}, samples=3)
    assert alone.info["method"] == "TP86" and np.array_equal(both.q[1], alone.q)


@pytest.mark.parametrize("method", ["scipy.LSODA", "scipy.BDF"])
def test_a_run_ends_at_a_pole_of_the_forces(method: str) -> None:
    """LSODA takes steps of no length there, as many as it may."""
    s = ph.System("slider")
    body = s.body("body", 1)
    s.joint("x", s.ground, body, ph.Prismatic("x"))
    s.force(body, (1 / (1 - s.time), 0, 0))
    with pytest.raises(SimulationError, match="no step small enough") as caught:
        s.derive().simulate(2, method=method, max_steps=20_000)
    run = caught.value.trajectory
    assert isinstance(run, Trajectory) and run.status == "step_underflow"
    assert run.t[-1] == pytest.approx(1) and run.info["steps"] < 2000
