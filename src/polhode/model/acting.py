"""The part of a System that says what acts on it: forces, torques, springs, potentials."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..expr import Expr, Vector, free_symbols
from ..geometry import Pose
from .body import Body, Frame
from .force import (
    LENGTH,
    POSITION,
    RATE,
    BodyTorque,
    GravityField,
    JointForce,
    LineForce,
    Load,
    PointForce,
    PointSpring,
    Potential,
)
from .reading import index_of, number_of, result_of, titled, vector_of
from .records import GROUND, Joint

if TYPE_CHECKING:
    from ..kinematics.vectors import Arrow, Point
    from .system import System


class Acting:
    """Methods that add loads; `System` provides what they look up."""

    name: str
    ground: Body
    loads: list[Load]

    if TYPE_CHECKING:

        def _place(self, on: Body | Frame | str, at: Iterable[Any], rotation: Any, place: str) -> tuple[str, Pose]: ...
        def _frame_name(self, frame: Body | Frame | str, place: str) -> str: ...
        def _joint(self, joint: Joint | str, place: str) -> Joint: ...

    def force(
        self,
        on: Body | Frame | Point | str,
        vector: Arrow | Iterable[Any],
        *,
        at: Point | Iterable[Any] = (0, 0, 0),
        frame: Body | Frame | str | None = None,
        name: str = "",
    ) -> None:
        """Apply a force at a point of a body: an arrow, or components along the axes of `frame` (the ground's).

        >>> import polhode as ph
        >>> s = ph.System()
        >>> k, bead = s.parameter("k"), s.body("bead", mass=1)
        >>> rail = s.joint("x", s.ground, bead, ph.Prismatic("x"))
        >>> s.force(bead, -k * rail.q[0] * s.ground.x, at=bead.centre)
        >>> s.derive().bias
        Vector([k*x])
        """
        place = titled("force", name)
        body, point = self._spot(on, at, place)
        self.loads.append(PointForce(name, body, point, *self._given_vector(vector, frame, place)))

    def torque(
        self,
        on: Body | Frame | str,
        vector: Arrow | Iterable[Any],
        *,
        frame: Body | Frame | str | None = None,
        name: str = "",
    ) -> None:
        """Apply a pure torque to a body: an arrow, or components along the axes of `frame` (the ground's)."""
        place = titled("torque", name)
        body, _ = self._place(on, (0, 0, 0), None, place)
        self.loads.append(BodyTorque(name, body, *self._given_vector(vector, frame, place)))

    def _spot(self, on: Body | Frame | Point | str, at: Point | Iterable[Any], place: str) -> tuple[str, Vector]:
        """The body that is meant, and the point in its components."""
        from ..kinematics.vectors import Point

        if isinstance(on, Point):
            on, at = self._own_body(on, place), on
        if not isinstance(at, Point):
            body, pose = self._place(on, at, None, place)
            return body, pose.p
        body, _ = self._place(on, (0, 0, 0), None, place)
        if body != self._own_body(at, place):
            raise ModelError(
                f"the point is on body '{at.body}', not on '{body}'.",
                place=place,
                cure=f"Give a point of '{body}', or apply it to '{at.body}'.",
                code="E-MODEL-060",
            )
        return body, at.offset

    def _own_body(self, point: Point, place: str) -> str:
        """The body of a point, which must belong to this system."""
        self._check_home("point", point.system, place)
        return point.body

    def _check_home(self, what: str, home: System, place: str) -> None:
        """Refuse a point or arrow of another system; a snapshot stands on the same ground as its original."""
        if home.ground is not self.ground:
            raise ModelError(
                f"the {what} is of system '{home.name}', not of '{self.name}'.",
                place=place,
                cure=f"Write it with the bodies of '{self.name}'.",
                code="E-MODEL-062",
            )

    def _given_vector(
        self, vector: Arrow | Iterable[Any], frame: Body | Frame | str | None, place: str
    ) -> tuple[Vector, str]:
        """Components and the frame they are in: for an arrow that asked for or, if it is in one frame, its own."""
        from ..kinematics.vectors import Arrow

        wanted = None if frame is None else self._frame_name(frame, place)
        if not isinstance(vector, Arrow):
            return vector_of(vector, place), wanted or GROUND
        self._check_home("arrow", vector.system, place)
        if wanted is None:
            used = list(vector.by_frame)
            wanted = used[0] if len(used) == 1 and isinstance(used[0], str) else GROUND
        return vector.components(wanted), wanted

    def joint_force(self, joint: Joint | str, value: Any, index: int = 0, name: str = "") -> None:
        """Add a generalized force (a torque for a rotation) to one speed of a joint: any expression."""
        found = self._joint(joint, "joint force")
        place = titled(f"joint force on '{found.name}'", name)
        k = index_of(index, len(found.u), "speed", place)
        self.loads.append(JointForce(name, found.name, k, number_of(value, place)))

    def joint_spring(
        self, joint: Joint | str, stiffness: Any, rest: Any = 0, damping: Any = 0, index: int = 0, name: str = ""
    ) -> None:
        """A spring and damper in a joint: potential ½ k (q - q0)² and the force -c u."""
        found = self._joint(joint, "joint spring")
        place = titled(f"joint spring on '{found.name}'", name)
        k = index_of(index, len(found.q), "coordinate", place)
        stiff, home, c = (number_of(given, place) for given in (stiffness, rest, damping))
        if c and len(found.q) != len(found.u):
            raise ModelError(
                f"its {len(found.q)} coordinates are not its {len(found.u)} speeds one by one.",
                place=place,
                cure="Give damping with joint_force, on a speed.",
                code="E-MODEL-017",
            )
        if stiff:
            self.potential(stiff * (found.q[k] - home) ** 2 / 2, name)
        if c:
            self.joint_force(found, -c * found.u[k], k, name)

    def spring(
        self,
        a: Body | Frame | Point | str,
        b: Body | Frame | Point | str,
        stiffness: Any,
        length: Any = 0,
        damping: Any = 0,
        *,
        at_a: Point | Iterable[Any] = (0, 0, 0),
        at_b: Point | Iterable[Any] = (0, 0, 0),
        name: str = "",
    ) -> None:
        """A spring and damper along the line between two points: the tension k (L - length) + c dL/dt.

        A positive tension pulls the points together, a negative one pushes them apart.
        """
        place = titled("spring", name)
        ends = self._ends(a, at_a, b, at_b, place)
        k, l, c = (number_of(given, place) for given in (stiffness, length, damping))
        self.loads.append(PointSpring(name, *ends, k, l, c))

    def damper(
        self,
        a: Body | Frame | Point | str,
        b: Body | Frame | Point | str,
        damping: Any,
        *,
        at_a: Point | Iterable[Any] = (0, 0, 0),
        at_b: Point | Iterable[Any] = (0, 0, 0),
        name: str = "",
    ) -> None:
        """A damper along the line between two points: the tension c dL/dt, which resists both ways.

        >>> import polhode as ph
        >>> s = ph.System()
        >>> c, bead = s.parameter("c"), s.body("bead", mass=1)
        >>> _ = s.joint("x", s.ground, bead, ph.Prismatic("x"))
        >>> s.damper(s.ground, bead, c, at_a=(-1, 0, 0))
        >>> s.loads[0].damping, s.loads[0].stiffness
        (c, 0)
        """
        self.spring(a, b, 0, damping=damping, at_a=at_a, at_b=at_b, name=name)

    def line_force(
        self,
        a: Body | Frame | Point | str,
        b: Body | Frame | Point | str,
        law: Callable[[Expr, Expr], Any],
        *,
        at_a: Point | Iterable[Any] = (0, 0, 0),
        at_b: Point | Iterable[Any] = (0, 0, 0),
        name: str = "",
    ) -> None:
        """A force along the line between two points: `law(length, rate)` is the tension that pulls them together.

        A negative value pushes them apart. `rate` is positive while they part.

        >>> import polhode as ph
        >>> s = ph.System()
        >>> k, bead = s.parameter("k"), s.body("bead", mass=1)
        >>> _ = s.joint("x", s.ground, bead, ph.Prismatic("x"))
        >>> s.line_force(s.ground, bead, lambda length, rate: k * length**3)
        >>> s.derive().bias == (k * s.joints["x"].q[0] ** 3,)
        True
        """
        place = titled("line force", name)
        ends = self._ends(a, at_a, b, at_b, place)
        tension = result_of(law, (LENGTH, RATE), place)
        if hasattr(tension, "__iter__") or hasattr(tension, "terms"):
            raise ModelError(
                f"the law gives {tension!r}, which is no number or expression.",
                place=place,
                cure="Give the tension alone; its direction is the line.",
                code="E-MODEL-061",
            )
        self.loads.append(LineForce(name, *ends, number_of(tension, place)))

    def _ends(
        self, a: Any, at_a: Point | Iterable[Any], b: Any, at_b: Point | Iterable[Any], place: str
    ) -> tuple[str, Vector, str, Vector]:
        body_a, point_a = self._spot(a, at_a, place)
        body_b, point_b = self._spot(b, at_b, place)
        if body_a == body_b:
            raise ModelError(f"both ends are on body '{body_a}'.", place=place, code="E-MODEL-010")
        return body_a, point_a, body_b, point_b

    def gravity_field(self, law: Callable[[Vector], Iterable[Any]], name: str = "") -> None:
        """A field that accelerates every mass: `law(position)` at each mass centre, in ground components.

        It adds to the system's uniform gravity, which is then mostly set to zero; it acts on bodies added later too.
        """
        place = titled("gravity field", name)
        self.loads.append(GravityField(name, vector_of(result_of(law, (POSITION,), place), place)))

    def potential(self, energy: Any, name: str = "") -> None:
        """Add a potential energy: any expression of coordinates, parameters and time."""
        place = titled("potential", name)
        made = number_of(energy, place)
        wrong = [x for x in free_symbols([made]) if x.data[0] in ("speed", "effort", "acceleration")]
        if wrong:
            raise ModelError(
                f"a potential cannot depend on the {wrong[0].data[0]} '{wrong[0].name}'.",
                place=place,
                cure="Use joint_force, force or torque for what depends on motion.",
                code="E-MODEL-018",
            )
        self.loads.append(Potential(name, made))
