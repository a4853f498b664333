"""The six degree of freedom arm of Kwatny and Blankenship (1995), section IV, as their program describes it.

Every number is the rational that the paper's decimal spells. The gripper's axial inertia is m3 R3²/12, as in
the program; a solid cylinder has m3 R3²/2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polhode as ph
from polhode.expr import Matrix, Vector, as_expr, skew, symbols
from polhode.geometry import Inertia, rotation

L1 = L2 = Fraction(3)
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

s1, s2, s3, e, t1, t2, t3 = symbols("s1 s2 s3 e t1 t2 t3", "coordinate")


def six_dof_arm(
    shoulder: Sequence[int] = COMPOUND_SHOULDER, wrist: Sequence[int] = COMPOUND_WRIST, gravity: Any = 0
) -> ph.System:
    """The arm with its shoulder and wrist as simple or compound joints; `gravity` acts along -z.

    The paper's program has r1 = {1, 1, 1} beside an H1 of two columns; the shoulder has two degrees of
    freedom. As one simple joint it is nonholonomic and takes a third coordinate s3, a turn about x: its
    configuration is Rx(s3) Rz(s2) Ry(s1), of which the paper's is the case s3 = 0.
    """
    arm = ph.System("six degree of freedom arm", gravity=(0, 0, -gravity))
    upper = arm.body("upper", mass=m1, com=(0, 0, L1 / 2), inertia=ph.rod(m1, L1))
    lower = arm.body("lower", mass=m2, com=(0, 0, L2 / 2), inertia=ph.rod(m2, L2))
    gripper = arm.body("gripper", mass=m3, com=(0, 0, L3 / 2), inertia=(I3_ACROSS, I3_ACROSS, I3_ALONG))
    arm.frame("end effector", gripper, at=(0, 0, L3))
    arm.joint(
        "shoulder",
        arm.ground,
        upper,
        ph.JointMap(H1, groups=shoulder),
        coordinates=["s1", "s2"] if shoulder == COMPOUND_SHOULDER else ["s1", "s2", "s3"],
        speeds=["w1", "w2"],
    )
    arm.joint("elbow", upper, lower, ph.JointMap(H2), at=(0, 0, L1), coordinates=["e"], speeds=["u1"])
    arm.joint(
        "wrist",
        lower,
        gripper,
        ph.JointMap(H3, groups=wrist),
        at=(0, 0, L2),
        coordinates=["t1", "t2", "t3"],
        speeds=["v1", "v2", "v3"],
    )
    return arm


@dataclass(frozen=True)
class Chain:
    """Φ, H and M = diag(M_o(1), …, M_o(K)) of (51), (52b)."""

    phi: Matrix
    H: Matrix
    M: Matrix

    @property
    def inertia_matrix(self) -> Matrix:
        """Hᵗ Φᵗ M Φ H (52b)."""
        columns = self.phi @ self.H
        return (columns.T @ self.M @ columns).map(as_expr)


def carry(L: Matrix, r: Sequence[Any]) -> Matrix:
    """φ(k, k-1) = diag(L, L) φ(r), (46), with φ(r) of (43)."""
    lower = -(L @ skew(r))
    return Matrix([[*L[i], 0, 0, 0] for i in range(3)] + [[*lower[i], *L[i]] for i in range(3)])


def chain(shoulder: Sequence[int], wrist: Sequence[int], shifted: bool = False) -> Chain:
    """The matrices of (46) to (52) for the arm, with joint configurations and joint maps written by hand.

    With `shifted`, L of joint k-1 stands where (46) needs L of joint k: the slip behind the paper's numbers.
    """
    x, y, z = (Vector(row) for row in Matrix.identity(3))
    Ry_s, Ry_t, Rz_t = rotation(("y", s1)), rotation(("y", t1)), rotation(("z", t2))
    turns = [rotation(("z", s2), ("y", s1)), rotation(("y", e)), rotation(("x", t3), ("z", t2), ("y", t1))]
    axes = [
        [y, z] if shoulder == SIMPLE_SHOULDER else [y, Ry_s.T @ z],
        [y],
        [y, z, x] if wrist == SIMPLE_WRIST else [y, Ry_t.T @ z, (Rz_t @ Ry_t).T @ x],
    ]
    used = [Matrix.identity(3), *turns[:2]] if shifted else turns
    step2, step3 = carry(used[1].T, (0, 0, L1)), carry(used[2].T, (0, 0, L2))
    one, zero = Matrix.identity(6), Matrix.zeros(6, 6)
    bodies = [
        Inertia.of_body(m1, Vector([0, 0, L1 / 2]), ph.rod(m1, L1)),
        Inertia.of_body(m2, Vector([0, 0, L2 / 2]), ph.rod(m2, L2)),
        Inertia.of_body(m3, Vector([0, 0, L3 / 2]), Matrix.diagonal([I3_ACROSS, I3_ACROSS, I3_ALONG])),
    ]
    maps = [Matrix.columns_of([[*axis, 0, 0, 0] for axis in own], 6) for own in axes]
    return Chain(
        _blocks([[one, zero, zero], [step2, one, zero], [step3 @ step2, step3, one]]),
        _blocks_on_the_diagonal(maps),
        _blocks_on_the_diagonal([body.matrix() for body in bodies]),
    )


def _blocks(table: Sequence[Sequence[Matrix]]) -> Matrix:
    return Matrix([[entry for block in row for entry in block[i]] for row in table for i in range(len(row[0]))])


def _blocks_on_the_diagonal(blocks: Sequence[Matrix]) -> Matrix:
    return _blocks([
        [other if j == i else Matrix.zeros(len(block), other.shape[1]) for j, other in enumerate(blocks)]
        for i, block in enumerate(blocks)
    ])  # fmt: skip
