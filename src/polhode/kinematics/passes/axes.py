"""The axis of a joint; and joints with parallel axes, one after the other, which turn by the sum of their angles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...expr import Matrix, Vector, as_expr, pi
from ...geometry import Inertia, Pose, about
from ..tree import BASE, Link, Tree


def single_axis(link: Link) -> tuple[str, Vector] | None:
    """The kind and direction of a link's joint if it turns about or slides along one axis through its origin."""
    if len(link.H) != 1 or link.slopes or link.deforming:
        return None
    w, v = link.H[0]
    if any(w) and not any(v):
        return "turn", w
    if any(v) and not any(w):
        return "slide", v
    return None


def unit_axis_of(vector: Iterable[Any]) -> int | None:
    """Index of the coordinate axis that a unit vector is along or against; None for any other vector."""
    entries = [next((value for value in (-1, 0, 1) if entry == value), 2) for entry in vector]
    return [abs(entry) for entry in entries].index(1) if sorted(map(abs, entries)) == [0, 0, 1] else None


def parallel_angles(tree: Tree) -> tuple[list[Any], list[bool]]:
    """For each link the angle it has turned since its group began (None: no turn), and whether it continues a group."""
    angles: list[Any] = []
    continues: list[bool] = []
    for link in tree.links:
        angle, goes_on = own_angle(tree, link), False
        if angle is not None and link.parent != BASE and angles[link.parent] is not None:
            offset = _shared_angle(link.H[0][0], link.fixed.R, tree.links[link.parent].H[0][0])
            if offset is not None:
                angle, goes_on = angle + angles[link.parent] + offset, True
        angles.append(angle)
        continues.append(goes_on)
    return angles, continues


def turn_by(axis: Vector, angle: Any) -> Pose:
    """The pose of a frame that is turned about an axis through its origin."""
    return Pose(about(axis, angle).map(as_expr), Vector([0, 0, 0]))


def turned_inertia(inertia: Inertia, turn: Pose) -> Inertia:
    """The inertia of a turned link; a rotor's (Sayers, Table 6) is what it was, so that its angle does not enter."""
    turned = inertia.seen_from(turn, keep_trace=True)
    return inertia if turned.h == inertia.h and turned.J == inertia.J else turned


def own_angle(tree: Tree, link: Link) -> Any:
    """The joint's angle if it turns about a coordinate axis of unit length, stores it, and the link turns with it."""
    axis = single_axis(link)
    if axis is None or axis[0] != "turn" or not link.coordinates or Matrix.identity(3) == link.motion.R:
        return None
    if link.stage.is_vector_turn:
        return None
    return None if unit_axis_of(axis[1]) is None else tree.q[link.coordinates[0]]


def _shared_angle(axis: Vector, R: Matrix, carrier_axis: Vector) -> Any:
    """The angle, a multiple of a right angle, by which R turns about an axis that it shares; None otherwise."""
    if tuple(axis) != tuple(carrier_axis):
        return None
    for quarters in range(4):
        angle = pi * quarters / 2
        if tuple(R.entries()) == tuple(about(axis, angle).entries()):
            return angle
    return None
