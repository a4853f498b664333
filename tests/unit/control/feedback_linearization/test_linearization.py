"""Laws under which outputs are chains of integrators: proved on the graph, run in closed loop, or refused."""

from typing import Any

import numpy as np
import pytest
from tests.linearized_loops import is_chain_of_integrators
from tests.refusals import refused

import polhode as ph
from polhode.control import FeedbackLinearization, PartialLinearization
from polhode.control.feedback_linearization.linearization import error_coefficients
from polhode.control.feedback_linearization.prolongation import by_decoupling_matrix, by_prolongation, inputs_of
from polhode.expr import evaluate, same, symbol
from polhode.model.samples import elastic_arm
from polhode.model.samples.linkages import four_bar
from polhode.model.samples.underactuated import (
    ball_and_beam,
    car_with_trailers,
    cart_pole,
    furuta_pendulum,
    planar_vtol,
    quadrotor,
    tora,
    two_link_pendulum,
)

JOINTS = [f"j{i}" for i in range(1, 7)]


def tora_law() -> FeedbackLinearization:
    s = tora()
    M, m, e = (s.parameters[name].symbol for name in ("M", "m", "e"))
    made = s.derive()
    return made.feedback_linearize({"centre": made.q[0] + m * e * ph.sin(made.q[1]) / (M + m)})


@pytest.mark.filterwarnings("ignore:.*W-CONTROL-UNSUPPORTED")
@pytest.mark.parametrize("make", [
    lambda: cart_pole().derive().feedback_linearize(["x"]),
    lambda: cart_pole().derive().feedback_linearize(["theta"]),
    lambda: furuta_pendulum().derive().feedback_linearize(["pendulum"]),
    lambda: two_link_pendulum().derive().feedback_linearize(["shoulder"], ["elbow"]),
    lambda: two_link_pendulum().derive().feedback_linearize(["shoulder", "elbow'"], ["shoulder", "elbow"]),
    lambda: ball_and_beam().derive().feedback_linearize(["r"]),
    lambda: planar_vtol().derive().feedback_linearize(["x", "y"]),
    lambda: quadrotor(2).derive().feedback_linearize(),
    lambda: elastic_arm(coupling="reduced", joints=3).derive().feedback_linearize(),
    lambda: elastic_arm(coupling="reduced", joints=2, damping=3).derive().feedback_linearize(["j1", "j2"]), tora_law,
])  # fmt: skip
def test_coordinates_are_chains_of_integrators(make: Any) -> None:
    assert is_chain_of_integrators(make())


@pytest.mark.filterwarnings("ignore:.*W-CONTROL-UNSUPPORTED")
@pytest.mark.parametrize("joints", [1, 3])
def test_differentiated_equations_give_what_the_decoupling_matrix_gives(joints: int) -> None:
    degree = elastic_arm(coupling="reduced", joints=joints).derive().feedback_linearize(JOINTS[:joints]).degree
    wanted = [symbol(f"v{i}", "wanted") for i in range(joints)]
    short, plain = by_prolongation(degree, wanted), by_decoupling_matrix(degree, wanted)
    assert short is not None and all(map(same, short.chain, plain.chain))
    assert same(inputs_of(degree.plant, short), inputs_of(degree.plant, plain))


def test_parameters_that_the_controller_has_wrong_cost_accuracy_and_behind_a_stiff_gear_stability() -> None:
    """With J taken for Ĵ, the wound angle obeys δ'' = k (1/Ĵ - 1/J) δ + …, which the poles must hold."""
    ends = []
    for stiffness, wrong in ((10, None), (10, {"I1z": 0.07})):
        e = elastic_arm(coupling="reduced", joints=1, stiffness=stiffness).derive()
        law = e.feedback_linearize(["j1"], poles=-10, parameters=wrong)
        run = e.simulate(4, controller=law, reference={"j1": "sin(3*t)"}, rtol=1e-9)
        ends.append(np.abs(run["j1"] - np.sin(3 * run.t))[run.t > 3].max())
    assert ends[0] < 1e-6 and 1e-3 < ends[1] < 0.2
    e = elastic_arm(coupling="reduced", joints=1).derive()
    law = e.feedback_linearize(["j1"], poles=-10, parameters={"I1z": 0.07})
    refused("left all bounds", lambda: e.simulate(4, controller=law, reference={"j1": "sin(3*t)"}))


