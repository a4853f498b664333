"""Where a run begins."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import ShapeError
from polhode.formats import dumps_yaml, loads_yaml
from polhode.model.samples import motor_driven_pendulum
from polhode.simulate.initial_state import home, initial_state, speeds_at_pose


@pytest.fixture(scope="module")
def crane() -> ph.Equations:
    s = ph.System("crane")
    trolley = s.body("trolley", 1)
    s.joint("x", s.ground, trolley, ph.Prismatic("x"), speeds=["v"])
    s.joint("hook", trolley, s.body("load", 2, (0, 0, -1), (1, 1, 1)), ph.Spherical())
    s.pose("away", {"x": 2.0, "hook_e0": 0.6, "hook_e1": 0.8}, {"v": -1.0})
    return s.derive()


def test_a_start_is_a_pose_coordinates_by_name_or_arrays_and_the_rest_is_home(crane: ph.Equations) -> None:
    assert crane.derivation.synopsis.quaternion_groups == [(1, 4)]
    assert home(crane.derivation.synopsis).tolist() == [0, 1, 0, 0, 0]
    start = initial_state(crane.derivation, "away")
    assert start.q.tolist() == [2, 0.6, 0.8, 0, 0] and start.u.tolist() == [-1, 0, 0, 0] and start.notices == ()
    assert initial_state(crane.derivation, "away", {"v": 3}).u.tolist() == [3, 0, 0, 0]
    assert initial_state(crane.derivation, {"x": -1}).q.tolist() == [-1, 1, 0, 0, 0]
    q, u = home(crane.derivation.synopsis), np.zeros(4)
    start = initial_state(crane.derivation, (q, u))
    start.q[0] = 5
    assert q[0] == 0


def test_a_misspelt_pose_is_refused_with_a_cure(crane: ph.Equations) -> None:
    refused("Did you mean 'away'", lambda: initial_state(crane.derivation, "awai"))


@pytest.fixture(scope="module")
def glider() -> ph.Equations:
    """Two joints whose speeds have the names of their coordinates, and one with names of its own."""
    s = ph.System("glider", gravity=(0, 0, 0))
    s.joint("move", s.ground, s.body("cart", 1), ph.Prismatic("x"), coordinates=["x"])
    arm = ph.Compound(ph.Revolute("z"), ph.Prismatic("x"))
    s.joint("arm", "cart", s.body("arm", 1, inertia=(1, 1, 1)), arm, coordinates=["turn", "reach"])
    s.joint("plane", "arm", s.body("puck", 1, inertia=(1, 1, 1)), ph.Planar("z"), coordinates=["phi", "a", "b"])
    s.pose("moving", {"x": 1}, {"reach'": 3, "plane_w": 2})
    return s.derive()


def test_speeds_have_the_names_of_the_coordinates_whose_rates_they_are(glider: ph.Equations) -> None:
    assert glider.speeds == ["x", "turn", "reach", "plane_w", "plane_vx", "plane_vy"]
    assert [repr(u) for u in glider.u[:3]] == ["x'", "turn'", "reach'"]
    written = loads_yaml(dumps_yaml(ph.System.of(glider.system)))
    assert written.derive().speeds == glider.speeds
    text = dumps_yaml(ph.System.of(glider.system)).replace("speeds: [turn, reach]", "")
    assert loads_yaml(text).derive().speeds == glider.speeds


def test_speeds_start_among_coordinates_with_a_prime_or_by_a_name_of_their_own(glider: ph.Equations) -> None:
    expected = [2, 0, 0.5, 0, 1, 0]
    start = {"x": 1, "x'": 2, "reach'": 0.5, "plane_vx": 1}
    assert glider.simulate(0, start=start).u.tolist() == [expected]
    assert glider.simulate(0, speeds={"x'": 2, "reach": 0.5, "plane_vx": 1}).u.tolist() == [expected]
    assert glider.simulate(0, start="moving").u.tolist() == [[0, 0, 3, 2, 0, 0]]
    assert glider.simulate(0.1, start={"x": 1, "x'": [2, 3]}).u[:, 0, 0].tolist() == [2, 3]
    assert glider.sweep({"x'": [1, 2]}, 0.1)["d(x)"].tolist() == [1, 2]
    run = glider.simulate(0.1, start=start, tau={"x": "-2*x' - reach'"})
    assert run["x'"][0] == 2 and run.tau is not None and run.tau[0][0] == -4.5
    bounced = glider.simulate(1, start={"x'": 1}, on={glider.q[0] - 0.5: {"x'": -1}})
    assert bounced["x'"][-1] == -1 and bounced["x"][-1] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"start": {"x'": 1}, "speeds": {"x": 1}}, "the speed 'x' is given twice"),
        ({"speeds": {"x'": 1, "x": 1}}, "the speed 'x' is given twice"),
        ({"start": {"x'": 1}, "speeds": [0] * 6}, "by name, and speeds in an array"),
        ({"start": {"z'": 1}}, "there is no coordinate 'z''"),
        ({"start": {"plane_w'": 1}}, "there is no coordinate 'plane_w''"),
    ],
)
def test_speeds_given_twice_or_unknown_are_refused(glider: ph.Equations, given: dict[str, Any], sentence: str) -> None:
    refused(sentence, lambda: glider.simulate(0, **given))


@pytest.fixture(scope="module")
def motor() -> ph.Equations:
    return motor_driven_pendulum().derive()


def test_states_start_by_name_by_array_or_where_the_model_says(motor: ph.Equations) -> None:
    system = ph.System.of(motor.system)
    system.state("counter", rate=1, start=7)
    both = system.derive()
    assert both.simulate(0, start={"current": 0.5}).z.tolist() == [[0.5, 7.0]]
    assert both.simulate(0, start=([0.1], [0.2], [0.3, 0.4])).z.tolist() == [[0.3, 0.4]]
    assert both.simulate(0, start=([0.1], [0.2])).z.tolist() == [[0.0, 7.0]]
    assert both.assemble({"current": 0.5}).z.tolist() == [0.5, 7.0]


def test_a_start_that_is_none_is_told(motor: ph.Equations) -> None:
    refused(r"no coordinate or state 'curent'.\n.*'current'", lambda: motor.simulate(1, start={"curent": 1}))
    refused("state 'current': the start value is nan", lambda: motor.simulate(1, start={"current": float("nan")}))
    refused("start states: expected 1 numbers", lambda: motor.simulate(1, start=([0], [0], [0, 0])), ShapeError)


def arm(count: int = 2) -> ph.System:
    s = ph.System("arm")
    link: Any = s.ground
    n = s.parameter("n", 50)
    for i in range(1, count + 1):
        body = s.body(f"b{i}", 1, (1, 0, 0), (0.1, 0.1, 0.1))
        s.joint(f"j{i}", link, body, ph.Revolute("y"), at=(1, 0, 0))
        s.motor(f"j{i}", n if i == 1 else -20, inertia=1e-3, stiffness=1000)
        link = body
    return s


def start_of(equations: ph.Equations, **given: Any) -> dict[str, float]:
    run = equations.simulate(0, **given)
    return dict(zip([*run.coordinates, *(f"{u}'" for u in run.speeds)], [*run.q[0], *run.u[0]], strict=True))


def test_a_rotor_starts_with_its_link_unless_it_is_named() -> None:
    equations = arm().derive()
    both = start_of(equations, start={"j1": 0.1, "j2": 0.2}, speeds={"j2": 3.0})
    assert (both["j1 rotor"], both["j2 rotor"]) == pytest.approx((5.0, -4.0))
    assert (both["j1 rotor'"], both["j2 rotor'"]) == pytest.approx((0.0, -60.0))
    own = start_of(equations, start={"j1": 0.1, "j1 rotor": 1.0}, speeds={"j1": 1.0, "j1 rotor": 2.0})
    assert (own["j1 rotor"], own["j1 rotor'"], own["j2 rotor"]) == (1.0, 2.0, 0.0)
    assert not any(start_of(equations).values())
    assert start_of(equations, start=([1, 0, 0, 0], [0, 0, 0, 0]))["j1 rotor"] == 0.0, "an array names them all"


def test_poses_parameters_and_batches_count_where_rotors_start_and_a_stepper_starts_unwound() -> None:
    s = arm()
    s.pose("up", {"j1": 0.1})
    equations = s.derive()
    assert start_of(equations, start="up")["j1 rotor"] == pytest.approx(5.0)
    assert start_of(equations, start="up", parameters={"n": 30})["j1 rotor"] == pytest.approx(3.0)
    equations = arm().derive()
    runs = equations.simulate(0.01, start={"j1": np.array([0.1, 0.2])}, parameters={"n": np.array([10.0, 30.0])})
    assert runs["j1 rotor"][:, 0] == pytest.approx([1.0, 6.0])
    equations = arm().derive()
    stepper = equations.stepper(dt=1e-3, start={"j1": 0.1}, parameters={"n": 30})
    assert dict(zip(equations.coordinates, stepper.q, strict=True))["j1 rotor"] == pytest.approx(3.0)
    many = equations.stepper(dt=1e-3, start={"j1": 0.1}, parameters={"n": np.array([10.0, 30.0])}, batch=2)
    rotor = equations.coordinates.index("j1 rotor")
    assert many.q[:, rotor] == pytest.approx([1.0, 3.0])
    many.reset({"j1": 0.2}, members=[1])
    assert many.q[:, rotor] == pytest.approx([1.0, 6.0])


def test_a_model_file_starts_as_the_system_does(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(dumps_yaml(arm()), encoding="utf-8")
    for _ in range(2):  # derived, and from what was stored
        assert start_of(ph.load(path).derive(), start={"j1": 0.1})["j1 rotor"] == pytest.approx(5.0)


def test_rotors_follow_links_that_assembly_moves_unless_a_constraint_holds_them() -> None:
    s = arm()
    s.constrain(s.joints["j2"].q[0] - 2 * s.joints["j1"].q[0], "held")
    begin = start_of(s.derive(), start={"j1": 0.1}, speeds={"j1": 1.0})
    assert (begin["j2"], begin["j2 rotor"], begin["j1 rotor"]) == pytest.approx((0.2, -4.0, 5.0))
    assert (begin["j2'"], begin["j2 rotor'"], begin["j1 rotor'"]) == pytest.approx((2.0, -40.0, 50.0))
    s = arm(1)
    s.constrain(s.rotors["j1 rotor"].q[0] - 7, "brake")
    assert start_of(s.derive(), start={"j1": 0.1})["j1 rotor"] == pytest.approx(7.0)


def test_derivatives_of_a_run_know_that_rotors_start_with_their_links() -> None:
    s = arm(1)
    equations = s.derive()
    made = equations.sensitivities(0.02, [s.joints["j1"].q[0], "n"], start={"j1": 0.1}, samples=2)

    def end(angle: float = 0.1, n: float = 50) -> float:
        run = equations.simulate(0.02, start={"j1": angle}, parameters={"n": n}, samples=2, rtol=1e-11, atol=1e-13)
        return float(run["j1 rotor"][-1])

    assert made["j1 rotor", "j1"][-1] == pytest.approx((end(0.1001) - end(0.0999)) / 2e-4, rel=1e-6)
    assert made["j1 rotor", "n"][-1] == pytest.approx((end(n=50.01) - end(n=49.99)) / 2e-2, rel=1e-6)


def slider(value: float | None = 3) -> ph.System:
    s = ph.System("slider")
    a = s.parameter("a", value)
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.pose("pushed", {"x": 2}, {"x": 5})
    s.input("v", 0)
    assert a and x
    return s


def in_pseudo(s: ph.System) -> ph.Equations:
    """π̇ = a x ẋ + t: it has a parameter, a coordinate and the time in it."""
    x, a = s.joints["x"], s.parameters["a"].symbol
    return s.derive(pseudo={"v1": a * x.q[0] * x.u[0] + s.time})


def test_the_speeds_of_a_pose_become_pseudo_velocities() -> None:
    made = in_pseudo(slider())
    assert made.simulate(0, start="pushed").u.tolist() == [[30.0]]
    assert made.simulate(0, start="pushed", parameters={"a": 4}).u.tolist() == [[40.0]]
    assert made.simulate(0, start="pushed", speeds={"v1": 7}).u.tolist() == [[7.0]]
    assert made.simulate(0, start="pushed").speed("x")[0] == pytest.approx(5)


def test_nothing_is_said_where_speeds_are_the_joints_own_or_a_parameter_has_no_value() -> None:
    q = np.array([2.0])
    assert speeds_at_pose(slider().derive().derivation, q, {"x": 5}) is None
    assert speeds_at_pose(in_pseudo(slider(None)).derivation, q, {"x": 5}) is None
