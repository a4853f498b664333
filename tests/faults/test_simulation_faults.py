"""Faults of a run, by their ids: each stops with a status, a sentence and a cure, and keeps what was computed."""

import json
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.cli.app import main
from polhode.errors import FormatError, PolhodeError, ShapeError, SimulationError
from polhode.model.samples import six_degree_of_freedom_arm
from polhode.ode.native_run import NativeRun
from polhode.ode.record import Reason
from polhode.simulate import Trajectory

EVERY_METHOD = ["DOP853", "Radau", "scipy.Radau", "rk4", *(["ida"] if find_spec("sksundae") else [])]


def ball(storage: str) -> ph.Equations:
    s = ph.System("ball", gravity=(0, 0, 0))
    s.joint("socket", s.ground, s.body("ball", 1, (0, 0, 0), (1, 1, 1)), ph.Spherical(storage))
    return s.derive()


def slider(force: Any = 0, **parameters: float) -> ph.Equations:
    s = ph.System("slider", gravity=(0, 0, 0))
    for name, value in parameters.items():
        s.parameter(name, value)
    j = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force("x", force(s, j.q[0], j.u[0]) if callable(force) else force)
    return s.derive()


def stopped(status: str, equations: ph.Equations, duration: float, **options: Any) -> tuple[str, Trajectory]:
    """The message and trajectory of a run that must stop with this status."""
    with pytest.raises(SimulationError) as caught:
        equations.simulate(duration, **options)
    run = caught.value.trajectory
    assert isinstance(run, Trajectory) and run.status == status and not run.is_whole
    assert run.message in str(caught.value)
    assert len(run) >= 1 and np.isfinite(run.q).all() and np.isfinite(run.u).all()
    return str(caught.value), run


def test_f28_a_run_stops_at_gimbal_lock_and_quaternions_go_on() -> None:
    message, run = stopped("gimbal_lock", ball("angles"), 1, start={"socket_ay": np.pi / 2})
    assert "'socket'" in message and "'socket_ay' = 1.5708" in message and "quaternion" in message
    assert run.t.tolist() == [0.0]
    # Turning x into z passes the lock of z-y-x angles after half a turn; a hair's breadth aside, rates explode.
    axis = np.array([1.0, 1e-9, 1.0]) / np.sqrt(2)
    message, run = stopped("gimbal_lock", ball("angles"), 5, speeds=axis)
    assert "'socket'" in message
    assert run.t[-1] == pytest.approx(np.pi, abs=1e-3)
    axis = np.array([1.0, 1e-9, 1.0]) / np.sqrt(2)
    run = ball("quaternion").simulate(2 * np.pi, speeds=axis)
    assert np.abs(run.pose("ball")[1][-1] - np.eye(3)).max() < 1e-8


@pytest.mark.parametrize(("sequence", "locked"), [("123", np.pi / 2), ("313", 0.0)])
def test_f28_an_euler_sequence_locks_where_its_outer_axes_meet(sequence: str, locked: float) -> None:
    message, _ = stopped("gimbal_lock", ball(sequence), 1, start={"socket_a2": locked})
    assert "'socket_a2'" in message
    assert ball(sequence).simulate(1, start={"socket_a2": locked + 0.5}, speeds=[0.1, 0.2, 0.1]).is_whole


def test_f29_zero_quaternions_are_refused_and_others_scaled() -> None:
    refused("which is no orientation", lambda: ball("quaternion").simulate(1, start=([0, 0, 0, 0], [0, 0, 1])))
    with pytest.warns(UserWarning, match="joint 'socket' had length 2"):
        run = ball("quaternion").simulate(1, start=([0, 2, 0, 0], [0, 0, 1]))
    assert run.q[0].tolist() == [0, 1, 0, 0] and "length 2" in run.info["notices"][0]


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_f30_a_half_turn_of_a_vector_parameter_is_named(method: str) -> None:
    message, run = stopped("half_turn", ball("vector"), 5, speeds=[0, 0, 1.0], method=method)
    assert "'socket'" in message
    assert run.t[-1] == pytest.approx(np.pi, abs=0.05)


def test_f30_half_turns_and_f31_stretched_arms_are_named() -> None:
    s = ph.System("wheel", gravity=(0, 0, 0))
    s.joint("axle", s.ground, s.body("wheel", 1, (0, 0, 0), (1, 1, 1)), ph.Revolute("z", "vector"))
    message, run = stopped("half_turn", s.derive(), 5, speeds={"axle": 1.0})
    assert "'axle'" in message and 'storage="angles"' in message
    assert run.t[-1] == pytest.approx(np.pi, abs=1e-5)
    arm = six_degree_of_freedom_arm().derive()
    message, _ = stopped("singular_mass_matrix", arm, 1)
    assert "condition number" in message and "'w2', 'v2'" in message


