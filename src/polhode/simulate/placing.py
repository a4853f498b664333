"""Where to begin with auxiliary coordinates: at a guess of their constraint, or where the user put them.

An auxiliary coordinate follows all others. One that the user gave says where the others should be: the place of a bead
on its wire tells where the bead is. With σ as given, the joints' coordinates move until φ(q, σ) = 0 and ψ(q, σ) = 0.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..constraints.factorisation import Factorisation
from ..constraints.newton import solve
from .manifold import KEPT, Manifold
from .state import Floats, Start

_MOST_STEPS = 40
#: How far to look to each side for slopes, in radians or metres.
_ASIDE = 1e-6


def begun(manifold: Manifold, start: Start, t: float) -> Floats:
    """The coordinates of a start: carried ones by a guess where they were not given, joints where given ones say."""
    q = start.q.copy()
    told: list[str] = []
    place = manifold.carried.start
    for each in manifold.equations.tree.auxiliary:
        own = slice(place, place + len(each.symbols))
        place = own.stop
        if {*manifold.equations.coordinates[own]} <= {*start.given}:
            told.append(each.of)
        elif each.guess:
            q[own] = manifold.numbers(list(each.guess), t, q)
    return _brought(manifold, q, start, told, t) if told else q


def _brought(manifold: Manifold, q: Floats, start: Start, told: list[str], t: float) -> Floats:
    """Joints that were not given moved until the constraints keep with their auxiliary coordinates as they are."""
    tree = manifold.equations.tree
    free = [
        speed
        for link in tree.links
        if not {tree.coordinates[k] for k in link.coordinates} <= {*start.given}
        for speed in link.speeds
    ]
    owners = [row.of for row in manifold.constraints.rows]
    owners += [each.of for each in tree.auxiliary for _ in each.definitions]
    rows = [k for k, owner in enumerate(owners) if owner in told]

    def step(q: Floats, left: Floats) -> Floats | None:
        if not free or not np.isfinite(left).all():
            return None
        whole = np.zeros(len(tree.u))
        whole[free] = Factorisation.of(_slopes(manifold, q, free, rows, t)).least(-left)
        return whole

    return solve(
        lambda q: manifold.misfit(t, q)[rows], step, partial(manifold.shifted, t), q,
        tolerance=KEPT, most_steps=_MOST_STEPS, shortest=1e-3,
    ).q  # fmt: skip


def _slopes(manifold: Manifold, q: Floats, free: list[int], rows: list[int], t: float) -> Floats:
    """How φ and ψ change with each free speed, the auxiliary coordinates staying where they are."""
    columns = []
    for speed in free:
        aside = np.zeros(len(manifold.equations.tree.u))
        aside[speed] = _ASIDE
        ends = [manifold.misfit(t, manifold.shifted(t, q, way * aside))[rows] for way in (1.0, -1.0)]
        columns.append((ends[0] - ends[1]) / (2.0 * _ASIDE))
    return np.column_stack(columns)
