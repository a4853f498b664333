"""Kinks of abs, min and max, and corners of tables, are located and counted, in batches as alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import SimulationError


@pytest.fixture(scope="module")
def slider() -> ph.Equations:
    """A mass on a one-sided spring, with a bounded force and quadratic drag."""
    s = ph.System("slider")
    k = s.parameter("k", 50)
    j = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"), speeds=["v"])
    x, v = j.q[0], j.u[0]
    s.joint_force(j, -k * ph.maximum(x, 0) - ph.minimum(20 * x, 3) - abs(v) * v / 10)
    return s.derive()


@pytest.mark.parametrize("method", ["DOP853", "Radau"])
def test_kinks_are_counted_and_a_member_has_the_bits_that_it_has_alone(slider: ph.Equations, method: str) -> None:
    starts = np.linspace(0.1, 1, 20)
    batch = slider.simulate(3, start={"x": starts}, samples=31, method=method)
    alone = slider.simulate(3, start={"x": starts[7]}, samples=31, method=method)
    assert alone.info["kinks"] > 3
    np.testing.assert_array_equal(alone.x, batch[7].x)
    exact = slider.simulate(3, start={"x": starts[7]}, samples=31, method=method, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(alone.x, exact.x, atol=1e-7)


KNOTS, STIFFNESSES = [-0.9, -0.5, -0.1, 0.3, 0.7], [80.0, 20.0, 45.0, 10.0, 60.0, 25.0]


def block(force: Callable[[Any, Any], Any]) -> ph.Equations:
    """A mass of 1 kg on a line, under force(x, v)."""
    s = ph.System("block", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force(slide, force(slide.q[0], slide.u[0]))
    return s.derive()


def spring(kind: str = "linear") -> ph.Function:
    """A spring with five corners."""
    x = [-2.0, *KNOTS, 2.0]
    force = -np.cumsum([-100.0, *np.diff(x) * STIFFNESSES])
    return ph.table(x, force, kind=kind, outside="line", name="spring")


@pytest.mark.parametrize("method", ["TP86", "DOP853", "RK45", "Radau", "Rodas5P"])
def test_every_corner_of_a_table_ends_a_step_and_energy_is_kept(method: str) -> None:
    equations, potential = block(lambda x, v: spring()(x)), spring().integral()
    crossings = [equations.q[0] - knot for knot in KNOTS]
    run = equations.simulate(4, start={"x": 1.2}, method=method, events=crossings, samples=9)
    assert run.info["kinks"] == sum(map(len, run.events)) > 20
    energy = 0.5 * run.u[:, 0] ** 2 - potential(run.q[:, 0])
    assert np.ptp(energy) < {"Radau": 1e-5}.get(method, 1e-6)
    between = run.at(np.linspace(0.05, 3.95, 41))
    assert np.ptp(0.5 * between.speed("v") ** 2 - potential(between["x"])) < {"Radau": 1e-5}.get(method, 1e-6)


def test_steps_over_corners_cost_what_they_cost_without() -> None:
    """Each corner ends one step; before they were located TP86 took 336 steps here, and was off by 1e-5."""
    run = block(lambda x, v: spring()(x)).simulate(4, start={"x": 1.2}, method="TP86", samples=2)
    assert run.info["steps"] < 3 * run.info["kinks"]


def test_corners_that_no_step_notices_are_stepped_over() -> None:
    x = np.linspace(-2, 2, 20_001)
    run = block(lambda q, v: ph.table(x, -40 * np.sin(x))(q)).simulate(5, start={"x": 1.5}, rtol=1e-7, atol=1e-7)
    exact = block(lambda q, v: -40 * ph.sin(q)).simulate(5, start={"x": 1.5}, rtol=1e-10, atol=1e-10)
    assert run.info["steps"] < 2_000 and np.abs(run.x - exact.x).max() < 1e-4


def test_corners_of_two_variables_and_of_a_cubic_that_is_held_outside() -> None:
    z = [[9, 8, 7, 6], [3, 2.5, 2, 1], [-1, -1.5, -2, -2.2], [-8, -8.5, -9, -11]]
    plane = ph.table(([-1, -0.3, 0.2, 1], [-8, -1, 1.5, 8]), z)
    held = ph.table([-1, -0.5, 0.5, 1], [3, 2, -2, -3], kind="cubic")
    for force in (plane, lambda x, v: held(x), lambda x, v: 3 * held(x) - ph.maximum(v, 0) - ph.sign(x - 2)):
        run, exact = (block(force).simulate(4, start={"x": 1.7}, rtol=e, atol=e) for e in (1e-9, 1e-13))
        assert run.info["kinks"] > 3 and np.abs(run.x - exact.x).max() < 1e-7


def test_a_table_that_jumps_and_pushes_back_from_both_sides_sticks() -> None:
    friction = ph.table([-1, 0], [3, -3], kind="held", name="friction")
    with pytest.raises(
        SimulationError, match=r"at t = 0\.942478 s the table 'friction' jumps and pushes back"
    ) as caught:
        block(lambda x, v: -100 * x + friction(v)).simulate(3, start={"x": 0.2})
    assert caught.value.trajectory.status == "sticks"


def test_corners_along_an_input_are_left_inside_of_steps() -> None:
    s = ph.System("driven", gravity=(0, 0, 0))
    slide, push = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x")), s.input("push")
    s.joint_force(slide, ph.table([-1, 0, 1], [-3, 0, 1])(push))
    run = s.derive().simulate(2, inputs={"push": lambda t: np.sin(5 * t)}, samples=3)
    t = np.linspace(0, 2, 200_001)
    force = np.where(np.sin(5 * t) < 0, 3, 1) * np.sin(5 * t)
    assert "kinks" not in run.info and run.u[-1, 0] == pytest.approx(np.trapezoid(force, t), abs=1e-7)


@pytest.mark.parametrize("method", ["auto", "TP86", "RK45", "Radau", "Rodas5P"])
def test_a_kink_where_a_sign_changes_costs_no_accuracy(method: str) -> None:
    """Thrown against a constant force and a spring on one side: parts of a parabola and of a circle."""
    s = ph.System("block", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    x = slide.q[0]
    s.joint_force(slide, -3 * ph.sign(x) - 20 * ph.minimum(x, 0))
    run = s.derive().simulate(1.5, start={"x": 1, "v": 0.3}, method=method)
    down = 0.1 + np.sqrt(0.01 + 2 / 3)  # until x = 1 + 0.3 t - 1.5 t² = 0
    speed, w = 0.3 - 3 * down, np.sqrt(20)
    phase = w * (1.5 - down)  # x'' = 3 - 20 x below
    assert run.q[-1, 0] == pytest.approx(0.15 * (1 - np.cos(phase)) + speed / w * np.sin(phase), abs=1e-9)
