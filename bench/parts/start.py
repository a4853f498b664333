"""Processor time of `import polhode`, `polhode.load(file).derive().compile().native(function)` and its first call in
fresh processes, with all imports: cold with an empty cache, warm with what the cold one left there. The time on the
wall and that of `import polhode` are in the note. Then the first run in a fresh process on a warm cache, and that of a
new mechanism.
"""

import tempfile
from collections.abc import Iterator

from ..harness import Row, Say, duration, fresh, timing
from ..mechanisms import PANDA, TALOS, UR5

PEERS = ()
#: Robot and function, and the goal in seconds without a cache.
_CASES = (UR5, "forward_dynamics", 0.5), (TALOS, "forward_dynamics", 4.0), (TALOS, "forward_dynamics_derivatives", 30.0)
_WARM_GOAL = 0.2
_FIRST_RUN = {
    "numpy": "import numpy",
    "fall": f"import polhode, sys\npolhode.load({str(PANDA.path)!r}, locked={PANDA.locked!r}).derive()"
    ".simulate(0.01, progress=False)\nif 'scipy' in sys.modules: sys.exit('SciPy was imported')",
}
_NEW_MECHANISM = {
    "before": "import os; from bench.mechanisms import chain\n"
    "for name in ('warm', 'up'): chain(2, name).derive().simulate(0.01, progress=False)\n"
    "one, other = (chain(6, f'n{os.getpid()}{letter}').derive() for letter in 'ab')\n"
    "one.forward_dynamics, other.forward_dynamics",
    "compiled": "one.compile().native('forward_dynamics')",
    "simulated": "other.simulate(0.01, progress=False)",
}


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """From a file to a callable, and to a run."""
    for robot, function, goal in _CASES[: 1 if quick else None]:
        say(f"{robot.name}, {function}")
        first_call = {
            "imports": "import polhode",
            "callable": f"native = polhode.load({str(robot.path)!r}, base={robot.base!r}).derive().compile()"
            f".native({function!r})\nnative(*([0.5] * array.size for array in native.outline.arrays))",
        }
        runs: dict[str, list[dict[str, tuple[float, float]]]] = {"cold": [], "warm": []}
        for _ in range(1 if quick else 3):
            with tempfile.TemporaryDirectory(prefix="polhode-bench-") as cache:
                for kind in ("cold", "warm", "warm", "warm"):
                    runs[kind].append(fresh(first_call, cache))
        for kind, most in (("cold", goal), ("warm", _WARM_GOAL)):
            own, wall = (min(run["imports"][k] + run["callable"][k] for run in runs[kind]) for k in (0, 1))
            imports = duration(min(run["imports"][0] for run in runs[kind]))
            note = f"on the wall {duration(wall)}; all imports and the first call included, import polhode {imports}"
            yield timing(robot.name, f"{function}, {kind}", own, most_seconds=most, note=note)
    say("first runs")
    with tempfile.TemporaryDirectory(prefix="polhode-bench-") as cache:
        warm = [fresh(_FIRST_RUN, cache) for _ in range(2 if quick else 6)][1:]
        new = [fresh(_NEW_MECHANISM, cache) for _ in range(1 if quick else 4)]
    best = min(warm, key=lambda run: run["fall"][0])
    note = f"import numpy takes {duration(best['numpy'][0])}; SciPy is not imported"
    what = "first simulate of 10 ms, warm cache, beyond import numpy"
    yield timing("Panda", what, best["fall"][0], most_seconds=_WARM_GOAL, note=note)
    compiled, first = (min(run[name][0] for run in new) for name in ("compiled", "simulated"))
    note = f"compiling takes {duration(compiled)}, the first run {duration(first)}"
    what = "first simulate, beyond compiling its accelerations"
    yield timing("new six-joint arm", what, max(first - compiled, 0.0), most_seconds=0.15, note=note)
