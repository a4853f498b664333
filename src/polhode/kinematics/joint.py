"""Joint kinematics: configuration, kinematic matrix and joint map of simple and compound joints.

H. G. Kwatny and G. L. Blankenship, "Symbolic Construction of Models for Multibody Dynamics", IEEE Trans. Robotics and
Automation 11 (1995), section II, equations (12) to (36), with the corrections listed in docs/errata.md.

    paper           here
    h = (h1, h2)    a column of the joint map: rotation part, translation part
    lambda(eps)     `exponential`, `simple_configuration`: the pose of the outer frame in the inner one
    Gamma(eps)      `kinematic_matrix`: rates of the coordinates from the speeds, eps' = Gamma beta
    U_j, L_j, R_j   the running product of the outermost j motions, a Pose
    B(eps)          `_euler_like`: H beta = B eps'
    H(eps)          `compound_map`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ModelError
from ..expr import Matrix, Vector, as_expr, cos, is_zero, sin, skew, sqrt
from ..expr.inverse import inverse
from ..expr.length import exact_length
from ..geometry import Pose, about
from ..geometry.lie import left_inverse
from ..geometry.rotations import ORIENTATIONS
from ..model.stage import Stage


def exponential(h: Sequence[Any], eps: Any) -> Pose:
    """The motion e^{ĥ eps} of one degree of freedom, Proposition 1, (12).

    With nu = |h1| and a = h1/nu:  R = rotation by nu·eps about a,
    p = a (a·h2) eps + sin(nu eps)/nu (h2 - a (a·h2)) + (1 - cos(nu eps))/nu (a × h2).
    All of it is even in nu: where h1 is (0, 0, l), nu may be l whatever its sign.
    """
    h1, h2 = Vector(h[:3]), Vector(h[3:])
    square = h1.dot(h1)
    if is_zero(square):
        return Pose(Matrix.identity(3), h2 * eps)
    exact = exact_length(h1)
    if exact is None:
        return _exponential_by_a_root(h1, h2, as_expr(square), eps)
    nu, a = exact, h1 / exact
    angle = nu * eps
    R = about(a, angle)
    if not any(h2):
        return Pose(R, Vector([0, 0, 0]))
    along = a * a.dot(h2)
    p = along * eps + (h2 - along) * (sin(angle) / nu) + a.cross(h2) * ((1 - cos(angle)) / nu)
    return Pose(R, p)


def _exponential_by_a_root(h1: Vector, h2: Vector, square: Any, eps: Any) -> Pose:
    """The same with nu = √(h1·h1), which is nowhere squared again: fingerprints do not see that its square is h1·h1."""
    nu = sqrt(square)
    c, s, k = cos(nu * eps), sin(nu * eps) / nu, (1 - cos(nu * eps)) / square
    hat = skew(h1)
    R = [[(c if i == j else 0) + s * hat[i, j] + k * (h1[i] * h1[j]) for j in range(3)] for i in range(3)]
    along = h1 * (h1.dot(h2) / square)
    return Pose(Matrix(R), along * eps + (h2 - along) * s + h1.cross(h2) * k)


def twist_beyond(U: Pose, h: Sequence[Any]) -> Vector:
    """U⁻¹ ĥ U for a twist h: (24), (28a). The same motion seen from beyond U."""
    h1, h2 = Vector(h[:3]), Vector(h[3:])
    return Vector([*(U.R.T @ h1), *(U.R.T @ (h1.cross(U.p) + h2))])


def _euler_like(columns: Sequence[Sequence[Any]], eps: Sequence[Any]) -> tuple[Pose, Matrix]:
    """lambda = lambda_r … lambda_1 (15) and B(eps) (18), with U_j by (23)."""
    U = Pose.identity()
    B = []
    for h, e in zip(columns, eps, strict=True):
        B.append(twist_beyond(U, h))  # (18)
        U = exponential(h, e) @ U  # (21), (23)
    return U, Matrix.columns_of(B, 6)


def vector_turn(stage: Stage, c: Any) -> Pose:
    """R = (k - 1) 1 + c k â + (2 - k) a aᵀ with k = 2/(1 + c²), of the vector-parameter c a; (65) of Mladenova."""
    a = Vector(stage.H.columns[0][:3])
    hat, k = skew(a), 2 / (1 + c * c)
    R = [[(k - 1 if i == j else 0) + c * k * hat[i, j] + (2 - k) * (a[i] * a[j]) for j in range(3)] for i in range(3)]
    return Pose(Matrix(R), Vector([0, 0, 0]))


def simple_configuration(stage: Stage, eps: Sequence[Any]) -> Pose:
    """The configuration of a simple joint: Corollary 1, (15), or the stored orientation and position."""
    if stage.is_elastic:
        return Pose.identity()
    if stage.is_vector_turn:
        return vector_turn(stage, eps[0])
    if not stage.stores_orientation:
        return _euler_like(stage.algebra, eps)[0]
    turned, moved = _stored(stage, eps)
    return Pose(ORIENTATIONS[stage.storage].rotation(turned), Vector(moved or [0, 0, 0]))


def _stored(stage: Stage, eps: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The coordinates of orientation and of position."""
    if stage.is_free_translation_first:
        return list(eps[3:]), list(eps[:3])
    count = len(ORIENTATIONS[stage.storage].labels)
    return list(eps[:count]), list(eps[count:])


