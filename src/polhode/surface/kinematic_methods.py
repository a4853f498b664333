"""The methods of Equations that ask where a mechanism is and how it can move; each enters the room that knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..simulate.methods import RunMethods

if TYPE_CHECKING:
    from ..expr import Matrix, Vector
    from ..geometry import Pose
    from ..kinematics.joint_kinematics import JointKinematics


class KinematicMethods(RunMethods):
    """Rates of coordinates, poses, Jacobians.

    >>> import polhode as ph
    >>> s = ph.System("arm")
    >>> _ = s.joint("q", s.ground, s.body("link", 2, com=(1, 0, 0)), ph.Revolute("z"), speeds=["u"])
    >>> tip = s.frame("tip", "link", (3, 0, 0))
    >>> e = s.derive()
    >>> e.pose("tip").p, e.joint_poses["q"].R == e.pose("link").R, e.coordinate_rates, e.kinematic_matrix
    (Vector([3*cos(q), 3*sin(q), 0]), True, Vector([u]), Matrix([[1]]))
    >>> e.frame_velocity("tip"), e.frame_acceleration("tip")[4]
    (Vector([0, 0, u, -3*u*sin(q), 3*u*cos(q), 0]), 3*u'*cos(q) - 3*u**2*sin(q))
    >>> e.velocity_screw("link"), e.dual_jacobian("link")
    (Vector([0, 0, u]), Matrix([[0], [0], [1]]))
    >>> e.center_of_mass, e.centroidal_matrix[3], e.centroidal_momentum[1]
    (Vector([cos(q), sin(q), 0]), Vector([-2*sin(q)]), Vector([-2*u*sin(q), 2*u*cos(q), 0]))
    """

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

    def joint_kinematics(self, name: str) -> JointKinematics:
        """A joint's configuration X, kinematic matrix Γ and map H in the symbols of the system: `ph.joint_kinematics`.

        >>> import polhode as ph
        >>> s = ph.System("arm")
        >>> _ = s.joint("neck", s.ground, s.body("head", 1), ph.Universal("z", "y"), speeds=["pan", "tilt"])
        >>> s.derive().joint_kinematics("neck").velocity[:3]
        Vector([-pan*sin(neck_2), tilt, pan*cos(neck_2)])
        """
        return self.record.joint_kinematics(name)

    @property
    def joint_poses(self) -> dict[str, Pose]:
        """X of every joint: the pose of its frame on the child in its frame on the parent."""
        return {name: self.record.joint_kinematics(name).X for name in self.record.system.joints}

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

    def frame_velocity(self, name: str) -> Vector:
        """ω over v of the origin of a body or frame, in ground components."""
        from ..dynamics.frame_motion import frame_velocity

        return frame_velocity(self.record, name)

    def frame_acceleration(self, name: str) -> Vector:
        """ω̇ over v̇ of the origin of a body or frame in ground components, of q, u and u̇ (`udot`): J u̇ + J̇ u."""
        from ..dynamics.frame_motion import frame_acceleration

        return frame_acceleration(self.record, name)

    def bias_acceleration(self, name: str) -> Vector:
        """J̇ u of a body or frame: its acceleration where no speed changes.

        >>> import polhode as ph
        >>> s = ph.System("whirl")
        >>> _ = s.joint("turn", s.ground, s.body("arm", 1), ph.Revolute("z"), coordinates=["a"], speeds=["w"])
        >>> tip = s.frame("tip", "arm", (2, 0, 0))
        >>> s.derive().bias_acceleration("tip")[3:]
        Vector([-2*w**2*cos(a), -2*w**2*sin(a), 0])
        """
        from ..dynamics.frame_motion import bias_acceleration

        return bias_acceleration(self.record, name)

    @property
    def center_of_mass(self) -> Vector:
        """The mass centre of all bodies, in ground components."""
        from ..dynamics.centroidal import center_of_mass

        return center_of_mass(self.record)

    @property
    def centroidal_momentum(self) -> tuple[Vector, Vector]:
        """Angular momentum about the mass centre and linear momentum, in ground components."""
        from ..dynamics.centroidal import centroidal_momentum

        return centroidal_momentum(self.record)

    @property
    def centroidal_matrix(self) -> Matrix:
        """A_G, 6×n, with A_G u the momenta about the mass centre, angular over linear."""
        from ..dynamics.centroidal import centroidal_matrix

        return centroidal_matrix(self.record)
