"""Small motions about any state: with the accelerations that belong to it, and on the constraints."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

import polhode as ph
from polhode.expr import as_expr
from polhode.linear.operating_point import operating_point, state_names
from polhode.model.samples.linkages import four_bar


def cart_and_pole() -> ph.System:
    s = ph.System("cart and pole", gravity=(0, 0, "-9.81"))
    s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    m = s.parameter("m", 1)
    s.joint("pole", "cart", s.body("pole", m, com=(0, 0, 1)), ph.Revolute("y"), coordinates=["th"], speeds=["w"])
    s.joint_force("x", s.input("push", 0))
    return s


def dynamics_jacobian(
    equations: ph.Equations, q: np.ndarray, u: np.ndarray, h: float = 1e-6, **more: Any
) -> tuple[np.ndarray, np.ndarray]:
    """∂u̇/∂q along coordinates, and ∂u̇/∂u, by central differences of the compiled accelerations."""
    f = equations.compile()

    def udot(q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return f.forward_dynamics(q, u, **more)

    by_q = [(udot(q + h * e, u) - udot(q - h * e, u)) / (2 * h) for e in np.eye(len(q))]
    by_u = [(udot(q, u + h * e) - udot(q, u - h * e)) / (2 * h) for e in np.eye(len(u))]
    return np.transpose(by_q), np.transpose(by_u)


def test_away_from_an_equilibrium_all_of_the_state_enters_the_jacobian_of_the_dynamics() -> None:
    equations = cart_and_pole().derive()
    linear = equations.linearize({"th": 0.5})
    A, _ = linear.state_space()
    by_q, by_u = dynamics_jacobian(equations, np.array([0, 0.5]), np.zeros(2))
    assert A[3, 1] == pytest.approx(8.767, abs=5e-4)
    assert_allclose(A[2:, :2], by_q, atol=1e-7)
    assert_allclose(A[2:, 2:], by_u, atol=1e-7)
    equations = cart_and_pole().derive()
    linear = equations.linearize({"th": 0.4}, speeds={"w": 2, "x": 1}, tau={"w": 3}, inputs={"push": 5})
    given = {"tau": np.array([0, 3.0]), "inputs": {"push": 5}}
    by_q, by_u = dynamics_jacobian(equations, np.array([0, 0.4]), np.array([1.0, 2.0]), **given)
    A, _ = linear.state_space()
    assert_allclose(A[2:, :2], by_q, rtol=1e-7, atol=1e-7)
    assert_allclose(A[2:, 2:], by_u, rtol=1e-7, atol=1e-7)
    packed = equations.linearize({"th": 0.4, "w": 2, "d(x)": 1, "tau(w)": 3, "push": 5})
    assert_allclose(packed.state_space()[0], A)


def test_accelerations_follow_the_parameters_or_are_prescribed_and_a_state_says_whether_it_is_an_equilibrium() -> None:
    equations = cart_and_pole().derive()
    linear = equations.linearize({"th": 0.5})
    by_q, _ = dynamics_jacobian(equations, np.array([0, 0.5]), np.zeros(2), parameters={"m": 3})
    assert_allclose(linear.state_space({"m": 3})[0][2:, :2], by_q, atol=1e-7)
    still = cart_and_pole().derive().linearize({"th": 0.5}, accelerations={})
    assert still.state_space()[0][3, 1] == pytest.approx(14.0, abs=5e-3)
    assert not still.is_equilibrium and "accelerations, as given" in repr(still)
    equations = cart_and_pole().derive()
    upright = equations.linearize()
    assert upright.is_equilibrium and not upright.notices and not any(upright.accelerations)
    leaning = equations.linearize({"th": 0.5})
    assert not leaning.is_equilibrium and "no equilibrium" in repr(leaning) and "w' = 7.64836" in str(leaning)
    assert "no equilibrium" not in repr(upright)
    held = equations.linearize({"th": 0.5}, tau={"w": -9.81 * float(np.sin(0.5))})
    assert held.is_equilibrium and not held.notices  # to rounding: the effort is a float


def reduced(at: dict[str, float], h: float = 1e-4) -> float:
    """∂u̇/∂crank by central differences of the embedded dynamics along the loop, assembled at each end."""
    equations = four_bar().derive(constraints="embedded", independent=["crank"])
    f = equations.compile()
    ends = [equations.assemble({**at, "crank": at["crank"] + side}, hold=["crank"]).q for side in (h, -h)]
    udots = [f.forward_dynamics(q, np.zeros(1))[0] for q in ends]
    return float((udots[0] - udots[1]) / (2 * h))


@pytest.mark.parametrize("way", ["embedded", "multipliers"])
def test_an_open_loop_is_assembled_first_and_a_closed_loop_stays_where_it_is(way: str) -> None:
    linear = four_bar().derive(constraints=way).linearize({"crank": 0.1})
    assert_allclose(linear.eigenvalues().real, [3.0804, -3.0804], atol=5e-5)
    assert_allclose(linear.eigenvalues().real ** 2, reduced({"crank": 0.1}), rtol=1e-6)
    assert linear.states == ["crank", "crank'"]
    assert linear.notices[0].startswith("The state was assembled first") and "coupler from 0 to 0.948344" in repr(
        linear
    )
    assert float(linear.state["crank"]) == 0.1
    equations = four_bar().derive(constraints=way)
    made = equations.assemble({"crank": 0.7}, hold=["crank"])
    at = dict(zip(equations.coordinates, made.q.tolist(), strict=True))
    linear = equations.linearize(at)
    assert {name: float(value) for name, value in linear.state.items()} == pytest.approx(at, abs=1e-15)
    assert not any("assembled" in notice for notice in linear.notices)
    assert_allclose(linear.eigenvalues()[0] ** 2, reduced(at), rtol=1e-6)


def test_speeds_that_break_a_loop_are_mended_too() -> None:
    equations = four_bar().derive()
    linear = equations.linearize({"crank": 0.7}, speeds={"crank": 2})
    assert any("speed coupler from 0" in notice for notice in linear.notices)
    embedded = four_bar().derive(constraints="embedded").linearize({"crank": 0.7}, speeds={"crank": 2})
    assert_allclose(linear.state_space()[0], embedded.state_space()[0], rtol=1e-9)
    h, q = 1e-6, equations.assemble({"crank": 0.7}, hold=["crank"]).q
    f = four_bar().derive(constraints="embedded", independent=["crank"]).compile()
    by_speed = (f.forward_dynamics(q, [2 + h]) - f.forward_dynamics(q, [2 - h])) / (2 * h)
    assert_allclose(embedded.state_space()[0][1, 1], by_speed, rtol=1e-7)


def bead() -> ph.System:
    s = ph.System("bead", gravity=(0, 0, "-9.81"))
    l = s.parameter("l", 0.5)
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"))
    x, z = s.joint("plane", s.ground, s.body("bead", 2), plane, coordinates=["x", "z"], speeds=["vx", "vz"]).q
    s.constrain((x * x + z * z - l * l) / 2, "circle")
    return s


def test_multipliers_take_speeds_that_serve_and_an_assembled_state_keeps_its_parameters() -> None:
    s = bead()
    l = s.parameters["l"].symbol
    below, beside = s.derive().linearize({"z": -l}), s.derive().linearize({"x": l})
    assert below.states == ["x", "vx"] and beside.states == ["z", "vz"]
    assert_allclose(below.eigenvalues({"l": 2}).imag, [np.sqrt(9.81 / 2), -np.sqrt(9.81 / 2)], rtol=1e-12)
    linear = bead().derive().linearize({"x": 0.3})
    refused("does not keep 'circle'", lambda: linear.eigenvalues({"l": 0.6}), code="E-LINEAR-FAILED")
    larger = bead().derive().linearize({"x": 0.3}, parameters={"l": 0.6})
    assert float(larger.state["z"]) ** 2 == pytest.approx(0.27) and larger.eigenvalues().shape == (2,)


def rolling_disc() -> tuple[ph.System, dict[str, object]]:
    """A disc that rolls at a speed v, and a bob on its carriage, on a spring that is stiffer the faster it rolls."""
    s = ph.System("disc", gravity=(0, 0, "-9.81"))
    v, r = s.parameter("v", 5), s.parameter("r", 0.3)
    disc = s.body("disc", 2, inertia=(0.1, 0.2, 0.1))
    carriage = s.body("carriage", 1)
    s.joint("x", s.ground, carriage, ph.Prismatic("x"))
    spin = s.joint("spin", carriage, disc, ph.Revolute("y"))
    bob = s.joint("bob", carriage, s.body("bob", 1), ph.Prismatic("y"))
    s.joint_force(bob, -bob.q[0] * (9 + spin.u[0] ** 2))
    s.constrain_speed(s.joints["x"].u[0] - r * spin.u[0], "rolling")
    return s, {"spin'": v / r}


USES: dict[str, Callable[[Any], Any]] = {
    "state_space": lambda small: small.state_space({"v": 2}),
    "numbers": lambda small: small.numbers("A", {"v": 2}),
    "eigenvalues": lambda small: small.eigenvalues({"v": 2}),
    "modes": lambda small: small.modes({"v": 2}),
    "eigenvalues_along": lambda small: small.eigenvalues_along("v", [1, 2, 5]),
    "root_locus": lambda small: small.root_locus("tau_bob", "bob", [0, 1], {"v": 2}),
    "transfer_function": lambda small: small.transfer_function("tau_bob", "bob")(1j, {"v": 2}),
    "is_equilibrium_with": lambda small: small.is_equilibrium_with({"v": 2}),
}


@pytest.mark.parametrize("use", USES)
def test_a_state_given_by_a_parameter_and_assembled_in_numbers_is_not_used_with_other_values(use: str) -> None:
    s, at = rolling_disc()
    small = s.derive().linearize({**at, "x'": 0})
    refused("spin' was given by 'r', 'v' and changes by ", lambda: USES[use](small), code="E-LINEAR-FAILED")
    assert "known in numbers, for the values of r, v" in small.notices[1]


def test_assembled_states_hold_for_one_value_and_speeds_given_in_symbols_for_all() -> None:
    s, at = rolling_disc()
    refused("would have to move with 'v'", lambda: s.derive().linearize({**at, "x'": 0}).eigenvalue_derivatives("v"))
    s = bead()
    share = s.parameter("share", 0.6)
    small = s.derive().linearize({"x": share * s.parameters["l"].symbol})
    refused(r"x was given by 'l', 'share' and changes by 0\.1 ", lambda: small.eigenvalues({"share": 0.8}))
    s, at = rolling_disc()
    small = s.derive().linearize(at)
    assert "speed x from 0 to 5" in small.notices[0]
    found = small.eigenvalues_along("v", [1, 2, 5]).eigenvalues
    assert_allclose(abs(found.imag).max(axis=1), np.sqrt(9 + (np.array([1, 2, 5]) / 0.3) ** 2), rtol=1e-12)
    speeds = {"x'": 5, **at}  # of which one is held in numbers
    refused("does not keep 'rate of rolling'", lambda: s.derive().linearize(speeds).eigenvalues({"v": 2}))


def test_with_the_given_speed_independent_or_linearized_anew_the_eigenvalues_are_those_of_the_value() -> None:
    s, at = rolling_disc()
    expected = np.sqrt(9 + (2 / 0.3) ** 2)
    anew = s.derive().linearize(at, parameters={"v": 2}).eigenvalues()
    along = s.derive(independent=["spin", "bob"]).linearize(at).eigenvalues({"v": 2})
    assert_allclose([anew.imag.max(), along.imag.max()], expected, rtol=1e-12)


def test_states_are_named_after_coordinates_and_speeds() -> None:
    linear = cart_and_pole().derive().linearize()
    assert linear.states == ["x", "th", "x'", "w"] and linear.controls == ["tau_x", "tau_w", "push"]


@pytest.mark.parametrize("storage", ["quaternion", "vector"])
def test_small_turns_are_named_after_their_joint(storage: str) -> None:
    s = ph.System("ball", gravity=(0, 0, 0))
    s.joint("j", s.ground, s.body("a", 1, inertia=(1, 1, 1)), ph.Spherical(storage))
    s.joint("f", "a", s.body("b", 1, inertia=(1, 1, 1)), ph.Free(storage))
    linear = s.derive().linearize()
    assert linear.displacements == ["j_rx", "j_ry", "j_rz", "f_rx", "f_ry", "f_rz", "f_x", "f_y", "f_z"]
    assert linear.states[9:] == ["j_wx", "j_wy", "j_wz", "f_wx", "f_wy", "f_wz", "f_vx", "f_vy", "f_vz"]


def test_states_that_do_not_serve_are_refused() -> None:
    equations = bead().derive(independent=["vx"], near={"z": -0.5})
    with pytest.raises(ph.PolhodeError, match="vx do not determine the other speeds") as caught:
        equations.linearize({"x": equations.system.parameters["l"].symbol})
    assert caught.value.problems[0].code == "E-LINEAR-SINGULAR"
    s = ph.System("ghost")
    s.joint("slide", s.ground, s.body("nothing", 0), ph.Prismatic("x"))
    refused("or move no mass", lambda: s.derive().linearize().eigenvalues(), code="E-LINEAR-SINGULAR")
    s = ph.System("bead")
    l = s.parameter("l")
    x = s.joint("rail", s.ground, s.body("bead", 2), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"))).q[0]
    s.constrain(x - l, "wall")
    refused("depends on l, which has no value", lambda: s.derive().linearize(), code="E-LINEAR-MISSING")
    assert s.derive().linearize({"rail_1": l}).states == ["rail_2", "rail_2'"]


@pytest.mark.parametrize("word", ["at", "accelerations", "speeds", "tau", "inputs", "parameters"])
def test_what_is_not_by_name_is_told(word: str) -> None:
    with pytest.raises(ph.PolhodeError, match=f"{word}: .* is not values by name") as caught:
        cart_and_pole().derive().linearize(**{word: [1.0, 2.0]})
    assert caught.value.problems[0].code == "E-CALL-TYPE"


def test_values_that_are_not_by_name_and_unknown_options_are_refused() -> None:
    s = cart_and_pole()
    with pytest.raises(ph.PolhodeError, match="depends on x, which is no parameter") as caught:
        s.derive().linearize({"th": s.joints["x"].q[0]})
    assert caught.value.problems[0].code == "E-LINEAR-DEPENDENCE"
    with pytest.raises(ph.PolhodeError, match=r"no option 'speed'\.\n  Did you mean 'speeds'") as caught:
        cart_and_pole().derive().linearize(speed={"w": 1})
    assert caught.value.problems[0].code == "E-CALL-NAME"


def test_rotors_that_are_not_named_are_where_their_gears_are_not_wound() -> None:
    s = ph.System("arm")
    n = s.parameter("n")
    s.joint("j", s.ground, s.body("link", 1, (0, 0, -1)), ph.Revolute("y"))
    s.motor("j", n, inertia=1, stiffness=100)
    e = s.derive()
    record = e.record
    symbols = {**dict(zip(e.coordinates, e.q, strict=True)), **{f"{x.name}'": x for x in e.u}}

    def point(**given: int) -> list[ph.Expr]:
        named = {symbols[name]: as_expr(value) for name, value in given.items()}
        found = operating_point(record, named, None).values
        return [found[symbols["j rotor"]], found[symbols["j rotor'"]]]

    assert point(**{"j": 2, "j'": 3}) == [2 * n, 3 * n] and point(**{"j": 2, "j rotor": 5}) == [5, 0]


def test_a_speed_and_an_effort_have_several_names() -> None:
    s = ph.System("cart")
    x = s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force(x, s.input("F"))
    names = state_names(s.derive().record)
    assert names["v"] is names["d(v)"] and names["tau_v"] is names["tau(v)"] and {"x", "F"} <= {*names}


def inverted(friction: bool) -> ph.Equations:
    s = ph.System("inverted pendulum", gravity=(0, 0, -10))
    a = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, 1)), ph.Revolute("y"))
    if friction:
        s.joint_force(a, -2 * ph.sign(a.u[0]))
    return s.derive()


@pytest.mark.parametrize("damping", [0, 5])
def test_a_compliant_stop_bends_where_it_touches_alone(damping: float) -> None:
    """In the middle its law max(k x + c v, 0) is beside a factor that is zero."""
    s = ph.System("arm")
    s.joint("h", s.ground, s.body("b", 1, (0, 0, -0.5), inertia=(0.1,) * 3), ph.Revolute("y"), coordinates=["th"])
    s.stop("h", -1, s.parameter("top", 1), stiffness=500, damping=damping)
    equations = s.derive()
    assert not equations.linearize().notices and equations.equilibrium().stability == "neutral"
    assert not any("bends" in each for each in equations.linearize({"th": 1.2}).notices), "pressed in, smooth too"
    words = equations.linearize({"th": 1}, tau={"th": 9.81 * 0.5 * np.sin(1)}).notices
    assert words and all("top" in each and "bends or jumps at this state" in each for each in words)


def test_laws_that_jump_leave_stability_unknown() -> None:
    assert inverted(friction=False).equilibrium().stability == "unstable"
    assert inverted(friction=True).equilibrium().stability == "unknown"
    assert not inverted(friction=False).linearize().notices
    assert "sign(a') bends or jumps at this state" in inverted(friction=True).linearize().notices[0]
    assert not inverted(friction=True).linearize({"a'": 1.0, "a": ph.pi}).notices[1:]
