"""Routh's reduction."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.expr import as_expr, evaluate, free_symbols, gradient, is_zero


def spherical_pendulum() -> ph.Equations:
    s = ph.System("spherical pendulum", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("yoke"), ph.Revolute("z"))
    s.joint("b", "yoke", s.body("bob", 2, com=(0, 0, "-0.8")), ph.Revolute("y"))
    return s.derive()


def test_the_reduced_motion_is_that_of_the_whole() -> None:
    equations = spherical_pendulum()
    less = equations.reduce("a")
    run = equations.simulate(3, start={"b": 0.7}, speeds={"a": 2.0, "b": 0.3}, rtol=1e-11, atol=1e-12)
    mu = float(evaluate([less.symmetry.momentum], {equations.q[1]: 0.7, equations.u[0]: 2.0, equations.u[1]: 0.3})[0])

    def rates(_: float, x: np.ndarray) -> list[float]:
        known = {less.q[0]: float(x[0]), less.u[0]: float(x[1]), less.momentum: mu}
        qd, m, b, spin = evaluate([*less.coordinate_rates, less.mass_matrix[0, 0], less.bias[0], less.speed], known)
        return [qd, -b / m, spin]

    found = solve_ivp(rates, (0, 3), [0.7, 0.3, 0.0], t_eval=run.t, rtol=1e-11, atol=1e-12)
    assert_allclose(found.y[0], run["b"], atol=1e-8)
    assert_allclose(found.y[2], run["a"], atol=1e-8)  # what went is an integral over the motion


def test_the_amended_potential_is_stationary_at_the_steady_turn() -> None:
    less = spherical_pendulum().reduce("a")
    b, angle = less.q[0], 0.9
    spin = float(np.sqrt(9.81 / (0.8 * np.cos(angle))))  # of a conical pendulum
    mu = 2 * (0.8 * np.sin(angle)) ** 2 * spin
    (slope,) = evaluate(gradient(less.amended_potential, [b]), {b: angle, less.momentum: mu})
    assert abs(slope) < 1e-12


def test_no_coordinate_that_went_is_left() -> None:
    equations = spherical_pendulum()
    less = equations.reduce("a")
    gone = {equations.q[0], equations.u[0]}
    for entry in (*less.mass_matrix.entries(), *less.bias, *less.coordinate_rates):
        assert gone.isdisjoint(free_symbols([as_expr(entry)]))
    assert not is_zero(less.bias[0])


def test_what_cannot_be_reduced_says_why() -> None:
    with pytest.raises(ph.PolhodeError, match="'b' is no cyclic coordinate") as caught:
        spherical_pendulum().reduce("b")
    assert "Cyclic are a" in str(caught.value)
    s = ph.System("puck", gravity=(0, 0, 0))
    s.joint("glide", s.ground, s.body("puck", 1, inertia=(1, 1, 1)), ph.Planar("z"))
    with pytest.raises(ph.PolhodeError, match="its rate is no speed by itself"):
        s.derive().reduce("glide_x")
