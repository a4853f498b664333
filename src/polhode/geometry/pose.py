"""Rigid motions: where one frame is in another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import understood
from ..expr import Matrix, Vector
from .rotations.scalars import is_array
from .rotations.values import broadcast, is_exact, matrix_of

_CURE = "Give a 3×3 matrix or a Rotation, and three components."


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose X_AB of frame B in frame A: a point with components x in B is at R x + p in A.

    R is given as a matrix or a `Rotation`, and kept as a Matrix with a Vector p; arrays of both, with any leading batch
    axes, as arrays.

    >>> from polhode.expr import pi
    >>> from polhode.geometry.rotations import Rotation
    >>> quarter = Pose(Rotation.from_euler("z", pi / 2), (1, 0, 0))
    >>> (quarter @ quarter).p
    Vector([1, 1, 0])
    """

    R: Matrix
    p: Vector

    def __post_init__(self) -> None:
        if type(self.R) is not Matrix or type(self.p) is not Vector:
            R, p = _read(self.R, self.p)
            object.__setattr__(self, "R", R)
            object.__setattr__(self, "p", p)

    @staticmethod
    def identity() -> Pose:
        """The pose that moves nothing."""
        return Pose(Matrix.identity(3), Vector([0, 0, 0]))

    def __matmul__(self, other: Pose) -> Pose:
        """X_AC = X_AB @ X_BC."""
        if not isinstance(other, Pose):
            return NotImplemented
        if type(self.R) is not type(other.R):
            alike = _gathered if _is_batch(self.R, self.p) or _is_batch(other.R, other.p) else _listed
            return alike(self) @ alike(other)
        return Pose(self.R @ other.R, self.p + _turned(self.R, other.p))

    def inverse(self) -> Pose:
        """X_BA. Kwatny and Blankenship (2b), as corrected."""
        back = self.R.T if type(self.R) is Matrix else _swapped(self.R)
        return Pose(back, -_turned(back, self.p))

    def point(self, x: Any) -> Vector:
        """The point's components in the outer frame."""
        if type(self.R) is not Matrix:
            return _listed(self).point(x) if is_exact(x) else self.p + _turned(self.R, x)
        return self.p + self.R @ Vector(x)

    def _repr_latex_(self) -> str | None:
        from ..expr.latex_display import display_latex

        return display_latex([("R", self.R), ("p", self.p)]) if type(self.R) is Matrix else None

    def matrix(self) -> Matrix:
        """The homogeneous 4×4 matrix, (1) of Kwatny and Blankenship."""
        if type(self.R) is not Matrix:
            matrix: Matrix = _homogeneous(self.R, self.p)
            return matrix
        return Matrix([[*self.R[i], self.p[i]] for i in range(3)] + [[0, 0, 0, 1]])


def _read(R: Any, p: Any) -> tuple[Any, Any]:
    """Arrays if R is one and p no exact vector, or either is a batch; else a Matrix and a Vector."""
    with understood("a rotation and a place", (R, p), place="Pose", cure=_CURE):
        R = matrix_of(R)
        if _is_batch(R, p) or (is_array(R) and not is_exact(R) and not is_exact(p)):
            import numpy as np

            turns, places = np.asarray(R, dtype=float), np.asarray(p, dtype=float)
            if turns.shape[-2:] != (3, 3) or places.shape[-1:] != (3,):
                raise ValueError
            broadcast(turns.shape[:-2], places.shape[:-1])
            return turns, places
        rows, position = Matrix(_entries(R)), Vector(_entries(p))
        if rows.shape != (3, 3) or len(position) != 3:
            raise ValueError
        return rows, position


def _is_batch(R: Any, p: Any) -> bool:
    return getattr(R, "ndim", 2) > 2 or getattr(p, "ndim", 1) > 1


def _entries(value: Any) -> Any:
    return value.tolist() if is_array(value) else value


def _listed(X: Pose) -> Pose:
    """A pose of arrays with a Matrix and a Vector instead, to go with exact ones."""
    return Pose(Matrix(_entries(X.R)), Vector(_entries(X.p)))


def _gathered(X: Pose) -> Pose:
    """A pose of numbers with arrays, to go with batches."""
    import numpy as np

    with understood("a pose of numbers", X, place="Pose", cure="Give numbers for its symbols."):
        return Pose(*(np.array(part, dtype=float) for part in (X.R, X.p)))  # type: ignore[arg-type] # numbers, not graphs


def _turned(R: Any, x: Any) -> Any:
    """R x, member by member of a batch."""
    if type(R) is Matrix:
        return R @ x
    import numpy as np

    return (R @ np.asarray(x, dtype=float)[..., None])[..., 0]


def _swapped(R: Any) -> Any:
    """The transposes of a batch of matrices."""
    return R.swapaxes(-1, -2)


def _homogeneous(R: Any, p: Any) -> Any:
    import numpy as np

    batch = broadcast(R.shape[:-2], p.shape[:-1])
    matrix = np.zeros((*batch, 4, 4))
    matrix[..., :3, :3], matrix[..., :3, 3], matrix[..., 3, 3] = R, p, 1.0
    return matrix


#: What the rotation and the position of a pose are called, here and in Pinocchio and its kin.
_ATTRIBUTES = (("R", "p"), ("rotation", "translation"))


def pose_parts(pose: Any) -> tuple[Any, Any] | None:
    """R and p of a pose, of an object with rotation and translation, or of a pair in either order; None otherwise."""
    import numpy as np

    for turn, position in _ATTRIBUTES:
        if hasattr(pose, turn) and hasattr(pose, position):
            return matrix_of(getattr(pose, turn)), getattr(pose, position)
    if not isinstance(pose, tuple | list) or len(pose) != 2 or any(pose_parts(part) for part in pose):
        return None
    first, second = map(matrix_of, pose)
    try:
        axes = np.ndim(first), np.ndim(second)
    except ValueError:  # ragged
        return None
    if axes[0] == axes[1] + 1:
        return first, second
    return (second, first) if axes[1] == axes[0] + 1 else None
