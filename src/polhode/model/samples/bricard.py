"""Bricard's mechanism: a closed chain of six hinges that moves although a count of its constraints says it cannot.

R. Bricard, "Leçons de cinématique" (1927); benchmark A04 of the IFToMM library of multibody problems.
"""

from __future__ import annotations

from ...expr import Vector, as_expr
from ..body import Shape, box
from ..joints import Revolute
from ..system import System

#: Corners of the unit cube that the chain passes at home; the way back from the last to the first is the ground.
CORNERS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))


def bricard_mechanism() -> System:
    """Five square rods of length L, width w and mass m along edges of a cube.

    Each hinge stands square to the two edges that meet there. Five hinges make a tree with five coordinates; the sixth
    closes it with five conditions, of which four are independent wherever all are kept.

    >>> bricard = bricard_mechanism()
    >>> len(bricard.derive().u), len(bricard.derive().constraints.rows)
    (5, 5)
    """
    s = System("Bricard mechanism", gravity=(0, "-9.81", 0))
    L, w, m = s.parameter("L", 1, "m"), s.parameter("w", 0.1, "m"), s.parameter("m", 1, "kg")
    corners = [Vector([as_expr(x) for x in corner]) for corner in CORNERS]
    edges = [after - before for before, after in zip(corners, [*corners[1:], corners[0]], strict=True)]
    axes = [edges[k - 1].cross(edges[k]) for k in range(6)]
    before, at = s.ground, Vector([as_expr(0)] * 3)
    for k, (axis, edge) in enumerate(zip(axes[:5], edges[:5], strict=True), start=1):
        sizes = [L if along else w for along in edge]
        bar = s.body(f"rod {k}", m, edge * L / 2, box(m, *sizes), Shape("box", tuple(sizes), tuple(edge * L / 2)))
        s.joint(f"hinge {k}", before, bar, Revolute(axis), at=at)
        before, at = bar, edge * L
    s.close("hinge 6", before, s.ground, Revolute(axes[5]), at_a=at, at_b=corners[5] * L)
    return s
