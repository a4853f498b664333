"""Sensitivities of a run are what differences of runs tend to, and the adjoint gives the same: freely, across events,
with constraints."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import polhode as ph
from polhode.model.samples import motor_driven_pendulum
from polhode.simulate import Trajectory, crossing
from polhode.simulate.gradients.sensitivities import Sensitivities

Floats = NDArray[np.float64]
TIGHT = {"rtol": 1e-12, "atol": 1e-12, "samples": 5}
#: Runs agree with differences to this, and the adjoint with the variations to this.
BY_DIFFERENCES, BY_ADJOINT = 1e-7, 1e-8


def slope(function: Callable[[float], Any], at: float, h: float = 1e-3) -> Floats:
    """Central differences, extrapolated twice."""
    once = [(np.asarray(function(at + d)) - function(at - d)) / (2 * d) for d in (h, h / 2, h / 4)]
    twice = [(4 * fine - coarse) / 3 for coarse, fine in pairwise(once)]
    return np.asarray((16 * twice[1] - twice[0]) / 15)


def states(run: Trajectory) -> Floats:
    return np.concatenate([run.q, run.u, run.z], axis=1)


def variations(run: Sensitivities) -> Floats:
    return np.concatenate([run.dq, run.du, run.dz], axis=1)


def pendulum() -> tuple[ph.System, Any]:
    """A damped pendulum that an input shakes."""
    s = ph.System("pendulum")
    l, c, F = s.parameter("l", 0.8), s.parameter("c", 0.1), s.input("F", 0.3)
    bob = s.body("bob", 1, (0, 0, -l))
    hinge = s.joint("hinge", s.ground, bob, ph.Revolute("y"), coordinates=["theta"], speeds=["omega"])
    s.joint_force(hinge, F * ph.sin(3 * s.time) - c * hinge.u[0])
    return s, hinge


def four_bar(constraints: str) -> Any:
    """A four-bar whose lengths are parameters: its start must be assembled anew for each of them."""
    s = ph.System("four-bar")
    a, b, c, d = (s.parameter(name, value) for name, value in (("a", 1), ("b", 2), ("c", 2), ("d", 2)))
    m = s.parameter("m", 1.5)
    crank = s.body("crank", 1, (0, 0, a / 2), ph.rod(1, a))
    coupler = s.body("coupler", m, (0, 0, b / 2), ph.rod(m, b))
    rocker = s.body("rocker", 1, (0, 0, c / 2), ph.rod(1, c))
    s.joint("crank", s.ground, crank, ph.Revolute("y"))
    s.joint("coupler", crank, coupler, ph.Revolute("y"), at=(0, 0, a))
    s.joint("rocker", s.ground, rocker, ph.Revolute("y"), at=(d, 0, 0))
    s.close("pin", coupler, rocker, "revolute", at_a=(0, 0, b), at_b=(0, 0, c), axis="y")
    return s.derive(constraints=constraints)


TURNING: dict[str, Any] = {"start": {"crank": 0.3}, "speeds": {"crank": 1.0}, **TIGHT}
OF_A_FOUR_BAR = ["a", "d", "m", "crank", "crank'"]


def test_of_a_pendulum() -> None:
    s, hinge = pendulum()
    e = s.derive()
    given: dict[str, Any] = {"start": {"theta": 1.0}, **TIGHT}
    by = ["l", "c", "F", "theta", "omega"]
    run = e.sensitivities(5, by, **given)
    found = variations(run)
    wanted = [
        *(
            slope(lambda p, n=n: states(e.simulate(5, parameters={n: p}, **given)), v)
            for n, v in (("l", 0.8), ("c", 0.1))
        ),
        slope(lambda p: states(e.simulate(5, inputs={"F": p}, **given)), 0.3),
        slope(lambda p: states(e.simulate(5, **{**given, "start": {"theta": p}})), 1.0),
        slope(lambda p: states(e.simulate(5, speeds={"omega": p}, **given)), 0.0),
    ]
    assert_allclose(found, np.moveaxis(wanted, 0, -1), atol=BY_DIFFERENCES)
    assert_allclose(e.gradient(5, by, of=hinge.q[0], **given).slopes, run.dq[-1, 0], atol=BY_ADJOINT)
    assert_allclose(run["omega", "c"], run.du[:, 0, 1])


def test_with_states_without_mass() -> None:
    """A motor's current varies with its resistance, and so does the arm that it drives."""
    e = motor_driven_pendulum().derive()
    given: dict[str, Any] = {"start": {"current": 0.5}, "inputs": {"voltage": 3.0}, **TIGHT}
    by = ["R", "voltage", "current"]
    run = e.sensitivities(0.5, by, **given)
    wanted = [
        slope(lambda p: states(e.simulate(0.5, parameters={"R": p}, **given)), 2.0),
        slope(lambda p: states(e.simulate(0.5, **{**given, "inputs": {"voltage": p}})), 3.0),
        slope(lambda p: states(e.simulate(0.5, **{**given, "start": {"current": p}})), 0.5),
    ]
    assert_allclose(variations(run), np.moveaxis(wanted, 0, -1), atol=BY_DIFFERENCES)
    assert_allclose(e.gradient(0.5, by, of=e.z[0], **given).slopes, run.dz[-1, 0], atol=BY_ADJOINT)
    ended = e.sensitivities(0.5, by, until=e.z[0] - 1, **given)
    assert_allclose(ended.end_z, 0.0, atol=1e-9)  # wherever it ends, the current is one ampere


