"""Stages in a fresh process: `python -m bench.fresh STAGE [ARGUMENT …]` prints their seconds as JSON.

What is kept between processes lies in the folder that POLHODE_CACHE_DIR names.
"""

import importlib
import json
import os
import sys
import time
from itertools import pairwise
from typing import Any


def fresh(stage: str, *arguments: str, cache: str | None = None) -> dict[str, Any]:
    """Run a stage in a fresh process, as for a user, whose Python keeps compiled modules."""
    from .build import run

    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env |= {"POLHODE_CACHE_DIR": cache} if cache else {}
    command = [sys.executable, "-m", "bench.fresh", stage, *arguments]
    return dict(json.loads(run(command, code="E-BENCH-014", env=env)))


class _Marks:
    """Processor seconds and seconds on the wall between marks."""

    def __init__(self) -> None:
        self.marks = [("start", time.process_time(), time.perf_counter())]

    def __call__(self, name: str) -> None:
        self.marks.append((name, time.process_time(), time.perf_counter()))

    @property
    def stages(self) -> dict[str, tuple[float, float]]:
        return {name: (own - own0, wall - wall0) for (_, own0, wall0), (name, own, wall) in pairwise(self.marks)}


def cold() -> dict[str, tuple[float, float]]:
    """From nothing to the accelerations of the symbolic six-joint arm, without any cache."""
    mark = _Marks()
    # All that the later stages would otherwise import on first use, so that none of them pays for it.
    modules = "llvmlite.binding", "polhode.formalisms", "polhode.compiled.functions", "polhode.native.engine", "numpy"
    for name in (*modules, "bench.mechanisms"):
        importlib.import_module(name)
    from .mechanisms import chain

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
    functions.forward_dynamics([0.0] * 6, [0.0] * 6, [0.0] * 6)
    mark("first call")
    return mark.stages


def first_call(file: str, base: str, function: str) -> dict[str, tuple[float, float]]:
    """The import, and the way from a URDF file to a result."""
    mark = _Marks()
    import polhode

    mark("import")
    native = polhode.load(file, base=base).derive().compile().native(function)
    native(*([0.5] * array.size for array in native.outline.arrays))
    mark("callable")
    return mark.stages


def first_run(file: str, *locked: str) -> dict[str, float]:
    """Processor seconds of `import numpy`, and of all after it up to the end of 10 ms of a robot's fall."""
    start = time.process_time()
    import numpy  # noqa: F401 - its import is what is measured

    imported = time.process_time()
    import polhode

    polhode.load(file, locked=locked).derive().simulate(0.01, progress=False)
    seconds = {"numpy": imported - start, "beyond": time.process_time() - imported}
    modules = [name.partition(".")[0] for name in sys.modules]
    return seconds | {name: float(modules.count(name)) for name in ("polhode", "scipy")}


def new_mechanism() -> dict[str, float]:
    """Processor seconds to compile the accelerations of a new arm, and those of the first run of another new one."""
    from .mechanisms import chain

    for name in ("warm", "up"):
        chain(2, name).derive().simulate(0.01, progress=False)
    arms = [chain(6, f"n{os.getpid()}{letter}").derive() for letter in "ab"]
    for arm in arms:
        _ = arm.forward_dynamics
    start = time.process_time()
    arms[0].compile().native("forward_dynamics")
    compiled = time.process_time()
    arms[1].simulate(0.01, progress=False)
    return {"compiled": compiled - start, "simulated": time.process_time() - compiled}


def many_pendulums(members: str, *cores: str) -> dict[str, float]:
    """Least seconds on the wall of three batches on some cores, everything warm."""
    os.sched_setaffinity(0, set(map(int, cores)))
    from .parts.batch import batch

    run = batch(int(members))
    least = float("inf")
    for _ in range(4):
        start = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - start)
    return {"seconds": least}


if __name__ == "__main__":
    stages = {each.__name__: each for each in (cold, first_call, first_run, new_mechanism, many_pendulums)}
    print(json.dumps(stages[sys.argv[1]](*sys.argv[2:])))
