"""The methods of Equations for inverse kinematics, manipulability, singular configurations and workspaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..simulate.methods import RunMethods

if TYPE_CHECKING:
    from .closed_form import ClosedForm
    from .numerical import Reached
    from .singular_configurations import Manipulability, SingularConfigurations
    from .workspace import Workspace


class InverseKinematicsMethods(RunMethods):
    """Inverse kinematics by number and in closed form, manipulability."""

    def inverse_kinematics(
        self,
        name: str,
        pose: Any,
        near: Any = None,
        of: str = "pose",
        *,
        limits: bool = True,
        prefer: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        tolerance: float = 1e-10,
        restarts: int = 200,
        seed: int = 0,
    ) -> Reached:
        """Coordinates that bring a body or frame to a pose, position or orientation in the ground; loops are closed.

        A pose is a `Pose`, what a `PoseSpline` or Pinocchio gives, a pair of position and rotation matrix in either
        order, or a 4×4 matrix, or arrays of such: then all are solved together. The search starts `near` coordinates
        (by number or name; home by default) and, where that leads nowhere, at up to `restarts` random places within the
        limits, to a `tolerance`. `prefer`
        says what a redundant mechanism does with its freedom: stay "near" the start, or away from its "limits". A pose
        that is not reached is refused, with how near it came; of arrays, `solved` has the outcome. See
        `polhode.inverse_kinematics.numerical`.

        >>> import polhode as ph
        >>> s = ph.System("arm")
        >>> _ = s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z"))
        >>> _ = s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("z"), at=(1, 0, 0))
        >>> tip = s.frame("tip", "fore", (1, 0, 0))
        >>> found = s.derive().inverse_kinematics("tip", (1, 1, 0), near={"q2": 1}, of="position")
        >>> abs(found.q).round(6).tolist()
        [0.0, 1.570796]
        """
        from .numerical import inverse_kinematics

        return inverse_kinematics(
            self._functions, name, pose, near, of, limits=limits, prefer=prefer, parameters=parameters,
            tolerance=tolerance, restarts=restarts, seed=seed,
        )  # fmt: skip

    def closed_form_inverse_kinematics(
        self, name: str, of: str = "pose", parameters: Mapping[str, Any] | None = None
    ) -> ClosedForm:
        """All branches of the inverse kinematics of an arm as expressions of the pose, proved by substitution.

        There is one for the pose of six revolute joints of which three axes meet, as in a wrist, or are parallel, as in
        a UR5, and for the position of three; what has none says why. `at(pose)` gives all real solutions. See
        `polhode.inverse_kinematics.closed_form`.
        """
        from .closed_form import closed_form

        return replace(closed_form(self.record, name, of), functions=self._functions, parameters=parameters)

    def manipulability(
        self, name: str, q: Any, of: str = "pose", parameters: Mapping[str, Any] | None = None
    ) -> Manipulability:
        """How well a body or frame can move at coordinates (…, n): Yoshikawa's measure, singular values, condition."""
        from .singular_configurations import manipulability

        return manipulability(self._functions, name, q, of, parameters)

    def singular_configurations(self, name: str, of: str = "pose") -> SingularConfigurations:
        """Where a frame loses a way to move, its `of` being "pose", "position" or "orientation".

        The factors that vanish there, and a search `along` a path; see `inverse_kinematics.singular_configurations`.
        """
        from .singular_configurations import singular_configurations

        return singular_configurations(self._functions, name, of)

    def workspace(
        self, name: str, samples: int = 20_000, seed: int = 0, parameters: Mapping[str, Any] | None = None
    ) -> Workspace:
        """Where the origin of a body or frame can be while the joints keep their limits: points, boundary, a picture.

        A revolute joint without limits turns all around; see `polhode.inverse_kinematics.workspace`.

        >>> import polhode as ph
        >>> s = ph.System("arm")
        >>> _ = s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z"))
        >>> _ = s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("z"), at=(2, 0, 0))
        >>> tip = s.frame("tip", "fore", (1, 0, 0))
        >>> reach = s.derive().workspace("tip")
        >>> reach.distance([(2, 0, 0), (4, 0, 0), (0, 0.25, 0)]).round(6).tolist()  # a ring with radii 1 and 3
        [0.0, 1.0, 0.75]
        """
        from .workspace import Workspace

        return Workspace.of(self._functions, name, samples, seed, parameters)
