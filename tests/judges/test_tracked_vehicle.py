"""The tracked vehicle against statics, a linear model built by hand in NumPy, its rigid limit, symmetry and power."""

import ctypes
import json
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.typing import NDArray
from scipy.linalg import eigh

import polhode as ph
from polhode.model.samples import TrackedVehicle, tracked_vehicle
from polhode.model.samples.vehicles import BENDING, CARRIER

Floats = NDArray[Any]
P = {name: value for name, (value, _) in CARRIER.items()}
WEIGHT = (P["m"] + 10 * P["m_w"]) * P["g"]
FLAT = {"h_left": 0.0, "h_right": 0.0}
WHEELS = [f"{side} {number}" for number in range(1, 6) for side in ("left", "right")]


@cache
def vehicle(flexible: bool) -> tuple[TrackedVehicle, ph.Equations]:
    made = tracked_vehicle(flexible)
    return made, made.system.derive("composite_body")


@pytest.mark.parametrize("flexible", [False, True], ids=["rigid", "flexible"])
def test_at_rest_the_ground_carries_the_weight(flexible: bool) -> None:
    made, equations = vehicle(flexible)
    rest = equations.equilibrium()
    run = equations.simulate(0.5, start=rest, parameters=FLAT, rtol=1e-9, atol=1e-11)
    loads = run.values(*made.loads.values())
    assert abs(loads.sum(axis=0) - WEIGHT).max() < 1e-6 * WEIGHT
    assert all(np.ptp(run[name]) < 1e-8 for name in run.coordinates)
    if not flexible:
        assert abs(loads - WEIGHT / 10).max() < 1e-6 * WEIGHT
        assert abs(run.values(*made.tensions.values()) - P["T_0"]).max() < 1e-3


def test_formalisms_and_the_reference_derivation_agree() -> None:
    made, equations = vehicle(True)
    result = made.system.compare(["composite_body", "kane"], run=False, functions=())
    assert result.agree, str(result)
    assert len(equations.u) == 15 and len(made.loads) == 10


def _turn(axis: int, angle: Any) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3, dtype=np.result_type(angle, float))
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def _points(q: Floats) -> tuple[Floats, Floats, list[list[Floats]]]:
    """The hull's place and orientation, and for each side sprocket, wheels and idler; q as the rigid vehicle's."""
    height = P["depth"] + P["drop"] + P["r_w"] - WEIGHT / 10 / P["k_g"]
    at, R = np.array([0, 0, height + q[0]]), _turn(1, q[1]) @ _turn(0, q[2])
    sides = []
    for row, y in ((0, P["half_track"]), (1, -P["half_track"])):
        arms = [
            np.array([(3 - n) * P["spacing"] + P["reach"], y, -P["depth"]])
            + _turn(1, q[3 + 2 * (n - 1) + row]) @ [-P["reach"], 0, -P["drop"]]
            for n in range(1, 6)
        ]
        ends = [np.array([x, y, 0.0]) for x in (P["end"], -P["end"])]
        sides.append([at + R @ point for point in (ends[0], *arms, ends[1])])
    return at, R, sides


def _energy(q: Floats, rest: Floats) -> Any:
    at, _, sides = _points(q)
    total = P["m"] * P["g"] * at[2] + P["k"] / 2 * ((q[3:] - rest) ** 2).sum()
    start = _points(np.zeros(13))[2]
    for points, before in zip(sides, start, strict=True):
        total += sum(P["m_w"] * P["g"] * w[2] + P["k_g"] / 2 * (P["r_w"] - w[2]) ** 2 for w in points[1:6])
        for k in range(6):
            span, length = points[k + 1] - points[k], np.linalg.norm(before[k + 1] - before[k])
            stretch = np.sqrt((span**2).sum()) - length
            total += P["T_0"] * stretch + P["k_T"] / 2 * stretch**2
    return total


def _gradient(f: Callable[[Floats], Any], q: Floats) -> Floats:
    """By complex steps, exact to rounding."""
    return np.array([np.imag(np.asarray(f(q + 1e-30j * e))) / 1e-30 for e in np.eye(len(q))])


def test_small_motions_are_those_of_a_linear_model_built_by_hand() -> None:
    _, equations = vehicle(False)
    still, zero = {"V": 0.0, "c": 0.0, "c_g": 0.0, **FLAT}, np.zeros(13)
    rest = _gradient(lambda q: _energy(q, zero[3:]), zero)[3:] / P["k"]  # the bars balance all else
    assert abs(_gradient(lambda q: _energy(q, rest), zero)).max() < 1e-6
    h = 1e-5
    K = np.array([
        (_gradient(lambda q: _energy(q, rest), h * e) - _gradient(lambda q: _energy(q, rest), -h * e)) / (2 * h)
        for e in np.eye(13)
    ])  # fmt: skip
    b, L, m = P["half_breadth"], P["L"], P["m"]
    M = np.diag([m, m * L**2 / 12, m * b**2, *[0.0] * 10])
    for side in (0, 1):
        for n in range(1, 6):
            J = _gradient(lambda q, side=side, n=n: _points(q)[2][side][n], zero)  # (q, xyz)
            M += P["m_w"] * J @ J.T
    expected = np.sqrt(eigh((K + K.T) / 2, M, eigvals_only=True))
    found = np.sort(equations.linearize(parameters=still).eigenvalues(still).imag)[13:]
    assert np.allclose(found, expected, rtol=1e-6), (found, expected)
    assert 1.2 < found[0] / (2 * np.pi) < 1.6  # hertz, of the hull on its suspension


