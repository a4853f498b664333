"""Inverse dynamics of constrained mechanisms: the call says what the constraints carry."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

import polhode as ph
from polhode.model.samples import motor_driven_pendulum
from polhode.model.samples.linkages import four_bar


@pytest.fixture(scope="module")
def bars() -> ph.Equations:
    return four_bar().derive()


def moving(equations: ph.Equations, count: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """States on the loop, efforts on the crank alone, and the accelerations that they give."""
    f = equations.compile()
    made = [equations.assemble({"crank": 0.3 + 0.4 * k}, {"crank": 1.0 + k}, hold=["crank"]) for k in range(count)]
    q, u = np.array([each.q for each in made]), np.array([each.u for each in made])
    tau = np.zeros(u.shape)
    tau[:, 0] = np.arange(count) + 2.0
    return q, u, f.forward_dynamics(q, u, tau), tau


def test_multipliers_must_be_chosen_and_given_ones_give_back_the_efforts(bars: ph.Equations) -> None:
    q, u, udot, _ = moving(bars)
    f = bars.compile()
    for call in (f.inverse_dynamics, f.inverse_dynamics_derivatives):
        with pytest.raises(ph.PolhodeError, match="depend on their multipliers") as caught:
            call(q[0], u[0], udot[0])
        problem = caught.value.problems[0]
        assert problem.code == "E-CODE-MISSING" and problem.place == call.__name__
        assert 'multipliers="zero"' in problem.cure and "actuated=" in problem.cure
    q, u, udot, tau = moving(bars)
    f = bars.compile()
    multipliers = f.multipliers(q, u, tau)
    assert_allclose(f.inverse_dynamics(q, u, udot, multipliers=multipliers), tau, atol=1e-9)
    free = f.inverse_dynamics(q, u, udot, multipliers="zero")
    A = f.constraint_matrix(q)
    assert_allclose(free, tau + np.einsum("kji,kj->ki", A, multipliers), atol=1e-9)
    assert_allclose(free, np.einsum("kij,kj->ki", f.mass_matrix(q), udot) + f.bias(q, u), atol=1e-9)
    assert f.inverse_dynamics_derivatives(q, u, udot, multipliers="zero")[0].shape == (3, 3, 3)


def test_efforts_on_the_actuated_speed_alone_are_found(bars: ph.Equations) -> None:
    q, u, udot, tau = moving(bars)
    f = bars.compile()
    assert_allclose(f.inverse_dynamics(q, u, udot, actuated=["crank"]), tau, atol=1e-8)
    assert_allclose(f.inverse_dynamics(q[1], u[1], udot[1], actuated=["crank"]), tau[1], atol=1e-8)
    by_rocker = f.inverse_dynamics(q, u, udot, actuated=["rocker"])
    assert not by_rocker[:, :2].any()
    assert_allclose(f.forward_dynamics(q, u, by_rocker), udot, atol=1e-8)


def test_dependent_speeds_redundant_rows_and_broken_loops(bars: ph.Equations) -> None:
    q, u, udot, tau = moving(bars)
    embedded = four_bar().derive(independent=["crank"]).compile()
    assert_allclose(embedded.inverse_dynamics(q, u[:, :1], udot[:, :1]), tau[:, :1], atol=1e-8)
    s = ph.System("two blocks")
    x, y = (s.joint(name, s.ground, s.body(name, 1), ph.Prismatic("x")).q[0] for name in ("x", "y"))
    s.constrain(x - y, "bar")
    s.constrain(2 * x - 2 * y, "bar again")
    tau = s.derive().compile().inverse_dynamics([0.1, 0.1], [0.0, 0.0], [3.0, 3.0], actuated=["y"])
    assert_allclose(tau, [0, 6], atol=1e-12)
    q, u, udot, _ = moving(bars)
    with pytest.raises(ph.PolhodeError, match=r"the accelerations break '.*' by") as caught:
        bars.compile().inverse_dynamics(q, u, udot + np.array([0.1, 0, 0]), actuated=["crank"])
    assert caught.value.problems[0].code == "E-CODE-TWICE"


def test_without_constraints_nothing_has_to_be_said() -> None:
    s = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("x", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint("b", "x", s.body("y", 1, com=(0, 0, -1)), ph.Revolute("y"), at=(0, 0, -2))
    f = s.derive().compile()
    q, u, udot = [0.3, 0.4], [1.0, 2.0], [0.5, -0.5]
    tau = f.inverse_dynamics(q, u, udot)
    assert_allclose(f.forward_dynamics(q, u, tau), udot, atol=1e-12)
    assert_allclose(f.inverse_dynamics(q, u, udot, actuated=["a", "b"]), tau, atol=1e-12)
    refused("have no multipliers", lambda: f.inverse_dynamics(q, u, udot, multipliers="zero"))
    with pytest.raises(ph.PolhodeError, match="efforts on a cannot give this motion: the constraints leave 2 free"):
        f.inverse_dynamics(q, u, udot, actuated=["a"])


@pytest.mark.parametrize(("actuated", "sentence", "code"), [
    (["crank", "rocker"], "do not determine this motion: the constraints leave 1 free", "E-CODE-SHAPE"),
    ([], "efforts on no speed cannot give this motion", "E-CODE-SHAPE"),
    (["crnk"], "Did you mean 'crank'", "E-CODE-NAME"), ("crank", "not a list of speeds", "E-CALL-TYPE"),
    (5, "not a list of speeds", "E-CALL-TYPE"),
])  # fmt: skip
def test_actuators_that_do_not_serve_are_told(bars: ph.Equations, actuated: list, sentence: str, code: str) -> None:
    q, u, udot, _ = moving(bars)
    refused(sentence, lambda: bars.compile().inverse_dynamics(q, u, udot, actuated=actuated), code=code)


def test_words_that_are_no_multipliers_are_told(bars: ph.Equations) -> None:
    q, u, udot, _ = moving(bars)
    ragged, words = ([[1.0], [2.0, 3.0]], "E-VALUE-TYPE"), (["a", "b"], "E-VALUE-TYPE")
    for wrong, told in (("none", "E-CODE-MISSING"), ragged, words, ([1.0], r"the shape is \(1,\), expected \(2,\)")):
        with pytest.raises(ph.PolhodeError, match=told):
            bars.compile().inverse_dynamics(q[0], u[0], udot[0], multipliers=wrong)
    embedded = four_bar().derive(independent=["crank"]).compile()
    refused("have no multipliers", lambda: embedded.inverse_dynamics(q[0], u[0, :1], udot[0, :1], multipliers="zero"))
    with pytest.raises(ph.PolhodeError, match='Derive with constraints="multipliers"'):
        embedded.inverse_dynamics(q[0], u[0, :1], udot[0, :1], actuated=["rocker"])


@pytest.fixture(scope="module")
def motor() -> ph.Equations:
    return motor_driven_pendulum().derive()


def test_states_are_an_argument_of_functions_batches_and_baked_functions(motor: ph.Equations) -> None:
    f = motor.compile()
    expected = [3 * (3 * 2.0 - 4.905 * np.sin(0.1))]
    for given in ([2.0], {"current": 2.0}):
        assert_allclose(f.forward_dynamics([0.1], [0.0], [0.0], given), expected)
        assert_allclose(f.forward_dynamics([0.1], [0.0], z=given), expected)
    assert_allclose(f.bias([0.1], [0.0], z=[2.0]), -np.array(expected) / 3)
    assert_allclose(f.mass_matrix([0.1], z=[2.0]), [[1 / 3]], err_msg="it makes no difference, and may be given")
    assert_allclose(f.state_rates([0.1, 0.0, 2.0]), [0.0, *expected, -400.0])
    assert_allclose(f.z_rates([0.1], [0.0], [2.0]), [-400.0])
    by_state, _, _ = f.forward_dynamics_derivatives([0.1], [0.0], z=[2.0])
    assert_allclose(by_state, [[-3 * 4.905 * np.cos(0.1)]])
    assert_allclose(f.reaction("hinge", [0.1], [0.0], z=[2.0])[0], [0.0, 6.0, 0.0], atol=1e-14)
    f, z = motor.compile(), np.linspace(-1, 1, 7)
    many = f.forward_dynamics(np.full((7, 1), 0.1), np.zeros((7, 1)), z=z[:, None])
    assert_allclose(many[:, 0], 9 * z - 3 * 4.905 * np.sin(0.1))
    assert_allclose(f.forward_dynamics([0.1], [0.0], z={"current": z}), many)
    for options in ({"bake": True}, {"cache": False}, {"backend": "numpy"}):
        assert_allclose(motor.compile(**options).forward_dynamics([0.0], [0.0], z=[1.0]), [9.0])


def test_states_that_are_missing_or_wrong_are_told_in_one_sentence(motor: ph.Equations) -> None:
    f = motor.compile()
    for call, told in (
        (lambda: f.forward_dynamics([0.1], [0.0]), "forward_dynamics: it depends on the state 'current'"),
        (lambda: f.bias([0.1], [0.0], z={}), "bias: it depends on the state 'current'"),
        (lambda: f.bias([0.1], [0.0], z={"curent": 1}), "no state 'curent'"),
        (lambda: f.bias([0.1], [0.0], z=[1, 2]), r"z has shape \(2,\)"),
        (lambda: f.mass_matrix([0.1], z=[1, 2]), r"z has shape \(2,\)"),
        (lambda: f.bias([0.1], [0.0], z=["x"]), "no real number"),
        (lambda: four_bar().derive().compile().mass_matrix([0, 0, 0], z=[1]), r"z has shape \(1,\)"),
    ):
        with pytest.raises(ph.PolhodeError, match=told):
            call()


@pytest.fixture(scope="module")
def ball() -> ph.Equations:
    s = ph.System("ball", gravity=(0, 0, "-9.81"))
    l, m = s.parameter("l", 1), s.parameter("m", 1)
    s.joint("socket", s.ground, s.body("bob", m, (0, 0, -l), (1, 1, 1)), ph.Spherical())
    return s.derive()


@pytest.mark.parametrize("count", [1, 3, 40])
def test_a_set_of_parameters_for_each_state_gives_what_each_alone_gives(ball: ph.Equations, count: int) -> None:
    functions, random = ball.compile(), np.random.default_rng(0)
    q, u, lengths = random.normal(size=(count, 4)), random.normal(size=(count, 3)), random.uniform(1, 2, count)
    for name, arrays in (("forward_dynamics", (q, u)), ("coordinate_rates", (q, u)), ("mass_matrix", (q,))):
        made = getattr(functions, name)(*arrays, parameters={"l": lengths, "m": 2})
        for i, length in enumerate(lengths):
            alone = getattr(functions, name)(*(each[i] for each in arrays), parameters={"l": length, "m": 2})
            np.testing.assert_allclose(made[i], alone, rtol=1e-13, atol=1e-13)
    one = functions.forward_dynamics(q[0], u[0], parameters={"l": list(lengths), "m": 2})
    assert one.shape == (count, 3)


@pytest.mark.parametrize(("parameters", "told"), [
    ({"l": [1, 2], "m": [1, 2, 3]}, "'l' has 2 and 'm' has 3"),
    ({"l": [1, 2, 3]}, "parameter 'l': it has 3 values; the array 'q' has 2 states"),
    ({"l": np.ones((2, 1))}, r"parameter 'l': the values have shape \(2, 1\)"),
    ({"l": ["a", "b"]}, "parameter 'l': <U1 is no type of real numbers"),
    ({"l": [1j, 2j]}, "parameter 'l': complex128 is no type of real numbers"),
    ({"l": [1, np.nan]}, "value 1 of parameter 'l' is nan"), ({"l": [[1], [2, 3]]}, "parameter 'l'"),
    ({"k": [1, 2]}, "no parameter 'k'"),
])  # fmt: skip
def test_parameters_that_are_no_set_for_each_state_are_told(ball: ph.Equations, parameters: dict, told: str) -> None:
    q, u = np.tile([1.0, 0, 0, 0], (2, 1)), np.zeros((2, 3))
    refused(told, lambda: ball.compile().forward_dynamics(q, u, parameters=parameters))
