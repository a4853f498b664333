"""The methods of Equations that ask where a mechanism is and how it can move; each enters the room that knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Matrix, Vector
    from ..geometry import Pose


class KinematicMethods:
    """Rates of coordinates, poses, Jacobians."""

    @property
    def record(self) -> EquationsOfMotion:
        """The equations as the formalism gave them: graphs only."""
        raise NotImplementedError

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

    def jacobian(self, name: str, orientation: str | None = None) -> Matrix:
        """The 6×n Jacobian of a body's or frame's origin, in ground components: angular over linear velocity, by u.

        With orientation="vector" it has the rate of the frame's vector-parameter c, whose length is tan(θ/2), over the
        velocity, by the rates of the coordinates: ċ = N_CV q̇, (122) to (125) of Mladenova.

        >>> import polhode as ph
        >>> s = ph.System("arm")
        >>> _ = s.joint("hinge", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("z", storage="vector"))
        >>> s.derive().jacobian("link", orientation="vector")[2][0] == 1  # the link's c is the joint's
        True
        """
        return self.record.jacobian(name, orientation)
