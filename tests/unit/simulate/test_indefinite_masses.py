"""Mass matrices that are indefinite: they are run and said to be so; singular is only what no motion follows from."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.constraints.factorisation import Factorisation
from polhode.errors import PolhodeError
from polhode.simulate.guard import indefinite_notice, mass_matrix_stop


def bevel_gear() -> ph.System:
    """Modelica.Mechanics.MultiBody.Examples.Rotational3DEffects.BevelGear1D: rotors whose inertia the box lacks."""
    s = ph.System("bevel gear", gravity=(0, "-9.80665", 0))
    side, J1, J2 = Fraction("7.7") * Fraction("0.02") / 12, Fraction("1.1"), Fraction("18.2")
    box = s.body("box", "7.7", [ph.sqrt(3) / 60] * 3, (side - J1, side - J2, side), check=False)
    base = s.joint("gimbal", s.ground, box, ph.Compound(*map(ph.Revolute, "xyz")), coordinates=["r1", "r2", "r3"])
    for i, (a, f) in enumerate(((110, 5), (120, 6), (130, 7))):
        s.joint_force(base, a * ph.sin(2 * ph.pi * f * s.time), index=i)
    one = s.joint("phi1", box, s.body("inertia1", inertia=("1.1", 0, 0), check=False), ph.Revolute("x"))
    s.joint("phi2", box, s.body("inertia2", inertia=(0, "18.2", 0), check=False), ph.Revolute("y"))
    s.couple("phi1", "phi2", multiplier=10)
    s.joint_force(one, 140 * ph.sin(2 * ph.pi * 8 * s.time))
    return s


def test_a_mechanism_with_an_indefinite_mass_matrix_runs_and_says_so() -> None:
    equations = bevel_gear().derive()
    f, n = equations.compile(), len(equations.q)
    M = f.mass_matrix(np.zeros(n))
    assert np.linalg.eigvalsh(M)[0] < -3 and np.linalg.cond(M) == pytest.approx(5275, abs=1)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        force = f.inverse_dynamics(x[:n], x[n:], np.zeros(n), t=t)
        return np.concatenate([f.coordinate_rates(x[:n], x[n:]), np.linalg.solve(f.mass_matrix(x[:n]), -force)])

    judge = solve_ivp(rates, (0, 0.2), np.zeros(2 * n), "DOP853", rtol=1e-12, atol=1e-12)
    run = equations.simulate(0.2, rtol=1e-10, atol=1e-10)
    assert np.concatenate([run.q[-1], run.u[-1]]) == pytest.approx(judge.y[:, -1], rel=1e-6, abs=1e-6)
    assert run.notices[0].startswith("The mass matrix is indefinite: the kinetic energy of 'gimbal_1'")
    assert equations.simulate(1, rtol=1e-10, atol=1e-10).status == "done"


def test_singular_is_what_has_no_inertia_and_definite_is_not_spoken_of() -> None:
    names = ["a", "b", "c"]
    turned = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    for moments, condition in (([3, 1, 1e-15], "e+1"), ([3, -1, 1e-15], "e+1"), ([3, -1, 0.5], ""), ([3, 1, 2], "")):
        M = turned @ np.diag(moments) @ turned.T
        stop = mass_matrix_stop((M + M.T) / 2, names, 0.0, np.ones(3))
        assert condition in (stop.message if stop else "") and bool(condition) == bool(stop)
        assert bool(indefinite_notice(M, names)) == (min(moments) < 0)


def test_constraints_on_an_indefinite_mass_matrix_have_their_motion() -> None:
    rng = np.random.default_rng(4)
    A, force, gamma = rng.normal(size=(2, 5)), rng.normal(size=5), rng.normal(size=2)
    M = np.diag([3.0, -1.0, 2.0, 0.5, -4.0]) + 0.1 * np.ones((5, 5))
    udot, multipliers = Factorisation.of(A, M).motion(force, gamma)
    whole = np.block([[M, -A.T], [A, np.zeros((2, 2))]])
    assert np.append(udot, multipliers) == pytest.approx(np.linalg.solve(whole, np.append(force, -gamma)), rel=1e-9)
    with pytest.raises(PolhodeError, match="the mass matrix is singular"):
        Factorisation.of(A, np.diag([1.0, 1.0, 1.0, 1.0, 0.0])).motion(force, gamma)
