"""A motion along a screw, and the pose and the twist that it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...expr import Matrix, Vector, is_zero
from ...expr.typeset import Typeset
from ..dual import Dual, dual, dual_part, real_part
from ..dual_motion import pose_of
from ..pose import Pose
from ..rotations.quaternion import from_quaternion


@dataclass(frozen=True, repr=False)
class ScrewMotion(Typeset):
    """A turn by `angle` about an axis, and a `translation` along it.

    `axis` is a unit vector and `moment` that of the axis about the origin, point × axis. Of a velocity, angle and
    translation are rates. All are expressions, or NumPy arrays with leading batch axes.

    >>> from polhode.geometry.screws import screw_of
    >>> k = screw_of(Vector([0, 0, 2, 0, -6, 1]))  # angular over linear velocity
    >>> k.axis, k.pitch, k.point, k.twist
    (Vector([0, 0, 1]), 1/2, Vector([3, 0, 0]), Vector([0, 0, 2, 0, -6, 1]))
    >>> k.line, k.dual_angle, k.pose.p[2], k.matrix.shape
    (Vector([0, μ*(-3), 1]), 2 + μ*(1), 1, (4, 4))
    """

    axis: Any
    moment: Any
    angle: Any
    translation: Any

    def __repr__(self) -> str:
        return (
            f"ScrewMotion(axis={self.axis}, moment={self.moment}, angle={self.angle}, translation={self.translation})"
        )

    def _formulas(self) -> list[tuple[str, Any]]:
        made = [("a", self.axis), ("m", self.moment), (r"\theta", self.angle), ("d", self.translation)]
        return made if self._is_exact else []

    def _sentences(self) -> list[str]:
        return ["A turn by θ about the axis a, with the moment m about the origin, and a translation d along it."]

    @property
    def pitch(self) -> Any:
        """translation/angle in metres per radian; infinite where nothing turns."""
        if self._is_exact:
            return math.inf if is_zero(self.angle) else self.translation / self.angle
        import numpy as np

        still = self.angle == 0
        return np.where(still, np.inf, self.translation / np.where(still, 1, self.angle))[()]

    @property
    def point(self) -> Any:
        """The point of the axis that is nearest to the origin: axis × moment."""
        if self._is_exact:
            return self.axis.cross(self.moment)
        import numpy as np

        return np.cross(self.axis, self.moment)

    @property
    def line(self) -> Vector:
        """The axis as a dual vector, axis + μ moment."""
        return dual(self._components(self.axis), self._components(self.moment))

    @property
    def dual_angle(self) -> Dual:
        """angle + μ translation."""
        return Dual(self.angle, self.translation)

    @property
    def twist(self) -> Any:
        """(ω, v): of a velocity what it was given as; of a motion the velocity that makes it in a unit of time."""
        made = self.line * self.dual_angle
        return self._gathered(Vector([*real_part(made), *dual_part(made)]))

    @property
    def pose(self) -> Pose:
        """The motion: the rotation about the line by the dual angle; of a velocity, what it makes in a unit of time."""
        made = self._motion()
        return Pose(self._gathered(made.R), self._gathered(made.p))

    @property
    def matrix(self) -> Any:
        """The same as a homogeneous 4×4 matrix."""
        return self._gathered(self._motion().matrix())

    def _motion(self) -> Pose:
        """By the dual quaternion cos(ϑ̂/2) + k̂ sin(ϑ̂/2), which rounds nothing off where angles are small."""
        half = self.dual_angle / 2
        return pose_of(from_quaternion((half.cos(), *(self.line * half.sin()))))

    @property
    def _is_exact(self) -> bool:
        return isinstance(self.axis, Vector)

    def _components(self, vector: Any) -> Vector:
        return Vector(vector if self._is_exact else [vector[..., k] for k in range(3)])

    def _gathered(self, made: Any) -> Any:
        """Move the batch axis of component-wise results to the front."""
        if self._is_exact:
            return made
        import numpy as np

        if isinstance(made, Matrix):
            return np.stack([self._gathered(row) for row in made], axis=-2)
        return np.stack([np.broadcast_to(entry, np.shape(self.angle)) for entry in made], axis=-1).astype(np.float64)
