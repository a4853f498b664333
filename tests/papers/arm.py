"""The six degree of freedom arm of Kwatny and Blankenship, section IV, as their program describes it.

Every number is the rational that the paper's decimal spells. The gripper's axial inertia is m3 R3²/12, as in the
program; a solid cylinder has m3 R3²/2.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import polhode as ph

L1 = L2 = 3
L3, R3 = Fraction(7, 10), Fraction(7, 20)
m1 = m2 = 1
m3 = Fraction(1, 2)

#: The gripper's inertia about its centre of mass: across its axis and along it.
I3_ACROSS = m3 * (L3**2 + 3 * R3**2) / 12
I3_ALONG = m3 * R3**2 / 12

H1 = ((0, 0), (1, 0), (0, 1), (0, 0), (0, 0), (0, 0))
H2 = ((0,), (1,), (0,), (0,), (0,), (0,))
H3 = ((0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0))

COMPOUND_SHOULDER, COMPOUND_WRIST = (1, 1), (1, 1, 1)
SIMPLE_SHOULDER, SIMPLE_WRIST = (2,), (3,)


def six_dof_arm(
    shoulder: Sequence[int] = COMPOUND_SHOULDER, wrist: Sequence[int] = COMPOUND_WRIST, gravity: Any = 0
) -> ph.System:
    """The arm with its shoulder and wrist as simple or compound joints; `gravity` acts along -z.

    The paper's program has r1 = {1, 1, 1} beside an H1 of two columns; the shoulder has two degrees of freedom. As one
    simple joint it is nonholonomic and takes a third coordinate s3, the turn about x: its configuration is
    Rx(s3) Rz(s2) Ry(s1), and the paper's is the case s3 = 0.
    """
    arm = ph.System("six-dof arm", gravity=(0, 0, -gravity))
    upper = arm.body("upper", mass=m1, com=(0, 0, Fraction(L1, 2)), inertia=ph.rod(m1, L1))
    lower = arm.body("lower", mass=m2, com=(0, 0, Fraction(L2, 2)), inertia=ph.rod(m2, L2))
    gripper = arm.body("gripper", mass=m3, com=(0, 0, L3 / 2), inertia=(I3_ACROSS, I3_ACROSS, I3_ALONG))
    arm.frame("end effector", gripper, at=(0, 0, L3))
    s = ["s1", "s2"] if len(shoulder) == 2 else ["s1", "s2", "s3"]
    arm.joint(
        "shoulder", arm.ground, upper, ph.JointMap(H1, groups=shoulder), coordinates=s, speeds=["w1", "w2"]
    )
    arm.joint("elbow", upper, lower, ph.JointMap(H2), at=(0, 0, L1), coordinates=["e"], speeds=["u1"])
    arm.joint(
        "wrist", lower, gripper, ph.JointMap(H3, groups=wrist), at=(0, 0, L2),
        coordinates=["t1", "t2", "t3"], speeds=["v1", "v2", "v3"],
    )  # fmt: skip
    return arm
