"""Kinematics: what derived equations say of poses and velocities, before any force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..formalisms.derivation import Derivation

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Matrix, Vector
    from ..geometry import Pose


@dataclass(frozen=True, repr=False)
class Kinematics:
    """The kinematic part of `Equations`: q̇ = Γ(q) u, poses, Jacobians and velocity screws as graphs."""

    derivation: Derivation

    @property
    def record(self) -> EquationsOfMotion:
        """The equations as the formalism gave them: graphs only."""
        return self.derivation.equations

    @property
    def kinematic_matrix(self) -> Matrix:
        """Γ(q): q̇ = Γ u (and what time alone gives, if speeds depend on others and on time)."""
        return self.record.kinematic_matrix

    @property
    def coordinate_rates(self) -> Vector:
        """q̇ = Γ(q) u."""
        return self.record.coordinate_rates

    def pose(self, name: str) -> Pose:
        """Where a body or a frame is in the ground: rotation matrix R and position p."""
        return self.record.pose(name)

    def jacobian(self, name: str) -> Matrix:
        """The 6×n Jacobian of a body's or frame's origin, in ground components: angular over linear velocity."""
        return self.record.jacobian(name)

    def dual_jacobian(self, name: str) -> Matrix:
        """The 3×n dual Jacobian matrix of a body, or of the body of a frame: the lines of the joints that carry it.

        Its real part is the angular one of `jacobian`, its dual part the velocity of the body's point at the ground's
        origin: that of a point p is dual part + real part × p, column by column. A joint that slides gives μ times its
        direction; Mladenova (157) to (163).
        """
        return self.record.dual_jacobian(name)

    def velocity_screw(self, name: str) -> Vector:
        """ω + μ v of a body, or of the body of a frame, v the velocity of its point at the ground's origin.

        `screw_of` gives its instantaneous axis, rate of turning and pitch.
        """
        return self.record.velocity_screw(name)
