"""Controllers judged by the runs that they close, and by Pinocchio's inverse dynamics on a real robot."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are
from tests.judges.conftest import Judge
from tests.planar_arm import ON_PATH, PATH, off_path, planar_arm
from tests.robots import ROBOTS

import polhode as ph
from polhode import control
from polhode.expr import as_expr, evaluate
from polhode.model.samples.underactuated import cart_pole, furuta_pendulum

UR5 = ROBOTS / "ur_description/urdf/ur5_robot.urdf"


@cache
def arm() -> ph.Equations:
    return planar_arm().derive()


@cache
def ur5() -> tuple[ph.Equations, control.ComputedTorque]:
    e = ph.load(UR5).derive()
    return e, control.ComputedTorque(e, kp=100, kd=20)


@pytest.mark.parametrize("make", [
    lambda e: control.ComputedTorque(e, kp=100, kd=20, ki=50), lambda e: control.PassivityBased(e, kd=10, lambda_=5),
    lambda e: control.PassivityBased(e, kd=10, kp=50), lambda e: control.SlidingMode(e, 5, 10, 0.1),
])  # fmt: skip
def test_with_exact_parameters_the_path_is_followed(make: Any) -> None:
    c = make(arm())
    assert off_path(arm().simulate(3, controller=c, reference=PATH, rtol=1e-10, atol=1e-12, **ON_PATH)) < 1e-8


def test_errors_under_computed_torque_decay_as_a_damped_oscillator() -> None:
    c = control.ComputedTorque(arm(), kp=100, kd=20)
    run = arm().simulate(1, controller=c, reference={"q1": 0, "q2": 0}, start={"q1": 0.3, "q2": -0.2})
    assert np.allclose(run.q, np.outer((1 + 10 * run.t) * np.exp(-10 * run.t), [0.3, -0.2]), atol=1e-7)


def test_estimates_that_are_wrong_by_30_percent_find_the_masses() -> None:
    c = control.Adaptive(arm(), kd=20, lambda_=5, gamma=2, estimates={"m1": 1.4, "m2": 1.3})
    run = arm().simulate(40, controller=c, reference=PATH, rate=20, **ON_PATH)
    assert np.abs(run["q1"] - np.sin(run.t))[run.t > 35].max() < 1e-6
    assert abs(run["estimate_m1"][-1] - 2) < 1e-5 and abs(run["estimate_m2"][-1] - 1) < 1e-5
    V = c.lyapunov.V
    masses = {each.symbol: float(each.value) for each in arm().system.parameters.values()}
    gains = {each.symbol: float(each.value) for each in c.law.parameters.values()}
    values = []
    for k in range(0, len(run.t), 40):
        t = run.t[k]
        at = {
            **masses, **gains, **dict(zip(arm().q, run.q[k], strict=True)),
            **dict(zip(arm().u, run.u[k], strict=True)),
        }  # fmt: skip
        at |= {x: run[x.name][k] for x in (each.symbol for each in c.law.states)}
        wanted = {"q1": (np.sin(t), np.cos(t)), "q2": (np.cos(2 * t) / 2, -np.sin(2 * t))}
        at |= {x: v for each in c.law.reference for x, v in zip(each.symbols, wanted[each.name], strict=False)}
        values.append(evaluate([V], at)[0])
    assert (np.diff(values) < 1e-9).all() and values[-1] < 1e-6 < values[0]


def test_a_robust_law_stands_wrong_masses_better_than_computed_torque() -> None:
    off = {}
    for c in (control.SlidingMode(arm(), 5, 30, 0.05), control.ComputedTorque(arm(), kp=100, kd=20)):
        off[c.name] = off_path(
            arm().simulate(3, controller=c, reference=PATH, parameters={"m1": 2.6, "m2": 1.3}, **ON_PATH)
        )
    assert off["SlidingMode"] < 0.005 < 0.03 < off["ComputedTorque"]


def test_a_set_point_is_reached_by_springs_and_damping() -> None:
    c = control.PDGravity(arm(), kp=50, kd=20)
    run = arm().simulate(20, controller=c, reference={"q1": 1, "q2": -0.5})
    assert np.allclose(run.q[-1], [1, -0.5], atol=1e-8)


def test_a_hand_goes_around_a_circle() -> None:
    c = control.OperationalSpace(arm(), "hand", kp=100, kd=20, axes="xy")
    around = {"x": "0.6 + 0.2*cos(t)", "y": "0.2*sin(t)"}
    run = arm().simulate(3, controller=c, reference=around, start={"q1": -0.8, "q2": 1.4})
    a, b = run.q[-1]
    hand = 0.8 * np.exp(1j * a) + 0.5 * np.exp(1j * (a + b))
    assert abs(hand - (0.6 + 0.2 * np.exp(3j))) < 1e-7


def test_a_top_follows_a_turning_orientation() -> None:
    s = ph.System("top")
    s.joint("j", s.ground, s.body("b", 1, com=(0, 0, 0.5), inertia=(1, 1, 0.5)), ph.Spherical())
    e = s.derive()
    wanted = {"j_e0": "cos(t/2)", "j_e1": "0.6*sin(t/2)", "j_e2": 0, "j_e3": "0.8*sin(t/2)"}
    run = e.simulate(
        4, controller=control.PassivityBased(e, kd=5, lambda_=5), reference=wanted, start={"j_e0": 0.96, "j_e2": 0.28}
    )
    there = [np.cos(2), 0.6 * np.sin(2), 0, 0.8 * np.sin(2)]
    assert np.allclose(run.q[-1] * np.sign(run.q[-1] @ there), there, atol=1e-6)


class Balance(control.Controller):
    """The regulator of the Riccati equation about upright."""

    def __init__(self, equations: ph.Equations) -> None:
        super().__init__(equations)
        (self.input,) = equations.system.inputs
        A, B = map(equations.linearize().numbers, "AB")
        self.K = B.T @ solve_continuous_are(A, B, np.eye(4), 10 * np.eye(1)) / 10

    def design(self) -> control.Law:
        e = self.equations
        feedback = [gain * x for gain, x in zip(self.K[0].tolist(), (*e.q, *e.u), strict=True)]
        return control.Law({e.system.inputs[self.input].symbol: as_expr(-sum(feedback))})


@pytest.mark.parametrize("sample_time", [None, 0.002])
@pytest.mark.parametrize(("make", "angle", "gains"), [
    (cart_pole, "theta", {"ke": 80, "kp": 1, "kv": 1, "limit": 8}),
    (furuta_pendulum, "pendulum", {"ke": 1000, "kp": 10, "kv": 1, "limit": 60}),
])  # fmt: skip
def test_a_pendulum_is_swung_up_and_caught(make: Any, angle: str, gains: Any, sample_time: float | None) -> None:
    e = make().derive()
    swing = control.EnergyControl(e, {angle: 0}, **gains)
    within = {angle: 0.3, f"{angle}'": 2}
    c = control.Switched(swing, Balance(e), within, turning=[angle], sample_time=sample_time)
    run = e.simulate(15, controller=c, start={angle: 3.0}, rate=50)
    assert 1 - np.cos(run[angle][0]) > 1.9 and (1 - np.cos(run[angle][run.t > 12])).max() < 1e-4
    assert np.abs(run[e.coordinates[0]][-1]) < 1e-2 and np.abs(run.u[-1]).max() < 1e-2


def test_shaped_energy_brings_a_pole_to_the_orbit_through_upright() -> None:
    e = furuta_pendulum().derive()
    c = control.EnergyShaping(e, {"pendulum": 0}, ke=1, kd=0.02, kp=0.1, kv=0.1)
    run = e.simulate(30, controller=c, start={"pendulum": 3.0}, rate=20)
    top = 0.1 * 9.81 * 0.25
    assert run.energy.total[0] < -0.9 * top and abs(run.energy.total[-1] - top) < 0.01 * top


def test_the_law_of_a_robot_is_the_judges_inverse_dynamics(agree: Judge) -> None:
    pin = pytest.importorskip("pinocchio")
    e, c = ur5()
    twin = pin.buildModelFromUrdf(str(UR5))
    law = c.nominal_law
    rng = np.random.default_rng(5)
    q, u, r, rd, rdd = rng.uniform(-1, 1, (5, 6))
    at = {**dict(zip(e.q, q, strict=True)), **dict(zip(e.u, u, strict=True))}
    at |= {each.symbol: float(each.value or 0) for each in law.parameters.values()}
    names = [wanted.name for wanted in law.reference]
    at |= {x: v for wanted, three in zip(law.reference, zip(r, rd, rdd, strict=True), strict=True)
           for x, v in zip(wanted.symbols, three, strict=True)}  # fmt: skip
    order = [e.coordinates.index(name) for name in names]
    a = np.empty(6)
    a[order] = rdd + 20 * (rd - u[order]) + 100 * (r - q[order])
    ours = evaluate([law.controls[tau] for tau in e.tau], at)
    agree("computed torque", ours, pin.rnea(twin, twin.createData(), q, u, a))


def test_errors_of_a_robot_obey_linear_equations() -> None:
    e, c = ur5()
    assert c.error_dynamics.proved
    assert control.OperationalSpace(e, "tool0", kp=9, kd=6, orientation=[("x", 1)]).error_dynamics.proved


def test_all_that_efforts_tell_of_a_robot_is_estimated() -> None:
    e, _ = ur5()
    names = e.base_parameters().names
    c = control.Adaptive(e, kd=20, lambda_=5, gamma=1, estimates=dict.fromkeys(names, 0))
    assert len(c.law.states) == len(names) == 36 and c.lyapunov.proved


@pytest.mark.slow
def test_a_robot_follows_a_path() -> None:
    e, c = ur5()
    rise = {name: (0.2 + 0.1 * k, k) for k, name in enumerate(e.coordinates)}
    wanted = {name: f"{a}*sin(t + {k})" for name, (a, k) in rise.items()}
    start = {name: a * np.sin(k) for name, (a, k) in rise.items()}
    speeds = {name: a * np.cos(k) for name, (a, k) in rise.items()}
    run = e.simulate(2, controller=c, reference=wanted, start=start, speeds=speeds, rtol=1e-10, atol=1e-12, samples=21)
    assert max(np.abs(run[name] - a * np.sin(run.t + k)).max() for name, (a, k) in rise.items()) < 1e-8
