"""A six-joint arm on motors with gears, stiff or elastic, all of it in symbols."""

from __future__ import annotations

from typing import Any

from ..joints import Revolute
from ..system import System

#: For each joint its axis and its place on the link before, in metres; the last three axes meet in the wrist.
_JOINTS = (("z", (0, 0, "0.3")), ("y", (0, "0.1", "0.1")), ("y", (0, 0, "0.5")),
           ("z", (0, "-0.1", "0.2")), ("y", (0, 0, "0.25")), ("z", (0, 0, 0)))  # fmt: skip
#: For each link its mass, mass centre, and moments of inertia about it.
_LINKS = (
    (12, (0, "0.05", "0.05"), ("0.12", "0.1", "0.08")),
    (10, (0, "0.02", "0.25"), ("0.35", "0.33", "0.06")),
    (5, (0, "-0.05", "0.1"), ("0.06", "0.05", "0.02")),
    (3, (0, 0, "0.12"), ("0.02", "0.02", "0.008")),
    (2, (0, "0.01", "0.02"), ("0.01", "0.01", "0.008")),
    (1, (0, 0, "0.1"), ("0.008", "0.008", "0.006")),
)
#: For each motor its ratio, the mass of its rotor, and its moments across and along the axis.
_MOTORS = (
    (120, 2, "0.001", "0.0006"), (120, 2, "0.001", "0.0006"), (100, "1.5", "0.0008", "0.0005"),
    (80, "0.6", "0.0002", "0.00012"), (80, "0.5", "0.0002", "0.00012"), (60, "0.4", "0.0001", "0.00006"),
)  # fmt: skip


def elastic_arm(
    gears: str = "elastic",
    coupling: str = "full",
    stiffness: Any = 10000,
    damping: Any = None,
    mark: str = "",
    joints: int = 6,
) -> System:
    """An arm of six joints, each on a motor; every length, mass, inertia, ratio and stiffness is a parameter.

    `gears` are "elastic" or "stiff", `coupling` is that of the rotors, `mark` ends the names of all parameters; of the
    arm, the first `joints` are there. The named pose "reach" has the arm bent forward, the gears being at rest.

    >>> arm = elastic_arm()
    >>> len(arm.parameters), len(arm.derive().u)
    (90, 12)
    """
    arm = System("elastic arm" if gears == "elastic" else "geared arm")
    link = arm.ground
    parts = zip(_JOINTS[:joints], _LINKS[:joints], strict=True)
    for i, ((axis, place), (mass, centre, moments)) in enumerate(parts, start=1):
        m = arm.parameter(f"m{i}{mark}", mass, "kg")
        com, at = (
            [arm.parameter(f"{letter}{i}{x}{mark}", value, "m") for x, value in zip("xyz", values, strict=True)]
            for letter, values in (("c", centre), ("p", place))
        )
        I = [arm.parameter(f"I{i}{x}{mark}", value, "kg m^2") for x, value in zip("xyz", moments, strict=True)]
        body = arm.body(f"link {i}", m, com, I)
        arm.joint(f"j{i}", link, body, Revolute(axis), at=at)
        link = body
    for i, (ratio, weight, across, along) in enumerate(_MOTORS[:joints], start=1):
        n, m = arm.parameter(f"n{i}{mark}", ratio), arm.parameter(f"mr{i}{mark}", weight, "kg")
        Ir = arm.parameter(f"Ir{i}{mark}", across, "kg m^2")
        Im = arm.parameter(f"Im{i}{mark}", along, "kg m^2")
        elastic: dict[str, Any] = {}
        if gears == "elastic":
            elastic["stiffness"] = arm.parameter(f"k{i}{mark}", stiffness, "N m/rad")
        if gears == "elastic" and damping is not None:
            elastic["damping"] = arm.parameter(f"d{i}{mark}", damping, "N m s/rad")
        arm.motor(f"j{i}", n, inertia=(Ir, Ir, Im), mass=m, coupling=coupling, **elastic)
    reach = {"j2": 0.6, "j3": 0.9, "j4": 0.3, "j5": 0.4}
    arm.pose("reach", {name: angle for name, angle in reach.items() if name in arm.joints})
    return arm
