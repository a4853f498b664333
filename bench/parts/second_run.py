"""Five seconds by the default method at 1e-9, of equations that ran before: the time on the wall, that of its native
part, what Python takes beyond, and the native part beside its evaluations alone, each at a sample of the run.
"""

import ctypes
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from polhode.native import engine
from polhode.native.language import Array, Module, at, call, native
from polhode.ode.native_run import NativeRun
from polhode.ode.record import Run

from ..harness import Measure, Row, Say, duration, least_times
from ..mechanisms import pendulum
from ..motions import ANYMAL_FLIGHT, PANDA_FALL, UR5_FALL, Motion, native_seconds

PEERS = ()
_SECONDS, _TOLERANCE = 5.0, 1e-9
#: The most seconds beyond the native part, and the most times its evaluations that it may take.
_MOST_BEYOND, _MOST_RATIO = 0.5e-3, 1.5
_HEADINGS = ("model", "second run", "native", "beyond it", "evaluations", "one", "native / evaluations")


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """A row for a pendulum and for each of three robots."""
    for motion in (Motion("pendulum", pendulum, _SECONDS, {"hinge": 1.0}), UR5_FALL, PANDA_FALL, ANYMAL_FLIGHT):
        say(motion.name)
        yield _measured(motion, 40 if quick else 300)


def _measured(motion: Motion, passes: int) -> Row:
    equations, given = motion.equations, motion.given | {"rtol": _TOLERANCE, "atol": _TOLERANCE, "progress": False}
    go = partial(equations.simulate, _SECONDS, **given)
    first, *_ = [go() for _ in range(3)]
    states = np.ascontiguousarray(np.hstack([first.q, first.u]))
    parts: dict[float, float] = {}  # the native part by the time of the whole run

    def whole() -> float:
        with native_seconds(time.perf_counter) as spent:
            began = time.perf_counter()
            go()
            ended = time.perf_counter()
        parts[ended - began] = sum(spent)
        return ended - began

    least = least_times({"whole": whole, "one": _evaluation(equations.compile(), states)}, passes)
    part, count = parts[least["whole"]], int(first.info["evaluations"])
    beyond, ratio = least["whole"] - part, part / (count * least["one"])
    verdict = f": {'met' if ratio <= _MOST_RATIO else 'missed'}" if len(equations.u) > 1 else ""
    return Row(_HEADINGS, (
        motion.name, duration(least["whole"]), duration(part),
        f"{duration(beyond)}: {'met' if beyond <= _MOST_BEYOND else 'missed'}",
        f"{count:,}", duration(least["one"]), f"{ratio:.2f}{verdict}",
    ))  # fmt: skip


@native
def evaluate_all(run: Run, states: Array, count: int) -> None:
    """The right-hand side at each of some states."""
    for number in range(count):
        run.arguments[run.x_index] = at(states, number * run.size)
        call(run.at, run.arguments)


def _evaluation(functions: Any, states: Any) -> Measure:
    """Measures the seconds of one evaluation, as a run makes them."""
    module = Module(fused=engine.host().fused)
    module.add(evaluate_all, name="ph_evaluate_all")
    code = engine.Library(engine.object_code(module.text))
    run = NativeRun("DOP853", states[0], rtol=1e-9, atol=1e-9)
    compiled = functions.native("state_rates").with_parameters(functions.parameter_values("state_rates"))
    run.use(run.compiled(compiled, {array.name: np.zeros(array.size) for array in compiled.outline.arrays}))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(code.address("ph_evaluate_all"))

    def seconds(_code: Any = code) -> float:  # machine code lives as long as what calls it
        began = time.perf_counter()
        function(run.address, states.ctypes.data, len(states))
        return (time.perf_counter() - began) / len(states)

    return seconds
