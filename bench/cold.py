"""From nothing to the first number: `python -m bench.cold` in a fresh process prints its seconds as JSON."""

from __future__ import annotations

import importlib
import json
import time
from itertools import pairwise


def stages() -> dict[str, tuple[float, float]]:
    """Seconds of each stage on the way to the accelerations of the symbolic six-joint arm, without any cache.

    For each stage the processor's time and the time on the wall.
    """
    marks = [("start", time.process_time(), time.perf_counter())]

    def mark(name: str) -> None:
        marks.append((name, time.process_time(), time.perf_counter()))

    # All that the later stages would otherwise import on first use, so that none of them pays for it.
    for name in (
        "llvmlite.binding",
        "polhode.formalisms",
        "polhode.compiled.functions",
        "polhode.native.engine",
        "bench.models",
    ):
        importlib.import_module(name)
    import numpy as np

    from .models import chain

    mark("import")
    arm = chain(6)
    mark("model")
    equations = arm.derive()
    _ = equations.forward_dynamics
    mark("derive")
    functions = equations.compile(cache=False)
    functions.program("forward_dynamics")
    mark("plan")
    functions.native("forward_dynamics")
    mark("compile")
    zero = np.zeros(6)
    functions.forward_dynamics(zero, zero, zero)
    mark("first call")
    return {
        name: (own - own_before, wall - wall_before)
        for (_, own_before, wall_before), (name, own, wall) in pairwise(marks)
    }


if __name__ == "__main__":
    print(json.dumps(stages()))
