"""Robots of the example-robot-data wheel, read by polhode's own URDF reader."""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from pathlib import Path

from polhode import System, load
from polhode.errors import PolhodeError


@dataclass(frozen=True)
class Robot:
    """A file of the wheel, and what to make of it."""

    name: str
    file: str
    base: str = "fixed"
    locked: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Where its file is."""
        folder = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
        if not folder.is_dir():
            raise PolhodeError(
                "the example robots are not there.", cure="pip install example-robot-data", code="E-BENCH-005"
            )
        return folder / self.file

    def system(self) -> System:
        """The robot with its locked joints welded."""
        return load(self.path, base=self.base, locked=self.locked)


UR5 = Robot("ur5", "ur_description/urdf/ur5_robot.urdf")
SOLO12 = Robot("solo12", "solo_description/robots/solo12.urdf", "floating")
CASSIE = Robot("cassie", "cassie_description/robots/cassie_v2.sdf")
TALOS = Robot("talos", "talos_data/robots/talos_reduced.urdf", "floating")
ARMS = (
    UR5,
    Robot("panda", "panda_description/urdf/panda.urdf", locked=("panda_finger_joint1", "panda_finger_joint2")),
)
WALKERS = (
    SOLO12,
    Robot("anymal", "anymal_b_simple_description/robots/anymal.urdf", "floating"),
    TALOS,
)
