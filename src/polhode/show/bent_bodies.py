"""How flexible bodies are drawn: their centre lines by short bars, from where their points are at each sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..model.flexible.record import Flexibility, Segment
from ..model.records import GROUND
from ..simulate.initial_state import Floats
from ..view.scene import PALETTE, MovingLine

if TYPE_CHECKING:
    from ..simulate.trajectory.trajectory import Trajectory
    from .scene import Painter

#: How many bars a flexible body is drawn by, and their radius in the mechanism's size.
_BARS, _RADIUS = 24, 0.016


def bent_lines(run: Trajectory, painter: Painter, positions: Floats, rotations: Floats) -> list[MovingLine]:
    """Bars along the centre lines of the flexible bodies, given where all bodies but the ground are."""
    lines: list[MovingLine] = []
    for number, flexibility, fields in centre_lines(painter):
        inboard = list(painter.system.bodies).index(painter.system.joints[flexibility.joint].parent)
        local = np.einsum("ta,kax->tkx", run.values(*flexibility.amplitudes).T, fields)
        points = positions[:, number, None] + np.einsum("tij,tkj->tki", rotations[:, number], local)
        for a, b in pairwise(range(points.shape[1])):
            ends = np.stack([points[:, a], points[:, b]], axis=1)
            lines.append(MovingLine("", ends, _RADIUS * painter.size, PALETTE[inboard % len(PALETTE)]))
    return lines


def centre_lines(painter: Painter) -> Iterator[tuple[int, Flexibility, Floats]]:
    """For each centre line the number of its body, not counting the ground, and its fields: (points, amplitudes, 3)."""
    names = [name for name in painter.system.bodies if name != GROUND]
    for number, name in enumerate(names):
        flexibility = painter.system.bodies[name].flexibility
        if flexibility is not None and flexibility.segments:
            for chain in _chains(flexibility.segments):
                yield number, flexibility, _fields(chain, painter)


def _chains(segments: Sequence[Segment]) -> list[list[Segment]]:
    """The segments of each centre line: one line goes on where a segment starts at the end of the one before."""
    chains = [[segments[0]]]
    for before, segment in pairwise(segments):
        if segment.start == before.end:
            chains[-1].append(segment)
        else:
            chains.append([segment])
    return chains


def _fields(segments: Sequence[Segment], painter: Painter) -> Floats:
    """The fields of a body at points of a centre line, (points, amplitudes, 3)."""
    start, end = float(segments[0].start), float(segments[-1].end)
    rows = []
    for xi in np.linspace(start, end, _BARS + 1):
        segment = next(each for each in segments if xi <= float(each.end) or each is segments[-1])
        rows.append(
            [[sum(c * xi**k for k, c in enumerate(painter.numbers(row))) for row in field] for field in segment.centre]
        )
    return np.array(rows)