def test_of_a_functional_with_an_integrand() -> None:
    s, hinge = pendulum()
    e, l = s.derive(), s.parameters["l"].symbol
    given: dict[str, Any] = {"start": {"theta": 1.0}, **TIGHT}
    parts = {"of": l * hinge.q[0] ** 2, "integrand": l * hinge.u[0] ** 2 + ph.sin(s.time) * hinge.q[0]}
    made = e.gradient(3, ["l", "omega"], **parts, **given)
    by_l = slope(lambda p: e.gradient(3, ["l"], parameters={"l": p}, **parts, **given).value, 0.8)
    by_omega = slope(lambda p: e.gradient(3, ["l"], speeds={"omega": p}, **parts, **given).value, 0.0)
    assert_allclose(made.slopes, [by_l, by_omega], atol=BY_DIFFERENCES)


def test_of_a_free_rotation_stored_as_a_quaternion() -> None:
    s = ph.System("satellite", gravity=(0, 0, 0))
    J = s.parameter("J", 2)
    s.joint("turn", s.ground, s.body("bus", 1, inertia=(1, J, 3)), ph.Spherical())
    e = s.derive()
    given: dict[str, Any] = {"speeds": {"turn_wx": 0.3, "turn_wy": 1.0, "turn_wz": 0.2}, **TIGHT}
    by = ["J", "turn_e1"]
    run = e.sensitivities(3, by, **given)
    wanted = [
        slope(lambda p: states(e.simulate(3, parameters={"J": p}, **given)), 2.0),
        slope(lambda p: states(e.simulate(3, start=[np.sqrt(1 - p**2), p, 0, 0], **given)), 0.0),
    ]
    assert_allclose(variations(run), np.moveaxis(wanted, 0, -1), atol=BY_DIFFERENCES)
    assert_allclose(np.einsum("tq,tqp->tp", run.trajectory.q, run.dq), 0.0, atol=1e-14)  # tangent to the sphere
    assert_allclose(e.gradient(3, by, of=e.q[2], **given).slopes, run.dq[-1, 2], atol=BY_ADJOINT)


