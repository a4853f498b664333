"""A trajectory as a notebook shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import PolhodeError
from ..notebook import Cell, Table, framed

if TYPE_CHECKING:
    from ..simulate.trajectory.trajectory import Trajectory

#: What looking at a run may add to a notebook, in bytes; `animate()` may add more.
_LARGEST_PAGE = 1_000_000
_CURE = "Show it all the same by animate(), or write it by animate('run.html')."


def cell_of(run: Trajectory) -> Cell:
    """Title, summary, what should be known of the run, where each coordinate starts and ends, and the motion."""
    columns = [(name, run[name]) for name in (*run.coordinates, *run.states)]
    rows = [(name, f"{values[0]:.6g}", f"{values[-1]:.6g}") for name, values in columns if len(values)]
    table = Table(["coordinate or state" if run.states else "coordinate", "start", "end"], rows, numbers_from=1)
    return Cell(f"{run.title}: {run.summary()}", [run.message, *run.notices, table], _motion(run))


def _motion(run: Trajectory) -> str:
    """The motion in a frame; nothing where the mechanism is not known, as of a run from a file, or there is no time."""
    from .animation import page_of

    if run.functions is None or len(run.t) < 2:
        return ""
    try:
        return framed(page_of(run), _CURE, largest=_LARGEST_PAGE)
    except PolhodeError as error:
        return Cell("", [f"no picture: {error.problems[0].message}"]).html()
