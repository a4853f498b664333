"""Units of what a sweep varies and of what it keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

import polhode as ph
from polhode.simulate.sweep import Sweep


@pytest.fixture(scope="module")
def slider() -> ph.Equations:
    s = ph.System("slider")
    x = s.joint("x", s.ground, s.body("block", s.parameter("m", 1, unit="kg")), ph.Prismatic("x"))
    y = s.joint("turn", s.bodies["block"], s.body("arm", 1, (0, 0, -1)), ph.Revolute("y"))
    s.joint_force(x, s.input("F", unit="N"))
    s.joint_force(y, -s.parameter("c", 1) * y.u[0])
    return s.derive()


def test_values_and_results_have_the_units_of_what_they_are_values_of(slider: ph.Equations, tmp_path: Path) -> None:
    vary = {"m": [1], "c": [1], "F": [0.1], "x": [0], "speed:turn": [1], "tau:turn": [0], "tau:x": [0]}
    measures = ["final", "rms:d(turn)", "end_time", "energy", "steps", lambda run: {"own": 1.0}, slider.q[0]]
    made = slider.sweep(vary, 0.1, measure=measures, samples=3, workers=1)
    known = {"m": "kg", "c": "", "F": "N", "x(0)": "m", "d(turn)(0)": "rad/s", "tau(turn)": "N·m", "tau(x)": "N"}
    assert made.units == known and made.system == "slider"
    results = {"x": "m", "turn": "rad", "d(x)": "m/s", "d(turn)": "rad/s"}
    results |= {"rms:d(turn)": "rad/s", "end_time": "s", "energy": "J", "steps": "", "own": "", "value": "m"}
    assert made.result_units == results
    found = Sweep.load(made.save(tmp_path / "runs.npz"))
    assert (found.units, found.result_units, found.system) == (known, results, "slider")


def test_a_result_under_a_label_of_the_user_keeps_its_unit(slider: ph.Equations) -> None:
    made = slider.sweep({"m": [1, 2]}, 0.1, measure={"end": "final", "m": "max:x"}, samples=3, workers=1)
    assert made.result_units["end turn"] == "rad"
    assert (made.units["m"], made.result_units["m"]) == ("kg", "m")
