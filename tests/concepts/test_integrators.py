"""What every integrator must do: the right motion, at its stated order, on every kind of coordinate."""

from importlib.util import find_spec

import numpy as np
import pytest
from scipy.special import ellipk

import polhode as ph
from polhode.codegen.fixed_steps import METHODS as TABLEAUX
from polhode.simulate import METHODS
from polhode.simulate.settings import FIXED

#: SUNDIALS is an extra: pip install 'polhode[sundials]'.
HERE = [name for name in METHODS if not name.startswith(("ida", "cvode")) or find_spec("sksundae")]
ADAPTIVE = [name for name in HERE if name not in FIXED and name != "auto"]
#: Methods of fixed steps with their orders, and the longer of two steps at which it shows.
ORDERS = {name: (tableau.order, 0.02) for name, tableau in TABLEAUX.items()} | {
    "gauss4": (4, 0.1), "gauss6": (6, 0.2), "generalised_alpha": (2, 0.02),
}  # fmt: skip
#: Tolerances that each can be asked for in a quick test.
TOLERANCE = {
    "TP86": 1e-10, "taylor": 1e-10, "DOP853": 1e-10, "RK45": 1e-9, "RK23": 1e-6, "Rodas5P": 1e-9, "Radau": 1e-8,
    "scipy.DOP853": 1e-10, "scipy.RK45": 1e-9, "scipy.RK23": 1e-6,
    "scipy.LSODA": 1e-10, "scipy.Radau": 1e-8, "scipy.BDF": 1e-8, "ida": 1e-8, "cvode": 1e-8, "cvode.Adams": 1e-9,
}  # fmt: skip


def pendulum() -> ph.Equations:
    s = ph.System("pendulum", gravity=(0, 0, -1))
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), speeds=["rate"])
    return s.derive()


def top(storage: str) -> ph.Equations:
    s = ph.System("top")
    s.joint("tip", s.ground, s.body("top", 1, (0, 0, 0.1), (0.02, 0.02, 0.01)), ph.Spherical(storage))
    return s.derive()


@pytest.fixture(scope="module")
def swing() -> ph.Equations:
    return pendulum()


def period(equations: ph.Equations, **options: object) -> float:
    """From the event of passing the lowest point downward and up again."""

    def lowest(t: float, q: np.ndarray, u: np.ndarray) -> float:
        return float(q[0])

    lowest.direction = 1  # type: ignore[attr-defined]
    run = equations.simulate(20, start={"hinge": 2.0}, events=[lowest], **options)  # type: ignore[arg-type]
    first, second = run.info["events"][0][:2]
    return float(second - first)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_pendulum_takes_the_time_of_the_elliptic_integral(method: str, swing: ph.Equations) -> None:
    tolerance = TOLERANCE[method]
    exact = 4 * ellipk(np.sin(1.0) ** 2)
    found = period(swing, method=method, rtol=tolerance, atol=tolerance)
    assert found == pytest.approx(exact, abs=3e3 * tolerance)


