"""Feedback linearising laws of arms on elastic gears, reduced model, every parameter a symbol: processor time from
derived equations to the law. Then laws as they are exported in C, compiled by gcc for this machine, a call for each
of 256 states; and a run with a sampled law, from call to trajectory, beside the same law as a Python function that is
held.
"""

import ctypes
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import polhode as ph
from polhode.control import ComputedTorque
from polhode.errors import PolhodeError
from polhode.model.samples import elastic_arm

from ..build import compile_with
from ..contest import seconds_a_call as seconds_in_loop
from ..harness import Measure, Row, Say, alone, beside, measure, seconds_of, timing
from ..mechanisms import UR5, double_pendulum

PEERS = ()
_STATES, _DURATION, _SAMPLE_TIME = 256, 5.0, 1e-3
#: Seconds that a law may take.
_MOST = 2e-6
_GAINS = {"kp": 100, "kd": 20}
_FRESH = count(1)


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Laws derived, called in C, and in a sampled run."""
    for joints in (4, 6):
        measures = {"law derived": _derivation(joints)}
        yield from alone(f"{joints} elastic joints", measures, 3 if quick else 9, {"law derived": 5.0})
    for joints, goal in ((4, _MOST), (6, None)):
        say(f"{joints} elastic joints in C")
        law = elastic_arm(coupling="reduced", joints=joints).derive().feedback_linearize(_outputs(joints))
        seconds, note = seconds_a_call(law, quick)
        case = f"{joints} elastic joints, {4 * joints} states"
        yield timing(case, "a call in C", seconds, most_seconds=goal, note=note)
    for case, system in (("double pendulum", double_pendulum()), ("ur5", UR5.system())):
        say(f"computed torque of {case} in C")
        seconds, note = seconds_a_call(ComputedTorque(system.derive(), **_GAINS), quick, sample_time=_SAMPLE_TIME)
        yield timing(case, "computed torque, a call in C", seconds, most_seconds=_MOST, note=note)
    say("a sampled run")
    yield _sampled_run(3 if quick else 20)


def _outputs(joints: int) -> list[str]:
    return [f"j{i}" for i in range(1, joints + 1)]


def _derivation(joints: int) -> Measure:
    """Seconds from derived equations to a law, of an arm whose parameters have names never used before."""

    def measured() -> float:
        equations = elastic_arm(coupling="reduced", joints=joints, mark=f"_law_{next(_FRESH)}").derive()
        return seconds_of(lambda: equations.feedback_linearize(_outputs(joints)).law)

    return measured


def seconds_a_call(law: Any, quick: bool, **options: Any) -> tuple[float, str]:
    """Seconds that the exported law takes for one state, and its operations as the file states them."""
    with TemporaryDirectory(prefix="polhode-bench-") as name:
        folder = Path(name)
        law.export("c", folder, prefix="law", **options)
        record = json.loads((folder / "law_control_law.json").read_text(encoding="utf-8"))
        library = str(folder / "law.so")
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        compile_with("gcc", [*flags, str(folder / "law_control_law.c"), "-lm", "-o", library])
        code = ctypes.CDLL(library)
        header = (folder / "law_control_law.h").read_text(encoding="utf-8")
    work = np.zeros(int(header.partition("LAW_CONTROL_LAW_WORK ")[2].split()[0]) + 1)
    values = np.array([float(each["default"] or 0.0) for each in record["parameters"]] or [0.0])
    code.law_control_law_setup(ctypes.c_void_p(values.ctypes.data), ctypes.c_void_p(work.ctypes.data))
    rng = np.random.default_rng(1)
    inputs = [rng.uniform(0.0, 1.0, (_STATES, each["size"])) for each in record["arrays"]]
    outputs = [np.zeros((1, each["shape"][0])) for each in record["outputs"]]
    address = ctypes.cast(code.law_control_law, ctypes.c_void_p).value
    widths = [*(array.shape[1] for array in inputs), *[0] * (1 + len(outputs))]
    seconds = seconds_in_loop(address, [*inputs, work, *outputs], widths, 0.1 if quick else 1.0)
    words = " ".join(line.strip(" *") for line in header.splitlines())
    return seconds, words.partition("Operations: ")[2].partition(".")[0]


def _sampled_run(passes: int) -> Row:
    """A double pendulum under a computed torque that is sampled, beside the same law in Python, held."""
    e = double_pendulum().derive()
    c, f = ComputedTorque(e, **_GAINS), e.compile()
    start, still = dict.fromkeys(e.coordinates, 0.5), dict.fromkeys(e.coordinates, 0)

    def law(t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.asarray(f.inverse_dynamics(q, u, -100 * q - 20 * u))

    def ours() -> Any:
        return e.simulate(_DURATION, controller=c, sample_time=_SAMPLE_TIME, start=start, reference=still)

    def theirs() -> Any:
        return e.simulate(_DURATION, tau=ph.held(law, _SAMPLE_TIME), start=start)

    if not np.allclose(ours().q, theirs().q, atol=1e-9):
        raise PolhodeError("the two runs differ.", code="E-BENCH-021", cure="Compare their efforts.")
    what = f"{_DURATION:g} s at {1 / _SAMPLE_TIME:g} Hz, computed torque"
    one, other = (measure(call, sweep=False) for call in (ours, theirs))
    return beside("double pendulum", what, one, "a held law in Python", other, passes, least_ratio=5)