@pytest.mark.parametrize("method", ["DOP853", "rk4"])
def test_f31_a_mass_matrix_that_becomes_singular_stops_the_run(method: str) -> None:
    s = ph.System("two sliders", gravity=(0, 0, 0))
    a = s.body("a", 1)
    s.joint("x", s.ground, a, ph.Prismatic("x"))
    # A bob slides to the pin of a massless crank, 1 - t/2: it has no inertia about the pin when it gets there.
    pin = s.joint("pin", a, s.body("crank"), ph.Revolute("z"))
    s.joint("slide", "crank", s.body("bob", 1), ph.Prismatic("x"))
    s.prescribe("slide", 1 - s.time / 2)
    s.joint_force("pin", 1 - (1 - s.time / 2) * pin.u[0])
    message, run = stopped("singular_mass_matrix", s.derive(), 5, speeds={"pin": 1.0}, method=method)
    assert "'pin'" in message
    assert 1.9 < run.t[-1] < 2.1


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_f34_a_root_of_a_negative_number_stops_the_run_at_once(method: str) -> None:
    # The force is sqrt(1 - x): beyond x = 1 there is none.
    equations = slider(lambda s, x, v: 1 + ph.sqrt(1 - x))
    message, run = stopped("nonfinite", equations, 10, method=method, step=1e-3 if method in EVERY_METHOD[2:] else None)
    assert "'v'" in message
    assert run["x"].max() < 1.01 and run["x"][-1] > 0.5


def test_f34_nothing_finite_and_the_last_good_state() -> None:
    message, run = stopped("nonfinite", slider(lambda s, x, v: 1 / x), 1)
    assert "t = 0" in message
    assert run.t.tolist() == [0.0]
    _, run = stopped("nonfinite", slider(lambda s, x, v: 1 + ph.sqrt(1 - x)), 10, samples=2)
    assert run.t[-1] > 0.5 and 0.5 < run["x"][-1] <= 1.0
    message, _ = stopped("event_failed", slider(), 1, events=[lambda t, q, u: q[7]])
    assert "IndexError" in message


