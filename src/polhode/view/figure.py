"""A figure that a notebook shows by itself, without a setting of matplotlib."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

_DOTS_PER_INCH = 110


class NotebookFigure(Figure):
    """A matplotlib figure with its own picture; no window, no display and no `%matplotlib` is needed."""

    def _repr_png_(self) -> bytes:
        content = io.BytesIO()
        self.savefig(content, format="png", dpi=_DOTS_PER_INCH)
        return content.getvalue()
