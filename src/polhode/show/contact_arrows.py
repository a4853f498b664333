"""Contact forces as arrows, in a colour for each mode, and the friction cones of what is closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..constraints.moving import MovingTree
from ..expr import as_expr
from ..model.constraints import Contact
from ..model.records import GROUND
from ..simulate.initial_state import Floats
from ..view.scene import PALETTE, MovingLine

if TYPE_CHECKING:
    from ..simulate.trajectory.trajectory import Trajectory

#: Words and colours of modes.
MODES = {"stick": ("sticking", PALETTE[2]), "slip": ("slipping", PALETTE[1])}
#: Edges of a cone, their length and radius in the mechanism's size.
_EDGES, _LONG, _THIN = 8, 0.15, 0.003


class ContactForce(NamedTuple):
    """A contact force over time: its place (T, 3), axes (T, 1 to 3, 3), force (T, 3), modes and static μ."""

    name: str
    place: Floats
    axes: Floats
    force: Floats
    mode: Any
    friction: Floats


def contact_forces(run: Trajectory, only: str = "") -> Iterator[ContactForce]:
    """The forces of all contacts, or of one, on the bodies of candidates (on the other, if that is the ground)."""
    equations = run.mechanism.equations
    moving = MovingTree(equations.system, equations.tree)
    for name, element in equations.system.contacts.items():
        if not isinstance(element, Contact) or (only and name != only):
            continue
        found, groups = run.contact(name), element.groups(moving)
        for k, group in enumerate(groups):
            if (meeting := group.meeting) is None:
                continue
            (body, arm), _ = meeting.ends
            directions = [meeting.touch.normal, *meeting.tangents][: len(group.rates)]
            entries = [*(moving.pose(body).p + arm), *(x for d in directions for x in meeting.R @ d)]
            values = run.values(*map(as_expr, entries), moving.given(group.static)).T
            axes = values[:, 3:-1].reshape(len(run.t), -1, 3) * (-1.0 if body == GROUND else 1.0)
            own = (slice(None), k) if len(groups) > 1 else (slice(None),)
            forces = np.concatenate([found.normal[own][:, None], found.tangential[own]], axis=1)
            label = f"{name} {group.part}" if group.part else name
            force = np.einsum("ti,tij->tj", forces, axes)
            yield ContactForce(label, values[:, :3], axes, force, found.mode[own], values[:, -1])


def cones(contact: ContactForce, size: float) -> Iterator[MovingLine]:
    """The edges of a friction cone while its contact is closed."""
    axes, is_open = contact.axes, contact.mode == "open"
    if is_open.all():
        return
    count = {1: 0, 2: 2, 3: _EDGES}[axes.shape[1]]
    for k in range(count):
        angle = 2.0 * np.pi * k / count
        across = np.cos(angle) * axes[:, 1] + (np.sin(angle) * axes[:, 2] if count > 2 else 0.0)
        edge = axes[:, 0] + contact.friction[:, None] * across
        edge *= _LONG * size / np.linalg.norm(edge, axis=1, keepdims=True)
        ends = np.stack([contact.place, contact.place + edge], axis=1)
        ends[is_open] = np.nan
        yield MovingLine("", ends, _THIN * size, PALETTE[6])