def test_where_a_run_ends_at_an_event() -> None:
    s, hinge = pendulum()
    e, l = s.derive(), s.parameters["l"].symbol
    given: dict[str, Any] = {"start": {"theta": 1.0}, "until": hinge.q[0] + l / 10, **TIGHT}
    by = ["l", "c"]
    run = e.sensitivities(5, by, **given)
    found = np.vstack([run.end_time, run.end_q, run.end_u])
    for column, (name, value) in enumerate((("l", 0.8), ("c", 0.1))):
        wanted = slope(lambda p, name=name: _end(e.simulate(5, parameters={name: p}, **given)), value)
        assert_allclose(found[:, column], wanted, atol=BY_DIFFERENCES)
    made = e.gradient(5, by, of=hinge.u[0] + 2 * s.time, **given)
    assert_allclose(made.slopes, run.end_u[0] + 2 * run.end_time, atol=BY_ADJOINT)


def _end(run: Trajectory) -> Floats:
    return np.array([run.t[-1], *run.q[-1], *run.u[-1]])


def test_across_events_that_change_the_state() -> None:
    """A ball that is thrown and bounces: closed forms exist, and the time of each bounce varies."""
    s = ph.System("ball")
    r = s.parameter("r", 0.8)
    z = s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"), speeds=["v"])
    e = s.derive()
    given: dict[str, Any] = {"start": {"z": 1.0}, **TIGHT, "on": {crossing(z.q[0], direction=-1): {"v": -r * z.u[0]}}}
    by = ["r", "z"]
    run = e.sensitivities(1.2, by, **given)
    g, h = 9.81, 1.0
    first = np.sqrt(2 * h / g)
    second = first + 2 * 0.8 * np.sqrt(2 * h / g)
    assert_allclose(run.trajectory.events[0], [first, second], rtol=1e-12)
    times = [[0.0, first / 2], [2 * first, second / 2]]  # t₁ = √(2h/g), t₂ = (1 + 2r) t₁
    assert_allclose(run.event_times[0], times, atol=1e-11)

    def height(r: float, h: float) -> float:
        t1 = np.sqrt(2 * h / g)
        rest = 1.2 - (1 + 2 * r) * t1
        return float(r * r * g * t1 * rest - g / 2 * rest**2)

    wanted = [slope(lambda p: height(p, 1.0), 0.8), slope(lambda p: height(0.8, p), 1.0)]
    assert_allclose(run.dq[-1, 0], wanted, atol=BY_DIFFERENCES)
    assert_allclose(e.gradient(1.2, by, of=z.q[0], **given).slopes, run.dq[-1, 0], atol=BY_ADJOINT)
    made = e.gradient(1.2, by, integrand=z.u[0] ** 2, **given)  # which jumps
    by_r = slope(lambda p: e.gradient(1.2, by, integrand=z.u[0] ** 2, parameters={"r": p}, **given).value, 0.8)
    assert_allclose(made["r"], by_r, atol=BY_DIFFERENCES)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_with_constraints(constraints: str) -> None:
    e = four_bar(constraints)
    run = e.sensitivities(0.8, OF_A_FOUR_BAR, **TURNING)
    by_a = slope(lambda p: states(e.simulate(0.8, parameters={"a": p}, **TURNING)), 1.0)
    by_start = slope(lambda p: states(e.simulate(0.8, **{**TURNING, "start": {"crank": p}})), 0.3)
    assert_allclose(variations(run)[:, :, [0, 3]], np.moveaxis([by_a, by_start], 0, -1), atol=BY_DIFFERENCES)
    made = e.gradient(0.8, OF_A_FOUR_BAR, of=e.q[2], **TURNING)
    assert_allclose(made.slopes, run.dq[-1, 2], atol=BY_ADJOINT)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_variations_keep_the_constraints(constraints: str) -> None:
    """φ′ = 0 along every variation and the parameter that it belongs to."""
    e = four_bar(constraints)
    run = e.sensitivities(0.8, OF_A_FOUR_BAR, **TURNING)
    values = e.constraints.values
    assert_allclose(run.values(*values), 0.0, atol=1e-12)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_across_events_with_constraints(constraints: str) -> None:
    e = four_bar(constraints)
    strike: dict[Any, dict[ph.Expr, ph.Expr]] = {crossing(e.q[0] - 1, direction=1): {e.u[0]: -0.5 * e.u[0]}}
    struck = {**TURNING, "on": strike}
    run = e.sensitivities(0.6, OF_A_FOUR_BAR, **struck)
    assert len(run.trajectory.events[0]) == 1
    made = e.gradient(0.6, OF_A_FOUR_BAR, of=e.q[2], **struck)
    assert_allclose(made.slopes, run.dq[-1, 2], atol=BY_ADJOINT)
    by_a = slope(lambda p: e.simulate(0.6, parameters={"a": p}, **struck).q[-1], 1.0)
    assert_allclose(run.dq[-1, :, 0], by_a, atol=BY_DIFFERENCES)


