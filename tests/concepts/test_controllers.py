"""What every controller must do: be designed, run in continuous time and sampled, and become code that agrees."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polhode import control
from polhode.control import Controller
from polhode.expr import free_symbols
from polhode.simulate import Trajectory

from .controllers import SAMPLES, Sample

STRICT = ("gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror")


def registered() -> set[str]:
    """The controllers that the package has, by name."""
    found = ((name, getattr(control, name)) for name in control.__all__)
    return {name for name, each in found if isinstance(each, type) and issubclass(each, Controller)} - {"Controller"}


def test_every_controller_has_a_sample() -> None:
    assert registered() <= {*SAMPLES}


@pytest.fixture(scope="module", params=sorted(SAMPLES))
def sample(request: Any) -> Sample:
    return SAMPLES[request.param]()


@pytest.fixture(scope="module")
def sampled(sample: Sample) -> Trajectory:
    law = sample.controller.law
    given = {} if law.sample_time is not None else {"sample_time": sample.sample_time}
    run = sample.equations.simulate(sample.duration, controller=sample.controller, **sample.run, **given)
    assert isinstance(run, Trajectory)
    return run


def test_its_law_has_parameters_of_its_own(sample: Sample) -> None:
    law = sample.controller.nominal_law
    known = {each.symbol for each in law.parameters.values()}
    laws = [*law.controls.values(), *(part for each in law.states for part in (each.rate, each.update) if part)]
    assert {each for each in free_symbols(laws) if each.data[0] == "parameter"} <= known
    assert sample.controller.name in repr(sample.controller)


def test_it_runs_in_continuous_time(sample: Sample) -> None:
    if sample.controller.law.sample_time is not None or sample.controller.law.is_sampled:
        pytest.skip("its law goes from sample to sample")
    run = sample.equations.simulate(sample.duration, controller=sample.controller, **sample.run)
    assert run.status == "done" and np.isfinite(run.x).all() and np.isfinite(run.tau).all()
    assert {*run.reference} == {each.name for each in sample.controller.law.reference}
    assert {*run.states} >= {each.symbol.name for each in sample.controller.law.states}


def test_it_runs_sampled_and_what_it_gave_is_its_law(sample: Sample, sampled: Trajectory) -> None:
    log = sampled.controller
    assert sampled.status == "done" and log is not None and sampled.loop is not None
    f = sample.controller.compile(sample_time=sampled.loop.how.sample_time)
    at = sampled.at(log.times)
    wanted = [*sampled.loop.curves.values()]
    reference = at.values(*wanted).T if wanted else None
    made = f(q=at.q, u=at.u, z=at.z, reference=reference, states=log.states, t=log.times)
    controls = made[0] if log.names else made
    assert np.allclose(controls, log.controls, rtol=1e-6, atol=1e-6 * (1.0 + np.abs(log.controls).max()))
    if log.names:
        following = np.abs(log.states).max(axis=0) + 1.0
        assert np.allclose(made[1][:-1] / following, log.states[1:] / following, atol=1e-6)


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc here")
def test_its_source_compiles_and_prints_the_value_of_the_law(sample: Sample, tmp_path: Path) -> None:
    how = {"sample_time": sample.controller.law.sample_time or sample.sample_time}
    sample.controller.export("c", tmp_path, prefix="", **how)
    record = json.loads((tmp_path / "control_law.json").read_text(encoding="utf-8"))
    command = [*STRICT, "control_law.c", "control_law_main.c", "-lm", "-o", "check"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = float(subprocess.run(["./check"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout)
    assert record["check_value"] is None or printed == pytest.approx(record["check_value"], rel=1e-8)
    f = sample.controller.compile(**how)
    place, given = 0, {}
    for array in record["arrays"]:
        given[array["name"]] = 0.25 + 0.0625 * (np.arange(place + 1, place + array["size"] + 1) % 8)
        place += array["size"]
    values = 0.25 + 0.0625 * (np.arange(place + 1, place + len(record["parameters"]) + 1) % 8)
    made = f.native(*(given[name] for name in f.native.arrays), parameters=values)
    outputs = made if isinstance(made, tuple) else (made,)
    total = sum(entry / (1 + k) for output in outputs for k, entry in enumerate(output.tolist()))
    assert printed == pytest.approx(total, rel=1e-8)
