"""Mechanisms with constraints, by multipliers and in independent speeds; orientations stored as quaternions."""

from collections.abc import Sequence
from math import cos, sin
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.refusals import refused

import polhode as ph
from polhode.model.samples import four_bar
from polhode.model.samples.underactuated import car_with_trailers
from polhode.optimize.problem import Collocation


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


def test_what_constraints_need_is_fixed_at_the_start() -> None:
    with pytest.raises(ph.PolhodeError, match="'crank' is not fixed at the start, and the constraints"):
        four_bar().derive().collocation(1, start={"crank": None}, end={"crank": 1.2}, inputs=["crank"])


def ball(joint: ph.Spherical) -> ph.Equations:
    s = ph.System("ball")
    s.joint("socket", s.ground, s.body("ball", 1, inertia=(1, 2, 3)), joint)
    return s.derive()


def turned(e: ph.Equations, to: Sequence[float], **options: Any) -> Collocation:
    """The body of `ball` brought from rest to rest in one second."""
    end = {**dict(zip(e.coordinates, to, strict=True)), **dict.fromkeys(e.speeds, 0)}
    return e.collocation(1, end=end, inputs=e.speeds, **options)


@pytest.mark.parametrize("dynamics", ["implicit", "explicit"])
def test_a_quaternion_turns_about_a_principal_axis_as_a_mass_moves_with_the_order_of_the_scheme(dynamics: str) -> None:
    """∫ τ² dt = 12 (J φ)² from rest to rest in 1 s; quaternions are of unit length at every point."""
    e, half = ball(ph.Spherical()), 0.5
    meshes = [
        turned(e, (cos(half), 0, 0, sin(half)), nodes=n, dynamics=dynamics).solve(refinements=0) for n in (6, 11, 21)
    ]
    off = np.array([best.cost - 12 * 3**2 for best in meshes])
    assert 0 < off[0] < 1e-2 and np.abs(np.log2(off[:-1] / off[1:]) - 4).max() < 0.1
    for best in meshes:
        assert np.abs(np.linalg.norm(best.q, axis=1) - 1).max() < 1e-10
        assert best.error.largest < 1e-5 and best.deviation.largest < 1e-5


def test_a_turn_costs_the_same_in_quaternions_and_in_angles_and_the_sign_chooses_the_way_round() -> None:
    """2.5 rad about an oblique axis; by its antipode the other way, 2π - 2.5 rad."""
    turn = Rotation.from_rotvec(2.5 * np.array([3, -5, 8]) / np.sqrt(98))
    x, y, z, w = turn.as_quat()
    best = turned(ball(ph.Spherical()), (w, x, y, z), nodes=41).solve()
    angles = turned(ball(ph.Spherical("321")), turn.as_euler("ZYX"), nodes=41).solve()
    assert best.cost == pytest.approx(angles.cost, rel=1e-6) and best.status == angles.status == "optimal"
    with pytest.warns(UserWarning, match="quaternion of joint 'socket' at the end had length 2 and was scaled to 1"):
        other = turned(ball(ph.Spherical()), [-2 * each for each in (w, x, y, z)], nodes=41)
    assert other.solve().cost > 1.5 * best.cost
    for wrong in ((0, 0, 0, 0), (0.9, 0.9, None, None), (2, None, None, None)):
        refused("no quaternion of unit length has these", lambda to=wrong: turned(ball(ph.Spherical()), to))
    half = turned(ball(ph.Spherical()), (0.5, None, None, None), nodes=41).solve()
    assert half.cost == pytest.approx(12 * (2 * np.pi / 3) ** 2, rel=1e-4), "by 120° about the axis of least inertia"


def test_a_free_body_is_thrown_so_that_it_turns_while_it_flies_and_orientations_may_be_free_at_either_end() -> None:
    """A plate without forces for a second: thrown with what brings it half round about its stable axis."""
    s = ph.System("plate", gravity=(0, 0, "-9.81"))
    s.joint("base", s.ground, s.body("plate", 2, inertia=(1, 2, 3)), ph.Free())
    push = s.input("push", 0)
    s.force("plate", (push, 0, 0))
    e = s.derive()
    loose = dict.fromkeys(e.speeds)
    end = {"base_e0": 0, "base_e1": 0, "base_e2": 0, "base_e3": 1, "base_z": 0}
    best = e.collocation(1, start={**loose, "base_wx": 0, "base_wy": 0}, end=end, inputs=["push"], nodes=21).solve()
    assert best["base_wz"] == pytest.approx(np.pi, abs=1e-6) and best["base_vz"][0] == pytest.approx(9.81 / 2, abs=1e-5)
    # A start about which nothing is known but that the plate has turned by a right angle a second before the end.
    start = {f"base_e{k}": None for k in range(4)} | {"base_wz": np.pi / 2, "base_vz": None}
    back = e.collocation(1, start=start, end=end, inputs=["push"], nodes=21).solve(guess={"base_e0": 1, "base_e3": 1})
    assert np.abs(back.q[0, :4]) == pytest.approx([np.sqrt(0.5), 0, 0, np.sqrt(0.5)], abs=1e-6)
    # Of a heading alone the scalar part follows, and the others are zero.
    headed = e.collocation(1, start={"base_e3": (0.2, None), "base_vz": None}, end=end, inputs=["push"], nodes=5)
    assert [str(each) for each in headed.start[:4]] == ["any", "0", "0", "at least 0.2"]
