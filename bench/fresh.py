"""Stages in a fresh process: `python -m bench.fresh STAGE [ARGUMENT …]` prints their seconds as JSON.

What is kept between processes lies in the folder that POLHODE_CACHE_DIR names.
"""

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any


def fresh(stage: str, *arguments: str, cache: str | None = None) -> dict[str, Any]:
    """Run a stage in a fresh process, as for a user, whose Python keeps compiled modules."""
    from .build import run  # here, so that a stage imports nothing of polhode before it measures that

    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env |= {"POLHODE_CACHE_DIR": cache} if cache else {}
    command = [sys.executable, "-m", "bench.fresh", stage, *arguments]
    return dict(json.loads(run(command, code="E-BENCH-014", env=env)))


def _stages(**steps: Callable[[], Any]) -> dict[str, tuple[float, float]]:
    """Processor seconds and seconds on the wall of steps, one after the other."""
    taken = {}
    for name, step in steps.items():
        own, wall = time.process_time(), time.perf_counter()
        step()
        taken[name] = time.process_time() - own, time.perf_counter() - wall
    return taken


def cold() -> dict[str, tuple[float, float]]:
    """From nothing to the accelerations of the symbolic six-joint arm, without any cache."""
    made: list[Any] = []
    # The first imports all that the later stages would otherwise import on first use.
    modules = ("llvmlite.binding", "polhode.formalisms", "polhode.compiled.functions", "polhode.native.engine", "numpy")
    return _stages(
        imports=lambda: [importlib.import_module(name) for name in (*modules, "bench.mechanisms")],
        model=lambda: made.append(sys.modules["bench.mechanisms"].chain(6)),
        derive=lambda: [made.append(made[0].derive()), made[1].forward_dynamics],
        plan=lambda: [made.append(made[1].compile(cache=False)), made[2].program("forward_dynamics")],
        compile=lambda: made[2].native("forward_dynamics"),
        call=lambda: made[2].forward_dynamics([0.0] * 6, [0.0] * 6, [0.0] * 6),
    )


def first_call(file: str, base: str, function: str) -> dict[str, tuple[float, float]]:
    """The import, and the way from a URDF file to a result."""

    def to_result() -> None:
        native = sys.modules["polhode"].load(file, base=base).derive().compile().native(function)
        native(*([0.5] * array.size for array in native.outline.arrays))

    return _stages(imports=lambda: importlib.import_module("polhode"), callable=to_result)


def first_run(file: str, *locked: str) -> dict[str, Any]:
    """`import numpy`, and all after it up to the end of 10 ms of a robot's fall; modules that were imported."""

    def fall() -> None:
        importlib.import_module("polhode").load(file, locked=locked).derive().simulate(0.01, progress=False)

    taken: dict[str, Any] = _stages(numpy=lambda: importlib.import_module("numpy"), fall=fall)
    modules = [name.partition(".")[0] for name in sys.modules]
    return taken | {name: modules.count(name) for name in ("polhode", "scipy")}


def new_mechanism() -> dict[str, tuple[float, float]]:
    """The compilation of the accelerations of a new arm, and the first run of another new one."""
    from .mechanisms import chain

    for name in ("warm", "up"):
        chain(2, name).derive().simulate(0.01, progress=False)
    arms = [chain(6, f"n{os.getpid()}{letter}").derive() for letter in "ab"]
    for arm in arms:
        _ = arm.forward_dynamics
    return _stages(
        compiled=lambda: arms[0].compile().native("forward_dynamics"),
        simulated=lambda: arms[1].simulate(0.01, progress=False),
    )


def many_pendulums(members: str, *cores: str) -> dict[str, tuple[float, float]]:
    """Four batches on some cores, the first of which compiles."""
    os.sched_setaffinity(0, set(map(int, cores)))
    from .parts.batch import batch

    run = batch(int(members))
    return _stages(**{f"run {k}": run for k in range(4)})


if __name__ == "__main__":
    stages = {each.__name__: each for each in (cold, first_call, first_run, new_mechanism, many_pendulums)}
    print(json.dumps(stages[sys.argv[1]](*sys.argv[2:])))
