"""The instantaneous screw axes of bodies along a run, as lines to be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import name_list, unknown
from ..expr import as_expr
from ..geometry.dual import dual_part, real_part
from ..geometry.screws.numeric import of_twist
from ..model.records import GROUND
from ..simulate.initial_state import Floats
from ..view.scene import MovingLine, Scene
from .scene import size_of

if TYPE_CHECKING:
    from ..simulate.trajectory.trajectory import Trajectory

#: Half the length of an axis, how far from its body it is still drawn, and its radius, in the mechanism's size.
_HALF, _FAR, _THIN = 1.0, 5.0, 0.006


def moving_axes(run: Trajectory, bodies: bool | Sequence[str], scene: Scene) -> list[MovingLine]:
    """The screw axes of the named bodies, or of all, in their colours; none where a body does not turn, or far away."""
    everyone = [name for name in run.mechanism.equations.system.bodies if name != GROUND]
    names = _names(bodies, everyone)
    if not names:
        return []
    size = size_of(run.mechanism.equations, run.parameters)
    positions, _ = run.poses()
    colors = {body.name: body.color(number) for number, body in enumerate(scene.bodies)}
    made = []
    for name in names:
        ends = _ends(*velocities_along(run, name), positions[:, everyone.index(name)], size)
        made.append(MovingLine(f"screw axis of {name}", ends, _THIN * size, colors[name]))
    return made


def velocities_along(run: Trajectory, body: str) -> tuple[Floats, Floats]:
    """Angular velocity of a body and velocity of its point at the ground's origin, each (T, 3)."""
    screw = run.mechanism.equations.velocity_screw(body)
    values = run.values(*map(as_expr, (*real_part(screw), *dual_part(screw))))
    return values[:3].T, values[3:].T


def _names(bodies: bool | Sequence[str], everyone: Sequence[str]) -> list[str]:
    if isinstance(bodies, bool):
        return list(everyone) if bodies else []
    names = name_list(bodies, "True or a list of bodies", place="screw_axes", cure='Give ["coupler"].')
    for strange in (name for name in names if name not in everyone):
        raise unknown("body", strange, everyone, place="screw_axes", code="E-SCREW-004")
    return names


def _ends(w: Floats, v: Floats, near: Floats, size: float) -> Floats:
    """The ends (T, 2, 3) of a piece of each axis about the point that is nearest to the body's origin."""
    screw = of_twist(w, v, rest=True)
    foot = screw.point + screw.axis * np.einsum("ti,ti->t", near - screw.point, screw.axis)[:, None]
    drawn = (screw.angle > 0) & (np.linalg.norm(foot - near, axis=1) < _FAR * size)
    reach = _HALF * size * screw.axis
    return np.where(drawn[:, None, None], np.stack([foot - reach, foot + reach], axis=1), np.nan)
