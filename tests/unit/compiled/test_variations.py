"""Native derivatives by parameters, inputs, efforts, state and time, beside differences, SymPy and each other."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from tests.refusals import refused

import polhode as ph
from polhode.compiled.variations import AdjointRates, DerivativesOf, VariationalRates
from polhode.model.samples import four_bar

Floats = NDArray[np.float64]
Q, U, TAU = np.array([0.3, -0.7]), np.array([0.4, 1.1]), np.array([0.2, -0.5])


def cart() -> ph.System:
    """A pole on a cart that an input pushes, under a wind that time makes stronger."""
    s = ph.System("cart and pole")
    M, m, l, c = (s.parameter(name, value) for name, value in (("M", 2), ("m", 0.5), ("l", 0.7), ("c", 0.3)))
    push = s.input("push", 1.5)
    body, pole = s.body("cart", mass=M), s.body("pole", mass=m, com=(0, 0, l / 2), inertia=ph.rod(m, l))
    rail = s.joint("rail", s.ground, body, ph.Prismatic("x"), coordinates=["x"], speeds=["v"])
    pivot = s.joint("pivot", body, pole, ph.Revolute("y"), coordinates=["tilt"], speeds=["rate"])
    s.joint_force(rail, push + ph.sin(2 * s.time) * m)
    s.joint_force(pivot, -c * pivot.u[0])
    return s


def slope(function: Callable[[float], Any], at: float) -> Floats:
    """A central difference, extrapolated once."""
    h = 1e-3 * max(1.0, abs(at))
    coarse, fine = ((np.asarray(function(at + d)) - function(at - d)) / (2 * d) for d in (h, h / 2))
    return np.asarray((4 * fine - coarse) / 3)


@pytest.mark.parametrize("of", ["forward_dynamics", "inverse_dynamics", "bias"])
@pytest.mark.parametrize("name", ["M", "m", "l", "c"])
def test_derivatives_by_a_parameter_are_differences(of: str, name: str) -> None:
    f = cart().derive().compile()
    arrays = (Q, U, TAU)[: 2 if of == "bias" else 3]
    value = float(f.derivation.model.parameters[name].value)
    found = f.derivatives(of, [name], *arrays, t=0.4)
    wanted = slope(lambda p: getattr(f, of)(*arrays, t=0.4, parameters={name: p}), value)
    assert found.shape == (2, 1)
    assert_allclose(found[:, 0], wanted, atol=1e-9)


def test_derivatives_by_inputs_efforts_and_time_are_differences() -> None:
    f = cart().derive().compile()
    x = np.concatenate([Q, U])
    found = f.derivatives("state_rates", ["push", "tau_v", "tau_rate", "t"], x, TAU, t=0.4)
    by = [
        slope(lambda p: f.evaluate("state_rates", x, TAU, t=0.4, inputs={"push": p}), 1.5),
        slope(lambda p: f.evaluate("state_rates", x, [p, TAU[1]], t=0.4), TAU[0]),
        slope(lambda p: f.evaluate("state_rates", x, [TAU[0], p], t=0.4), TAU[1]),
        slope(lambda p: f.evaluate("state_rates", x, TAU, t=p), 0.4),
    ]
    assert_allclose(found, np.transpose(by), atol=1e-9)


def test_derivatives_are_those_of_sympy() -> None:
    """∂u̇/∂l of a pendulum, by an engine that shares nothing with ours."""
    s = ph.System("pendulum")
    l = s.parameter("l", 0.8)
    s.joint("hinge", s.ground, s.body("bob", 2, (0, 0, -l)), ph.Revolute("y"), coordinates=["theta"])
    length, theta, tau = sympy.symbols("l theta tau")
    expected = sympy.diff((tau - 2 * sympy.Rational("9.81") * length * sympy.sin(theta)) / (2 * length**2), length)
    found = s.derive().compile().derivatives("forward_dynamics", ["l"], [0.3], [0.1], [0.5])
    assert_allclose(found, float(expected.subs({length: 0.8, theta: 0.3, tau: 0.5})), rtol=1e-14)


def test_the_jacobian_of_the_rates_is_their_difference_quotient() -> None:
    f = cart().derive().compile()
    x = np.concatenate([Q, U])
    by_x, by_t = f.state_rates_jacobian(x, TAU, t=0.4)
    for k, unit in enumerate(np.eye(4)):
        wanted = slope(lambda p, unit=unit: f.evaluate("state_rates", x + p * unit, TAU, t=0.4), 0.0)
        assert_allclose(by_x[:, k], wanted, atol=1e-9)
    assert_allclose(by_t, f.derivatives("state_rates", ["t"], x, TAU, t=0.4)[:, 0], rtol=1e-14)
    assert by_t.any()


def test_with_quaternions_the_jacobian_is_that_of_the_orientation_they_stand_for() -> None:
    """Of any length: `evaluate` scales them, and ẋ along a quaternion is the rate as it is."""
    s = ph.System("satellite")
    body = s.body("bus", mass=5, inertia=(1, 2, 3))
    s.joint("fly", s.ground, body, ph.Free())
    tip = s.body("tip", mass=0.5, com=(0, 0, 0.3), inertia=(0.02, 0.02, 0.01))
    s.joint("hinge", body, tip, ph.Revolute("y"), at=(0.2, 0, 0))
    f = s.derive().compile()
    random = np.random.default_rng(3)
    x, tau = random.normal(size=15), random.normal(size=7)
    x[:4] /= np.linalg.norm(x[:4])
    by_x, _ = f.state_rates_jacobian(x, tau)
    for k, unit in enumerate(np.eye(15)):
        wanted = slope(lambda p, unit=unit: f.evaluate("state_rates", x + p * unit, tau), 0.0)
        assert_allclose(by_x[:, k], wanted, atol=1e-8 * abs(by_x).max())


def test_with_multipliers_the_stabilised_rates_have_a_jacobian_too() -> None:
    f = four_bar().derive().compile()
    x, tau, alpha = np.linspace(0.2, 0.9, 6), np.array([0.1, 0.2, 0.3]), np.array([3.0])
    by_x, by_t = f.evaluate("stabilised_rates_jacobian", x, tau, alpha)
    for k, unit in enumerate(np.eye(6)):
        wanted = slope(lambda p, unit=unit: f.evaluate("stabilised_rates", x + p * unit, tau, alpha), 0.0)
        assert_allclose(by_x[:, k], wanted, atol=1e-7 * abs(by_x).max())
    assert not by_t.any()


@pytest.mark.parametrize("constraints", ["multipliers", "embedded", None])
def test_variations_and_adjoints_are_the_jacobian_forwards_and_backwards(constraints: str | None) -> None:
    e = cart().derive() if constraints is None else four_bar().derive(constraints=constraints)
    f = e.compile()
    names = ("m", "l", "push")[: 3 if constraints is None else 0] or tuple(e.system.parameters)[:2]
    random = np.random.default_rng(1)
    size, efforts = len(e.q) + len(e.u), len(e.tau)
    x, tau = random.uniform(0.2, 0.8, size), random.normal(size=efforts)
    S, w = random.normal(size=(4, size)), random.normal(size=size)
    more = {"t": 0.4, "inputs": {"push": 1.5} if constraints is None else None}
    by_x, _ = f.state_rates_jacobian(x, tau, **more)
    by_p = f.derivatives("state_rates", names, x, tau, **more)
    rates = f.evaluate("state_rates", x, tau, **more)
    forward = f.evaluate(VariationalRates(names, 4), np.concatenate([x, S.ravel()]), tau, **more).reshape(5, size)
    expected = S @ by_x.T
    expected[: len(names)] += by_p.T
    assert_allclose(forward, np.vstack([rates, expected]), atol=1e-11 * abs(by_x).max())
    more["t"] = -0.4
    backward = f.evaluate(AdjointRates(names), np.concatenate([x, w, np.zeros(len(names))]), tau, **more)
    assert_allclose(backward, np.concatenate([-rates, w @ by_x, w @ by_p]), atol=1e-11 * abs(by_x).max())


def test_functions_of_the_same_words_and_gains_in_laws_and_what_cannot_be_differentiated_is_told() -> None:
    x = cart().derive().record.q[0]
    assert repr(AdjointRates(("m",), x)) != repr(AdjointRates(("m",), 2 * x)) != repr(AdjointRates(("m",)))
    e, laws, x, more = closed("cart")
    f = e.compile().driven(laws)
    wanted = slope(lambda p: f.evaluate("state_rates", x, TAU, parameters={"m": p}, **more), 0.5)
    assert_allclose(f.derivatives("state_rates", ["m"], x, TAU, **more)[:, 0], wanted, atol=1e-9)
    f = cart().derive().compile()
    refused("no result to differentiate 'energy'", lambda: f.derivatives("energy", ["m"], Q, U))
    refused("no parameter, input or effort 'mm'", lambda: f.derivatives("bias", ["mm"], Q, U))
    refused("not names", lambda: DerivativesOf("bias", "m"))  # type: ignore[arg-type]


def closed(kind: str) -> tuple[ph.Equations, dict[Any, Any], Floats, dict[str, Any]]:
    """Equations, laws of state, time and a parameter, a state, and options of functions."""
    if kind == "cart":
        e = cart().derive()
        (x, tilt), (v, rate) = e.q, e.u
        m, push = e.system.parameters["m"].symbol, e.system.inputs["push"].symbol
        laws = {e.tau[0]: -3 * x * tilt - m * v + e.system.time, push: ph.sin(rate * e.system.time) - 2 * tilt}
        return e, laws, np.array([*Q, *U]), {"t": 0.4, "inputs": {"push": 7.0}}
    if kind == "satellite":
        s = ph.System("satellite")
        s.joint("turn", s.ground, s.body("bus", mass=5, inertia=(1, 2, 3)), ph.Spherical())
        e = s.derive()
        laws = {e.tau[0]: -2 * e.q[1] * e.q[0] - e.u[0], e.tau[2]: e.q[2] * e.u[1]}
        return e, laws, np.array([0.5, 0.5, -0.5, 0.5, 0.3, -0.2, 0.9]), {}
    s = ph.System("motor")
    shaft = s.joint("shaft", s.ground, s.body("rotor", inertia=(1, 1, 2)), ph.Revolute("z"), speeds=["w"])
    command = s.input("command")
    s.joint_force(shaft, s.state("torque", rate=lambda torque: (command - torque) * 3))
    e = s.derive()
    return e, {command: -4 * e.q[0] * e.z[0] - e.u[0]}, np.array([0.3, 0.4, 0.5]), {"inputs": {"command": 9.0}}


@pytest.mark.parametrize("kind", ["cart", "satellite", "motor"])
def test_the_jacobian_of_a_closed_loop_goes_through_its_laws(kind: str) -> None:
    e, laws, x, more = closed(kind)
    f, tau = e.compile().driven(laws), np.full(len(e.tau), 0.3)
    by_x, by_t = f.state_rates_jacobian(x, tau, **more)
    for k, unit in enumerate(np.eye(len(x))):
        wanted = slope(lambda p, unit=unit: f.evaluate("state_rates", x + p * unit, tau, **more), 0.0)
        if kind == "satellite" and k < 4:  # a law is of the components as they are: along the sphere they count
            continue
        assert_allclose(by_x[:, k], wanted, atol=1e-9)
    t = more.pop("t", 0.0)
    assert_allclose(by_t, slope(lambda p: f.evaluate("state_rates", x, tau, **more, t=p), t), atol=1e-9)


def test_the_jacobian_of_a_closed_loop_turns_quaternions_along_their_sphere() -> None:
    e, laws, x, _ = closed("satellite")
    f, tau = e.compile().driven(laws), np.full(len(e.tau), 0.3)
    by_x, _ = f.state_rates_jacobian(x, tau)
    for along in np.eye(4) - np.outer(x[:4], x[:4]):

        def turned(p: float, along: Floats = along) -> Floats:
            q = x[:4] + p * along
            return f.evaluate("state_rates", [*(q / np.linalg.norm(q)), *x[4:]], tau)

        assert_allclose(by_x[4:, :4] @ along, slope(turned, 0.0)[4:], atol=1e-8)


def test_what_follows_a_law_is_not_differentiated_by() -> None:
    e, laws, x, more = closed("cart")
    f = e.compile().driven(laws)
    refused("E-DERIVE-UNSUPPORTED", lambda: f.derivatives("state_rates", ["push"], x, TAU, **more))
    refused("E-CODE-DEPENDENCE", lambda: f.forward_dynamics_derivatives(Q, U, TAU, **more))
    timed = e.compile().driven({e.tau[0]: e.system.time})
    assert_allclose(
        timed.forward_dynamics_derivatives(Q, U, TAU, t=0.2)[0],
        e.compile().forward_dynamics_derivatives(Q, U, [0.2, TAU[1]], t=0.2)[0],
        rtol=1e-13,
    )
