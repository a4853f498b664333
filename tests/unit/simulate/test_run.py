"""Options of a run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError, SimulationError
from polhode.model.samples import motor_driven_pendulum, n_four_bar


@pytest.fixture(scope="module")
def thrown() -> ph.Equations:
    s = ph.System("thrown", gravity=(0, 0, -10))
    drag = s.input("wind")
    j = s.joint("height", s.ground, s.body("stone", 2), ph.Prismatic("z"), speeds=["v"])
    s.joint_force(j, drag)
    return s.derive()


def test_an_event_is_found_where_the_stone_lands(thrown: ph.Equations) -> None:
    def lands(t: float, q: np.ndarray, u: np.ndarray) -> float:
        return float(q[0])

    lands.terminal, lands.direction = True, -1  # type: ignore[attr-defined]
    run = thrown.simulate(10, speeds=[5.0], events=[lands])
    assert run.status == "event" and run.is_whole and run.t[-1] == pytest.approx(1.0, abs=1e-10)
    assert run.info["events"] == [[pytest.approx(1.0)]]


@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_constant_efforts_and_inputs_are_forces(thrown: ph.Equations, method: str) -> None:
    for options in ({"tau": {"v": 20.0}}, {"tau": [20.0]}, {"tau": 20.0}, {"inputs": {"wind": 20.0}}):
        run = thrown.simulate(1, speeds=[5.0], method=method, **options)  # type: ignore[arg-type]
        assert run["height"][-1] == pytest.approx(5.0, abs=1e-9)


def test_samples_and_fixed_steps_are_those_that_were_asked_for(thrown: ph.Equations) -> None:
    assert thrown.simulate(1, samples=5).t == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert thrown.simulate(1, samples=[0.2, 0.3]).t == pytest.approx([0, 0.2, 0.3, 1])
    assert len(thrown.simulate(2, rate=50)) == 101
    assert thrown.simulate(1, method="rk4", step=0.1, samples=4).t == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert len(thrown.simulate(0.3, method="rk4", step=0.01, samples=1000)) == 1000
    assert thrown.simulate(1, method="rk4", step=0.1, samples=[0.25, 0.3]).t == pytest.approx([0, 0.25, 0.3, 1])
    run = thrown.simulate(1, method="rk4", step=0.3)
    assert run.info["step"] == pytest.approx(1 / 3) and run.t[-1] == 1.0


@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_progress_rises_to_the_end(thrown: ph.Equations, method: str) -> None:
    told: list[float] = []
    thrown.simulate(1, method=method, progress=told.append)
    assert told == sorted(told) and told[-1] == pytest.approx(1.0)


def test_a_rate_that_is_not_finite_names_its_state() -> None:
    system = motor_driven_pendulum()
    system.state("broken", rate=ph.log(0.1 - system.time))
    with pytest.raises(SimulationError, match="no finite number for the rate of state 'broken'"):
        system.derive().simulate(1)


def test_a_sign_in_a_rate_is_found_and_the_run_begins_anew_there() -> None:
    """a' = sign(½ - t), which a step would otherwise smear."""
    system = motor_driven_pendulum()
    system.state("a", rate=ph.sign(0.5 - system.time))
    run = system.derive().simulate(1, samples=3)
    assert np.abs(run["a"] - [0.0, 0.5, 0.0]).max() < 1e-12
    assert any("the rate of state 'a' jumped once at t = 0.5 s" in notice for notice in run.notices)


@pytest.mark.parametrize(("options", "place"), [
    ({"samples": 5, "rate": 10}, "rate"), ({"samples": 1}, "samples"),
    ({"tau": {"hinge": np.ones(3)}}, "tau 'hinge'"), ({"max_step": 0.1, "method": "rk4"}, "max_step"),
])  # fmt: skip
def test_no_option_is_ignored_in_silence(options: dict[str, Any], place: str) -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    with pytest.raises(PolhodeError) as caught:
        s.derive().simulate(1, **options)
    assert caught.value.problems[0].place == place and caught.value.problems[0].cure


def test_the_memory_of_a_run_goes_with_its_trajectory(thrown: ph.Equations) -> None:
    thrown.simulate(1, speeds=[5.0])
    gc.disable()
    try:
        run = ref(thrown.simulate(1, speeds=[5.0]))
        assert run() is None
    finally:
        gc.enable()


def files_entered(go: Callable[[], object]) -> set[str]:
    """The files of the package whose functions a call that was made before enters."""
    package = str(Path(ph.__file__).parent)
    go()
    go()
    seen: set[str] = set()

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            seen.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        go()
    finally:
        sys.setprofile(before)
    return seen


def test_a_run_enters_few_files() -> None:
    s = ph.System("chain")
    upper, lower = s.body("upper", 1, (0, 0, -1)), s.body("lower", 1, (0, 0, -1))
    s.joint("shoulder", s.ground, upper, ph.Revolute("y"))
    s.joint("elbow", upper, lower, ph.Revolute("y"), at=(0, 0, -1))
    chain = s.derive()
    assert len(files_entered(lambda: chain.simulate(5, start={"shoulder": 1.0}))) <= 25

    bars = n_four_bar(1)
    crank = bars.joints["crank 0"]
    brake = ph.control.Law({crank.tau[0]: -crank.u[0]})
    driven = bars.derive()
    options = {"controller": brake, "sample_time": 0.1, "events": [crank.q[0] - 1]}
    assert len(files_entered(lambda: driven.simulate(1, speeds={"crank 0": 1.0}, **options))) <= 45
