"""Principal axes of a symmetric 3×3 matrix, such as an inertia: O with Oᵀ I O diagonal, in closed form.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", section 5, (168) and (190):

    Oᵀ A O = diag(λ_1, λ_2, λ_3)                                                                             (168)

The moments are q + x, q = tr A/3 and B = A - q, with x³ - 3 p² x - 2 d = 0, p² = tr B²/6, d = det B/2. The cubic has
three real roots. Which branch is taken is decided by fingerprint:

    triple      B = 0: every axis is principal
    diagonal    the axes are those of the matrix
    double      p⁶ = d²: x = 2 d/p² once, along (A - λ) of the other, and -d/p² twice; no root is taken of the moments
    plane       two elements off the diagonal are zero: one axis is known, the others turn by ½ atan2
    cosines     x = 2 p cos φ, φ = ⅓ atan2(√(p⁶ - d²), d) and a third of a turn more and less

Numbers are diagonalised by LAPACK: near double moments the closed form keeps half the digits of a double at best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import PolhodeError, fault_at, shown, understood
from ..expr import Matrix, Vector, as_expr, atan2, cos, free_symbols, is_zero, maximum, pi, sin, sqrt
from ..expr.typeset import Typeset
from .rotations.euler import permutation
from .rotations.stored import of_exact_matrix
from .rotations.values import is_rounded
from .screws.motion import angle_of, direction

fault = fault_at("principal_axes")

#: So much may a matrix of rounded numbers differ from its transpose, relative to its largest entry.
_SYMMETRY = 1e-9
#: A direction that is perpendicular to no axis but by accident, along which axes are looked for.
_ANY = Vector([1, Fraction(5, 7), Fraction(3, 11)])
#: Moments of numbers are tried as fractions with denominators up to this.
_PLAIN = 10**4


@dataclass(frozen=True, repr=False)
class PrincipalAxes(Typeset):
    """The moments λ, the rotation O whose columns are the axes, and the branch of the closed form that gave them.

    Moments of numbers, and those by cosines, come in ascending order; the sign of other expressions is not known.

    >>> principal_axes([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 5.0]]).moments.round(6).tolist()
    [1.0, 3.0, 5.0]
    """

    moments: Any
    axes: Any
    branch: str

    def __repr__(self) -> str:
        return f"PrincipalAxes(moments={self.moments}, by the branch {self.branch!r})"

    def _formulas(self) -> list[tuple[str, Any]]:
        exact = isinstance(self.moments, Vector)
        return [(r"\lambda", self.moments), ("O", self.axes)] if exact else []

    def _sentences(self) -> list[str]:
        return [f"Columns of O are the axes; {self.branch}."]

    @property
    def vector(self) -> Any:
        """The vector-parameter c'' of O, (189); a half turn has none."""
        from .rotations import Rotation

        exact = isinstance(self.axes, Matrix)
        return (Rotation(of_exact_matrix(self.axes)) if exact else Rotation.from_matrix(self.axes)).vector


def principal_axes(matrix: Any) -> PrincipalAxes:
    """The principal moments and axes of a symmetric 3×3 matrix: in closed form, or of floats by LAPACK.

    `axes` is a rotation with axesᵀ matrix axes = diag(moments). NumPy arrays may have leading batch axes.

    >>> from polhode.expr import symbols
    >>> a, b = symbols("a b")
    >>> found = principal_axes([[a, b, b], [b, a, b], [b, b, a]])
    >>> found.branch, found.moments
    ('double', Vector([a - b, a - b, a + 2*b]))
    """
    with understood("a matrix", matrix, place="principal_axes", cure="Give three rows of three numbers."):
        if is_rounded(matrix):
            return _by_lapack(matrix)
        A = Matrix(matrix).map(as_expr)
    if A.shape != (3, 3):
        raise _no_matrix(A.shape)
    if not all(is_zero(A[i, j] - A[j, i]) for i, j in _PAIRS):
        raise _not_symmetric()
    return _in_order(*_closed_form(A))


_PAIRS = ((0, 1), (0, 2), (1, 2))


def _closed_form(A: Matrix) -> tuple[Sequence[Any], Sequence[Vector], str]:
    """Moments, axes in right-handed order, and the branch."""
    unit = Matrix.identity(3)
    q = (A[0, 0] + A[1, 1] + A[2, 2]) / 3
    B = A - unit * q
    coupled = [pair for pair in _PAIRS if not is_zero(A[pair])]
    if not coupled:
        moments = [A[k, k] for k in range(3)]
        return moments, list(unit), "diagonal" if any(not is_zero(x - q) for x in moments) else "triple"
    p2 = sum(x * x for x in B.entries()) / 6
    d = B[0].dot(B[1].cross(B[2])) / 2
    gap = p2 * p2 * p2 - d * d
    if is_zero(gap):
        t = d / p2
        return [q - t, q - t, q + 2 * t], _about(A - unit * (q - t)), "double"
    if len(coupled) == 1:
        return *_in_plane(A, *coupled[0]), "plane"
    exact = not free_symbols([gap])  # then it is positive; else rounding might make it negative when it is evaluated
    p, phi = sqrt(p2), atan2(sqrt(gap if exact else maximum(as_expr(0), gap)), d) / 3
    low, middle, high = (_plain_root(q, q + 2 * p * cos(phi + pi * turn / 3), p2, d) for turn in (2, -2, 0))
    first, last = (direction(_adjugate(A - unit * moment) @ _ANY)[0] for moment in (low, high))
    return [low, middle, high], [first, last.cross(first), last], "cosines"


def _plain_root(q: Any, root: Any, p2: Any, d: Any) -> Any:
    """A root of the cubic, as the rational number that it is if it is one."""
    if free_symbols([root]):
        return root
    guess = as_expr(Fraction(float(root)).limit_denominator(_PLAIN))
    x = guess - q
    return guess if is_zero(x * x * x - 3 * p2 * x - 2 * d) else root


def _about(D: Matrix) -> list[Vector]:
    """The axes where D = A - λ of a double moment λ is a multiple of v vᵀ: two across v, then v."""
    k = next(j for j in range(3) if not is_zero(D[j, j]))
    v, _ = direction(D.columns[k])
    w, _ = direction(next(across for e in Matrix.identity(3) if any(across := e.cross(v))))
    return [w, v.cross(w), v]


def _in_plane(A: Matrix, i: int, j: int) -> tuple[list[Any], list[Vector]]:
    """Moments and axes where the axis besides i and j is principal: in their plane, ½ atan2(2 a_ij, a_ii - a_jj)."""
    k = 3 - i - j
    mean, half = (A[i, i] + A[j, j]) / 2, (A[i, i] - A[j, j]) / 2
    root = sqrt(half * half + A[i, j] * A[i, j])
    turn = (atan2(A[i, j], half) if free_symbols([half, root]) else angle_of(A[i, j] / root, half / root)) / 2
    unit = Matrix.identity(3)
    one, other = unit[i] * cos(turn) + unit[j] * sin(turn), unit[j] * cos(turn) - unit[i] * sin(turn)
    return [mean + root, mean - root, A[k, k]], [one, other, unit[k] * permutation(i, j, k)]


def _adjugate(D: Matrix) -> Matrix:
    """The rows are cross products of columns of D: for D = A - λ a multiple of v vᵀ, v the axis of λ."""
    a, b, c = D.columns
    return Matrix([b.cross(c), c.cross(a), a.cross(b)])


def _in_order(moments: Sequence[Any], axes: Sequence[Vector], branch: str) -> PrincipalAxes:
    """Numbers in ascending order, and axes with them."""
    exact = [as_expr(x) for x in moments]
    order = [0, 1, 2] if free_symbols(exact) else sorted(range(3), key=lambda k: float(exact[k]))
    columns = [axes[k] for k in order]
    columns[2] = columns[2] * permutation(order[0], order[1], order[2])
    O = Matrix.columns_of(columns, 3).map(as_expr)
    return PrincipalAxes(Vector(exact[k] for k in order), O, branch)


def _by_lapack(matrix: Any) -> PrincipalAxes:
    """Moments in ascending order, axes in right-handed order."""
    import numpy as np

    A = np.asarray(matrix, dtype=np.float64)
    if A.shape[-2:] != (3, 3):
        raise _no_matrix(A.shape)
    if not np.isfinite(A).all():
        raise fault("the matrix holds a number that is not finite.", "Look for NaN or inf.", "E-ROTATION-NUMBER")
    if (np.abs(A - np.swapaxes(A, -1, -2)) > _SYMMETRY * np.abs(A).max(initial=0)).any():
        raise _not_symmetric()
    moments, axes = np.linalg.eigh(A)
    axes[..., 0] *= np.where(np.linalg.det(axes) < 0, -1, 1)[..., None]
    return PrincipalAxes(moments, axes, "LAPACK")


def _not_symmetric() -> PolhodeError:
    cure = "An inertia has equal elements on both sides of the diagonal: check its signs."
    return fault("the matrix is not symmetric, and has no principal axes.", cure, "E-ROTATION-NUMBER")


def _no_matrix(shape: tuple[int, ...]) -> PolhodeError:
    return fault(f"the matrix has the shape {shown(shape)}.", "Give three rows of three numbers.", "E-ROTATION-SHAPE")
