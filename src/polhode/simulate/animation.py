"""A trajectory as a page: the mechanism moving, and what moves it over time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import warn
from ..files.writing import replace_file
from ..notebook import Cell, Shown, framed
from ..view.page import page
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


@dataclass(frozen=True)
class Animation(Shown):
    """The page of a motion, which a notebook shows in its cell; `save` writes it."""

    title: str
    page: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page as one HTML file, whole or not at all."""
        return replace_file(path, self.page.encode("utf-8"))

    def _cell(self) -> Cell:
        return Cell("", [], framed(self.page, "Write it to a file: .save('run.html').", height=660))

    def __repr__(self) -> str:
        return f"Animation('{self.title}'; a notebook shows it, save('run.html') writes it)"


def animation(
    run: Trajectory,
    path: str | os.PathLike[str] | None = None,
    notes: str = "",
    screw_axes: bool | Sequence[str] = False,
) -> Path | Animation:
    """The motion as one self-contained page: written, or without a path for a notebook to show."""
    made = Animation(run.title, page_of(run, notes, screw_axes))
    return made if path is None else made.save(path)


def page_of(run: Trajectory, notes: str = "", screw_axes: bool | Sequence[str] = False) -> str:
    """The page's text: the mechanism moving, with coordinates, states and energy beside it."""
    looks = looks_of(run.mechanism.equations.system)
    scene, motion = drawn_motion(run, looks)
    motion = replace(motion, lines=moving_axes(run, screw_axes, scene))
    groups = [(unit, group) for _, unit, group in groups_of(run) if unit not in SPEED_GROUPS]
    channels = [Channel(name, unit, values) for unit, group in groups for name, values in group.items()]
    channels = channels[:_MOST_CHANNELS]
    if run.has_energy:
        energy = run.energy
        channels += [Channel("kinetic energy", "J", energy.kinetic), Channel("total energy", "J", energy.total)]
    if looks.told:
        warn(" ".join(looks.told), MeshWarning, code="W-MESH-001")
    return page(scene, motion, channels, notes=" ".join([notes or run.message, *looks.told]).strip())
