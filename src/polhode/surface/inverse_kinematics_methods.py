"""The methods of Equations that go from poses back to coordinates, and tell how well a frame can move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .derived import Derived

if TYPE_CHECKING:
    from ..analysis.inverse_kinematics import Reached
    from ..analysis.manipulability import Manipulability


class InverseKinematicsMethods(Derived):
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

        A pose is a `Pose`, a pair (position, rotation matrix) or a 4×4 matrix, or arrays of such: then all are solved
        together. The search starts `near` coordinates (by number or name; home by default) and, where that leads
        nowhere, at random places within the limits. `prefer` says what a redundant mechanism does with its freedom:
        stay "near" the start, or away from its "limits". A pose that is not reached is refused, with how near it came;
        among many, `solved` tells. See `polhode.analysis.inverse_kinematics`.

        >>> import polhode as ph
        >>> s = ph.System("arm")
        >>> _ = s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z"))
        >>> _ = s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("z"), at=(1, 0, 0))
        >>> tip = s.frame("tip", "fore", (1, 0, 0))
        >>> found = s.derive().inverse_kinematics("tip", (1, 1, 0), near={"q2": 1}, of="position")
        >>> [round(x, 6) + 0.0 for x in found.q]
        [0.0, 1.570796]
        """
        from ..analysis.inverse_kinematics import inverse_kinematics
        from ..compiled.inverse_kinematics import PoseStepOf

        asked = PoseStepOf(name, of)

        def evaluate(*arrays: Any) -> Any:
            return self._functions.evaluate(asked, *arrays, parameters=parameters)

        return inverse_kinematics(
            self.record, evaluate, name, pose, near, of, limits=limits, prefer=prefer, parameters=parameters,
            tolerance=tolerance, restarts=restarts, seed=seed,
        )  # fmt: skip

    def manipulability(
        self, name: str, q: Any, of: str = "pose", parameters: Mapping[str, Any] | None = None
    ) -> Manipulability:
        """How well a body or frame can move at coordinates (…, n): Yoshikawa's measure, singular values, condition.

        >>> import polhode as ph
        >>> s = ph.System("arm")
        >>> _ = s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z"))
        >>> _ = s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("z"), at=(1, 0, 0))
        >>> tip = s.frame("tip", "fore", (1, 0, 0))
        >>> s.derive().manipulability("tip", [[0, 0.5], [0, 0]], of="position").measure.round(6).tolist()  # sin q2
        [0.479426, 0.0]
        """
        from ..analysis.manipulability import manipulability

        def jacobian(q: Any) -> Any:
            return self._functions.jacobian(name, q, parameters=parameters)

        return manipulability(self.record, jacobian, name, q, of)
