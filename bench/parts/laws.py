"""Feedback linearising laws of arms on elastic gears, reduced model, every parameter a symbol: processor time from
derived equations to the law. Then laws as they are exported in C, compiled by gcc for this machine, a call for each of
64 states; and a run with a sampled law, from call to trajectory, beside the same law as a Python function that is
held.
"""

import ctypes
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import polhode as ph
from polhode.control import ComputedTorque
from polhode.model.samples import elastic_arm

from ..build import compile_with
from ..contest import STATES, seconds_a_call
from ..harness import Row, Say, beside, measure, seconds_of, timing
from ..mechanisms import UR5, double_pendulum

PEERS = ()
_MOST, _SAMPLE_TIME = 2e-6, 1e-3
_GAINS = {"kp": 100, "kd": 20}


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Laws derived, called in C, and in a sampled run."""
    for joints, goal in ((4, _MOST), (6, None)):
        say(f"{joints} elastic joints")
        equations = elastic_arm(coupling="reduced", joints=joints).derive()
        make = partial(equations.feedback_linearize, [f"j{i}" for i in range(1, joints + 1)])
        seconds = seconds_of(lambda make=make: make().law)
        yield timing(f"{joints} elastic joints", "law derived", seconds, most_seconds=5.0)
        yield _in_c(f"{joints} elastic joints, {4 * joints} states", "a call in C", make(), goal)
    for case, system in (("double pendulum", double_pendulum()), ("ur5", UR5.system())):
        say(f"computed torque of {case} in C")
        law = ComputedTorque(system.derive(), **_GAINS)
        yield _in_c(case, "computed torque, a call in C", law, _MOST, sample_time=_SAMPLE_TIME)
    say("a sampled run")
    e = double_pendulum().derive()
    f, given = e.compile(), {"start": dict.fromkeys(e.coordinates, 0.5), "progress": False}

    def held(t: float, q: Any, u: Any) -> Any:
        return np.asarray(f.inverse_dynamics(q, u, -_GAINS["kp"] * q - _GAINS["kd"] * u))

    sampled = {"controller": ComputedTorque(e, **_GAINS), "reference": dict.fromkeys(e.coordinates, 0)}
    ours = partial(e.simulate, 5, sample_time=_SAMPLE_TIME, **sampled, **given)
    theirs = partial(e.simulate, 5, tau=ph.held(held, _SAMPLE_TIME), **given)
    if not np.allclose(ours().q, theirs().q, atol=1e-9):
        raise ph.PolhodeError("the two runs differ.", code="E-BENCH-021", cure="Compare their efforts.")
    pair = measure(ours, sweep=False), "a held law in Python", measure(theirs, sweep=False)
    yield beside("double pendulum", "5 s at 1000 Hz, computed torque", *pair, 3 if quick else 20, least_ratio=5)


def _in_c(case: str, what: str, law: Any, goal: float | None, **options: Any) -> Row:
    """Seconds that the exported law takes for one state, and its operations as the file states them."""
    with TemporaryDirectory(prefix="polhode-bench-") as name:
        folder = Path(name)
        law.export("c", folder, prefix="law", **options)
        record = json.loads((folder / "law_control_law.json").read_text(encoding="utf-8"))
        header = (folder / "law_control_law.h").read_text(encoding="utf-8")
        flags = ["-O3", "-march=native", "-shared", "-fPIC", str(folder / "law_control_law.c"), "-lm"]
        compile_with("gcc", [*flags, "-o", str(folder / "law.so")])
        code = ctypes.CDLL(str(folder / "law.so"))
    work = np.zeros(int(header.partition("LAW_CONTROL_LAW_WORK ")[2].split()[0]) + 1)
    values = np.array([float(each["default"] or 0.0) for each in record["parameters"]] or [0.0])
    code.law_control_law_setup(ctypes.c_void_p(values.ctypes.data), ctypes.c_void_p(work.ctypes.data))
    inputs = [np.random.default_rng(1).uniform(0.0, 1.0, (STATES, each["size"])) for each in record["arrays"]]
    outputs = [np.zeros((1, each["shape"][0])) for each in record["outputs"]]
    widths = [*(array.shape[1] for array in inputs), *[0] * (1 + len(outputs))]
    address = ctypes.cast(code.law_control_law, ctypes.c_void_p).value
    seconds = seconds_a_call(address, [*inputs, work, *outputs], widths, 1.0)
    words = " ".join(line.strip(" *") for line in header.splitlines()).partition("Operations: ")[2].partition(".")[0]
    return timing(case, what, seconds, most_seconds=goal, note=words)
