"""Conditions f(q, u, t) = 0 that are not linear in the speeds: forces λ ∂f/∂u, judged by closed forms and NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.expr import is_zero, substitute, symbol
from polhode.formats.yaml_model import save_yaml

FALLING = {"vx": 0.3, "vy": 0.4, "vz": -1.0}


def point(gravity: float = 10) -> ph.System:
    """A mass that slides along x, y and z."""
    s = ph.System("point", gravity=(0, 0, -gravity))
    slides = ph.Compound(*map(ph.Prismatic, "xyz"))
    s.joint("slide", s.ground, s.body("mass", 2), slides, coordinates=list("xyz"), speeds=["vx", "vy", "vz"])
    return s


def appell_hamel() -> ph.System:
    """a² (ẋ² + ẏ²) = ż²: P. Appell (1911), G. Hamel (1949)."""
    s = point()
    x, y, z = s.joints["slide"].u
    s.constrain_speed(s.parameter("a", 2) ** 2 * (x**2 + y**2) - z**2, "machine")
    return s


def test_the_machine_of_appell_and_hamel_runs_down_a_straight_line() -> None:
    run = appell_hamel().derive().simulate(3, speeds=FALLING)
    way = 0.5 * run.t + 10 * 2 / (1 + 2**2) * run.t**2 / 2  # v̇ = g a/(1 + a²), along the first direction
    assert_allclose(run["x"], 0.6 * way, atol=1e-11)
    assert_allclose(run["y"], 0.8 * way, atol=1e-11)
    assert_allclose(run["z"], -2 * way, atol=1e-11)
    assert run.drift.velocity < 1e-11 and run.energy_drift < 1e-12
    assert "Chetaev's rule" in run.notices[0]


def appell_wheel() -> ph.System:
    """A frame with a wheel (radius b, inertia J) whose axle winds up the thread (drum r) of a weight m."""
    s = ph.System("Appell's wheel", gravity=(0, 0, -10))
    b, r, J, M, m = (s.parameter(name) for name in ("b", "r", "J", "M", "m"))
    slides = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"))
    frame = s.joint("frame", s.ground, s.body("frame", M), slides, coordinates=["x", "y"], speeds=["vx", "vy"])
    spin = s.joint("spin", s.ground, s.body("wheel", inertia=(0, J, 0)), ph.Revolute("y"), speeds=["w"])
    weight = s.joint("z", "frame", s.body("weight", m), ph.Prismatic("z"), speeds=["vz"])
    s.constrain_speed(frame.u[0] ** 2 + frame.u[1] ** 2 - b**2 * spin.u[0] ** 2, "rolls")
    s.constrain_speed(weight.u[0] - r * spin.u[0], "thread")
    return s


def test_the_controlled_wheel_of_appell_has_its_equations() -> None:
    """(M + m + (J + m r²)/b²) v̇ = F∥ + (T - m g r)/b and (M + m) v ψ̇ = F⊥, with v the speed and ψ its direction."""
    s = appell_wheel()
    e = s.derive()
    b, r, J, M, m = (s.parameters[name].symbol for name in ("b", "r", "J", "M", "m"))
    v, psi, F, N, T = (symbol(name, "parameter") for name in ("v", "psi", "F", "N", "T"))
    c, n = ph.cos(psi), ph.sin(psi)
    values = {"vx": (v * c, F * c - N * n), "vy": (v * n, F * n + N * c), "w": (v / b, T), "vz": (v * r / b, 0)}
    known = {x: values[u.name][k] for u, tau in zip(e.u, e.tau, strict=True) for k, x in enumerate((u, tau))}
    found = dict(zip(e.speeds, substitute(list(e.forward_dynamics), known), strict=True))
    faster = (F + (T - 10 * m * r) / b) / (M + m + (J + m * r**2) / b**2)
    turning = N / ((M + m) * v)
    assert is_zero(found["vx"] - faster * c + v * turning * n)
    assert is_zero(found["vy"] - faster * n - v * turning * c)
    assert is_zero(found["w"] - faster / b) and is_zero(found["vz"] - faster * r / b)


def test_a_mass_of_constant_speed_turns_as_the_hyperbolic_tangent() -> None:
    s = point(gravity=10)
    vx, vy, vz = s.joints["slide"].u
    s.constrain_speed(vx**2 + vy**2 + vz**2 - 9, "cruise")
    e = s.derive()
    run = e.simulate(1, speeds=[3, 0, 0])
    assert_allclose(run.u[:, 2], -3 * np.tanh(10 * run.t / 3), atol=1e-8)
    assert_allclose(run.u[:, 0], 3 / np.cosh(10 * run.t / 3), atol=1e-8)
    assert not e.conserved() or e.conserved()[0].name != "energy"  # the force along the speed does work


def curved_arm() -> ph.System:
    """A pendulum on a cart with a nonlinear condition of q, u and t beside a linear one and one on the position."""
    s = ph.System("arm", gravity=(0, 0, -10))
    x = s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    a = s.joint("a", "cart", s.body("upper", 2, com=(0, 0, -1), inertia=(1, 2, 1)), ph.Revolute("y"))
    b = s.joint("b", "upper", s.body("lower", 1, com=(0, 0.2, -1), inertia=(1, 1, 1)), ph.Universal("x", "y"))
    y = s.joint("y", s.ground, s.body("slider", 1), ph.Prismatic("x"))
    s.constrain_speed(a.u[0] ** 2 * ph.cos(b.q[0]) - x.u[0] * b.u[1] + s.time * x.u[0] ** 3 - 1, "curved")
    s.constrain_speed(b.u[0] - a.u[0] * x.q[0], "straight")
    s.constrain(y.q[0] - ph.sin(a.q[0]), "cam")
    return s


def test_formalisms_and_the_reference_derivation_agree() -> None:
    found = curved_arm().compare(["poincare", "kane", "network", "newton_euler"])
    assert found.agree and not found.reference.findings


def test_accelerations_and_multipliers_are_those_of_numpy() -> None:
    """M u̇ = τ - bias + Aᵀλ, A u̇ = -γ, with A and γ by central differences of f itself."""
    s = curved_arm()
    e = s.derive()
    f = e.compile()
    rng = np.random.default_rng(3)
    q, u, tau, t, h = rng.uniform(0.2, 0.9, 5), rng.uniform(0.3, 1, 5), rng.uniform(-1, 1, 5), 0.4, 1e-6

    def rates(q: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        return f.constraint_rates(q, u, t=t)

    A = np.transpose([(rates(q, u + h * d, t) - rates(q, u - h * d, t)) / (2 * h) for d in np.eye(5)])
    qd = f.coordinate_rates(q, u)
    gamma = (rates(q + h * qd, u, t + h) - rates(q - h * qd, u, t - h)) / (2 * h)
    M, rows = f.mass_matrix(q), len(A)
    K = np.block([[M, -A.T], [A, np.zeros((rows, rows))]])
    found = np.linalg.solve(K, np.concatenate([tau - f.bias(q, u), -gamma]))
    assert_allclose(f.forward_dynamics(q, u, tau, t=t), found[:5], atol=1e-7)
    assert_allclose(f.multipliers(q, u, tau, t=t), found[5:], atol=1e-7)
    assert_allclose(f.constraint_matrix(q, u, t=t), A, atol=1e-8)


def test_a_run_keeps_all_conditions_and_starts_on_them() -> None:
    run = curved_arm().derive().simulate(1, start={"a": 0.3}, speeds={"a": 1.2, "x": 0.5})
    assert run.status == "done" and run.drift.velocity < 1e-9 and run.drift.position < 1e-9
    assert_allclose(run.u[0, :2], [0.5, 1.2])  # what was given stays


@pytest.mark.parametrize("method", ["rk4", "Radau", "scipy.LSODA"])
def test_every_method_takes_them(method: str) -> None:
    run = appell_hamel().derive().simulate(1, method=method, speeds=FALLING)
    assert_allclose(run["z"][-1], -5, atol=1e-7)


def test_speeds_after_a_jump_are_brought_back() -> None:
    e = appell_hamel().derive()
    fallen = e.q[2] + 1
    run = e.simulate(1, speeds=FALLING, events=[fallen], on={fallen: {e.u[0]: 3.0}})
    assert len(run.events[0]) == 1 and run.drift.velocity < 1e-10
    assert run.u[-1, 0] > 2


def test_many_runs_are_those_alone() -> None:
    e = appell_hamel().derive()
    found = e.sweep({"a": [1, 2]}, 1, speeds={"vx": 0.3, "vy": 0.4}, workers=1)
    alone = [e.simulate(1, speeds={"vx": 0.3, "vy": 0.4}, parameters={"a": a}) for a in (1, 2)]
    assert_allclose(found["z"], [run["z"][-1] for run in alone], atol=1e-12)


def test_sensitivities_are_those_of_differences() -> None:
    e = appell_hamel().derive()
    found = e.sensitivities(1, ["a"], speeds=FALLING, rtol=1e-11, atol=1e-12)
    with pytest.warns(UserWarning, match="the given speeds"):
        runs = [e.simulate(1, speeds=FALLING, parameters={"a": 2 + h}, rtol=1e-11, atol=1e-12) for h in (1e-4, -1e-4)]
    for name in "xyz":
        slope = (runs[0][name][-1] - runs[1][name][-1]) / 2e-4
        assert_allclose(found[name, "a"][-1], slope, atol=1e-6)


def test_a_speed_that_was_not_given_follows() -> None:
    run = appell_hamel().derive().simulate(0.1, speeds={"vx": 0.3, "vy": 0.4})
    assert_allclose(run.u[0], [0.3, 0.4, 1])
    with pytest.warns(UserWarning, match="'vz' from -0.9"):
        run = appell_hamel().derive().simulate(0.1, speeds={"vx": 0.3, "vy": 0.4, "vz": -0.9})
    assert run.u[0, 2] < -0.9  # all given, and not on it: the nearest


def test_what_cannot_be_done_is_refused_with_a_sentence() -> None:
    s = appell_hamel()
    e = s.derive()
    with pytest.raises(ph.PolhodeError, match="derivative by the speeds vanishes or has no value"):
        e.simulate(1)
    for refused in (
        lambda: s.derive(constraints="embedded"),
        lambda: s.derive("hamel", pseudo={"p": e.u[0], "w": e.u[1]}),
        lambda: e.linearize(),
        lambda: e.simulate(1, method="generalised_alpha", speeds=FALLING),
        lambda: e.sensitivities(1, ["a"], speeds={"vx": 0.3, "vy": 0.4}),
    ):
        with pytest.raises(ph.PolhodeError, match="'machine': it is not linear in the speeds"):
            refused()
    with pytest.raises(ph.PolhodeError, match="so that A depends on them"):
        e.compile().constraint_matrix([0, 0, 0])
    s = point()
    s.constrain_speed((s.joints["slide"].u[0] - s.joints["slide"].u[1]) ** 2, "double")
    with pytest.raises(ph.PolhodeError, match="no force keeps it there"):
        s.derive().simulate(1, speeds=[2, 1, 0])
    s = point()
    s.constrain_speed(s.joints["slide"].u[0] ** 2 + 1, "never")
    with pytest.raises(ph.PolhodeError, match="'never' is still off by 1"):
        s.derive().simulate(1)


def test_a_diagnosis_counts_it_and_names_the_rule() -> None:
    found = appell_hamel().diagnose()
    assert found.freedom == 2 and found.integrability is None
    assert "Chetaev's rule" in str(found)


def test_a_model_file_states_it(tmp_path: Path) -> None:
    path = tmp_path / "machine.yaml"
    save_yaml(appell_hamel(), path)
    assert "speed: " in path.read_text()
    run = ph.load(path).derive().simulate(1, speeds=FALLING)
    assert_allclose(run["z"][-1], -5, atol=1e-9)


def test_what_only_looks_curved_is_linear() -> None:
    s = point()
    vx, vy, _ = s.joints["slide"].u
    s.constrain_speed((vx + vy) ** 2 - vx**2 - vy**2 - 2 * vx * vy + vx - vy, "straight")
    e = s.derive(constraints="embedded")
    assert not e.constraints.nonlinear and len(e.u) == 2
