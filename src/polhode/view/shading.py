"""Colours that tell a value: those of the palette where values are few, else a scale with a bar; legends of marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from polhode.view.plot import INK, LABEL_SIZE, MOST_DIRECT_LABELS, QUIET, matplotlib_of, one_line
from polhode.view.scene import PALETTE, Floats
from polhode.view.spacing import Quantity, is_geometric, set_ticks

MARKERS = ("o", "s", "^", "D", "v", "P")
#: The scale of colours, which does not go as far as yellow, hard to see as a line on white.
_MAP, _BRIGHTEST = "viridis", 0.92


class Shading:
    """The colour of each distinct value of a quantity, which may be the same for all.

    >>> import numpy as np
    >>> few = Shading(Quantity("c", "N", np.array([0.2, 0.1, 0.2])))
    >>> few.distinct.tolist(), few.colors, few.label(0)
    ([0.1, 0.2], ['#0077bb', '#ee7733'], 'c = 0.1 N')
    """

    def __init__(self, quantity: Quantity) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import ListedColormap, LogNorm, Normalize

        self.quantity = quantity
        known = np.unique(quantity.values)
        self.distinct: Floats = known[np.isfinite(known)]
        self.is_few = len(self.distinct) <= MOST_DIRECT_LABELS
        self._scale: Any = None
        if self.is_few:
            self.colors: list[Any] = list(PALETTE[: len(self.distinct)])
        else:
            kind = LogNorm if is_geometric(self.distinct) else Normalize
            shades = matplotlib_of().colormaps[_MAP](np.linspace(0, _BRIGHTEST, 256))
            self._scale = ScalarMappable(kind(self.distinct[0], self.distinct[-1]), ListedColormap(shades))
            self.colors = list(self._scale.to_rgba(self.distinct))

    def color_of(self, values: Floats) -> Any:
        """The colour of each value, of which there may be many."""
        return np.array(self.colors)[np.searchsorted(self.distinct, values)]

    def label(self, place: int) -> str:
        """A distinct value in words."""
        return f"{self.quantity.name} = {self.distinct[place]:g} {self.quantity.unit}".rstrip()

    def put_bar(self, figure: Any, panels: Sequence[Any]) -> None:
        """Draw the bar that explains the scale, where there is one."""
        if self._scale is not None:
            bar = put_bar(figure, self._scale, panels, aspect=40, fraction=0.03)
            set_ticks(bar.ax.yaxis, self.distinct)
            bar.set_label(self.quantity.label, fontsize=9, color=QUIET, parse_math=False, usetex=False)


def put_bar(figure: Any, colored: Any, panels: Any, **shape: float) -> Any:
    """Draw a bar of colours beside panels."""
    bar = figure.colorbar(colored, ax=panels, pad=0.02, **shape)
    bar.outline.set_visible(False)
    bar.ax.tick_params(which="both", colors=QUIET, labelsize=LABEL_SIZE, length=2)
    return bar


def explain(figure: Any, marks: Sequence[tuple[Any, str]]) -> None:
    """Say below all panels what marks mean."""
    if not marks:
        return
    columns = max(1, int(figure.get_figwidth() / (0.5 + 0.075 * max(len(words) for _, words in marks))))
    legend = figure.legend(
        [mark for mark, _ in marks],
        ["mark"] * len(marks),  # a label that begins with an underscore would be left out; words are set as text
        loc="outside lower left",
        ncols=min(columns, len(marks)),
        frameon=False,
        fontsize=LABEL_SIZE,
        handlelength=1.6,
    )
    for text, (_, words) in zip(legend.get_texts(), marks, strict=True):
        text.set(text=one_line(words, 80), color=INK, parse_math=False, usetex=False)