def sleigh() -> Any:
    """A plate on ice whose blade, at a distance b, cannot move sideways."""
    s = ph.System("sleigh", gravity=(0, 0, 0))
    m, b = s.parameter("m", 3), s.parameter("b", 0.4)
    plate = s.body("plate", m, com=(0.1, 0.05, 0), inertia=(0.5, 0.5, 0.5))
    s.joint("ice", s.ground, plate, ph.Planar(), coordinates=["angle", "x", "y"], speeds=["w", "v", "side"])
    s.knife_edge("blade", plate, at=(b, 0, 0))
    return s.derive()


@pytest.mark.filterwarnings("ignore:to keep the constraints")
@pytest.mark.parametrize("speeds", [{"w": 1.0, "v": 0.5}, {"w": 1.0, "v": 0.5, "side": 0.7}], ids=["follow", "nearest"])
def test_with_speeds_that_follow_from_others_at_the_start(speeds: dict[str, float]) -> None:
    """Given speeds stay where the others can follow; where all were given, the nearest ones in the metric of M."""
    e = sleigh()
    by = ["b", "m", "w"]
    run = e.sensitivities(1, by, speeds=speeds, **TIGHT)
    wanted = [
        slope(lambda p: states(e.simulate(1, parameters={"b": p}, speeds=speeds, **TIGHT)), 0.4),
        slope(lambda p: states(e.simulate(1, parameters={"m": p}, speeds=speeds, **TIGHT)), 3.0),
        slope(lambda p: states(e.simulate(1, speeds={**speeds, "w": p}, **TIGHT)), 1.0),
    ]
    assert run.du[0].any(axis=0)[0]
    assert_allclose(variations(run), np.moveaxis(wanted, 0, -1), atol=BY_DIFFERENCES)
    assert_allclose(e.gradient(1, by, of=e.q[1], speeds=speeds, **TIGHT).slopes, run.dq[-1, 1], atol=BY_ADJOINT)


def test_with_auxiliary_coordinates_that_say_where_a_disc_begins() -> None:
    """A disc on a cycloid, placed by the curve's parameter: where it touches moves with the shape of the curve."""
    s = ph.System("clock")
    r, a = s.parameter("r", 0.1), s.parameter("a", 0.4)
    disc = s.body("disc", 0.5, inertia=ph.disc(0.5, r, "y"))
    way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("way", s.ground, disc, way, coordinates=["x", "z", "turn"])
    s.roll_disc("rail", disc, r, lambda p: (a * (p + ph.sin(p)), a * (1 - ph.cos(p))))
    e = s.derive()
    given: dict[str, Any] = {"start": {"rail place": 0.7}, **TIGHT}
    by = ["a", "r", "rail place"]
    run = e.sensitivities(0.4, by, **given)
    wanted = [
        slope(lambda p: states(e.simulate(0.4, parameters={"a": p}, **given)), 0.4),
        slope(lambda p: states(e.simulate(0.4, parameters={"r": p}, **given)), 0.1),
        slope(lambda p: states(e.simulate(0.4, **{**given, "start": {"rail place": p}})), 0.7),
    ]
    assert_allclose(variations(run), np.moveaxis(wanted, 0, -1), atol=BY_DIFFERENCES)
    assert_allclose(e.gradient(0.4, by, of=e.q[0], **given).slopes, run.dq[-1, 0], atol=BY_ADJOINT)