def test_bending_shapes_are_close_to_those_of_a_free_beam() -> None:
    beam = (4.730040744862704, 7.853204624095838)
    s = Polynomial([0, 1])
    shapes = [w(s) for w, _ in BENDING]

    def over(f: Polynomial) -> float:
        whole = f.integ()
        return float(whole(1) - whole(-1))

    for w, (_, integral), root, above in zip(shapes, BENDING, beam, (2e-4, 2e-3), strict=True):
        assert abs(over(w)) < 1e-14 and abs(over(w * s)) < 1e-14 and w(1) == pytest.approx(1)
        assert over(w.deriv(2) ** 2) == pytest.approx(float(integral))
        assert 0 < 4 * np.sqrt(float(integral) / over(w**2)) / root**2 - 1 < above
    assert abs(over(shapes[0] * shapes[1])) < 1e-14


def test_a_stiff_hull_moves_as_a_rigid_one() -> None:
    rigid = vehicle(False)[1].simulate(1.5, rate=200, rtol=1e-9, atol=1e-10)
    far = []
    for factor in (10, 100):
        run = vehicle(True)[1].simulate(1.5, rate=200, rtol=1e-9, atol=1e-10, parameters={"EI": factor * P["EI"]})
        far.append(max(abs(run[name] - rigid[name]).max() for name in rigid.coordinates))
    assert far[1] < 5e-4 and far[1] < far[0] / 5, far


@pytest.mark.parametrize("flexible", [False, True], ids=["rigid", "flexible"])
def test_it_does_not_roll_over_a_symmetric_obstacle(flexible: bool) -> None:
    run = vehicle(flexible)[1].simulate(3, rtol=1e-10, atol=1e-12)
    assert abs(run["heave"]).max() > 0.1 and abs(run["roll"]).max() < 1e-12


def test_obstacles_left_and_right_are_mirror_images() -> None:
    left, right = (
        vehicle(True)[1].simulate(2, rtol=1e-9, atol=1e-11, rate=100, parameters={f"h_{side}": 0.0})
        for side in ("right", "left")
    )
    assert abs(left["roll"]).max() > 0.02
    assert abs(left["roll"] + right["roll"]).max() < 1e-7 and abs(left["heave"] - right["heave"]).max() < 1e-7


def test_energy_changes_by_the_work_of_drive_dampers_ground_and_track() -> None:
    run = vehicle(True)[1].simulate(1.5, rate=2000, rtol=1e-10, atol=1e-12)
    audit = run.power_audit()
    assert audit["the whole mechanism"].residual < 1e-12 and audit["the run"].residual < 1e-6
    assert abs(audit.ports["drive x"]).max() > 1e4  # the obstacle holds the vehicle back


def test_wheels_leave_the_ground_and_arms_reach_their_stops() -> None:
    made, equations = vehicle(False)
    run = equations.simulate(2, rate=500)
    loads = dict(zip(made.loads, run.values(*made.loads.values()), strict=True))
    assert all(loads[name].min() == 0 for name in WHEELS) and loads["left 1"].max() > 4 * WEIGHT / 10
    assert run["left 1"].max() > P["q_bump"]
    assert run.values(*made.tensions.values()).min() == 0  # a slack span does not push


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_exported_c_gives_the_accelerations_of_native_code(tmp_path: Path) -> None:
    _, equations = vehicle(True)
    equations.export("c", tmp_path, "forward_dynamics", prefix="tracked")
    source = "tracked_forward_dynamics"
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wshadow", "-Werror"]
    command = ["cc", "-O1", *strict, "-shared", "-fPIC", f"{source}.c", "-o", "tracked.so", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "tracked.so"))
    record = json.loads((tmp_path / f"{source}.json").read_text())
    q, u, tau = np.random.default_rng(1).normal(size=(3, 15)) * [[0.05], [0.5], [1000]]
    t, udot, work = np.array([0.6]), np.zeros(15), np.zeros(1000)
    parameters = np.array([entry["default"] for entry in record["parameters"]])
    give = [np.ctypeslib.ndpointer(np.float64)]
    for name, arrays in ((f"{source}_setup", (parameters, work)), (source, (q, u, tau, t, work, udot))):
        call = getattr(library, name)
        call.restype, call.argtypes = None, give * len(arrays)
        call(*arrays)
    expected = equations.compile().forward_dynamics(q, u, tau, t=0.6)
    assert abs(udot - expected).max() < 1e-11 * abs(expected).max()
