"""Poses in the forms in which others have them, as a rotation matrix and a position."""

from __future__ import annotations

from typing import Any

from .rotations.values import matrix_of

#: What the rotation and the position of a pose are called, here and in Pinocchio and its kin.
_ATTRIBUTES = (("R", "p"), ("rotation", "translation"))


def pose_parts(pose: Any) -> tuple[Any, Any] | None:
    """R and p of a pose record, of what has a rotation and a translation, or of a pair in either order; None otherwise.

    In a pair, R is a Rotation, or has one axis more than p.

    >>> import numpy as np
    >>> R, p = pose_parts(((1, 2, 3), np.eye(3)))
    >>> p, pose_parts((np.eye(3), (1, 2, 3)))[1], pose_parts((1, 2, 3))
    ((1, 2, 3), (1, 2, 3), None)
    """
    import numpy as np

    for turn, place in _ATTRIBUTES:
        if hasattr(pose, turn) and hasattr(pose, place):
            return matrix_of(getattr(pose, turn)), getattr(pose, place)
    if not isinstance(pose, tuple | list) or len(pose) != 2 or any(pose_parts(each) for each in pose):
        return None
    first, second = map(matrix_of, pose)
    try:
        axes = np.ndim(first), np.ndim(second)
    except ValueError:  # ragged
        return None
    if axes[0] == axes[1] + 1:
        return first, second
    return (second, first) if axes[1] == axes[0] + 1 else None
