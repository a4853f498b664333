"""A trajectory as a page: the mechanism moving, and what moves it over time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import warn
from ..view.page import write_page
from ..view.scene import Channel
from .looks import looks_of
from .scene import drawn_motion
from .screw_axes import moving_axes
from .trajectory_panels import groups_of
from .units import SPEED_GROUPS

if TYPE_CHECKING:
    from .trajectory import Trajectory

_MOST_CHANNELS = 24


class MeshWarning(UserWarning):
    """A mesh is drawn otherwise than its file has it, or not at all."""


def write_animation(
    run: Trajectory, path: str | os.PathLike[str], notes: str, screw_axes: bool | Sequence[str] = False
) -> Path:
    """Write the motion as one self-contained page, with coordinates, states and energy beside it."""
    looks = looks_of(run.mechanism.equations.system)
    scene, motion = drawn_motion(run, looks)
    motion = replace(motion, lines=moving_axes(run, screw_axes, scene))
    groups = [(unit, group) for _, unit, group in groups_of(run) if unit not in SPEED_GROUPS]
    channels = [Channel(name, unit, values) for unit, group in groups for name, values in group.items()]
    channels = channels[:_MOST_CHANNELS]
    if run.has_energy:
        energy = run.energy
        channels += [Channel("kinetic energy", "J", energy.kinetic), Channel("total energy", "J", energy.total)]
    written = write_page(path, scene, motion, channels, notes=" ".join([notes or run.message, *looks.told]).strip())
    if looks.told:
        warn(" ".join(looks.told), MeshWarning, code="W-MESH-001")
    return written