@pytest.mark.parametrize("method", ORDERS)
def test_a_fixed_step_method_converges_at_its_order(method: str, swing: ph.Equations) -> None:
    exact = swing.simulate(2, start={"hinge": 1.0}, rtol=1e-13, atol=1e-13).q[-1, 0]
    order, step = ORDERS[method]
    errors = [
        abs(swing.simulate(2, start={"hinge": 1.0}, method=method, step=h).q[-1, 0] - exact) for h in (step, step / 2)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize(("method", "order"), [("gauss4", 4), ("gauss6", 6), ("lie4", 4), ("generalised_alpha", 2)])
def test_steps_on_quaternions_converge_at_their_order(method: str, order: int) -> None:
    equations, speeds = top("quaternion"), {"tip_wx": 1.0, "tip_wz": 20.0}
    exact = equations.simulate(0.2, speeds=speeds, rtol=1e-13, atol=1e-13)
    errors = [
        np.abs(equations.simulate(0.2, speeds=speeds, method=method, step=h).q[-1] - exact.q[-1]).max()
        for h in (0.02, 0.01)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("method", [*ADAPTIVE, "rk4", "gauss4", "gauss6"])
@pytest.mark.parametrize("storage", ["quaternion", "angles", "vector"])
def test_a_top_keeps_its_energy_and_its_turn_about_the_vertical(method: str, storage: str) -> None:
    tolerance = TOLERANCE.get(method, 1e-9)
    start = {
        "quaternion": {"tip_e0": np.cos(0.2), "tip_e1": np.sin(0.2)},
        "angles": {"tip_ax": 0.4},
        "vector": {"tip_c1": np.tan(0.2)},
    }[storage]
    equations = top(storage)
    # A vector-parameter has no value at a half turn about the top's axis: it gets less spin and less time.
    spin, seconds = (2.0, 0.4) if storage == "vector" else (20.0, 1.0)
    step = {"rk4": 2e-4, "gauss4": 5e-4, "gauss6": 2e-3}.get(method)
    options = {"rtol": tolerance, "atol": tolerance} if step is None else {"step": step}
    run = equations.simulate(seconds, start=start, speeds={"tip_wz": spin}, method=method, **options)
    angular, _ = run.momentum
    scale = np.abs(angular).max()
    assert run.energy_drift < 2e4 * tolerance and np.ptp(angular[:, 2]) < 2e4 * tolerance * scale


def test_the_three_ways_to_store_an_orientation_give_one_motion() -> None:
    starts = {
        "quaternion": {"tip_e0": np.cos(0.2), "tip_e1": np.sin(0.2)},
        "angles": {"tip_ax": 0.4},
        "vector": {"tip_c1": np.tan(0.2)},
    }
    turns = [
        top(storage).simulate(0.4, start=start, speeds={"tip_wz": 2.0}, rtol=1e-11, atol=1e-11).pose("top")[1][-1]
        for storage, start in starts.items()
    ]
    assert np.abs(turns[0] - turns[1]).max() < 1e-9 and np.abs(turns[0] - turns[2]).max() < 1e-9


@pytest.mark.parametrize("method", ["TP86", "DOP853", "taylor", "Rodas5P", "Radau", "scipy.LSODA", "rk4"])
def test_minus_a_quaternion_is_the_same_start(method: str) -> None:
    equations = top("quaternion")
    q = np.array([np.cos(0.2), np.sin(0.2), 0.0, 0.0])
    u = np.array([0.1, 0.0, 20.0])
    one, other = (
        equations.simulate(1, start=(sign * q, u), method=method, step=1e-3 if method == "rk4" else None)
        for sign in (1.0, -1.0)
    )
    assert np.abs(one.pose("top")[1] - other.pose("top")[1]).max() < 1e-12 and np.abs(one.q + other.q).max() < 1e-12


@pytest.mark.parametrize("method", [
    "TP86", "DOP853", "taylor", "Rodas5P", "Radau", "scipy.LSODA", "scipy.BDF", "rk4", "gauss4", "lie4",
    "generalised_alpha",
])  # fmt: skip
def test_quaternions_stay_on_the_unit_sphere(method: str) -> None:
    loose = {} if method in FIXED else {"rtol": 1e-6, "atol": 1e-6}
    run = top("quaternion").simulate(3, speeds={"tip_wz": 30.0, "tip_wx": 1.0}, method=method, **loose)
    assert np.abs(np.linalg.norm(run.q, axis=1) - 1).max() < 1e-14


def test_where_one_looks_does_not_change_the_motion(swing: ph.Equations) -> None:
    few, many = (swing.simulate(5, start={"hinge": 2.0}, samples=count) for count in (2, 5001))
    assert few.q[-1] == pytest.approx(many.q[-1], abs=1e-14) and few.info["steps"] == many.info["steps"]


def test_a_free_body_falls_along_a_parabola_and_keeps_its_angular_momentum() -> None:
    s = ph.System("stone")
    s.joint("air", s.ground, s.body("stone", 2, (0, 0, 0), (1, 2, 2.5)), ph.Free())
    run = s.derive().simulate(2, speeds={"air_wx": 0.01, "air_wy": 3, "air_vx": 1.5})
    positions, rotations = run.pose("stone")
    expected = np.column_stack([1.5 * run.t, 0 * run.t, -9.81 / 2 * run.t**2])
    assert np.abs(positions - expected).max() < 1e-7
    spin = np.einsum("tij,tj->ti", rotations, run.u[:, :3] * [1, 2, 2.5])
    assert np.abs(spin - spin[0]).max() < 1e-7


def test_a_controller_in_native_steps_equals_the_same_force_in_the_model() -> None:
    built, steered = (ph.System("slider") for _ in range(2))
    for s in (built, steered):
        s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    j = built.joints["x"]
    built.joint_force("x", -3 * j.q[0] - j.u[0])
    options = {"start": {"x": 1.0}, "method": "rk4", "step": 1e-2}
    inside = built.derive().simulate(2, **options)  # type: ignore[arg-type]
    outside = steered.derive().simulate(2, tau=lambda t, q, u: -3 * q - u, **options)  # type: ignore[arg-type]
    assert np.abs(inside.q - outside.q).max() < 1e-13


def test_a_force_in_time_acts_at_the_right_time() -> None:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force("x", ph.cos(s.time))
    for method in ("TP86", "DOP853", "taylor", "Rodas5P", "Radau", "rk4", "generalised_alpha"):
        run = s.derive().simulate(3, method=method)
        assert np.abs(run["x"] - (1 - np.cos(run.t))).max() < (1e-6 if method == "generalised_alpha" else 1e-8)
