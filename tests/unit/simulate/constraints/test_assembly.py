"""Consistent states from approximate ones, and what is said about them."""

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import four_bar
from polhode.simulate import Trajectory


@pytest.fixture(scope="module")
def crank() -> ph.Equations:
    return four_bar().derive()


def test_given_and_held_coordinates_and_speeds_stay_and_the_others_follow(crank: ph.Equations) -> None:
    made = crank.assemble({"crank": 0.3})
    assert made.q[0] == 0.3 and set(made.moved) == {"coupler", "rocker"}
    assert np.abs(crank.compile().constraint_values(made.q)).max() < 1e-12
    assert "'coupler' from 0 to 0.721213" in str(made)
    made = crank.assemble({"crank": 0.3, "rocker": 0.1, "coupler": 1.0}, hold=["rocker"])
    assert made.q[2] == 0.1 and np.abs(crank.compile().constraint_values(made.q)).max() < 1e-9
    made = crank.assemble({"crank": 0.3}, {"rocker": 2.0})
    assert made.u[2] == 2.0 and np.abs(crank.compile().constraint_rates(made.q, made.u)).max() < 1e-12
    assert set(made.changed) == {"crank", "coupler"}


def test_systems_without_constraints_and_quaternions_are_assembled_as_they_are() -> None:
    s = ph.System("s")
    s.joint("x", s.ground, s.body("b", 1), ph.Prismatic("x"))
    made = s.derive().assemble({"x": 2.0})
    assert made.q.tolist() == [2.0] and str(made) == "nothing had to move."
    s = ph.System("ball and rod", gravity=(0, 0, -9.81))
    ball = s.body("ball", 1, com=(0.2, 0, 0.4), inertia=(0.2, 0.3, 0.4))
    s.joint("socket", s.ground, ball, ph.Spherical())
    block = s.body("block", 1)
    s.joint("slide", s.ground, block, ph.Prismatic("x"), at=(0, 0, 1))
    s.close("tip", ball, block, "spherical", at_a=(0.5, 0, 1), at_b=(0, 0, 0))
    run = s.derive().simulate(1, speeds={"socket_wz": 2.0})
    assert run.drift.position < 1e-9 and run.drift.velocity < 1e-9 and run.energy_drift < 1e-6
    assert np.abs(np.linalg.norm(run.q[:, :4], axis=1) - 1).max() < 1e-12


@pytest.mark.slow
def test_driven_and_embedded_mechanisms_are_drawn_and_plotted(tmp_path: pytest.TempPathFactory) -> None:
    s = four_bar()
    s.prescribe("crank", 2 * s.time)
    for equations, start in ((s.derive(), {}), (four_bar().derive(independent=["crank"]), {"crank": 0.3})):
        run = equations.simulate(0.5, start=start or None, samples=11)
        assert isinstance(run, Trajectory)
        page = run.animate(tmp_path / "run.html")  # type: ignore[operator]
        assert page.stat().st_size > 1000
        run.plot(tmp_path / "run.png")  # type: ignore[operator]
        assert run.at(0.25).q.shape == (1, len(equations.q)) and run.drift.position < 1e-9
    tip = s.derive().simulate(0.5, samples=11).pose("coupler")[0]
    assert np.abs(tip[:, 0] - np.sin(2 * np.linspace(0, 0.5, 11))).max() < 1e-9


def test_a_loop_does_not_close_the_wrong_way_round() -> None:
    system = ph.System("door")
    system.joint("ball", system.ground, system.body("leaf", 1, inertia=(1, 1, 1)), ph.Spherical("123"))
    system.close("hinge", system.ground, "leaf", "revolute", axis="z")
    with pytest.raises(ph.PolhodeError, match="'hinge' closes only the wrong way round"):
        system.derive().assemble({"ball_a1": 2.9})  # nearer to upside down than to upright
    upright = system.derive().assemble({"ball_a1": 0.4})
    assert upright.q == pytest.approx(0.0, abs=1e-9)


def disc_on(curve: Any, **how: Any) -> ph.System:
    s = ph.System("disc", gravity=(0, 0, "-9.81"))
    disc = s.body("disc", 2, inertia=(1, 1, 1))
    way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("move", s.ground, disc, way, coordinates=["x", "z", "turn"], speeds=["vx", "vz", "w"])
    s.roll_disc("tyre", disc, 0.25, curve, **how)
    return s


def test_a_place_says_where_the_disc_is_on_any_rail_and_in_a_pose() -> None:
    made = disc_on(lambda s: (3 * ph.sin(s), 3 * ph.cos(s))).derive()
    q = made.assemble({"tyre place": 0.7}).q
    assert q == pytest.approx([3.25 * np.sin(0.7), 3.25 * np.cos(0.7), 0, 0.7], abs=1e-11)
    made = disc_on(lambda s: (s, s**2), at=(1, 0, 2), rotation=("y", ph.pi / 2)).derive()
    x, z, _, place = made.assemble({"tyre place": 0.3}).q
    long = np.hypot(1, 0.6)
    assert place == pytest.approx(0.3, abs=1e-11)
    assert [x, z] == pytest.approx([1 + 0.09 + 0.25 / long, 2 - 0.3 + 0.25 * 0.6 / long], abs=1e-11)
    made = disc_on(lambda x: ph.sin(3 * x) / 10).derive()
    q = made.assemble({"x": 500.0}).q
    assert q[0] == 500.0 and abs(q[3] - 500.0) < 0.1
    assert np.hypot(q[0] - q[3], q[1] - np.sin(3 * q[3]) / 10) == pytest.approx(0.25, abs=1e-9)
    s = disc_on(lambda x: x**2 / 4)
    s.pose("up", {"tyre place": 1.5})
    assert s.derive().simulate(0, start="up")["tyre place"][0] == pytest.approx(1.5, abs=1e-11)


def test_small_motions_at_the_bottom_have_the_frequency_of_the_bend() -> None:
    """ω² = g κ_c/(1 + I/m r²), κ_c = κ/(1 - r κ) the bend of the centre's path."""
    s = disc_on(lambda x: 3 * x**2 / 10)
    linear = s.derive(independent=["w"], near={"z": 0.25}).linearize({"z": 0.25})
    bend = 0.6 / (1 - 0.25 * 0.6)
    assert max(linear.eigenvalues().imag) == pytest.approx(np.sqrt(9.81 * bend / (1 + 1 / (2 * 0.25**2))), rel=1e-12)
