"""From nothing to the first number: `python -m bench.cold` in a fresh process prints its seconds as JSON."""

from __future__ import annotations

import json
import time
from itertools import pairwise


def stages() -> dict[str, float]:
    """Seconds of each stage on the way to the accelerations of the symbolic six-joint arm, without any cache."""
    marks = [("start", time.perf_counter())]

    def mark(name: str) -> None:
        marks.append((name, time.perf_counter()))

    import llvmlite.binding  # noqa: F401
    import numpy as np

    mark("import")
    from .models import chain

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
    return {name: end - start for (_, start), (name, end) in pairwise(marks)}


if __name__ == "__main__":
    print(json.dumps(stages()))
