"""The efforts of motors behind elastic gears from the motion of the links alone."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import as_expr, evaluate, free_symbols, same, topological
from polhode.model.samples import elastic_arm


@pytest.mark.parametrize("coupling", ["full", "reduced"])
def test_the_motion_of_the_links_gives_the_efforts_that_both_motions_give(coupling: str) -> None:
    """Along a motion that is known in time, rotors and efforts are what inverse dynamics says, (261) to (270)."""
    s = ph.System("arm", gravity=(0, 0, "-9.81"))
    link: Any = s.ground
    for i, axis in enumerate(("z", (0, 4, 3), (0, 3, 4)), start=1):
        body = s.body(f"b{i}", 2, ("0.2", "0.1", 0), ("0.1", "0.2", "0.3"))
        s.joint(f"j{i}", link, body, ph.Revolute(axis), at=("0.3", 0, "0.1"))
        s.motor(f"j{i}", 10 * i, inertia=("0.02", "0.02", "0.03"), mass=1, stiffness=300 * i, coupling=coupling)
        link = body
    e = s.derive()
    made = e.link_inverse_dynamics
    assert made.order == (4 if coupling == "reduced" else 8)
    t = 0.7
    links = [q.name for q in made.motion[0]]
    values = {
        x: float((k + 1) ** order * np.sin((k + 1) * t + order * np.pi / 2))
        for order, symbols in enumerate(made.motion)
        for k, x in enumerate(symbols)
    }
    moved = {name: evaluate(rotor, values) for name, rotor in made.rotors.items()}
    both = dict(values)
    for q, u, ud in zip(e.q, e.u, e.udot, strict=True):
        if q.name not in links:
            both |= dict(zip((q, u, ud), moved[q.name], strict=True))
    efforts = dict(zip(e.speeds, evaluate(e.inverse_dynamics, both), strict=True))
    for i in (1, 2, 3):
        assert efforts[f"j{i}"] == pytest.approx(0, abs=1e-8)
        assert evaluate([made.efforts[f"j{i} rotor"]], values)[0] == pytest.approx(efforts[f"j{i} rotor"], rel=1e-10)


def test_the_reduced_model_is_solved_in_closed_form() -> None:
    """(281), (282): q_m/Γ = q + (H q̈ + h)/K and the effort J q̈_m + K (q_m/Γ - q)/Γ."""
    s = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    K, n, Im = (s.parameter(name) for name in ("K", "n", "Im"))
    s.joint("j", s.ground, s.body("bob", 2, (0, 0, -1)), ph.Revolute("y"))
    s.motor("j", n, inertia=Im, stiffness=K)
    made = s.derive().link_inverse_dynamics
    (q,), (qd,), (a,), (jerk,), (snap,) = made.motion
    need = 2 * a + as_expr("19.62") * ph.sin(q)
    second = 2 * snap + as_expr("19.62") * (ph.cos(q) * a - ph.sin(q) * qd**2)
    angle, _, rate = made.rotors["j rotor"]
    assert same([angle, rate], [n * (q + need / K), n * (a + second / K)])
    assert same([made.efforts["j rotor"]], [Im * n * (a + second / K) + need / n])
    assert jerk not in free_symbols([made.efforts["j rotor"]])


def test_a_joint_without_an_elastic_motor_keeps_its_effort_and_six_joints_stay_small_graphs() -> None:
    s = ph.System("two", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("first", 1, (1, 0, 0)), ph.Revolute("y"))
    s.joint("b", "first", s.body("second", 1, (1, 0, 0)), ph.Revolute("y"), at=(1, 0, 0))
    s.motor("b", 10, inertia=1, stiffness=100, coupling="reduced")
    made = s.derive().link_inverse_dynamics
    assert set(made.efforts) == {"a", "b rotor"} and made.order == 4
    sizes = {}
    for coupling in ("reduced", "full"):
        made = elastic_arm(coupling=coupling).derive().link_inverse_dynamics
        sizes[coupling] = made.order, len(topological(made.efforts.values()))
    assert sizes["reduced"][0] == 4 and sizes["reduced"][1] < 4000
    assert sizes["full"][0] > 4 and sizes["full"][1] < 20000


def test_numbers_are_taken_for_one_instant_or_for_many() -> None:
    made = one(stiffness=100).derive().link_inverse_dynamics
    motion = np.random.default_rng(1).uniform(-1, 1, (5, 1, 7))
    many = made.efforts_at(motion)["j rotor"]
    assert many.shape == (7,)
    assert many[3] == pytest.approx(float(made.efforts_at(motion[:, :, 3])["j rotor"]), rel=1e-14)
    q, a = motion[0, 0], motion[2, 0]
    need = a - 9.81 * np.cos(q)  # the link of 1 kg at 1 m, about y
    assert made.rotors_at(motion)["j rotor"] == pytest.approx(10 * (q + need / 100), rel=1e-12)


def test_motions_of_another_shape_are_refused_and_derivatives_have_primes() -> None:
    made = one(stiffness=100).derive().link_inverse_dynamics
    for motion in ([[0]] * 4, np.zeros((5, 2)), "fast", np.zeros((5, 1, 2, 2))):
        with pytest.raises(ph.PolhodeError, match="5 orders of derivatives of 1 coordinates"):
            made.efforts_at(motion)
    made = one(stiffness=100).derive().link_inverse_dynamics
    assert [repr(x) for (x,) in made.motion] == ["j", "j'", "j''", "j'''", "j''''"]


def refusal(s: ph.System) -> str:
    return refused("", lambda: s.derive().link_inverse_dynamics)


def one(**motor: Any) -> ph.System:
    s = ph.System("one")
    s.joint("j", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("y"))
    s.motor("j", 10, inertia=1, **motor)
    return s


def test_what_cannot_be_had_from_the_links_alone_is_told() -> None:
    assert "has no elastic motor" in refusal(one())
    assert "depends on the speed of its rotor" in refusal(one(stiffness=3, damping=1))
    assert "carries it" in refusal(one(stiffness=3, on="link"))
    held = one(stiffness=3)
    held.prescribe("j rotor", held.time)
    assert "has no speed of its own" in refusal(held)
    bound = one(stiffness=3)
    bound.constrain(bound.joints["j"].q[0] - bound.rotors["j rotor"].q[0] ** 2)
    assert "constraints act on them" in refusal(bound)


def test_rotors_that_cancel_in_a_row_need_no_values() -> None:
    """Of an arm z-y-y the row of a link holds rotors beyond it whose terms cancel; they are not asked for."""
    s = ph.System("arm")
    link: Any = s.ground
    for i, axis in enumerate("zyy"):
        body = s.body(f"b{i}", 2, com=(0.1, 0.02, 0.03), inertia=(0.1, 0.12, 0.15))
        s.joint(f"j{i}", link, body, ph.Revolute(axis), at=(0.3, 0, 0.1))
        s.motor(f"j{i}", ratio=50, inertia=2e-3, stiffness=1e3)
        link = body
    made = s.derive().link_inverse_dynamics
    efforts = made.efforts_at(np.zeros((made.order + 1, 3)))
    assert efforts["j2 rotor"] == pytest.approx(-2 * 9.81 * 0.1 / 50)  # the last link's weight behind its gear
    assert efforts["j1 rotor"] == pytest.approx(-2 * 9.81 * (0.1 + 0.3 + 0.1) / 50)
    assert not {x for x in free_symbols(made.efforts.values()) if x.name.endswith("rotor")}


def test_time_inputs_and_states_are_asked_for_where_the_efforts_depend_on_them() -> None:
    s = one(stiffness=100, resistance=2, inductance=1, constant=3)
    F = s.input("F", 5)
    s.joint_force("j", F * s.time)
    made = s.derive().link_inverse_dynamics
    motion = np.zeros((5, 1, 3))
    values: dict[str, Any] = {"time": [1, 2, 3], "inputs": {"F": 7}, "z": {"j current": [0, 0, 4]}}
    for name, word in (("time", "time=…"), ("inputs", "inputs={'F': …}"), ("z", "z={'j current': …}")):
        with pytest.raises(ph.PolhodeError, match="which is not given") as raised:
            made.efforts_at(motion, **{key: value for key, value in values.items() if key != name})
        assert word in str(raised.value)
    weight = -9.81 - 7 * np.array([1, 2, 3])
    assert made.rotors_at(motion, time=[1, 2, 3], inputs={"F": 7})["j rotor"] == pytest.approx(10 * weight / 100)
    assert made.efforts_at(motion, **values)["j rotor"] == pytest.approx(weight / 10 - [0, 0, 12])
    refused("there is no input 'f'", lambda: made.efforts_at(motion, inputs={"f": 7}))
    refused("link inverse dynamics: there is no parameter 'f'", lambda: made.efforts_at(motion, {"f": 7}, **values))
    refused("3 of them, one for each time", lambda: made.efforts_at(motion, **values | {"time": [1, 2]}))


def test_a_base_with_a_quaternion_takes_its_motion_as_a_list() -> None:
    s = ph.System("satellite", gravity=(0, 0, 0))
    s.joint("free", s.ground, s.body("hull", 3, inertia=(2, 3, 4)), ph.Free())
    s.joint("j", "hull", s.body("link", 1, (1, 0, 0)), ph.Revolute("y"))
    s.motor("j", 10, inertia=1, stiffness=100, coupling="reduced")
    made = s.derive().link_inverse_dynamics
    home = [1.0 if x.name.endswith("qw") else 0.0 for x in made.motion[0]]
    rows = [home, *([0.0] * 7 for _ in made.motion[1:])]
    rows[2][-1] = 2.0
    assert len(home) == 8 and float(made.rotors_at(rows)["j rotor"]) == pytest.approx(10 * 2 / 100)
    refused("8 coordinates, 7 speeds, and 3 derivatives of these", lambda: made.efforts_at(np.zeros((5, 7))))


def test_native_efforts_of_many_instants_are_those_of_the_graph() -> None:
    """The function is compiled once, and takes other parameters without being compiled again."""
    s = one(stiffness=100)
    s.joint_force("j", -s.parameter("d", 0.5) * s.joints["j"].u[0] ** 3)
    made = s.derive().link_inverse_dynamics
    motion = np.random.default_rng(3).uniform(-1, 1, (5, 1, 200))
    for d in (0.5, 2.0):
        known = {s.parameters["d"].symbol: d}
        at = [dict(zip([x for (x,) in made.motion], motion[:, 0, k].tolist(), strict=True)) for k in range(200)]
        expected = [evaluate([made.efforts["j rotor"]], known | values)[0] for values in at]
        assert made.efforts_at(motion, {"d": d})["j rotor"] == pytest.approx(expected, rel=1e-12)
