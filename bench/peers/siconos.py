"""Siconos: scenes of contact by the scheme of Moreau and Jean, with Debian's package `python3-siconos`.

Its modules belong to the Python of the system, which runs `siconos_steps` with a scene on standard input.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from polhode.errors import PolhodeError

from ..build import run
from ..scenes import Floats, Scene

_PYTHON = ["/usr/bin/python3", "-I"]
_STEPS = str(Path(__file__).with_name("siconos_steps.py"))
#: The moments of inertia, in kg·m², of a body that does not turn.
_NO_TURN = (1e9, 1e9, 1e9)


@cache
def is_installed() -> bool:
    """Whether the Python of the system has Siconos."""
    try:
        run([*_PYTHON, "-c", "import siconos.mechanics.collision.bullet"], timeout=60)
    except (PolhodeError, OSError):
        return False
    return True


class Touching:
    """A scene in steps of one length."""

    def __init__(self, scene: Scene, step: float) -> None:
        steps = round(scene.duration / step)
        self.problem = {
            "state": (0, 0, scene.start, 1, 0, 0, 0), "speeds": (*scene.velocity, *scene.spin), "feet": scene.feet,
            "inertia": _NO_TURN if scene.body == "point" else scene.inertia, "radius": scene.radius,
            "gravity": scene.gravity, "friction": scene.friction, "restitution": scene.restitution,
            "step": scene.duration / steps, "steps": steps,
        }  # fmt: skip

    def _run(self) -> tuple[list[float], float]:
        position, seconds = json.loads(run([*_PYTHON, _STEPS], input=json.dumps(self.problem)).splitlines()[-1])
        return position, seconds

    def __call__(self) -> Floats:
        """The last position of the body's centre."""
        return np.array(self._run()[0])

    def measure(self) -> float:
        """The processor time of the steps of one run, in s."""
        return self._run()[1]
