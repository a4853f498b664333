"""A trajectory as a page: the mechanism moving, and what moves it over time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import PolhodeError, check_kind, path_of, understood, warn
from ..files.writing import replace_file
from ..notebook import Cell, Shown, framed
from ..simulate.trajectory.channels import Channels, channels_of, tell
from ..view.page import page
from ..view.scene import Ghost
from .arrows import moving_arrows
from .mesh_assets import Looks, looks_of
from .scene import drawn_motion
from .screw_axes import moving_axes
from .traces import Traces, with_axes, with_traces

if TYPE_CHECKING:
    from ..simulate.trajectory.trajectory import Trajectory


#: How the name of a page may end.
_PAGES = ("", ".html", ".htm")


class MeshWarning(UserWarning):
    """A mesh is drawn otherwise than its file has it, or not at all."""


@dataclass(frozen=True)
class Animation(Shown):
    """The page of a motion, which a notebook shows in its cell; `save` writes it."""

    title: str
    page: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page as one HTML file, whole or not at all."""
        ending = path_of(path).suffix.lower()
        if ending not in _PAGES:
            raise PolhodeError(
                f"a motion is written as a page, and not as '{ending}'.",
                place=os.fspath(path),
                cure="Name it .html; buttons in the page save films (WebM, GIF) and pictures (PNG).",
                code="E-PAGE-022",
            )
        return replace_file(path, self.page.encode("utf-8"))

    def _cell(self) -> Cell:
        return Cell("", [], framed(self.page, "Write it to a file: .save('run.html').", height=660))

    def __repr__(self) -> str:
        return f"Animation('{self.title}'; a notebook shows it, save('run.html') writes it)"


@dataclass(frozen=True)
class Drawn:
    """What a page shows of a run beside its bodies; see `Trajectory.animate`."""

    screw_axes: bool | Sequence[str] = False
    channels: Channels | None = None
    arrows: str | Sequence[str] = ()
    traces: Traces = ()
    frames: bool | Sequence[str] = False
    ghosts: Sequence[Trajectory] | Mapping[str, Trajectory] = ()
    equations: bool = True


def animation(
    run: Trajectory, path: str | os.PathLike[str] | None = None, notes: str = "", drawn: Drawn | None = None
) -> Path | Animation:
    """The motion as one self-contained page: written, or without a path for a notebook to show."""
    made = Animation(run.title, page_of(run, notes, drawn))
    return made if path is None else made.save(path)


def page_of(run: Trajectory, notes: str = "", drawn: Drawn | None = None) -> str:
    """The page's text: the mechanism moving, with what was chosen over time beside it."""
    from .equation_sheets import sheets_of

    drawn = drawn or Drawn()
    check_kind(str, "text", notes, "notes")
    looks = looks_of(run.mechanism.equations.system)
    scene, motion = drawn_motion(run, looks)
    lines = [*moving_axes(run, drawn.screw_axes, scene), *moving_arrows(run, drawn.arrows)]
    motion = replace(motion, lines=[*motion.lines, *lines])
    scene = with_traces(run, with_axes(run, scene, drawn.frames), drawn.traces)
    others = _others(run, drawn.ghosts)
    ghosts = [Ghost(name, *drawn_motion(other, looks)) for name, other in others.items()]
    channels, missing = channels_of(run, drawn.channels, list(others.values()))
    warn_of_meshes(looks)
    if drawn.channels is not None:
        tell(missing)
    told = " ".join([notes or run.message, *looks.told, *missing]).strip()
    return page(scene, motion, channels, notes=told, ghosts=ghosts, sheets=sheets_of(run, scene, drawn.equations))


def warn_of_meshes(looks: Looks) -> None:
    """Tell what is drawn otherwise than its file has it, or not at all."""
    if looks.told:
        warn(" ".join(looks.told), MeshWarning, code="W-MESH-001")


def _others(run: Trajectory, ghosts: Sequence[Trajectory] | Mapping[str, Trajectory]) -> dict[str, Trajectory]:
    """Other runs by their names."""
    cure = "Give runs, ghosts=[other], or names for them, ghosts={'without friction': other}."
    with understood("a list of runs", ghosts, place="ghosts", cure=cure):
        others = dict(ghosts) if isinstance(ghosts, Mapping) else {f"run {k}": each for k, each in enumerate(ghosts, 2)}
    for other in others.values():
        check_kind(type(run), "a trajectory", other, "ghosts")
    return {str(name): other for name, other in others.items()}
