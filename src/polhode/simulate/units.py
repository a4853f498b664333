"""What each coordinate and speed is measured in."""

from __future__ import annotations

from collections.abc import Sequence

from ..equations import Equations
from ..expr import Vector

ANGLE, LENGTH, QUATERNION, VECTOR = "rad", "m", "quaternion", "tan θ/2"
#: Titles for the groups, in the order in which they are shown.
COORDINATE_GROUPS = {
    ANGLE: "Angles",
    LENGTH: "Positions",
    QUATERNION: "Orientations, as quaternions",
    VECTOR: "Orientations, as vector-parameters",
}
SPEED_GROUPS = {"rad/s": "Angular speeds", "m/s": "Speeds"}


def coordinate_units(equations: Equations) -> list[str]:
    """One of rad, m, quaternion and tan θ/2 for each coordinate."""
    units = [ANGLE] * len(equations.q)
    for link in equations.tree.links:
        if not link.coordinates:  # driven, or following another
            continue
        stored = {"quaternion": [QUATERNION] * 4, "vector": [VECTOR] * 3}.get(link.stage.storage, [])
        rest = [_unit(h) for h in link.stage.algebra[3 if stored else 0 :]]
        for place, unit in zip(link.coordinates, [*stored, *rest], strict=True):
            units[place] = unit
    return units


def speed_units(equations: Equations) -> list[str]:
    """rad/s or m/s for each speed; a screw's is that of its angle."""
    tree = equations.tree
    units = ["rad/s"] * len(tree.u)
    for link in tree.links:
        for place, h in zip(link.speeds, link.stage.H.columns if link.speeds else (), strict=True):
            units[place] = f"{_unit(h)}/s"
    known = dict(zip(tree.speeds, units, strict=True))
    return [known[name] for name in equations.speeds]


def _unit(h: Vector | Sequence[object]) -> str:
    return ANGLE if any(h[:3]) else LENGTH
