"""Breaks: the times at which what drives a run, or its slope, jumps. Steps end there, and begin anew.

A function of time that jumps at a break has two values there. A step that ends at it wants the one from before: its
times are kept from reaching the break, by a few last bits. Knots that differ by rounding alone are one break.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .initial_state import Floats

if TYPE_CHECKING:
    from ..expr import Expr
    from ..expr.opaque.table import Table

#: Breaks that lie nearer to each other than this part of the run are one.
_SAME = 1e-14


@dataclass(frozen=True, eq=False)
class Breaks:
    """Times at which steps end, ascending, and for each the latest time that lies before it on all accounts."""

    times: Floats = field(default_factory=lambda: np.zeros(0))
    before: Floats = field(default_factory=lambda: np.zeros(0))
    start: float = 0.0  # the earliest time of the first piece: a knot may lie a rounding error behind the start

    def __len__(self) -> int:
        return len(self.times)


def breaks_at(times: Iterable[Floats], end: float) -> Breaks:
    """The breaks of a run from 0 to `end`, from times that need be neither sorted nor inside.

    >>> breaks_at([np.array([0.1, 0.2, 9.0]), 3 * np.array([0.1])], 1.0).times.tolist()
    [0.1, 0.2, 0.30000000000000004]
    """
    given = [*times]
    if not given:
        return Breaks()
    found = np.unique(np.concatenate(given))
    same = max(_SAME * end, 4.0 * float(np.spacing(end)))
    late = found[found <= same]
    found = found[(found > same) & (found <= end + same)]
    if not len(found):
        return Breaks(start=max(0.0, float(late[-1])) if len(late) else 0.0)
    first = np.flatnonzero(np.diff(found, prepend=-np.inf) > same)
    last = np.append(first[1:] - 1, len(found) - 1)
    before = found[first] - 4.0 * np.spacing(found[first])
    return Breaks(np.minimum(found[last], end), before, max(0.0, float(late[-1])) if len(late) else 0.0)


def tables_of_time(expressions: Iterable[Expr], time: Expr) -> Iterator[Table]:
    """The tables in some expressions that are asked at the time itself."""
    from ..expr import topological
    from ..expr.node import CALL
    from ..expr.opaque.table import Table

    for node in topological(list(expressions)):
        if node.op == CALL and node.args == (time,) and isinstance(node.data, Table):
            yield node.data


def beyond(what: str, expressions: Iterable[Expr], time: Expr, end: float) -> Iterator[str]:
    """A sentence for each table of time in what something is, where its samples do not reach as far as a run."""
    for table in tables_of_time(expressions, time):
        first, last = table.points.axes[0][0], table.pieces.knots[0][-1]
        if first > 0.0 or last < end * (1.0 - 1e-12):
            reach = f"from {first:g} to {table.points.axes[0][-1]:g} s"
            yield f"the samples of {what} run {reach}: beyond them the nearest one was held."
