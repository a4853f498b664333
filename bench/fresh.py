"""Lines of Python in fresh processes, stage by stage."""

import json
import os
import sys
from collections.abc import Mapping
from itertools import pairwise

from .build import run

_MARK = "marks.append((time.process_time(), time.perf_counter()))"


def fresh(stages: Mapping[str, str], cache: str | None = None) -> dict[str, tuple[float, float]]:
    """Processor seconds and seconds on the wall of stages that run one after the other in a fresh process.

    `cache` is the folder of what is kept between processes. As for a user, Python keeps compiled modules.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env |= {"POLHODE_CACHE_DIR": cache} if cache else {}
    lines = [line for text in stages.values() for line in (_MARK, text)]
    text = "\n".join(["import json, time, warnings", "marks = []", *lines, _MARK, "print(json.dumps(marks))"])
    printed = run([sys.executable, "-W", "ignore", "-c", text], code="E-BENCH-014", env=env)
    marks = pairwise(json.loads(printed.splitlines()[-1]))
    return {name: (b[0] - a[0], b[1] - a[1]) for name, (a, b) in zip(stages, marks, strict=True)}
