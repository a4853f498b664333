"""Sweeps from call to results: resumed, interrupted, with runs that fail."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import LimitError, PolhodeError
from polhode.simulate import Trajectory, crossing
from polhode.simulate.sweep import Sweep, SweepInterrupted
from polhode.simulate.sweep.running import Unknowable, content_of

LENGTHS = np.linspace(0.5, 2, 11)
OPTIONS: dict[str, Any] = {"samples": 3, "start": {"hinge": 0.3}, "chunk": 2, "workers": 1}

stop_at: list[float] = []
computed: list[float] = []


def counted(run: Trajectory) -> dict[str, Any]:
    """Notes which pendulum was measured, and is interrupted at one."""
    length = run.parameters["l"]
    if stop_at and length >= stop_at[0]:
        raise KeyboardInterrupt
    computed.append(length)
    return {"end": run.q[-1, 0], "all": run.q[:, 0]}


@pytest.fixture(autouse=True)
def _fresh() -> None:
    stop_at.clear()
    computed.clear()


def bits(sweep: Sweep) -> dict[str, bytes]:
    return {name: values.tobytes() for name, values in sweep.values.items()} | {"status": sweep.status.tobytes()}


def test_an_interrupted_sweep_goes_on_where_it_was_and_equals_the_uninterrupted(
    pendulum: ph.Equations, tmp_path: Path
) -> None:
    whole = pendulum.sweep({"l": LENGTHS}, 0.1, measure=counted, **OPTIONS)
    assert computed == LENGTHS.tolist()
    computed.clear()
    stop_at.append(LENGTHS[7])
    with pytest.raises(SweepInterrupted, match=r"(?s)after 6 of 11 runs.*E-RUN-INTERRUPTED") as caught:
        pendulum.sweep({"l": LENGTHS}, 0.1, measure=counted, store=tmp_path / "runs", **OPTIONS)
    part = caught.value.sweep
    assert part.status.tolist() == ["done"] * 6 + ["not_run"] * 5 and not part.is_whole
    np.testing.assert_array_equal(part["end"][:6], whole["end"][:6])
    before = len(computed)
    stop_at.clear()
    again = pendulum.sweep({"l": LENGTHS}, 0.1, measure=counted, store=tmp_path / "runs", **OPTIONS)
    assert bits(again) == bits(whole) and computed[before:] == LENGTHS[6:].tolist() and again.info["computed"] == 5
    third = pendulum.sweep({"l": LENGTHS}, 0.1, measure=counted, store=tmp_path / "runs", **{**OPTIONS, "chunk": 5})
    assert bits(third) == bits(whole) and third.info["computed"] == 0


def test_whole_trajectories_go_on_from_a_store_too(pendulum: ph.Equations, tmp_path: Path) -> None:
    options: dict[str, Any] = {"measure": None, "samples": 5, "start": {"hinge": 0.3}, "until": pendulum.q[0] - 0.2}
    whole = pendulum.sweep({"l": [0.0, 0.5, 1, 2]}, 0.4, workers=1, **options)
    store = tmp_path / "runs"
    pendulum.sweep({"l": [0.0, 0.5, 1, 2]}, 0.4, workers=1, chunk=1, store=store, **options)
    next(path for path in store.glob("*.npz")).unlink()
    again = pendulum.sweep({"l": [0.0, 0.5, 1, 2]}, 0.4, workers=1, store=store, **options)
    assert again.info["computed"] == 1 and whole.trajectories is not None and again.trajectories is not None
    for a, b in zip(whole.trajectories, again.trajectories, strict=True):
        np.testing.assert_array_equal(a.q, b.q)
        np.testing.assert_array_equal(a.t, b.t)
        assert a.message == b.message and a.parameters == b.parameters
    alone = pendulum.simulate(0.4, parameters={"l": 1}, **{k: v for k, v in options.items() if k != "measure"})
    np.testing.assert_array_equal(again.trajectories[2].q, alone.q)


def test_a_store_of_another_sweep_is_refused(pendulum: ph.Equations, tmp_path: Path) -> None:
    pendulum.sweep({"l": [1, 2]}, 0.1, store=tmp_path / "runs", **OPTIONS)
    for vary, options in (({"l": [1, 3]}, {}), ({"l": [1, 2]}, {"rtol": 1e-6}), ({"l": [1, 2]}, {"measure": "energy"})):
        with pytest.raises(PolhodeError, match="holds another sweep"):
            pendulum.sweep(vary, 0.1, store=tmp_path / "runs", **OPTIONS, **options)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    refused("other things in it", lambda: pendulum.sweep({"l": [1, 2]}, 0.1, store=tmp_path / "mine", **OPTIONS))


def test_a_damaged_or_half_written_chunk_is_computed_again(pendulum: ph.Equations, tmp_path: Path) -> None:
    store = tmp_path / "runs"
    whole = pendulum.sweep({"l": LENGTHS}, 0.1, store=store, **OPTIONS)
    chunks = sorted(store.glob("*.npz"))
    chunks[0].write_bytes(chunks[0].read_bytes()[:50])
    (store / ".polhode-0000.tmp").write_bytes(b"half")
    again = pendulum.sweep({"l": LENGTHS}, 0.1, store=store, **OPTIONS)
    assert bits(again) == bits(whole) and 0 < again.info["computed"] <= 2
    assert not list(store.glob(".polhode*"))


def test_what_cannot_be_known_again_is_not_stored(pendulum: ph.Equations, tmp_path: Path) -> None:
    class Own:
        def __call__(self, run: Trajectory) -> float:
            return 1.0

    with pytest.raises(PolhodeError, match="cannot be known again"):
        pendulum.sweep({"l": [1, 2]}, 0.1, measure=Own(), store=tmp_path / "runs", **OPTIONS)
    assert pendulum.sweep({"l": [1, 2]}, 0.1, measure=Own(), **OPTIONS)["value"].tolist() == [1, 1]


def test_failed_runs_have_their_sentence_and_wrong_calls_are_refused(pendulum: ph.Equations) -> None:
    made = pendulum.sweep({"l": [0.0, 1.0, np.nan, 2.0]}, 0.1, **OPTIONS)
    assert made.status.tolist() == ["singular_mass_matrix", "done", "refused", "done"]
    assert list(made.failures) == [0, 2]
    assert np.isnan(made["hinge"][[0, 2]]).all() and np.isfinite(made["hinge"][[1, 3]]).all()
    for options, told in (
        ({"method": "rk5"}, "no method 'rk5'"), ({"parameters": {"k": 1}}, "no parameter 'k'"),
        ({"metod": "rk4"}, "no option 'metod'"), ({"progress": 5}, "progress"),
        ({"zip": 1}, "zip: 1 is not True or False"),
    ):  # fmt: skip
        with pytest.raises(PolhodeError, match=told):
            pendulum.sweep({"l": LENGTHS}, 0.1, **options)
    refused("would take", lambda: pendulum.sweep({"l": np.ones(10**6)}, 10, measure=None), LimitError)


def test_progress_is_a_fraction_and_notices_are_reported_once(pendulum: ph.Equations) -> None:
    told: list[float] = []
    pendulum.sweep({"l": LENGTHS}, 0.1, progress=told.append, **OPTIONS)
    assert told[-1] == 1.0 and told == sorted(told)
    s = ph.System("ball", gravity=(0, 0, 0))
    m = s.parameter("m", 1)
    s.joint("socket", s.ground, s.body("ball", m, (0, 0, 0), (1, 1, 1)), ph.Spherical())
    with pytest.warns(UserWarning, match=r"3 of 3 runs have notices; .*length 2") as told:
        made = s.derive().sweep({"m": [1, 2, 3]}, 0.1, start=[2, 0, 0, 0], samples=3, workers=1)
    assert len(told) == 1 and list(made.notices) == [0, 1, 2]


def level(run: Any, height: float = 1.0) -> float:
    return height


def beyond(height: float) -> Any:
    return lambda run: run.q[-1, 0] > height


def test_different_content_is_different_text_and_another_process_tells_the_same() -> None:
    x, y = ph.symbol("x"), ph.symbol("y")
    values: list[Any] = [
        None, True, 1, 1.5, "1", [1, 2], [[1], 2], {"a": 1}, {"a": 2}, x, x + y, crossing(x), crossing(x, 1),
        np.array([1.0, 2.0]), np.array([[1.0, 2.0]]), np.array([1, 2]), level, partial(level, height=2),
        beyond(1), beyond(2),
    ]  # fmt: skip
    texts = [content_of(value) for value in values]
    assert len({*texts}) == len(values) and texts == [content_of(value) for value in values]
    assert content_of({"a": 1, "b": 2}) == content_of({"b": 2, "a": 1})
    assert content_of(beyond(1)) == content_of(beyond(1)) and content_of(np.float64(0.1)) == content_of(0.1)
    script = (
        "import polhode as ph; from polhode.simulate.sweep.running import content_of as c; x = ph.symbol('x')\n"
        "print(c({'until': ph.cos(x) - 0.5, 'rtol': 1e-9, 'hold': ['a']}))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    x = ph.symbol("x")
    assert run.stdout.strip() == content_of({"until": ph.cos(x) - 0.5, "rtol": 1e-9, "hold": ["a"]})


def test_what_cannot_be_known_again_is_not_guessed() -> None:
    class Callable:
        def __call__(self, run: Any) -> float:
            return 1.0

    typed: dict[str, Any] = {"__name__": "typed"}
    made = type(level)(level.__code__, typed, "level")
    made.__module__ = "typed"
    for value in (Callable(), made, object()):
        with pytest.raises(Unknowable):
            content_of(value)


@pytest.fixture(scope="module")
def slider() -> ph.Equations:
    s = ph.System("slider")
    x = s.joint("x", s.ground, s.body("block", s.parameter("m", 1, unit="kg")), ph.Prismatic("x"))
    y = s.joint("turn", s.bodies["block"], s.body("arm", 1, (0, 0, -1)), ph.Revolute("y"))
    s.joint_force(x, s.input("F", unit="N"))
    s.joint_force(y, -s.parameter("c", 1) * y.u[0])
    return s.derive()


def test_values_and_results_have_units_also_under_labels(slider: ph.Equations, tmp_path: Path) -> None:
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
    made = slider.sweep({"m": [1, 2]}, 0.1, measure={"end": "final", "m": "max:x"}, samples=3, workers=1)
    assert made.result_units["end turn"] == "rad" and (made.units["m"], made.result_units["m"]) == ("kg", "m")
