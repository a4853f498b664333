"""The Stewart platform: a plate on six legs of variable length, with universal joints below and balls above."""

from __future__ import annotations

import math

from ...expr import Expr, Vector, as_expr, cos, pi, sin
from ..body import Shape, cylinder, rod
from ..joints import Free, Prismatic, Spherical, Universal
from ..system import System

#: Name, value, unit: radii of the rings of joints, rest length and masses of legs, mass and thickness of the plate.
PARAMETERS = {
    "R": (1.0, "m"), "r": (0.6, "m"), "l": (0.5, "m"), "m": (20, "kg"), "m1": (2, "kg"), "m2": (1, "kg"),
    "h": (0.05, "m"),
}  # fmt: skip
LEGS = range(1, 7)
#: Where the legs' joints are on their rings, in twelfths of half a turn: pairs about three corners, below and above.
_BELOW, _ABOVE = (1, 7, 9, 15, 17, 23), (3, 5, 11, 13, 19, 21)


def stewart_platform() -> System:
    """A plate of mass m that flies free, and six legs that hold it: 24 speeds, 18 conditions.

    A leg is a lower half of length l on a universal joint, and an upper half that slides in it along z: where leg k
    ends is its coordinate "leg k" above the lower half's end. The pose "work" has the plate level, its legs drawn out.

    >>> platform = stewart_platform()
    >>> len(platform.derive().u), len(platform.derive().constraints.rows)
    (24, 18)
    """
    s = System("Stewart platform", gravity=(0, 0, "-9.81"))
    p = {name: s.parameter(name, value, unit) for name, (value, unit) in PARAMETERS.items()}
    l, m1, m2 = p["l"], p["m1"], p["m2"]
    disc = Shape("cylinder", (p["r"], p["h"]))
    plate = s.body("plate", p["m"], inertia=cylinder(p["m"], p["r"], p["h"]), shapes=disc)
    s.joint("plate", s.ground, plate, Free())
    for k in LEGS:
        lower = s.body(f"lower {k}", m1, (0, 0, l / 2), rod(m1, l), Shape("capsule", (0.035, l), (0, 0, l / 2)))
        upper = s.body(f"upper {k}", m2, (0, 0, -l / 2), rod(m2, l), Shape("capsule", (0.02, l), (0, 0, -l / 2)))
        s.joint(f"foot {k}", s.ground, lower, Universal(), at=base_joint(s, k))
        s.joint(f"leg {k}", lower, upper, Prismatic("z"), at=(0, 0, l))
        s.close(f"ball {k}", upper, plate, Spherical(), at_b=plate_joint(s, k))
    s.pose("work", {"plate_z": 0.7} | {name: q for k in LEGS for name, q in _leg_at_work(k).items()})
    return s


def base_joint(platform: System, leg: int) -> Vector:
    """Where a leg stands on the ground."""
    return _on_ring(platform.parameters["R"].symbol, _BELOW[leg - 1])


def plate_joint(platform: System, leg: int) -> Vector:
    """Where a leg holds the plate, in the plate's components."""
    return _on_ring(platform.parameters["r"].symbol, _ABOVE[leg - 1])


def _leg_at_work(leg: int) -> dict[str, float]:
    """The coordinates of a leg that ends where the level plate has its joint, to as many digits as floats have."""
    below, above = _BELOW[leg - 1] * math.pi / 12, _ABOVE[leg - 1] * math.pi / 12
    x, y, z = 0.6 * math.cos(above) - math.cos(below), 0.6 * math.sin(above) - math.sin(below), 0.7
    length = math.hypot(x, y, z)
    return {f"foot {leg}_1": math.atan2(-y, z), f"foot {leg}_2": math.asin(x / length), f"leg {leg}": length - 0.5}


def _on_ring(radius: Expr, twelfths: int) -> Vector:
    """A point on a ring, its angle in twelfths of half a turn."""
    angle = twelfths * pi / 12
    return Vector([radius * cos(angle), radius * sin(angle), as_expr(0)])
