"""The arm of Kwatny and Blankenship, an arm with elastic joints, and a pendulum with a motor."""

from __future__ import annotations

from fractions import Fraction
from math import cos, sin
from typing import Any

from ...errors import unknown
from ...expr import Expr
from ..body import Shape, cylinder, rod
from ..joints import JointMap, Revolute, Spherical
from ..system import System

_WRISTS = ("compound", "spherical")


def six_degree_of_freedom_arm(wrist: str = "compound") -> System:
    """The arm of Kwatny and Blankenship (1995), section IV: upper arm, forearm and a cylindrical gripper.

    The shoulder is compound, of two axes, and the elbow is a hinge. The wrist is compound, of three axes, as in the
    paper's program; or one simple spherical joint that stores a quaternion, and so has no gimbal lock. The gripper is
    a solid cylinder, m r²/2 about its axis, where the program prints m r²/12. The named pose "reach" has the arm
    stretched out to the side, its elbow and wrist slightly bent.
    """
    if wrist not in _WRISTS:
        raise unknown("wrist", wrist, _WRISTS, code="E-MODEL-NAME")
    arm = System(f"six-degree-of-freedom arm, {wrist} wrist")
    m1, m2, m3 = (arm.parameter(name, value, "kg") for name, value in (("m1", 1), ("m2", 1), ("m3", Fraction(1, 2))))
    l1, l2, l3 = (arm.parameter(name, value, "m") for name, value in (("l1", 3), ("l2", 3), ("l3", Fraction(7, 10))))
    r3 = arm.parameter("r3", Fraction(7, 20), "m")

    upper = arm.body("upper arm", m1, (0, 0, l1 / 2), rod(m1, l1), _limb(l1, 0.13))
    forearm = arm.body("forearm", m2, (0, 0, l2 / 2), rod(m2, l2), _limb(l2, 0.1))
    gripper = arm.body("gripper", m3, (0, 0, l3 / 2), cylinder(m3, r3, l3), _GRIPPER)
    arm.frame("end effector", gripper, at=(0, 0, l3))

    H1 = [[0, 0], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]]
    arm.joint(
        "shoulder",
        arm.ground,
        upper,
        JointMap(H1, groups=(1, 1)),
        coordinates=["s1", "s2"],
        speeds=["w1", "w2"],
    )
    arm.joint("elbow", upper, forearm, Revolute("y"), at=(0, 0, l1), coordinates=["e"], speeds=["u1"])
    compound = wrist == "compound"
    H3 = [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    arm.joint(
        "wrist", forearm, gripper, JointMap(H3, groups=(1, 1, 1)) if compound else Spherical(), at=(0, 0, l2),
        coordinates=["t1", "t2", "t3"] if compound else ["e0", "e1", "e2", "e3"], speeds=["v1", "v2", "v3"],
    )  # fmt: skip
    reach = {"s1": 1.3, "s2": 0.4, "e": 0.5}
    arm.pose("reach", reach | (_WRIST_ANGLES if compound else _same_turn_as_a_quaternion(**_WRIST_ANGLES)))
    return arm


#: The wrist in "reach": bent out of the plane of the arm, so that all six degrees of freedom take part.
_WRIST_ANGLES = {"t1": 0.6, "t2": -0.4, "t3": 0.3}


def _same_turn_as_a_quaternion(t1: float, t2: float, t3: float) -> dict[str, float]:
    """Rx(t3) Rz(t2) Ry(t1), the compound wrist's turn, as a quaternion e0 … e3."""
    x, z, y = ((cos(angle / 2), sin(angle / 2)) for angle in (t3, t2, t1))
    e0, e1, e2, e3 = x[0] * z[0], x[1] * z[0], -x[1] * z[1], x[0] * z[1]
    return {
        "e0": e0 * y[0] - e2 * y[1],
        "e1": e1 * y[0] - e3 * y[1],
        "e2": e2 * y[0] + e0 * y[1],
        "e3": e3 * y[0] + e1 * y[1],
    }


def _limb(length: Expr, radius: float) -> tuple[Shape, ...]:
    """A round bar from one joint to the next, with a ball about the joint that carries it."""
    return (
        Shape("capsule", (radius, length), (0, 0, length / 2)),
        Shape("sphere", (1.5 * radius,)),
    )


#: A palm of the gripper's radius with two fingers; together as long as the cylinder that it weighs as.
_GRIPPER = (
    Shape("sphere", (0.14,)),
    Shape("cylinder", (0.35, 0.3), (0, 0, 0.2)),
    Shape("box", (0.12, 0.3, 0.35), (0.2, 0, 0.525)),
    Shape("box", (0.12, 0.3, 0.35), (-0.2, 0, 0.525)),
)


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
    """An arm of up to six `joints` on motors with "elastic" or "stiff" `gears`; `mark` ends the names of parameters."""
    arm = System("elastic arm" if gears == "elastic" else "geared arm")
    link = arm.ground
    parts = zip(_JOINTS[:joints], _LINKS[:joints], strict=True)
    for i, ((axis, offset), (mass, centre, moments)) in enumerate(parts, start=1):
        m = arm.parameter(f"m{i}{mark}", mass, "kg")
        com, at = (
            [arm.parameter(f"{letter}{i}{x}{mark}", value, "m") for x, value in zip("xyz", values, strict=True)]
            for letter, values in (("c", centre), ("p", offset))
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


def motor_driven_pendulum() -> System:
    """A rod of 1 kg and 1 m on a direct-current motor with a gear: L i̇ = V - R i - K n ω and the torque K n i."""
    system = System("motor-driven pendulum", gravity=(0, 0, "-9.81"))
    constant, ratio = system.parameter("K", "0.05", "N m/A"), system.parameter("n", 60)
    resistance, inductance = system.parameter("R", 2, "ohm"), system.parameter("L", "0.01", "H")
    voltage = system.input("voltage", 0, "V")
    arm = system.body("arm", 1, (0, 0, "-0.5"), rod(1, 1))
    hinge = system.joint("hinge", system.ground, arm, Revolute("y"))
    back = constant * ratio * hinge.u[0]  # the voltage that the turning motor gives
    current = system.state("current", rate=lambda i: (voltage - resistance * i - back) / inductance, unit="A")
    system.joint_force(hinge, constant * ratio * current, name="motor")
    return system
