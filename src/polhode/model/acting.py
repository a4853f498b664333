"""The part of a System that says what acts on it: forces, torques, springs, potentials."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..expr import as_expr, free_symbols
from ..geometry import Pose
from .body import Body, Frame
from .force import BodyTorque, JointForce, Load, PointForce, PointSpring, Potential
from .reading import vector_of
from .records import GROUND, Joint


class Acting:
    """Methods that add loads; `System` provides what they look up."""

    loads: list[Load]

    if TYPE_CHECKING:

        def _place(self, on: Body | Frame | str, at: Iterable[Any], rotation: Any, place: str) -> tuple[str, Pose]: ...
        def _frame_name(self, frame: Body | Frame | str, place: str) -> str: ...
        def _joint(self, joint: Joint | str, place: str) -> Joint: ...

    def force(
        self,
        on: Body | Frame | str,
        vector: Iterable[Any],
        *,
        at: Iterable[Any] = (0, 0, 0),
        frame: Body | Frame | str = GROUND,
        name: str = "",
    ) -> None:
        """Apply a force at a point of a body; its components are along the axes of `frame` (the ground's)."""
        place = f"force {name!r}" if name else "force"
        body, pose = self._place(on, at, None, place)
        self.loads.append(PointForce(name, body, pose.p, vector_of(vector, place), self._frame_name(frame, place)))

    def torque(
        self, on: Body | Frame | str, vector: Iterable[Any], *, frame: Body | Frame | str = GROUND, name: str = ""
    ) -> None:
        """Apply a pure torque to a body; its components are along the axes of `frame` (the ground's)."""
        place = f"torque {name!r}" if name else "torque"
        body, _ = self._place(on, (0, 0, 0), None, place)
        self.loads.append(BodyTorque(name, body, vector_of(vector, place), self._frame_name(frame, place)))

    def joint_force(self, joint: Joint | str, value: Any, index: int = 0, name: str = "") -> None:
        """Add a generalized force (a torque for a rotation) to one speed of a joint: any expression."""
        found = self._joint(joint, "joint force")
        place = f"joint force on '{found.name}'"
        if not 0 <= index < len(found.u):
            raise ModelError(
                f"there is no speed number {index}; it has {len(found.u)}.", place=place, code="E-MODEL-009"
            )
        self.loads.append(JointForce(name, found.name, index, as_expr(value)))

    def joint_spring(
        self, joint: Joint | str, stiffness: Any, rest: Any = 0, damping: Any = 0, index: int = 0, name: str = ""
    ) -> None:
        """A spring and damper in a joint: potential ½ k (q - q0)² and the force -c u."""
        found = self._joint(joint, "joint spring")
        place = f"joint spring on '{found.name}'"
        if not 0 <= index < len(found.q):
            raise ModelError(
                f"there is no coordinate number {index}; it has {len(found.q)}.", place=place, code="E-MODEL-009"
            )
        if as_expr(damping) and len(found.q) != len(found.u):
            raise ModelError(
                f"its {len(found.q)} coordinates are not its {len(found.u)} speeds one by one.",
                place=place,
                cure="Give damping with joint_force, on a speed.",
                code="E-MODEL-017",
            )
        stretch = found.q[index] - as_expr(rest)
        if as_expr(stiffness):
            self.potential(as_expr(stiffness) * stretch**2 / 2, name)
        if as_expr(damping):
            self.joint_force(found, -as_expr(damping) * found.u[index], index, name)

    def spring(
        self,
        a: Body | Frame | str,
        b: Body | Frame | str,
        stiffness: Any,
        length: Any = 0,
        damping: Any = 0,
        *,
        at_a: Iterable[Any] = (0, 0, 0),
        at_b: Iterable[Any] = (0, 0, 0),
        name: str = "",
    ) -> None:
        """A spring and damper along the line between two points."""
        place = f"spring {name!r}" if name else "spring"
        body_a, pose_a = self._place(a, at_a, None, place)
        body_b, pose_b = self._place(b, at_b, None, place)
        if body_a == body_b:
            raise ModelError(f"both ends are on body '{body_a}'.", place=place, code="E-MODEL-010")
        self.loads.append(
            PointSpring(name, body_a, pose_a.p, body_b, pose_b.p, as_expr(stiffness), as_expr(length), as_expr(damping))
        )

    def potential(self, energy: Any, name: str = "") -> None:
        """Add a potential energy: any expression of coordinates, parameters and time."""
        made = as_expr(energy)
        wrong = [x for x in free_symbols([made]) if x.data[0] in ("speed", "effort", "acceleration")]
        if wrong:
            raise ModelError(
                f"a potential cannot depend on the {wrong[0].data[0]} '{wrong[0].name}'.",
                place=f"potential {name!r}" if name else "potential",
                cure="Use joint_force, force or torque for what depends on motion.",
                code="E-MODEL-018",
            )
        self.loads.append(Potential(name, made))