@pytest.mark.parametrize("method", ["DOP853", "Rodas5P", "scipy.LSODA", "scipy.BDF", "rk4"])
def test_f34_a_controller_that_raises_is_quoted(method: str) -> None:
    def controller(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        if t > 0.5:
            raise RuntimeError("no more fuel")
        return [1.0]

    message, run = stopped("controller", slider(), 2, tau=controller, method=method, step=0.05)
    assert "RuntimeError: no more fuel" in message
    assert 0.4 <= run.t[-1] <= 0.5


@pytest.mark.parametrize("given", [[1.0, 2.0], "fast", [np.nan], {"w": 1.0}, [[1.0]], [1j]])
def test_f34_a_controller_of_the_wrong_shape_is_refused(given: Any) -> None:
    message, _ = stopped("controller", slider(), 1, tau=lambda t, q, u: given)
    assert "controller of tau" in message


@pytest.mark.parametrize("method", ["DOP853", "scipy.BDF", "rk4"])
def test_f34_a_controller_that_returns_nothing_is_told_so(method: str) -> None:
    message, run = stopped("controller", slider(), 1, tau=lambda t, q, u: None, method=method)
    assert "controller of tau returned None" in message
    assert run.t.tolist() == [0.0]
    assert not slider().simulate(1, tau=lambda t, q, u: {}, method=method).u.any()


def test_f34_a_controller_cannot_change_the_state() -> None:
    def meddling(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        q[:] = 99.0
        u[:] = 99.0
        return [0.0]

    run = slider().simulate(1, speeds=[1.0], tau=meddling)
    assert run["x"][-1] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("method", ["DOP853", "rk4"])
def test_f34_an_event_function_that_is_nan_is_told_so(method: str) -> None:
    events = [lambda t, q, u: 1.0, lambda t, q, u: np.nan if t > 0.5 else 1.0]
    message, run = stopped("event_failed", slider(), 1, events=events, method=method)
    assert "event 1 of events, '<lambda>', is nan" in message
    assert run.t[-1] <= 1.0


def test_f35_too_many_or_too_long_steps_keep_what_came_before() -> None:
    stiff = slider(lambda s, x, v: -1e6 * x - 1e6 * v)
    message, run = stopped("too_many_steps", stiff, 100, start=[1.0], max_steps=50, method="DOP853")
    assert '"Radau"' in message
    assert run.info["steps"] == 50
    for method in ("auto", "Rodas5P", "Radau", "scipy.Radau"):
        assert stiff.simulate(1, start=[1.0], method=method, rtol=1e-6, atol=1e-6, max_steps=500).is_whole
    # x'' = 6 x², x = 1/(1 - t)²: gone at t = 1.
    _, run = stopped("diverged", slider(lambda s, x, v: 6 * x * x), 2, start=([1.0], [2.0]))
    assert 0.9 < run.t[-1] <= 1.0 and run["x"][50] == pytest.approx(1 / (1 - run.t[50]) ** 2, rel=1e-6)
    message, run = stopped("diverged", slider(lambda s, x, v: -1e4 * x), 10, start=[1.0], method="rk4", step=0.1)
    assert "The step of 0.1 s is too long for rk4" in message and "smaller step" in message
    assert np.abs(run.q).max() <= 1e12
    message, _ = stopped("diverged", slider(lambda s, x, v: 25 * x), 10, start=[1.0], method="rk4", step=0.01)
    assert "pumps energy in" in message and "too long" not in message


@pytest.mark.parametrize(("method", "status", "reason", "cure"), [
    ("rk4", "diverged", "The step of 0.01 s is too long for rk4", "smaller step"),
    ("semi_implicit_euler", "diverged", "The step of 0.01 s is too long for semi_implicit_euler", '"Radau"'),
    ("DOP853", "too_many_steps", "the run had taken 2,000 steps", "a stiff mechanism needs"), ("auto", "", "", ""),
])  # fmt: skip
def test_f35_joints_with_strong_dampers_are_stiff_and_not_without_inertia(
    method: str, status: str, reason: str, cure: str
) -> None:
    s = ph.System("damped", gravity=(0, 0, "-9.81"))
    arm, hand = (s.body(name, 1, (0, 0, -1), (0.1, 0.1, 0.1)) for name in ("arm", "hand"))
    joints = s.joint("turn", s.ground, arm, ph.Revolute("y")), s.joint("slide", arm, hand, ph.Prismatic("x"))
    for joint in joints:
        s.joint_force(joint, -1e11 * joint.u[0])
    options: dict[str, Any] = {"start": {"turn": 1.0}, "speeds": {"turn": 0.5, "slide": 1.0}, "method": method}
    options |= {"step": 0.01} if status == "diverged" else {"max_steps": 2000}
    if not status:
        run = s.derive().simulate(1, **options)
        assert run["turn"] == pytest.approx(1.0, abs=1e-8) and np.abs(run.u[-1]).max() < 1e-8
        return
    message, _ = stopped(status, s.derive(), 1, **options)
    assert reason in message and cure in message and "inertia" not in message


def test_an_interrupted_run_keeps_what_it_has() -> None:
    def controller(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        if t > 0.7:
            raise KeyboardInterrupt
        return [1.0]

    for method in ("RK45", "rk4"):
        _, run = stopped("interrupted", slider(), 2, tau=controller, method=method, step=0.01, samples=201)
        assert 0.6 < run.t[-1] <= 0.71 and run["x"][-1] == pytest.approx(run.t[-1] ** 2 / 2, rel=1e-6)


def test_f40_ctrl_c_on_the_command_line_writes_the_part_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    advance = NativeRun.advance

    def interrupted(self: NativeRun, t_end: float, budget: int) -> Reason:
        if self.record.evaluations > 500:
            raise KeyboardInterrupt
        return advance(self, t_end, budget)

    out = tmp_path / "run.csv"
    model = Path(__file__).parents[2] / "models" / "arm.yaml"
    monkeypatch.setattr(NativeRun, "advance", interrupted)
    monkeypatch.setattr(
        sys, "argv", ["polhode", "simulate", str(model), "--pose", "reach", "--csv", str(out), "--json"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    record = json.loads(capsys.readouterr().out)
    assert record["status"] == "interrupted" and record["partial"] is True and 0 < record["time"] < 10
    assert out.read_text(encoding="utf-8").startswith("# partial: interrupted")
    assert Trajectory.from_csv(out).status == "interrupted"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return slider().simulate(1, speeds=[1.0]).save(tmp_path / "run.npz")


def test_f44_missing_truncated_and_edited_files_are_refused(saved: Path, tmp_path: Path) -> None:
    saved.write_bytes(saved.read_bytes()[: saved.stat().st_size // 2])
    refused("damaged", lambda: Trajectory.load(saved), FormatError)
    data = bytearray(saved.read_bytes())
    data[len(data) // 3] ^= 0xFF
    saved.write_bytes(bytes(data))
    refused("", lambda: Trajectory.load(saved), FormatError)
    refused("cannot be read", lambda: Trajectory.load(tmp_path / "nothing.npz"), FormatError)
    refused("cannot be read", lambda: Trajectory.from_csv(tmp_path / "nothing.csv"), FormatError)


def test_f44_a_pickle_is_never_opened(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    marker = tmp_path / "executed"
    # Protocol 0 text that would create the marker if anybody unpickled it.
    payload = f"cos\nsystem\n(S'touch {marker}'\ntR.".encode()
    path.write_bytes(payload)
    refused("not a saved trajectory", lambda: Trajectory.load(path), FormatError)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("meta.npy", payload)
    refused("", lambda: Trajectory.load(path), FormatError)
    assert not marker.exists()


def test_f44_another_version_is_named(saved: Path) -> None:
    with np.load(saved) as archive:
        arrays = dict(archive)
    words = json.loads(bytes(arrays["meta"]))
    words["version"] = 99
    arrays["meta"] = np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)
    np.savez(saved, **arrays)
    refused("version 99", lambda: Trajectory.load(saved), FormatError)


@pytest.mark.parametrize(("text", "line", "reason"), [
    ("time,q.x\n0,0\n1,one\n", 3, "not a number"), ("time,q.x\n0,0\n0,1\n", 3, "does not increase"),
    ("time,q.x\n0,0,5\n", 2, "expected 2"), ("time,q.x\n0,nan\n", 2, "not finite"), ("t;x\n", 1, "not a trajectory"),
    ("", 1, "not a trajectory"),
])  # fmt: skip
def test_f46_a_bad_row_is_named_by_its_line(text: str, line: int, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text(text, encoding="utf-8")
    assert f"run.csv:{line}:" in refused(reason, lambda: Trajectory.from_csv(path), FormatError)


def test_f47_what_is_misspelt_is_named_with_what_was_meant_and_f47_a_parameter_without_value_is_named() -> None:
    equations = slider(force=0, mass=2.0)
    for options, meant in (
        ({"parameters": {"mas": 1}}, "mass"), ({"start": {"X": 1}}, "x"), ({"speeds": {"vv": 1}}, "v"),
        ({"tau": {"w": 1}}, "v"), ({"start": "reach"}, "pose 'reach'"), ({"method": "dop583"}, "DOP853"),
    ):  # fmt: skip
        with pytest.raises(PolhodeError, match=meant):
            equations.simulate(1, **options)  # type: ignore[arg-type]
    s = ph.System("pendulum")
    l = s.parameter("l")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -l)), ph.Revolute("y"))
    refused("'l'", lambda: s.derive().simulate(1))
    for bad in ("long", float("nan"), None):
        with pytest.raises(PolhodeError, match="'l'"):
            s.derive().simulate(1, parameters={"l": bad})
    assert s.derive().simulate(1, parameters={"l": 2}).is_whole


def test_f47_wrong_shapes_are_named_and_other_numbers_are_fine() -> None:
    for options in ({"start": [1, 2]}, {"start": ([1], [1, 2])}, {"tau": [1, 2]}, {"start": [1j]}, {"start": ["a"]}):
        with pytest.raises(ShapeError):
            slider().simulate(1, **options)  # type: ignore[arg-type]
    q = np.array([1.0, 5.0, 2.0])[::2]
    q.setflags(write=False)
    expected = slider().simulate(1, start=([1.0], [2.0])).q
    for start in (([1], [2]), (np.float32([1]), np.float32([2])), (q[:1], q[1:])):
        assert np.array_equal(slider().simulate(1, start=start).q, expected)


@pytest.mark.parametrize("options", [
    {"duration": -1}, {"duration": float("nan")}, {"duration": "long"}, {"rtol": 0.0}, {"atol": -1.0},
    {"step": -0.1}, {"method": "rk4", "step": 0.0}, {"samples": 0}, {"samples": [0.2, 0.1]}, {"samples": [5.0]},
    {"rate": -3}, {"max_steps": 0}, {"start": {"x": float("inf")}}, {"start": {"x": "far"}}, {"tau": [float("nan")]},
])  # fmt: skip
def test_f47_impossible_wishes_are_refused_before_anything_runs(options: dict[str, Any]) -> None:
    refused("", lambda: slider().simulate(**({"duration": 1} | options)))


def test_f36_without_freedom_or_time_there_is_the_start() -> None:
    s = ph.System("statue")
    s.joint("plinth", s.ground, s.body("statue", 1), ph.Fixed())
    run = s.derive().simulate(2)
    assert run.t.tolist() == [0.0, 2.0] and run.q.shape == (2, 0) and run.is_whole
    run = slider().simulate(0, start=[3.0])
    assert run.t.tolist() == [0.0] and run["x"].tolist() == [3.0]
