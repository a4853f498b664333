"""The ratios as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .table import Row, Timing

_OTHER = "#7f7f7f"
_COLOURS = {
    "derive": "#4477aa", "speed": "#228833", "casadi": "#66ccee", "growth": "#ccbb44", "simulate": "#cc6677",
    "kane": "#aa3377",
}  # fmt: skip


def draw(rows: Sequence[Row], path: Path) -> bool:
    """Draw how many times faster each measure is than its peer, goals marked; False where there is no ratio."""
    shown = [row for row in rows if isinstance(row, Timing) and row.ratio is not None]
    if not shown:
        return False
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.27 * len(shown)), layout="constrained")
    places = range(len(shown))
    ratios = [row.ratio or 0.0 for row in shown]
    axes.barh(places, ratios, color=[_COLOURS.get(row.section, _OTHER) for row in shown], height=0.7)
    for place, row, ratio in zip(places, shown, ratios, strict=True):
        axes.annotate(f" {ratio:.3g}×", (ratio, place), va="center", fontsize=8)
        if row.least_ratio is not None:
            axes.plot([row.least_ratio] * 2, [place - 0.45, place + 0.45], color="black", linewidth=1.5)
    axes.set_yticks(places, [f"{row.case}: {row.what}  |  {row.peer}" for row in shown], fontsize=8)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.set_xlim(left=1, right=3 * max(ratios))
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xlabel("times faster than the peer (black mark: goal)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return True
