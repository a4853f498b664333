"""Five seconds by the default method at 1e-9, of equations that ran before: the time on the wall, that of its native
part, what Python takes beyond, and the native part beside its evaluations alone, each at a sample of the run.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..contest import OurLoop
from ..harness import Row, Say, duration, least_times
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
    equations = motion.equations

    def go() -> Any:
        return equations.simulate(_SECONDS, **motion.given, rtol=_TOLERANCE, atol=_TOLERANCE, progress=False)

    first, *_ = [go() for _ in range(3)]
    functions = equations.compile()
    rates = functions.native("state_rates").with_parameters(functions.parameter_values("state_rates"))
    states = np.hstack([first.q, first.u])
    others = [np.zeros((len(states), array.size)) for array in rates.outline.arrays[1:]]
    evaluation = OurLoop(rates, [states, *others])
    parts: dict[float, float] = {}  # the native part by the time of the whole run

    def whole() -> float:
        with native_seconds(time.perf_counter) as spent:
            began = time.perf_counter()
            go()
            ended = time.perf_counter()
        parts[ended - began] = sum(spent)
        return ended - began

    least = least_times({"whole": whole, "one": lambda: evaluation.single(0.0)}, passes)
    part, count = parts[least["whole"]], int(first.info["evaluations"])
    beyond, ratio = least["whole"] - part, part / (count * least["one"])
    verdict = f": {'met' if ratio <= _MOST_RATIO else 'missed'}" if len(equations.u) > 1 else ""
    return Row(_HEADINGS, (
        motion.name, duration(least["whole"]), duration(part),
        f"{duration(beyond)}: {'met' if beyond <= _MOST_BEYOND else 'missed'}",
        f"{count:,}", duration(least["one"]), f"{ratio:.2f}{verdict}",
    ))  # fmt: skip
