"""A branch of steady states as a user holds it: with a picture."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import unknown
from . import branch as followed


class Branch(followed.Branch):
    """Steady states over a parameter; see `polhode.equilibria.branch`."""

    def plot(self, names: Sequence[str] | str | None = None, path: str | os.PathLike[str] | None = None) -> Any:
        """Unknowns over the parameter as a matplotlib figure, saved if asked: those named, or all up to four.

        Full lines are stable, dotted ones unstable, broken ones neutral.
        """
        from ..view.plot import save_plot
        from .branch_plots import plot_branches

        chosen = [names] if isinstance(names, str) else list(names or self.unknowns[:4])
        known = [*self.unknowns, *self.steady.own.coordinates]
        for name in chosen:
            if name not in known and name not in self[0]:
                raise unknown("unknown", name, known, place="plot", code="E-BRANCH-004")
        every = [*self._all()]
        lines = [(each.values, _words(each), {name: each[name] for name in chosen}) for each in every]
        marks = [(p.kind, p.value, {name: p.at[name] for name in chosen}) for each in every for p in each.special]
        figure = plot_branches(self.parameter, lines, marks, title=self.steady.own.system.name)
        if path is not None:
            save_plot(figure, path)
        return figure

    def _all(self) -> Iterator[followed.Branch]:
        waiting: list[followed.Branch] = [self]
        while waiting:
            each = waiting.pop(0)
            yield each
            waiting += each.others


def _words(branch: followed.Branch) -> list[str]:
    """How stable each point is; a special one as the next."""
    words: list[str] = list(branch.stability)
    for k in sorted(branch.marked, reverse=True):
        words[k] = words[k + 1] if k + 1 < len(words) else words[k - 1]
    return words