def envelope_kinematics(stage: Stage, eps: Sequence[Any]) -> tuple[Matrix, Matrix]:
    """Γ on the generated algebra, Γ⁻¹ = H_e⁺ B, and its left inverse: (16) to (19); ċ = (1 + c²)/2 θ̇ for tangents."""
    if stage.is_elastic:
        return Matrix.identity(stage.speeds), Matrix.identity(stage.speeds)
    if stage.is_vector_turn:
        square = 1 + eps[0] * eps[0]
        return Matrix([[square / 2]]), Matrix([[2 / square]])
    if not stage.stores_orientation:
        H = Matrix.columns_of(stage.algebra, 6)
        back = left_inverse(H) @ _euler_like(stage.algebra, eps)[1]
        return inverse(back), back
    turned, moved = _stored(stage, eps)
    stored = ORIENTATIONS[stage.storage]
    turning = [stored.rate(turned), stored.velocity(turned)]
    if not moved:
        return turning[0], turning[1]
    R = stored.rotation(turned)
    order = -1 if stage.is_free_translation_first else 1
    rate, back = (_block_diagonal([turn, move][::order]) for turn, move in zip(turning, (R, R.T), strict=True))
    return rate, back


def kinematic_matrix(stage: Stage, eps: Sequence[Any]) -> Matrix:
    """Gamma of a simple joint; a nonholonomic one has more rows than columns."""
    gamma, _ = envelope_kinematics(stage, eps)
    return Matrix(gamma[:, : stage.speeds]).map(as_expr)


def moore_penrose_kinematic_matrix(H: Any, eps: Sequence[Any]) -> Matrix:
    """(BᵀB)⁻¹BᵀH as Table II prints it. For a nonholonomic joint it solves B eps' = H beta only approximately."""
    H = Matrix(H).map(as_expr)
    if len(eps) != H.shape[1]:
        message = f"{H.shape[1]} coordinates are needed for {H.shape[1]} columns, not {len(eps)}."
        raise ModelError(message, cure=f"Give {H.shape[1]} coordinates.", code="E-JOINT-SHAPE")
    _, B = _euler_like(H.columns, eps)
    beta: Matrix = left_inverse(B) @ H
    return beta.map(as_expr)


def _block_diagonal(blocks: Sequence[Matrix]) -> Matrix:
    width = sum(block.shape[1] for block in blocks)
    rows, start = [], 0
    for block in blocks:
        for row in block:
            rows.append([0] * start + list(row) + [0] * (width - start - len(row)))
        start += block.shape[1]
    return Matrix(rows)


def compound_configuration(stages: Sequence[Stage], eps: Sequence[Sequence[Any]]) -> Pose:
    """lambda = lambda_p … lambda_1 (26); stages and coordinates outermost first."""
    U = Pose.identity()
    for stage, e in zip(stages, eps, strict=True):
        U = simple_configuration(stage, e) @ U
    return U


def compound_kinematic_matrix(stages: Sequence[Stage], eps: Sequence[Sequence[Any]]) -> Matrix:
    """diag(Gamma_1, …, Gamma_p) (25)."""
    return _block_diagonal([kinematic_matrix(stage, e) for stage, e in zip(stages, eps, strict=True)])


def compound_map(stages: Sequence[Stage], eps: Sequence[Sequence[Any]], envelope: bool = False) -> Matrix:
    """H(eps) of a compound joint, stages outermost first (27), (28); with `envelope`, on the algebra of each stage."""
    U = Pose.identity()
    columns = []
    for stage, e in zip(stages, eps, strict=True):
        stage_columns = stage.algebra if envelope else stage.H.columns
        columns += [twist_beyond(U, h) for h in stage_columns]  # (28a)
        U = simple_configuration(stage, e) @ U  # (28b), (28c)
    return Matrix.columns_of(columns, 6).map(as_expr)
