"""The stepping loop: who writes the time of a run, and what a run by it does not depend on."""

import ast
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.errors import SimulationError
from polhode.ode import native_run
from polhode.ode.native_run import NativeRun
from polhode.simulate.rates import Rates

SOURCE = Path(ph.__file__).parent
#: Functions that write the time of a run, and how often: a step that was accepted, undone or cut by an event; a time
#: event that is passed; a member that begins; fixed steps that native code took with the rates inlined.
NATIVE = {
    ("ode/loop.py", "advance"): 1,
    ("ode/loop.py", "note_accepted"): 2,
    ("ode/loop.py", "_undo_step"): 1,
    ("ode/event_handling.py", "_interrupt"): 1,
    ("ode/loop.py", "_pass_time_event"): 3,
    ("ode/members.py", "reset"): 1,
    ("ode/members.py", "step_members"): 1,  # a stepper's members stand at times of their own
    ("ode/methods/runge_kutta_fixed.py", "_next_step"): 1,
}
#: In Python: the memory of a run, and the one driver, at bounds where Python functions are called.
PYTHON = {
    ("ode/native_run.py", "__init__"): 1,
    ("ode/native_run.py", "retake"): 1,
    ("ode/native_run.py", "undo_unfinished_step"): 1,  # after an interrupt
    ("simulate/integrators/native.py", "_pass_bound"): 1,
    ("simulate/integrators/solvers.py", "_step"): 1,  # by a solver
    ("simulate/integrators/native.py", "_choose_signs"): 1,
    ("simulate/integrators/native.py", "_project"): 1,
    ("simulate/integrators/native.py", "_note"): 1,  # back to the jump that was one too many
}


def writers() -> Counter[tuple[str, str]]:
    """Functions with assignments to the time of a record."""
    found: Counter[tuple[str, str]] = Counter()
    for path in sorted(SOURCE.rglob("*.py")):
        name, text = path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")
        if not re.search(r"\b(?:run|runs|record|lane)\.t\b", text):
            continue
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef):
                written = [node for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr == "t"]
                of_runs = [node for node in written if isinstance(node.ctx, ast.Store) and _is_run(node.value)]
                found[name, function.name] += len(of_runs)
    return +found


def _is_run(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in ("run", "runs", "record", "lane")


def test_two_native_loops_and_one_driver_write_the_time_of_a_run() -> None:
    assert writers() == NATIVE | PYTHON


def test_loops_of_steps_are_two() -> None:
    """Every function of `ode` that calls a method's steps in a loop."""
    found = set()
    for path in sorted((SOURCE / "ode").rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                loops = [node for node in ast.walk(function) if isinstance(node, ast.While)]
                texts = [ast.unparse(node) for node in loops]
                if any("run.attempt" in text or "_step(method" in text for text in texts):
                    found.add(f"{path.name}: {function.name}")
    assert found == {"loop.py: advance", "lane_loop.py: run_lanes"}


def pendulum(friction: float = 0.0) -> ph.Equations:
    s = ph.System("pendulum")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    if friction:
        s.joint_force(hinge, -friction * ph.sign(hinge.u[0]))
    return s.derive()


@pytest.mark.parametrize("method", ["auto", "DOP853", "rk4"])
def test_budgets_change_no_bit(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    e = pendulum()
    options = {"start": {"hinge": 1.0}, "events": [e.q[0] - 0.3], "method": method, "samples": 31}
    whole = e.simulate(5, **options)
    monkeypatch.setattr(native_run, "_FIRST_BUDGET", 1)
    monkeypatch.setattr(native_run, "_MOST_BUDGET", 3)
    cut = e.simulate(5, **options)
    np.testing.assert_array_equal(cut.x, whole.x)
    assert cut.events == whole.events and cut.info["steps"] == whole.info["steps"]


@pytest.mark.parametrize("budget", [1, 7, 256])
def test_all_entries_together_take_the_steps_that_are_allowed(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_run, "_FIRST_BUDGET", budget)
    monkeypatch.setattr(native_run, "_MOST_BUDGET", budget)
    with pytest.raises(SimulationError, match="as many as allowed") as caught:
        pendulum().simulate(100, start={"hinge": 1.0}, method="DOP853", max_steps=40)
    assert caught.value.trajectory.info["steps"] == 40  # type: ignore[attr-defined]


def test_bits_do_not_depend_on_the_samples() -> None:
    e = pendulum()
    for method in ("auto", "DOP853", "Radau"):
        few, many = (e.simulate(5, start={"hinge": 1.0}, method=method, samples=count) for count in (3, 501))
        np.testing.assert_array_equal(few.x, many.x[::250])


@pytest.mark.parametrize("method", ["auto", "DOP853", "Radau", "rk4"])
def test_signs_in_the_rates_are_switched_in_native_code(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pendulum with dry friction turns back four times; each half swing loses what friction takes."""
    times, plain = [], Rates.__call__

    def noted(rates: Rates, t: float, x: np.ndarray) -> np.ndarray:
        times.append(t)
        return plain(rates, t, x)

    monkeypatch.setattr(Rates, "__call__", noted)
    monkeypatch.setattr(NativeRun, "python", lambda *given: pytest.fail("steps in Python"))
    e = pendulum(0.05)
    run = e.simulate(4.5, start={"hinge": 1.0}, method=method, watch_energy=False, events=[e.u[0]], samples=451)
    assert run.is_whole and len(run) == 451
    assert set(times) <= {0.0}, "Python chooses signs that vanish at the start"
    turned = run.events[0]
    assert len(turned) == 4
    g, angles = 9.81, np.abs(run.at(turned).q[:, 0])
    for before, after in zip([1.0, *angles[:-1]], angles, strict=True):
        assert g * (np.cos(after) - np.cos(before)) == pytest.approx(0.05 * (before + after), rel=1e-4)
