"""Derivatives of eigenvalues by parameters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.linear.eigensystem import followed
from polhode.linear.eigenvalue_derivatives import eigenvalue_derivatives
from polhode.model.samples.bicycle import INDEPENDENT, upright, whipple_bicycle


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


def test_an_equilibrium_that_moves_is_told() -> None:
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


def test_a_state_in_numbers_that_constraints_tie_to_a_parameter_is_refused() -> None:
    s = ph.System("slider on a rod", gravity=(0, 0, -10))
    l = s.parameter("l", 2)
    a = s.joint("a", s.ground, s.body("disc", 1, inertia=(1, 1, 1)), ph.Revolute("y"))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.constrain((x.q[0] - ph.cos(a.q[0])) ** 2 + ph.sin(a.q[0]) ** 2 - l**2, "rod")
    small = s.derive().linearize({"a": 0.7, "x": 2.5})
    with pytest.raises(ph.PolhodeError, match="the state would have to move with 'l' for 'rod' to hold"):
        eigenvalue_derivatives(small, ["l"])


def test_names_that_are_none_get_a_sentence() -> None:
    s = ph.System("pendulum", gravity=(0, 0, -10))
    l, m = s.parameter("l", 1), s.parameter("m")
    s.joint("a", s.ground, s.body("bob", m, com=(0, 0, -l)), ph.Revolute("y"))
    small = s.derive().linearize()
    with pytest.raises(ph.PolhodeError, match="there is no parameter 'L'"):
        eigenvalue_derivatives(small, ["L"])
    with pytest.raises(ph.PolhodeError, match="the parameter 'm' has no value"):
        eigenvalue_derivatives(small, ["m"])
    with pytest.raises(ph.PolhodeError, match="there is no derivative by 'm'"):
        eigenvalue_derivatives(small, "l", {"m": 2})["m"]
