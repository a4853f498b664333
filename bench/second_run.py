"""What a second run costs: Python around its native part, and native code around its evaluations."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import polhode as ph
from polhode.native import engine
from polhode.native.language import Array, Module, at, call, native
from polhode.ode.native_run import NativeRun
from polhode.ode.record import Run

from .clock import least_times
from .motions import ANYMAL_FLIGHT, PANDA_FALL, UR5_FALL, Motion
from .our_run import clocked
from .table import duration

SECTION = "second_run"
_SECONDS, _TOLERANCE = 5.0, 1e-9
#: At most so long beyond the native part, and so many times its evaluations.
_MOST_BEYOND, _MOST_RATIO = 0.5e-3, 1.5


@dataclass(frozen=True)
class SecondRun:
    """Seconds of a run whose equations ran before, of its native part, and of all its evaluations alone.

    >>> SecondRun("second_run", "arm", 9e-4, 5e-4, 4000, 1.01e-7, True).cells
    ('arm', '900 µs', '500 µs', '400 µs: met', '4,000', '101 ns', '1.24: met')
    """

    section: str
    case: str
    whole: float
    native: float
    evaluations: int
    one: float
    is_judged: bool

    @property
    def ratio(self) -> float:
        """The native part by the time of its evaluations."""
        return self.native / (self.evaluations * self.one)

    @property
    def headings(self) -> tuple[str, ...]:
        return "model", "second run", "native", "beyond it", "evaluations", "one", "native / evaluations"

    @property
    def cells(self) -> tuple[str, ...]:
        beyond = self.whole - self.native
        verdict = f": {'met' if self.ratio <= _MOST_RATIO else 'missed'}" if self.is_judged else ""
        return (
            self.case, duration(self.whole), duration(self.native),
            f"{duration(beyond)}: {'met' if beyond <= _MOST_BEYOND else 'missed'}",
            f"{self.evaluations:,}", duration(self.one), f"{self.ratio:.2f}{verdict}",
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """The row as a plain record."""
        return asdict(self)


def pendulum() -> ph.System:
    """A point mass on a rod."""
    system = ph.System("pendulum")
    system.joint("hinge", system.ground, system.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    return system


def rows(quick: bool, say: Callable[[str], None]) -> list[SecondRun]:
    """A row for a pendulum and for each of three robots."""
    swing = Motion("pendulum", pendulum, _SECONDS, {"hinge": 1.0})
    return [measured(motion, quick, say) for motion in (swing, UR5_FALL, PANDA_FALL, ANYMAL_FLIGHT)]


def measured(motion: Motion, quick: bool, say: Callable[[str], None]) -> SecondRun:
    """The least times of many runs."""
    say(motion.name)
    equations = motion.equations
    start, speeds = dict(motion.coordinates) or None, dict(motion.speeds) or None

    def go() -> ph.Trajectory:
        return equations.simulate(
            _SECONDS, start=start, speeds=speeds, rtol=_TOLERANCE, atol=_TOLERANCE, progress=False
        )

    runs = [go() for _ in range(3)]
    states = np.ascontiguousarray(np.hstack([runs[0].q, runs[0].u]))
    natively: dict[float, float] = {}  # by the time of the whole run

    def whole() -> float:
        with clocked(time.perf_counter) as spent:
            began = time.perf_counter()
            go()
            ended = time.perf_counter()
        natively[ended - began] = sum(spent)
        return ended - began

    one = _evaluation(equations.compile(), states)
    least = least_times({"whole": whole, "one": one}, 40 if quick else 300)
    count, fastest = int(runs[0].info["evaluations"]), least["whole"]
    is_robot = len(equations.u) > 1
    return SecondRun(SECTION, motion.name, fastest, natively[fastest], count, least["one"], is_robot)


@native
def evaluate_all(run: Run, states: Array, count: int) -> None:
    """The right-hand side at each of some states."""
    for number in range(count):
        run.arguments[run.x_index] = at(states, number * run.size)
        call(run.at, run.arguments)


def _evaluation(functions: Any, states: Any) -> Callable[[], float]:
    """Measures the seconds of one evaluation, as a run makes them."""
    module = Module(fused=engine.host().fused)
    module.add(evaluate_all, name="ph_evaluate_all")
    code = engine.Library(engine.object_code(module.text))
    run = NativeRun("DOP853", states[0], rtol=1e-9, atol=1e-9)
    compiled = functions.native("state_rates").with_parameters(functions.parameter_values("state_rates"))
    given = {array.name: np.zeros(array.size) for array in compiled.outline.arrays}
    run.use(run.compiled(compiled, given))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(code.address("ph_evaluate_all"))

    def measure() -> float:
        began = time.perf_counter()
        function(run.address, states.ctypes.data, len(states))
        return (time.perf_counter() - began) / len(states)

    measure.code = code  # type: ignore[attr-defined]  # machine code lives as long as what calls it
    return measure