def test_an_error_decays_as_its_poles_say_and_a_crank_of_a_closed_loop_follows() -> None:
    e = elastic_arm(coupling="reduced", joints=1).derive()
    run = e.simulate(
        1, controller=e.feedback_linearize(["j1"], poles=-6), reference={"j1": 0}, rtol=1e-10, samples=21,
        start={"j1": 0.1, "j1 rotor": 0.1 * float(e.system.parameters["n1"].value)},
    )  # fmt: skip
    s = 6 * run.t  # from rest with the spring unloaded: e' = e'' = e''' = 0
    assert np.allclose(run["j1"], 0.1 * np.exp(-s) * (1 + s + s**2 / 2 + s**3 / 6), atol=1e-8)
    e = four_bar().derive()
    law = e.feedback_linearize(["crank"], ["crank"], poles=-8)
    run = e.simulate(4, controller=law, reference={"crank": "1 + 0.3*sin(t)"}, rtol=1e-9)
    assert law.degrees == (2,) and abs(run["crank"][-1] - 1 - 0.3 * np.sin(4)) < 1e-6


def test_orientations_may_be_quaternions() -> None:
    """Place and the rate of turning about the own axis: but for a lost thrust, the law is singular nowhere."""
    s = ph.System("drone")
    frame = s.body("frame", 1, inertia=("0.01", "0.012", "0.02"))
    s.joint("pose", s.ground, frame, ph.Free())
    s.force(frame, (0, 0, s.input("thrust", "9.81")), frame=frame)
    s.torque(frame, [s.input(f"T{x}") for x in "xyz"], frame=frame)
    law = s.derive().feedback_linearize(["pose_x", "pose_y", "pose_z", "pose_wz"], extend=True)
    assert law.degrees == (4, 4, 4, 1) and [str(each) for each in law.singular] == ["thrust integrator 1"]
    assert law.zero_dynamics.size == 1


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda: ball_and_beam().derive().feedback_linearize(["r"], at={}), "not exist at the given state.*where r"),
    (lambda: ball_and_beam().derive().feedback_linearize(), "span of g, ad_f g has rank 2 of 4 and is not involut"),
    (lambda: tora().derive().feedback_linearize(), r"relative degrees \{4\} exist, but coordinates are none"),
    (lambda: quadrotor().derive().feedback_linearize(["pose_x", "pose_y", "pose_z", "pose_a1"]), "has rank 2 of 4"),
    (lambda: cart_pole().derive().feedback_linearize(["x", "theta"]), "1 inputs are to make 2 outputs linear"),
    (lambda: cart_pole().derive().feedback_linearize(["y"]), "no state 'y'"),
    (lambda: cart_pole().derive().feedback_linearize(["x"], ["G"]), "no input 'G'"),
    (lambda: cart_pole().derive().feedback_linearize(["x"], extend="yes"), "True or False"),
    (lambda: cart_pole().derive().feedback_linearize(3), "3"),
    (lambda: FeedbackLinearization("cart", ["x"]), "not a set of equations"),
])  # fmt: skip
def test_what_cannot_be_says_why(make: Any, sentence: str) -> None:
    refused(f"(?s){sentence}", make)


def test_a_coordinate_that_no_input_reaches_is_named_and_zero_dynamics_and_singular_states_are_reported() -> None:
    s = ph.System("two carts", gravity=(0, 0, 0))
    for name in "ab":
        s.joint(name, s.ground, s.body(f"cart {name}", 1), ph.Prismatic("x"))
    assert "extend" not in refused("no input ever reaches b", lambda: s.derive().feedback_linearize(["b"], ["a"]))
    e = cart_pole().derive()
    with pytest.warns(UserWarning, match=r"zero dynamics are unstable.*exp\(4.429 t\)"):
        law = e.feedback_linearize(["x"])
    assert law.notices and law.zero_dynamics.is_stable is False
    told = e.feedback_linearize(["theta"]).notices[0]
    assert told.startswith("2 states are not made linear, and eigenvalues do not decide")
    law = cart_pole().derive().feedback_linearize(["theta"])
    assert [str(each) for each in law.singular] == ["cos(theta)"]
    (told,) = law.law.conditions
    assert told == "cos(theta) = 0, as the decoupling matrix is singular there"
    assert law.conditions == (f"The law does not hold where {told}.",) and [*law.coordinates] == ["theta", "theta'"]
    with pytest.warns(UserWarning, match="integrators start where the law does not hold"):
        quadrotor().derive().feedback_linearize(POSITION_AND_YAW, extend=True)


def vector_pair() -> ph.System:
    """Two hinges stored as tan(θ/2), whose rates are (1 + c²)/2 times the speeds."""
    s = ph.System("pair", gravity=(0, 0, -10))
    before, m = s.ground, s.parameter("m", 1)
    for k, name in enumerate(("ch", "cl")):
        body = s.body(name, m, com=(0, 0, -1))
        s.joint(name, before, body, ph.Revolute("y", storage="vector"), at=(0, 0, -k), speeds=[f"u{k}"])
        before = body
    return s


