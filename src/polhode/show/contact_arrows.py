"""Contact forces as arrows, in a colour for each mode, and faint friction cones of what is closed.

A cone is two lines where motion is in a plane, four where the friction varies.
"""

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
#: How long cones are, and the radius of lines, in the mechanism's size.
_LONG, _THIN = 0.25, 0.003


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
        forces_of, groups = run.contact(name), element.groups(moving)
        for k, group in enumerate(groups):
            if (meeting := group.meeting) is None:
                continue
            (body, arm), _ = meeting.ends
            directions = [meeting.touch.normal, *meeting.tangents][: len(group.rates)]
            entries = [*(moving.pose(body).p + arm), *(x for d in directions for x in meeting.R @ d)]
            values = run.values(*map(as_expr, entries), moving.given(group.static)).T
            axes = values[:, 3:-1].reshape(len(run.t), -1, 3) * (-1.0 if body == GROUND else 1.0)
            part = (slice(None), k) if len(groups) > 1 else (slice(None),)
            forces = np.concatenate([forces_of.normal[part][:, None], forces_of.tangential[part]], axis=1)
            force = np.einsum("ti,tij->tj", forces, axes)
            yield ContactForce(name, values[:, :3], axes, force, forces_of.mode[part], values[:, -1])


def cones(contact: ContactForce, size: float) -> Iterator[MovingLine]:
    """The friction cone while its contact is closed."""
    axes, point, friction = contact.axes, contact.place, contact.friction[:, None]
    is_open = contact.mode == "open"
    if is_open.all() or axes.shape[1] == 1 or not friction.any():
        return
    is_round = axes.shape[1] == 3 and not np.ptp(friction)
    edges = [0.0 * axes[:, 1]] if is_round else [side * axes[:, k] for k in range(1, axes.shape[1]) for side in (1, -1)]
    for along in edges:
        edge = (axes[:, 0] + friction * along) / np.sqrt(1.0 + friction**2)
        ends = np.stack([point, point + _LONG * size * edge], axis=1)
        ends[is_open] = np.nan
        opening = float(friction.max()) if is_round else 0.0
        yield MovingLine("friction cones", ends, _THIN * size, PALETTE[4], opening=opening)
