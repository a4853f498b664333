"""Linkages: four-bars, Bennett's and Bricard's in space, and the Stewart platform.

Bricard's mechanism: a closed chain of six hinges that moves although a count of its constraints says it cannot.

R. Bricard, "Leçons de cinématique" (1927); benchmark A04 of the IFToMM library of multibody problems.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ...expr import Expr, Matrix, Vector, as_expr, cos, pi, sin
from ..body import Shape, box, cylinder, rod
from ..joints import Free, Prismatic, Revolute, Spherical, Universal
from ..system import System


def n_four_bar(windows: int = 1) -> System:
    """N four-bars in a row, IFToMM benchmark A02: 2N + 1 rods of 1 m and 1 kg; singular where the cranks lie flat."""
    system = System(f"{windows} four-bars", gravity=(0, 0, "-9.81"))
    half = Fraction(1, 2)
    cranks = [system.body(f"crank {k}", 1, (0, 0, half), rod(1, 1)) for k in range(windows + 1)]
    for k, crank in enumerate(cranks):
        system.joint(f"crank {k}", system.ground, crank, Revolute("y"), at=(k, 0, 0))
    for k in range(windows):
        coupler = system.body(f"coupler {k}", 1, (half, 0, 0), rod(1, 1, "x"))
        system.joint(f"coupler {k}", cranks[k], coupler, Revolute("y"), at=(0, 0, 1))
        system.close(f"loop {k}", coupler, cranks[k + 1], "revolute", at_a=(1, 0, 0), at_b=(0, 0, 1), axis="y")
    return system


def four_bar(crank: Any = 1, coupler: Any = 2, rocker: Any = 2, base: Any = 2) -> System:
    """A crank, a coupler and a rocker, uniform rods of 1 kg in a vertical plane."""
    system = System("four-bar", gravity=(0, 0, "-9.81"))
    lengths = {"crank": crank, "coupler": coupler, "rocker": rocker}
    rods = {name: system.body(name, 1, (0, 0, Fraction(1, 2) * l), rod(1, l)) for name, l in lengths.items()}
    system.joint("crank", system.ground, rods["crank"], Revolute("y"))
    system.joint("coupler", rods["crank"], rods["coupler"], Revolute("y"), at=(0, 0, crank))
    system.joint("rocker", system.ground, rods["rocker"], Revolute("y"), at=(base, 0, 0))
    system.close(
        "pin", rods["coupler"], rods["rocker"], "revolute", at_a=(0, 0, coupler), at_b=(0, 0, rocker), axis="y"
    )
    return system


def bennett() -> System:
    """Bennett's linkage: four hinges in space, opposite bars alike, sin α / a = sin β / b; one degree of freedom."""
    system = System("Bennett's linkage", gravity=(0, 0, "-9.81"))
    short, long = (Fraction(1), Fraction(3, 5)), (Fraction(4, 3), Fraction(4, 5))  # length, sine of the twist
    carrier: Any = system.ground
    at: tuple[Any, ...] = (0, 0, 0)
    turn: Matrix | None = None
    for k, (length, sine) in enumerate((short, long, short), start=1):
        body = system.body(f"bar {k}", 1, (length / 2, 0, 0), (1, 1, 1))
        system.joint(f"hinge {k}", carrier, body, Revolute("z"), at=at, rotation=turn)
        carrier, at, turn = body, (length, 0, 0), _twist(sine)
    system.close(
        "hinge 4", carrier, system.ground, "revolute", at_a=at, rotation_a=turn, at_b=(-long[0], 0, 0),
        rotation_b=_twist(long[1]).T, axis="z",
    )  # fmt: skip
    return system


def _twist(sine: Fraction) -> Matrix:
    """A turn about x whose sine and cosine are rational."""
    cosine = Fraction(7, 5) - sine  # 3/5 and 4/5
    return Matrix([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])


#: Corners of the unit cube that the chain passes at home; the way back from the last to the first is the ground.
CORNERS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))


def bricard_mechanism() -> System:
    """Five square rods of length L, width w and mass m along edges of a cube; the sixth hinge closes the loop."""
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


#: Name, value, unit: radii of the rings of joints, rest length and masses of legs, mass and thickness of the plate.
PARAMETERS = {
    "R": (1.0, "m"), "r": (0.6, "m"), "l": (0.5, "m"), "m": (20, "kg"), "m1": (2, "kg"), "m2": (1, "kg"),
    "h": (0.05, "m"),
}  # fmt: skip
LEGS = range(1, 7)
#: Where the legs' joints are on their rings, in twelfths of half a turn: pairs about three corners, below and above.
_BELOW, _ABOVE = (1, 7, 9, 15, 17, 23), (3, 5, 11, 13, 19, 21)


def stewart_platform() -> System:
    """A plate of mass m on six legs with universal joints and slides "leg k": 24 speeds, 18 conditions."""
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
    """Position of the base joint of a leg on the ground."""
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
