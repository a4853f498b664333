"""Spatial inertia as moments of mass about a frame's origin: ∫dm, ∫r dm and ∫r rᵀ dm.

The second moment J is kept rather than the inertia I = tr(J) 1 - J: it adds and shifts with fewer operations, and the
torque that a motion takes is linear in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import understood
from ..expr import Expr, Matrix, Vector
from .pose import Pose


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass m, first moment h = m c, and second moment J = ∫ r rᵀ dm about the origin."""

    m: Any
    h: Vector
    J: Matrix

    @staticmethod
    def zero() -> Inertia:
        return Inertia(0, Vector([0, 0, 0]), Matrix.zeros(3, 3))

    @staticmethod
    def of_body(m: Any, c: Vector, I_com: Matrix) -> Inertia:
        """From the mass centre c and the inertia about it: J = ½ tr(I) 1 - I + m c cᵀ."""
        half_trace = (I_com[0, 0] + I_com[1, 1] + I_com[2, 2]) / 2
        h = c * m
        J = {(i, j): (half_trace if i == j else 0) - I_com[i, j] + h[i] * c[j] for i in range(3) for j in range(i, 3)}
        return Inertia(m, h, symmetric(J))

    @property
    def I(self) -> Matrix:  # noqa: E743  as every book has it
        """The inertia about the origin: tr(J) 1 - J."""
        J = self.J
        x, y, z = J[0, 0], J[1, 1], J[2, 2]
        return Matrix([
            [_sum(y, z), -J[0, 1], -J[0, 2]], [-J[0, 1], _sum(x, z), -J[1, 2]], [-J[0, 2], -J[1, 2], _sum(x, y)],
        ])  # fmt: skip

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.m + other.m, self.h + other.h, self.J + other.J)

    def __sub__(self, other: Inertia) -> Inertia:
        return Inertia(self.m - other.m, self.h - other.h, self.J - other.J)

    def seen_from(self, X: Pose, keep_trace: bool = False) -> Inertia:
        """The inertia in frame A, X = X_AB: h_A = h' + m p, J_A = R J Rᵀ + p h'ᵀ + h_A pᵀ, with h' = R h."""
        h_rotated = X.R @ self.h
        J = rotate_symmetric(X.R, self.J, keep_trace=keep_trace)
        if not any(X.p):
            return Inertia(self.m, h_rotated, J)
        h_A = h_rotated + X.p * self.m
        p = X.p
        shifted = {(i, j): J[i, j] + p[i] * h_rotated[j] + h_A[i] * p[j] for i in range(3) for j in range(i + 1, 3)}
        for i in range(3):  # on the diagonal both terms have the factor p
            shifted[i, i] = J[i, i] + p[i] * (h_rotated[i] + h_A[i])
        return Inertia(self.m, h_A, symmetric(shifted))

    def momentum(self, w: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Angular momentum about the origin and linear momentum: (I ω + h × v, m v - h × ω)."""
        return self.I @ w + self.h.cross(v), v * self.m - self.h.cross(w)

    def wrench(self, W: Matrix, a: Vector) -> tuple[Vector, Vector]:
        """Torque vee(W J) + h × a and force m a + W h of the acceleration field a + W r."""
        J = self.J
        n = Vector([_vee(W, J, i, (i + 1) % 3, (i + 2) % 3) for i in range(3)])
        return n + self.h.cross(a), a * self.m + W @ self.h

    def matrix(self) -> Matrix:
        """The 6×6 matrix [[I, ĥ], [-ĥ, m 1]]; Kwatny and Blankenship (48)."""
        x, y, z = self.h
        m, I = self.m, self.I
        return Matrix([
            [*I[0], 0, -z, y], [*I[1], z, 0, -x], [*I[2], -y, x, 0],
            [0, z, -y, m, 0, 0], [-z, 0, x, 0, m, 0], [y, -x, 0, 0, 0, m],
        ])  # fmt: skip


def inertia_of_moments(J: Any) -> Matrix:
    """I = tr(J) 1 - J, Silver (2.11): from ∫ r rᵀ dm to the inertia that ω meets."""
    with understood("a matrix of three rows and columns", J, cure="Give three rows of three numbers each."):
        J = J if isinstance(J, Matrix) else Matrix([list(row) for row in J])
        if J.shape != (3, 3):
            raise ValueError
    trace = J[0, 0] + J[1, 1] + J[2, 2]
    return Matrix([[trace - J[i, j] if i == j else -J[i, j] for j in range(3)] for i in range(3)])


def acceleration_matrix(w: Vector, alpha: Vector) -> Matrix:
    """W = α̂ + ω̂ ω̂, which takes a point's position in a body to its acceleration relative to the origin."""
    (x, y, z), (ax, ay, az) = w, alpha
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return Matrix([
        [-(yy + zz), xy - az, xz + ay],
        [xy + az, -(xx + zz), yz - ax],
        [xz - ay, yz + ax, -(xx + yy)],
    ])  # fmt: skip


def _vee(W: Matrix, J: Matrix, i: int, j: int, k: int) -> Any:
    """(W J)_kj - (W J)_jk, with the two terms in J_jk taken together."""
    total = W[k, i] * J[i, j] - W[j, i] * J[i, k] + W[k, j] * J[j, j] - W[j, k] * J[k, k]
    return total + (W[k, k] - W[j, j]) * J[j, k]


def symmetric(upper: dict[tuple[int, int], Any]) -> Matrix:
    """The symmetric 3×3 matrix with these entries on and above the diagonal."""
    return Matrix([[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])


def rotate_symmetric(R: Matrix, S: Matrix, moving: bool = False, keep_trace: bool = False) -> Matrix:
    """R S Rᵀ for symmetric S; `moving` S shares 2 c, `keep_trace` keeps the trace in the plane of a turn visible."""
    plane = _plane_of_turn(R)
    if plane is not None:
        i, j, k = plane
        c, s = R[i, i], R[j, i]
        g = s * (S[i, i] - S[j, j]) + ((2 * c) * S[i, j] if moving else c * (2 * S[i, j]))
        sg = s * g
        first = S[i, i] - sg
        second = (S[i, i] + S[j, j]) - first if keep_trace else S[j, j] + sg
        entries = {
            (i, i): first, (j, j): second, (i, j): c * g - S[i, j], (k, k): S[k, k],
            (k, i): c * S[k, i] - s * S[k, j], (k, j): s * S[k, i] + c * S[k, j],
        }  # fmt: skip
        return symmetric({(min(key), max(key)): entry for key, entry in entries.items()})
    T = R @ S
    return symmetric({(i, j): T[i].dot(R[j]) for i in range(3) for j in range(i, 3)})


class ImpossibleInertia(NamedTuple):
    """Why no body has an inertia: its smallest principal moment, if one is negative, and all of them in words."""

    negative: float
    moments: str


def impossible_inertia(given: Any) -> ImpossibleInertia | None:
    """Whether a symmetric matrix violates moments ≥ 0 or the triangle inequality beyond rounding."""
    import numpy as np

    a, b, c = (float(moment) for moment in np.linalg.eigvalsh(given))
    slack = 1e-9 * max(abs(a), abs(c))
    if a >= -slack and c <= a + b + slack:
        return None
    return ImpossibleInertia(a if a < -slack else 0.0, f"{a:.6g}, {b:.6g}, {c:.6g}")


def nearest_inertia_matrix(given: Any) -> Any:
    """The nearest physical inertia in the Frobenius norm, as an array."""
    import numpy as np

    size = float(np.abs(given).max()) or 1.0
    moments, axes = np.linalg.eigh(np.asarray(given, dtype=float) / size)
    nearest = np.zeros(3)
    for chosen in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
        edges = (1 - np.eye(3))[:, chosen]
        factors = np.linalg.lstsq(edges, moments, rcond=None)[0]
        candidate = edges @ factors
        if factors.min() >= 0 and np.linalg.norm(candidate - moments) < np.linalg.norm(nearest - moments):
            nearest = candidate
    return axes @ np.diag(nearest) @ axes.T * size


def nearest_inertia(given: Any) -> str:
    """The nearest physical inertia in words: xx, yy, zz and nonzero products."""
    I = nearest_inertia_matrix(given)
    small = 1e-12 * abs(I).max()
    entries = {"xx": I[0, 0], "yy": I[1, 1], "zz": I[2, 2], "xy": I[0, 1], "xz": I[0, 2], "yz": I[1, 2]}
    shown = {name: value for name, value in entries.items() if name in ("xx", "yy", "zz") or abs(value) > small}
    return ", ".join(f"{name} {value:.10g}" for name, value in shown.items())


def _sum(a: Any, b: Any) -> Any:
    """a + b, where one may have been written as the sum less the other."""
    for one, other in ((a, b), (b, a)):
        if type(one) is Expr and one.op == "sub" and one.args[1] is other:
            return one.args[0]
    return a + b


def rotate_general(R: Matrix, B: Matrix) -> Matrix:
    """R B Rᵀ for any B; in the plane of a turn with g = s (B_ii - B_jj) + c (B_ij + B_ji) as for a symmetric one."""
    plane = _plane_of_turn(R)
    if plane is None:
        return R @ B @ R.T
    i, j, k = plane
    c, s = R[i, i], R[j, i]
    g = s * (B[i, i] - B[j, j]) + c * (B[i, j] + B[j, i])
    sg, cg = s * g, c * g
    entries = {
        (i, i): B[i, i] - sg, (j, j): B[j, j] + sg, (i, j): cg - B[j, i], (j, i): cg - B[i, j], (k, k): B[k, k],
        (k, i): c * B[k, i] - s * B[k, j], (k, j): s * B[k, i] + c * B[k, j],
        (i, k): c * B[i, k] - s * B[j, k], (j, k): s * B[i, k] + c * B[j, k],
    }  # fmt: skip
    return Matrix([[entries[a, b] for b in range(3)] for a in range(3)])


def _plane_of_turn(R: Matrix) -> tuple[int, int, int] | None:
    """The plane (i, j) in which R turns, and its axis k, if R is a turn about a coordinate axis."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        if R[k, k] == 1 and not any((R[k, i], R[k, j], R[i, k], R[j, k])):
            return i, j, k
    return None