def test_conditions_are_listed_where_some_state_meets_them() -> None:
    """1 + c² has no real zero: neither the linearising law nor computed torque nor a relative degree is lost there."""
    e = vector_pair().derive()
    inputs = ["tau_u0", "tau_u1"]
    law = e.feedback_linearize(["ch", "cl"], inputs=inputs)
    assert law.singular == law.conditions == ()
    assert "lost" not in str(e.relative_degree(["ch", "cl"], inputs=inputs))
    assert ph.control.ComputedTorque(e, kp=1, kd=1).law.conditions == ()
    inputs = ["tau_u0", "tau_u1"]
    ch, cl = e.q
    law = e.feedback_linearize({"product": ch * cl, "cl": cl}, inputs=inputs)
    assert law.singular == (cl,) and "cl = 0" in law.conditions[0]
    law = e.feedback_linearize({"cubic": ch**3 - 3 * ch, "cl": cl}, inputs=inputs)
    assert law.singular and all(any(float(x.subs({ch: at})) == 0 for at in (1, -1)) for x in law.singular)


POSITION_AND_YAW = ["pose_x", "pose_y", "pose_z", "pose_a1"]


def unicycle() -> ph.System:
    """A point that rolls where it heads; speed and turning rate are inputs."""
    s = ph.System("unicycle", gravity=(0, 0, 0))
    speed, turn = s.input("speed"), s.input("turn")
    heading = s.state("heading", turn)
    s.state("x", speed * ph.cos(heading))
    s.state("y", speed * ph.sin(heading))
    s.joint("idle", s.ground, s.body("ballast", 1), ph.Prismatic("x"))
    return s


def test_a_quadrotor_takes_two_integrators_before_its_thrust() -> None:
    law = quadrotor().derive().feedback_linearize(POSITION_AND_YAW, extend=True, at={"thrust": 9.81})
    assert law.degrees == (4, 4, 4, 2) and law.zero_dynamics.size == 0
    first, second = law.law.states
    assert first.rate == second.symbol and (float(first.start), second.start) == (9.81, 0)
    assert law.control["thrust"] == first.symbol
    assert {str(each) for each in law.singular} == {"cos(pose_a3)", "thrust integrator 1"}
    assert is_chain_of_integrators(law)


def test_an_aircraft_with_a_coupled_roll_takes_an_integrator_before_a_combination_and_a_car_follows_a_curve() -> None:
    s = planar_vtol()
    e, epsilon = s.derive(), s.parameters["epsilon"].symbol
    theta, x, y = e.q
    outputs = {"a": x - epsilon * ph.sin(theta), "b": y + epsilon * ph.cos(theta)}
    refused("rank 1 of 2", lambda: e.feedback_linearize(outputs))
    law = e.feedback_linearize(outputs, extend=True)
    assert law.degrees == (4, 4) and len(law.law.states) == 2
    assert [str(each) for each in law.singular] == ["epsilon*omega**2 - thrust integrator 1"]
    assert is_chain_of_integrators(law)
    e = car_with_trailers(0).derive()
    law = e.feedback_linearize(["x", "y"], extend=True, poles=-2)
    assert law.degrees == (4, 4) and "vx" in {str(each) for each in law.singular}
    run = e.simulate(10, controller=law, reference={"x": "2*t", "y": "sin(t/2)"}, speeds={"vx": 2.0}, rtol=1e-8)
    assert abs(run["x"][-1] - 20) < 1e-5 and abs(run["y"][-1] - np.sin(5)) < 1e-4


def test_nothing_is_extended_without_need_or_use() -> None:
    e = planar_vtol().derive()
    with pytest.warns(UserWarning, match="unstable"):
        assert e.feedback_linearize(["x", "y"], extend=True).law.states == ()
    with pytest.raises(ph.PolhodeError, match="integrators do not help: after"):
        e.feedback_linearize({"a": e.q[1], "b": 2 * e.q[1] + 1}, extend=True)


def numbers(made: Any) -> list[list[float]]:
    coefficients, parameters = made
    known = {each.symbol: float(each.value) for each in parameters.values()}
    return [evaluate(row, known) for row in coefficients]


@pytest.mark.parametrize("poles", [[-1, -2, -3.5], [-1, -2 + 3j, -2 - 3j], [-0.25, -0.25, -8]])
def test_coefficients_have_the_poles_as_roots(poles: list[complex]) -> None:
    ((k0, k1, k2),) = numbers(error_coefficients(["x"], [3], poles=poles))
    assert np.allclose(np.sort_complex(np.roots([1, k2, k1, k0])), np.sort_complex(np.array(poles, complex)))


