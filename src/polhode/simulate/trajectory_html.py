"""A trajectory as a notebook shows it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .trajectory import Trajectory

_MOST_ROWS = 20


def as_html(run: Trajectory) -> str:
    """Title, summary, what should be known of the run, and a table of where each coordinate starts and ends."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{values[0]:.6g}</td><td>{values[-1]:.6g}</td></tr>"
        for name, values in ((name, run[name]) for name in (*run.coordinates, *run.states)[:_MOST_ROWS])
        if len(values)
    )
    told = "".join(f"<p>{escape(told)}</p>" for told in filter(None, [run.message, *run.notices]))
    return (
        f"<p><b>{escape(run.title)}</b>: {escape(run.summary())}</p>{told}"
        f"<table><tr><th>coordinate</th><th>start</th><th>end</th></tr>{rows}</table>"
    )
