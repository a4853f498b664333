"""Mechanisms with constraints: by multipliers as variables, and in independent speeds."""

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import four_bar
from polhode.model.samples.underactuated import car_with_trailers


def test_a_four_bar_costs_the_same_with_multipliers_and_in_independent_speeds() -> None:
    cost = {}
    for form in ("multipliers", "embedded"):
        e = four_bar().derive(constraints=form)
        made = e.collocation(1, start={"crank": 0.5}, end={"crank": 1.2, "crank'": 0}, inputs=["crank"], nodes=21)
        best = made.solve()
        cost[form] = best.cost
        assert np.abs(e.compile().constraint_values(best.q)).max() < 1e-4, "the loop is closed along the motion"
        assert best.deviation.largest < 1e-3
    assert cost["multipliers"] == pytest.approx(cost["embedded"], rel=1e-4)


def test_a_car_that_rolls_is_parked() -> None:
    """From lane to lane without slipping: what speeds cannot do at once, steering does."""
    e = car_with_trailers(0).derive(constraints="embedded")
    at_rest = {"wheel'" if name == "wheel" else name: 0 for name in e.speeds}
    end = {"x": 6, "y": 2, "heading": 0, "wheel": 0, **at_rest}
    made = e.collocation(4, end=end, limits={"wheel": 0.6}, cost={"effort": 1e-6}, nodes=31)
    best = made.solve(guess={"x": [0, 6]})
    slip = -np.sin(best["heading"]) * np.gradient(best["x"], best.t) + np.cos(best["heading"]) * np.gradient(
        best["y"], best.t
    )
    assert np.abs(slip[2:-2]).max() < 0.02 and best["y"][-1] == 2


def test_what_constraints_need_is_fixed_at_the_start_and_quaternions_are_refused_and_angles_are_not() -> None:
    e = four_bar().derive()
    with pytest.raises(ph.PolhodeError, match="'crank' is not fixed at the start, and the constraints"):
        e.collocation(1, start={"crank": None}, end={"crank": 1.2}, inputs=["crank"])
    for joint, is_refused in ((ph.Spherical(), True), (ph.Spherical("321"), False)):
        s = ph.System("ball")
        s.joint("socket", s.ground, s.body("ball", 1, inertia=(1, 2, 3)), joint)
        e = s.derive()
        if is_refused:
            with pytest.raises(ph.PolhodeError, match="the orientation of 'socket' is stored as a quaternion"):
                e.collocation(1, inputs=e.speeds)
        else:
            best = e.collocation(1, end={e.coordinates[0]: 1, e.coordinates[1]: 0.2}, inputs=e.speeds, nodes=9).solve()
            assert best.status == "optimal" and best.deviation.largest < 1e-2