def test_poles_are_roots_one_for_all_outputs_or_one_for_each() -> None:
    made = error_coefficients(["x", "y"], [4, 2], poles=-3)
    assert [*made[1]] == ["lambda"]
    assert numbers(made) == [[81, 108, 54, 12], [9, 6]]
    made = error_coefficients(["x", "y"], [2, 1], poles={"x": [-1, -2], "y": -4})
    assert {name: float(each.value or 0) for name, each in made[1].items()} == {
        "k0_x": 2.0, "k1_x": 3.0, "lambda_y": 4.0,
    }  # fmt: skip
    assert numbers(error_coefficients(["x"], [2], gains=[6, 5])) == [[6, 5]]


@pytest.mark.parametrize(("options", "sentence"), [
    ({"poles": -1, "gains": [1, 2]}, "both given"), ({"poles": 3}, "errors would not decay: a pole is at 3"),
    ({"poles": [-1, 2]}, "a pole is at 2"),
    ({"poles": [-1]}, "1 poles are given, and the output has relative degree 2"),
    ({"poles": [-1 + 1j, -1]}, "without its conjugate"), ({"gains": [1, -1]}, "errors would not decay"),
    ({"gains": [1, 2, 3]}, "3 gains are given"), ({"gains": 3}, "list of gains"),
    ({"gains": ["fast", 1]}, "'fast' is not a number"), ({"poles": {"y": -1}}, "no output 'y'"),
    ({"poles": {}}, "nothing is said of 'x'"), ({"poles": "fast"}, "fast"),
])  # fmt: skip
def test_what_cannot_be_gets_a_sentence(options: dict[str, Any], sentence: str) -> None:
    refused(sentence, lambda: error_coefficients(["x"], [2], **options))


@pytest.mark.parametrize(("driven", "other"), [("elbow", "shoulder"), ("shoulder", "elbow")])
def test_an_acrobot_and_a_pendubot_both_ways(driven: str, other: str) -> None:
    e = two_link_pendulum().derive()
    collocated = PartialLinearization(e, inputs=[driven])
    assert [*collocated.outputs] == [driven] and collocated.singular == ()
    crossed = PartialLinearization(e, "non-collocated", [driven])
    assert [*crossed.outputs] == [other] and len(crossed.singular) == 1
    assert is_chain_of_integrators(collocated) and is_chain_of_integrators(crossed)


def test_zero_dynamics_of_a_hanging_acrobot_oscillate_and_those_of_a_standing_one_grow() -> None:
    e = two_link_pendulum().derive()
    hanging = PartialLinearization(e, inputs=["elbow"])
    assert hanging.zero_dynamics.is_stable is None and "do not decide" in hanging.notices[0]
    with pytest.warns(UserWarning, match="W-CONTROL-UNSUPPORTED"):
        standing = PartialLinearization(e, inputs=["elbow"], at={"shoulder": np.pi})
    assert standing.zero_dynamics.is_stable is False


@pytest.mark.filterwarnings("ignore:.*W-CONTROL-UNSUPPORTED")
def test_while_a_cart_follows_its_pole_falls() -> None:
    e = cart_pole().derive()
    law = PartialLinearization(e, poles=-3)
    run = e.simulate(2, controller=law, reference={"x": "sin(t)"}, start={"theta": 0.01}, rtol=1e-9, speeds={"x": 1})
    assert np.abs(run["x"] - np.sin(run.t)).max() < 1e-7 and np.abs(run["theta"]).max() > 1


@pytest.mark.filterwarnings("ignore:.*W-CONTROL-UNSUPPORTED")
def test_outputs_may_be_named() -> None:
    assert [*PartialLinearization(cart_pole().derive(), "x").outputs] == ["x"]
    assert [*PartialLinearization(cart_pole().derive(), ["theta"]).outputs] == ["theta"]


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda: PartialLinearization(cart_pole().derive(), "located"), "neither collocated nor non-collocated"),
    (lambda: PartialLinearization(planar_vtol().derive()), "do not drive as many speeds"),
    (lambda: PartialLinearization(quadrotor().derive()), "is not the rate of a coordinate"),
])  # fmt: skip
def test_what_cannot_be_in_part_says_why(make: Any, sentence: str) -> None:
    with pytest.raises(ph.PolhodeError, match=sentence):
        make()


def test_more_passive_coordinates_than_inputs_must_be_named() -> None:
    s = ph.System("cart with two poles")
    s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    for name in ("left", "right"):
        s.joint(name, "cart", s.body(f"{name} pole", 1, (0, 0, 1)), ph.Revolute("y"))
    with pytest.raises(ph.PolhodeError, match="1 inputs cannot make 2 coordinates linear, left and right"):
        PartialLinearization(s.derive(), "non-collocated", ["x"])
