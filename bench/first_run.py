"""The first run in a fresh process: `python -m bench.first_run warm|new FILE [LOCKED …]` prints seconds as JSON.

What is kept between runs lies in the folder that POLHODE_CACHE_DIR names.
"""

from __future__ import annotations

import json
import os
import sys
import time


def warm(file: str, locked: tuple[str, ...]) -> dict[str, float]:
    """Processor seconds of `import numpy`, and of all up to the end of 10 ms of a robot's fall, that included."""
    start = time.process_time()
    import numpy  # noqa: F401 - its import is what is measured

    imported = time.process_time()
    import polhode

    polhode.load(file, locked=locked).derive().simulate(0.01, progress=False)
    return {
        "numpy": imported - start,
        "all": time.process_time() - start,
        "modules": float(sum(name.partition(".")[0] == "polhode" for name in sys.modules)),
        "scipy": float(any(name == "scipy" or name.startswith("scipy.") for name in sys.modules)),
    }


def new() -> dict[str, float]:
    """Processor seconds to compile the accelerations of a new arm, and those of the first run of another new one."""
    from .models import chain

    for name in ("warm", "up"):
        chain(2, name).derive().simulate(0.01, progress=False)
    tags = [f"n{os.getpid()}{letter}" for letter in "ab"]
    arms = [chain(6, tag).derive() for tag in tags]
    for arm in arms:
        _ = arm.forward_dynamics
    start = time.process_time()
    arms[0].compile().native("forward_dynamics")
    compiled = time.process_time()
    arms[1].simulate(0.01, progress=False)
    return {"compiled": compiled - start, "simulated": time.process_time() - compiled}


if __name__ == "__main__":
    _, what, file, *locked = sys.argv
    print(json.dumps(warm(file, tuple(locked)) if what == "warm" else new()))
