"""What a run checks before and between its steps; one whose functions lie in the cache derives nothing for it."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.codegen import plan
from polhode.compiled.functions import Functions
from polhode.constraints import Constraints
from polhode.formalisms import auto, deriving
from polhode.model.samples import bennett, four_bar
from polhode.simulate.control.actuation import read_efforts, read_inputs
from polhode.simulate.guard import SURE, Guard, Stop, indefinite_notice, is_surely_regular, mass_matrix_stop
from polhode.simulate.rates import Rates


def tree() -> ph.System:
    s = ph.System("cart and pendulum")
    m = s.parameter("m", 2)
    cart = s.body("cart", 5)
    s.joint("slide", s.ground, cart, ph.Prismatic("x"))
    s.joint("hinge", cart, s.body("bob", m, com=(0, 0, -1)), ph.Revolute("y"))
    return s


def loop() -> ph.System:
    return four_bar()


def loop_with_redundant_rows() -> ph.System:
    return bennett()


def rolling() -> ph.System:
    s = ph.System("disc", gravity=(0, 0, "-9.81"))
    disc = s.body("disc", 2, inertia=(1, 1, 1))
    way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("move", s.ground, disc, way, coordinates=["x", "z", "turn"])
    s.roll_disc("tyre", disc, 0.25, lambda x: x**2 / 4)
    return s


def _refused(*_: Any, **__: Any) -> Any:
    pytest.fail("a warm run derives nothing")


@pytest.mark.parametrize("model", [tree, loop, loop_with_redundant_rows, rolling])
def test_a_warm_run_derives_nothing(
    model: Callable[[], ph.System], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    cold = model().derive()
    before = [cold.simulate(0.02, method=method, samples=3) for method in ("auto", "rk4", "scipy.Radau")]
    warm = model().derive()
    for place, name in ((auto, "recipe"), (deriving, "with_multipliers"), (plan, "plan")):
        monkeypatch.setattr(place, name, _refused)
    for name in ("A", "gamma", "generic_rows"):
        monkeypatch.setattr(Constraints, name, property(_refused))
    for run in before:
        again = warm.simulate(0.02, method=run.info["method"], samples=3)
        assert np.array_equal(again.q, run.q)


def test_the_spies_see_a_derivation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(auto, "recipe", _refused)
    with pytest.raises(pytest.fail.Exception, match="derives nothing"):
        tree().derive().simulate(0.05)


@pytest.mark.parametrize("angle", [np.pi, -np.pi, 3 * np.pi])
def test_a_half_turn_in_a_formalism_of_vector_parameters_is_named(angle: float) -> None:
    s = ph.System("pendulum")
    s.joint("pivot", s.ground, s.body("bob", 1, (0, 0, -1), (1, 1, 1)), ph.Revolute("y"))
    with pytest.raises(ph.PolhodeError, match=r"'pivot' has turned by π(.|\n)*another formalism") as caught:
        s.derive("vector_parameter").simulate(1, start={"pivot": angle})
    assert caught.value.problems[0].code == "E-RUN-HALF_TURN"
    assert s.derive("newton_euler").simulate(0.1, start={"pivot": angle}).status == "done"


def tumbling() -> ph.System:
    """A crate of a thousand tonnes that tumbles, a crumb on a slide in it."""
    s = ph.System("crate and crumb")
    crate = s.body("crate", 10**6, com=(0, "0.2", 0), inertia=(10**6, 2 * 10**6, 3 * 10**6))
    s.joint("flight", s.ground, crate, ph.Free())
    s.joint("slide", crate, s.body("crumb", "1/1000"), ph.Prismatic("x"))
    return s


def _rates(equations: ph.Equations) -> Rates:
    derivation = equations.derivation
    functions = equations.compile()
    signals = read_efforts(derivation, None), read_inputs(derivation, None, functions.input_values())
    return Rates(functions, None, *signals)


@pytest.mark.parametrize("model", [tree, tumbling])
def test_what_unit_efforts_add_is_the_inverse_of_the_mass_matrix(model: Callable[[], ph.System]) -> None:
    equations = model().derive()
    x = np.linspace(0.4, 1.3, len(equations.coordinates) + len(equations.speeds))
    q = x[: len(equations.coordinates)]
    inverse = np.linalg.inv(equations.compile().mass_matrix(q))
    found = _rates(equations).responses(0.0, x)
    assert found is not None
    scale = np.sqrt(np.diag(inverse))
    assert np.abs((found - inverse) / np.outer(scale, scale)).max() < 1e-9 and is_surely_regular(found)


def test_a_run_of_a_regular_mechanism_does_not_compile_its_mass_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Functions, "mass_matrix", _refused)
    assert tree().derive().simulate(0.02, method="DOP853").status == "done"


def test_what_an_inertia_is_small_against_is_that_of_the_start() -> None:
    s = ph.System("shrinking crank", gravity=(0, 0, 0))
    cart = s.body("cart", 1)
    s.joint("x", s.ground, cart, ph.Prismatic("x"))
    s.joint("pin", cart, s.body("crank"), ph.Revolute("z"))
    s.joint("slide", "crank", s.body("bob", 1), ph.Prismatic("x"))
    s.prescribe("slide", 2 - s.time)
    rates = _rates(s.derive())
    guard = Guard(rates, rates.functions, dict)
    guard.start(0.0, np.zeros(4))
    assert guard.scale is None  # it is asked for when something looks suspicious
    with pytest.raises(Stop, match="the mass matrix is singular"):
        guard.step(2.0 - 1e-8, np.zeros(4), np.array([0.0, 0.0, 0.0, 1e9]))
    assert guard.scale == pytest.approx([np.sqrt(2.0), 2.0])


@pytest.mark.parametrize("inverse", [
    None, np.array([[np.nan]]), np.array([[1.0, 0.5], [0.4, 1.0]]), np.array([[1.0, 1.0], [1.0, 1.0 + 1e-12]]),
    np.array([[1.0, 0.0], [0.0, -1.0]]),
])  # fmt: skip
def test_an_inverse_that_does_not_tell_leaves_it_to_the_mass_matrix(inverse: np.ndarray | None) -> None:
    assert not is_surely_regular(inverse)


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
    assert run.notices[0].startswith("The mass matrix is indefinite: the kinetic energy of 'r1'")
    assert equations.simulate(1, rtol=1e-10, atol=1e-10).status == "done"


def test_singular_is_what_has_no_inertia_and_definite_is_not_spoken_of() -> None:
    names = ["a", "b", "c"]
    turned = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    for moments, condition in (([3, 1, 1e-15], "e+1"), ([3, -1, 1e-15], "e+1"), ([3, -1, 0.5], ""), ([3, 1, 2], "")):
        M = turned @ np.diag(moments) @ turned.T
        stop = mass_matrix_stop((M + M.T) / 2, names, 0.0, np.ones(3))
        assert condition in (stop.message if stop else "") and bool(condition) == bool(stop)
        assert bool(indefinite_notice(M, names)) == (min(moments) < 0)
    assert mass_matrix_stop(np.diag([1e18, 1.0, 2.0]), names, 0.0, np.ones(3)) is None, "what has grown is no reason"


def test_a_start_is_checked_again_where_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[float] = []
    responses = Rates.responses

    def counted(self: Rates, t: float, x: Any) -> Any:
        checked.append(t)
        return responses(self, t, x)

    monkeypatch.setattr(Rates, "responses", counted)
    equations = tree().derive()
    for options in ({}, {}, {"start": {"hinge": 1.0}}, {"start": {"hinge": 1.0}}, {"parameters": {"m": 3}}):
        equations.simulate(0.1, **options)
    assert len(checked) == 3


@pytest.mark.parametrize("size", [1, 2, 6, 20])
def test_regular_by_pivots_means_regular_by_moments(size: int) -> None:
    rng = np.random.default_rng(size)
    for scale in 10.0 ** rng.uniform(-13, 0, 50):
        axes = np.linalg.qr(rng.normal(size=(size, size)))[0]
        M = axes @ np.diag(np.geomspace(scale, 1.0, size)) @ axes.T
        M = 0.5 * (M + M.T)
        scaled = M / np.sqrt(np.outer(np.diag(M), np.diag(M)))
        moments = np.linalg.eigvalsh(scaled)
        assert is_surely_regular(M) == (moments[0] > SURE * moments[-1])
