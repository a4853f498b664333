"""The workspace of a frame as a user holds it: its points, its boundary, and a picture of them."""

from __future__ import annotations

import os
from typing import Any

from .workspace import Reach


class Workspace(Reach):
    """Where the origin of a frame can be; see `polhode.inverse_kinematics.workspace`."""

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Points and boundary as a matplotlib figure, saved if asked: in their plane, or as seen along each axis."""
        from ..view.plot import save_plot
        from .workspace_plots import plot_workspace

        figure = plot_workspace(self.points, self.boundary, self.centre, self.axes, title=f"workspace of {self.frame}")
        if path is not None:
            save_plot(figure, path)
        return figure
