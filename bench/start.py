"""How long a user waits for a robot: from its URDF file to a callable, in fresh processes, without and with a cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable

from .robots import TALOS, UR5, Robot
from .table import Timing, duration

SECTION = "start"
_WARM_GOAL = 0.2
#: Robot and function, and how many seconds were asked for without a cache.
_CASES = (
    (UR5, "forward_dynamics", 0.5),
    (TALOS, "forward_dynamics", 4.0),
    (TALOS, "forward_dynamics_derivatives", 30.0),
)


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    passes = 1 if quick else 3
    made = []
    for robot, function, goal in _CASES[:2] if quick else _CASES:
        say(f"{robot.name}, {function}")
        cold: list[_Stages] = []
        warm: list[_Stages] = []
        for _ in range(passes):
            with tempfile.TemporaryDirectory(prefix="polhode-bench-") as kept:
                cold.append(_fresh_process(robot, function, kept))
                warm += [_fresh_process(robot, function, kept) for _ in range(3)]
        made += [
            _row(robot.name, f"{function}, cold", cold, goal),
            _row(robot.name, f"{function}, warm", warm, _WARM_GOAL),
        ]
    return made


#: Processor seconds and seconds on the wall by stage.
_Stages = dict[str, tuple[float, float]]


def _fresh_process(robot: Robot, function: str, kept: str) -> _Stages:
    # As for a user, whose Python keeps compiled modules.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run(
        [sys.executable, "-m", "bench.first_call", str(robot.path), robot.base, function],
        env={**env, "POLHODE_CACHE_DIR": kept},
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: (own, wall) for name, (own, wall) in json.loads(run.stdout).items()}


def _row(robot: str, what: str, runs: list[_Stages], goal: float) -> Timing:
    own, wall = (min(run["import"][k] + run["callable"][k] for run in runs) for k in (0, 1))
    imports = min(run["import"][0] for run in runs)
    note = f"on the wall {duration(wall)}; all imports and the first call included, import polhode {duration(imports)}"
    return Timing(SECTION, robot, what, own, most_seconds=goal, note=note)
