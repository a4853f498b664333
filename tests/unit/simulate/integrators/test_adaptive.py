"""What methods with step-size control refuse."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import absolute
from polhode.model.samples import four_bar


def slider() -> ph.System:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    return s


def test_taylor_series_need_rates_that_are_all_in_the_equations() -> None:
    with pytest.raises(PolhodeError, match="a controller in Python acts"):
        slider().derive().simulate(1, tau=lambda t, q, u: -q, method="taylor")


def test_taylor_series_have_no_constraints() -> None:
    with pytest.raises(PolhodeError, match="there are constraints"):
        four_bar().derive().simulate(1, start={"crank": 0.3}, method="taylor")


def test_taylor_series_have_no_jumps_and_no_corners() -> None:
    for force, told in ((ph.sign, "there are forces that jump"), (absolute, "no Taylor series")):
        s = slider()
        s.joint_force("x", -force(s.joints["x"].u[0]))
        with pytest.raises(PolhodeError, match=told):
            s.derive().simulate(1, speeds={"x": 1}, method="taylor")
