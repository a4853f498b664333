"""Derivatives of eigenvalues by parameters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from tests.refusals import refused

import polhode as ph
from polhode.linear.eigensystem import followed
from polhode.linear.eigenvalue_derivatives import eigenvalue_derivatives
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle


def test_derivatives_are_limits_of_differences_on_the_bicycle() -> None:
    bicycle = whipple_bicycle()
    small = bicycle.derive("composite_body", independent=INDEPENDENT).linearize(upright(bicycle))
    names = ["v", "x_B", "m_H", "IF_yy"]
    found = eigenvalue_derivatives(small, names)
    moving = np.argsort(-np.abs(found.eigenvalues))[:4]
    for name in names:
        value, h = float(bicycle.parameters[name].value), 1e-3

        def matrix(p: float, name: str = name) -> np.ndarray:
            return small.state_space({name: p})[0]

        values = followed(matrix, value + h * np.array([0, 1, -1, 2, -2]))[:, moving]
        slopes = (8 * (values[1] - values[2]) - (values[3] - values[4])) / (12 * h)
        assert_allclose(found[name][moving], slopes, rtol=1e-7, atol=1e-7)
    assert np.isnan(found["v"]).sum() == 6
    assert "Multiple eigenvalues have no derivatives of their own" in found.notices[-1]
    assert_allclose(found.relative[moving, 0], 5 * found["v"][moving])


def test_states_without_mass_and_a_state_written_with_parameters_move_along() -> None:
    s = ph.System("motor", gravity=(0, 0, -10))
    m, R = s.parameter("m", 2), s.parameter("R", 3)
    hinge = s.joint("a", s.ground, s.body("bob", m, com=(0, 0, -1)), ph.Revolute("y"))
    current = s.state("i", rate=lambda i: -R * i - hinge.u[0])
    s.joint_force(hinge, m * current)
    equations = s.derive()
    found = eigenvalue_derivatives(equations.linearize({"a": m / 7, "tau(a)": 10 * m * ph.sin(m / 7)}), ["m", "R"])
    h = 1e-6
    for column, name in enumerate(["m", "R"]):
        ends = []
        for d in (h, -h):
            values = {"m": 2.0, "R": 3.0} | {name: {"m": 2.0, "R": 3.0}[name] + d}
            at = {"a": values["m"] / 7, "tau(a)": 10 * values["m"] * np.sin(values["m"] / 7)}
            ends.append(equations.linearize(at, parameters=values).eigenvalues())
        assert_allclose(found.values[:, column], (ends[0] - ends[1]) / (2 * h), atol=1e-7)
    assert found.notices == ()


def test_a_parameter_that_moves_the_equilibrium_or_a_tied_state_is_refused() -> None:
    s = ph.System("pendulum", gravity=(0, 0, -10))
    k = s.parameter("k", 5)
    hinge = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, k * (hinge.q[0] - 1))
    equations = s.derive()
    small = equations.linearize({"a": 1, "tau(a)": 10 * ph.sin(1)})
    assert eigenvalue_derivatives(small, ["k"]).notices == ()
    other = equations.linearize({"a": 0.5, "tau(a)": 10 * ph.sin(0.5) + 2.5})
    (notice,) = eigenvalue_derivatives(other, ["k"]).notices
    assert notice == "The equilibrium moves with k; these derivatives are at a state that is held (see follow)."
    s = ph.System("slider on a rod", gravity=(0, 0, -10))
    l = s.parameter("l", 2)
    a = s.joint("a", s.ground, s.body("disc", 1, inertia=(1, 1, 1)), ph.Revolute("y"))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.constrain((x.q[0] - ph.cos(a.q[0])) ** 2 + ph.sin(a.q[0]) ** 2 - l**2, "rod")
    small = s.derive().linearize({"a": 0.7, "x": 2.5})
    refused("the state would have to move with 'l' for 'rod' to hold", lambda: eigenvalue_derivatives(small, ["l"]))


def test_names_that_are_none_get_a_sentence() -> None:
    s = ph.System("pendulum", gravity=(0, 0, -10))
    l, m = s.parameter("l", 1), s.parameter("m")
    s.joint("a", s.ground, s.body("bob", m, com=(0, 0, -l)), ph.Revolute("y"))
    small = s.derive().linearize()
    refused("there is no parameter 'L'", lambda: eigenvalue_derivatives(small, ["L"]))
    refused("the parameter 'm' has no value", lambda: eigenvalue_derivatives(small, ["m"]))
    refused("there is no derivative by 'm'", lambda: eigenvalue_derivatives(small, "l", {"m": 2})["m"])


def test_a_pendulum_on_a_spring_leans_more_as_it_gets_heavier() -> None:
    s = ph.System("leaning", gravity=(0, 0, -10))
    m, k = s.parameter("m", 2), s.parameter("k", 30)
    hinge = s.joint("a", s.ground, s.body("bob", m, com=(0, 0, 1)), ph.Revolute("y"))
    s.joint_force(hinge, -k * (hinge.q[0] - 0.3) - hinge.u[0])
    s.state("lag", rate=lambda lag: hinge.q[0] ** 3 - lag)
    s.joint_force(hinge, s.states["lag"].symbol)
    equations = s.derive()

    def at(values: dict[str, float]) -> dict[str, float]:
        def left(a: float) -> float:
            return 10 * values["m"] * np.sin(a) - values["k"] * (a - 0.3) + a**3

        a = float(brentq(left, 0, 3, xtol=1e-15))
        return {"a": a, "lag": a**3}

    here = {"m": 2.0, "k": 30.0}
    found = equations.linearize(at(here)).eigenvalue_derivatives(["m", "k"], follow=True)
    assert found.notices == ()
    h = 1e-4
    for name in here:
        ends = []
        for d in (h, -h):
            values = {**here, name: here[name] + d}
            ends.append(equations.linearize(at(values), parameters=values).eigenvalues())
        assert_allclose(found[name], (ends[0] - ends[1]) / (2 * h), rtol=1e-6, atol=1e-7)


def test_a_linkage_closes_otherwise_as_a_bar_gets_longer() -> None:
    s = ph.System("four-bar", gravity=(0, 0, -10))
    lengths = {"a": 0.2, "b": 0.5, "c": 0.4}
    symbols = {name: s.parameter(name, value) for name, value in lengths.items()}
    turn = ph.Revolute("-y")
    bars = [s.body(f"bar {name}", 2 * x, (x / 2, 0, 0), ph.rod(2 * x, x, "x")) for name, x in symbols.items()]
    crank = s.joint("two", s.ground, bars[0], turn)
    s.joint("three", bars[0], bars[1], turn, at=(symbols["a"], 0, 0))
    s.joint("four", s.ground, bars[2], turn, at=(0.5, 0, 0))
    s.close("pin", bars[1], bars[2], turn, at_a=(symbols["b"], 0, 0), at_b=(symbols["c"], 0, 0))
    s.joint_force(crank, -20 * (crank.q[0] - 1))
    equations = s.derive(independent=["two"], near={"two": 1, "three": -0.2, "four": 1.7})
    f = equations.compile()

    def at(values: dict[str, float]) -> dict[str, float]:
        def pose(two: float) -> np.ndarray:
            made = equations.assemble({"two": two, "three": -0.2, "four": 1.7}, hold=["two"], parameters=values)
            return made.q

        two = brentq(lambda x: f.forward_dynamics(pose(x), [0.0], parameters=values)[0], 0.5, 1.5, xtol=1e-14)
        return dict(zip(equations.coordinates, pose(two), strict=True))

    small = equations.linearize(at(lengths))
    refused("the state would have to move with 'b'", lambda: small.eigenvalue_derivatives(["b"]))
    found = small.eigenvalue_derivatives(["b"], follow=True)
    h = 1e-4
    ends = []
    for d in (h, -h):
        values = {**lengths, "b": lengths["b"] + d}
        ends.append(equations.linearize(at(values), parameters=values).eigenvalues())
    assert_allclose(found["b"], (ends[0] - ends[1]) / (2 * h), rtol=1e-5, atol=1e-6)


def test_where_it_stands_on_a_rail_does_not_matter() -> None:
    s = ph.System("cart", gravity=(0, 0, -10))
    s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    k = s.parameter("k", 30)
    hinge = s.joint("a", "cart", s.body("bob", 2, com=(0, 0, 1)), ph.Revolute("y"))
    s.joint_force(hinge, -k * hinge.q[0] ** 3)
    equations = s.derive()

    def at(value: float) -> dict[str, float]:
        return {"a": float(brentq(lambda a: 20 * np.sin(a) - value * a**3, 0.3, 2, xtol=1e-15))}

    found = equations.linearize(at(30.0)).eigenvalue_derivatives(["k"], follow=True)
    ends = [equations.linearize(at(v), parameters={"k": v}).eigenvalues() for v in (30.001, 29.999)]
    swings = abs(found.eigenvalues.imag) > 1
    assert_allclose(found["k"][swings], (ends[0] - ends[1])[swings] / 0.002, rtol=1e-6, atol=1e-7)


def test_what_cannot_be_followed_gets_a_sentence() -> None:
    s = ph.System("fold", gravity=(0, 0, 0))
    p = s.parameter("p", 0)
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(x, p - x.q[0] ** 2)
    equations = s.derive()
    with pytest.raises(ph.PolhodeError, match="the equilibrium does not go on with 'p'"):
        equations.linearize().eigenvalue_derivatives(["p"], follow=True)
    with pytest.raises(ph.PolhodeError, match="the state is no equilibrium at rest"):
        equations.linearize({"x": 1}).eigenvalue_derivatives(["p"], follow=True)
    free = ph.System("family", gravity=(0, 0, 0))
    a = free.joint("a", free.ground, free.body("disc", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    b = free.joint("b", free.ground, free.body("block", 1), ph.Prismatic("x"))
    free.joint_force(b, -(2 + a.q[0]) * b.q[0] * free.parameter("k", 1))
    with pytest.raises(ph.PolhodeError, match="one of a family with other eigenvalues"):
        free.derive().linearize().eigenvalue_derivatives(["k"], follow=True)
    refused("is not True or False", lambda: equations.linearize().eigenvalue_derivatives(["p"], follow="yes"))  # type: ignore[arg-type] # that is the fault
