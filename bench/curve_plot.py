"""Work and precision as pictures: seconds over errors, a panel for each motion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .table import Curve, Row

_OURS = "#cc3311"
_PEERS = ("#0077bb", "#009988", "#ee7733", "#33bbee", "#ee3377", "#bbbbbb", "#aa3377", "#ccbb44", "#004488")


def draw_curves(rows: Sequence[Row], path: Path) -> bool:
    """Draw all curves; False where there are none."""
    curves = [row for row in rows if isinstance(row, Curve)]
    if not curves:
        return False
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    cases = list(dict.fromkeys(curve.case for curve in curves))
    engines = [name for name in dict.fromkeys(curve.engine for curve in curves) if name != "polhode"]
    colours = dict(zip(engines, _PEERS * len(engines), strict=False)) | {"polhode": _OURS}
    down = -(-len(cases) // 3)
    figure, panels = plt.subplots(down, 3, figsize=(15, 4.5 * down), squeeze=False, layout="constrained")
    for axes in panels.flat[len(cases) :]:
        axes.set_axis_off()
    for case, axes in zip(cases, panels.flat, strict=False):
        for curve in (curve for curve in curves if curve.case == case):
            points = sorted(curve.points, key=lambda point: point.error)
            errors, seconds = [point.error for point in points], [point.seconds for point in points]
            ours = curve.engine == "polhode"
            line = "-" if curve.engine.startswith("polhode") else "--"
            axes.plot(
                errors, seconds, line, marker="o", markersize=3, linewidth=2.5 if ours else 1,
                color=colours[curve.engine], label=curve.engine, zorder=3 if ours else 2,
            )  # fmt: skip
            axes.axvspan(curve.floor / 10, 10 * curve.floor, color="0.93", linewidth=0, zorder=0)
        axes.set(xscale="log", yscale="log", title=case, xlabel="error of the last state", ylabel="processor time, s")
        axes.set_xlim(1e-1, min(curve.floor for curve in curves if curve.case == case) / 10)
        axes.grid(True, which="major", linewidth=0.3)
    lines = {line.get_label(): line for axes in panels.flat for line in axes.get_lines()}
    figure.legend(lines.values(), lines, loc="outside lower center", ncols=6, fontsize=8)
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return True
