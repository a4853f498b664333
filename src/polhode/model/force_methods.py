"""The methods of a System that say what acts on it; each makes a force element and applies it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from .builder import Builder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..expr import Expr, Vector
    from ..kinematics.vectors import Arrow, Point
    from .body import Body, Frame
    from .forces.protocol import ForceElement
    from .records import Joint

    FrameOf: TypeAlias = Body | Frame | str
    PointOf: TypeAlias = FrameOf | Point
    Offset: TypeAlias = Point | Iterable[Any]


class ForceMethods(Builder):
    """Forces, torques, springs, potentials: what a user calls to put a load on a system.

    A `vector` is a force in N or a torque in N·m, a `value` an expression of either; between two points it acts from
    `at_a` on `a` to `at_b` on `b`. `stiffness` is in N/m or N·m/rad, `damping` in N·s/m or N·m·s/rad; `rest` is where a
    spring is slack.
    """

    def apply(self, kind: type[ForceElement], /, **given: Any) -> None:
        """Add a force element of any kind by the values of its fields (`given`), as the methods below do for those
        listed here.

        >>> import polhode as ph
        >>> from polhode.model.forces import Spring
        >>> s = ph.System()
        >>> bead = s.body("bead", mass=1)
        >>> _ = s.joint("x", s.ground, bead, ph.Prismatic("x"))
        >>> s.apply(Spring, a=s.ground, b=bead, stiffness=3)
        >>> s.derive().bias
        Vector([3*x])
        """
        from .elements import apply

        apply(self, kind, given)

    def force(
        self, on: PointOf, vector: Arrow | Iterable[Any], *, at: Offset = (0, 0, 0), frame: FrameOf | None = None,
        name: str = "",
    ) -> None:  # fmt: skip
        """Apply a force at a point of a body: an arrow, or components along the axes of `frame` (the ground's)."""
        self._apply("force", on=on, vector=vector, at=at, frame=frame, name=name)

    def torque(
        self, on: FrameOf, vector: Arrow | Iterable[Any], *, frame: FrameOf | None = None, name: str = ""
    ) -> None:
        """Apply a pure torque to a body: an arrow, or components along the axes of `frame` (the ground's)."""
        self._apply("torque", on=on, vector=vector, frame=frame, name=name)

    def joint_force(self, joint: Joint | str, value: Any, index: int = 0, name: str = "") -> None:
        """Add a generalized force (a torque for a rotation) to one speed of a joint: any expression."""
        self._apply("joint_force", joint=joint, value=value, index=index, name=name)

    def coordinate_force(self, joint: Joint | str, value: Any, index: int = 0, name: str = "") -> None:
        """Add a generalized force Q to one coordinate of a joint: its power is Q q̇, on the speeds it is Γᵀ Q.

        >>> import polhode as ph
        >>> s = ph.System()
        >>> Q = s.input("Q")
        >>> plane = s.joint("plane", s.ground, s.body("puck", 1, inertia=(1, 1, 1)), ph.Planar("z"))
        >>> s.coordinate_force(plane, Q, index=1)  # along the parent's x; the speeds are along the child's axes
        >>> s.derive().poincare_form.Q
        Vector([0, Q*cos(plane_angle), -Q*sin(plane_angle)])
        """
        self._apply("coordinate_force", joint=joint, value=value, index=index, name=name)

    def joint_spring(
        self, joint: Joint | str, stiffness: Any, rest: Any = 0, damping: Any = 0, index: int = 0, name: str = ""
    ) -> None:
        """A spring and damper in a joint: potential ½ k (q - q0)² and the force -c u."""
        laws = {"stiffness": stiffness, "rest": rest, "damping": damping}
        self._apply("joint_spring", joint=joint, **laws, index=index, name=name)

    def spring(
        self, a: PointOf, b: PointOf, stiffness: Any, length: Any = 0, damping: Any = 0, *, at_a: Offset = (0, 0, 0),
        at_b: Offset = (0, 0, 0), name: str = "",
    ) -> None:  # fmt: skip
        """A spring and damper along the line between two points: the tension k (L - length) + c dL/dt.

        A positive tension pulls the points together, a negative one pushes them apart.
        """
        laws = {"stiffness": stiffness, "length": length, "damping": damping}
        self._apply("spring", a=a, b=b, **laws, at_a=at_a, at_b=at_b, name=name)

    def damper(
        self, a: PointOf, b: PointOf, damping: Any, *, at_a: Offset = (0, 0, 0), at_b: Offset = (0, 0, 0),
        name: str = "",
    ) -> None:  # fmt: skip
        """A damper along the line between two points: the tension c dL/dt, which resists both ways."""
        self._apply("damper", a=a, b=b, damping=damping, at_a=at_a, at_b=at_b, name=name)

    def line_force(
        self, a: PointOf, b: PointOf, law: Callable[[Expr, Expr], Any], *, at_a: Offset = (0, 0, 0),
        at_b: Offset = (0, 0, 0), name: str = "",
    ) -> None:  # fmt: skip
        """A force along the line between two points: `law(length, rate)` is the tension that pulls them together.

        A negative value pushes them apart. `rate` is positive while they part.
        """
        self._apply("line_force", a=a, b=b, tension=law, at_a=at_a, at_b=at_b, name=name)

    def gravity_field(
        self,
        law: Callable[[Vector], Iterable[Any]] | None = None,
        name: str = "",
        potential: Callable[[Vector], Any] | None = None,
    ) -> None:
        """A field that accelerates every mass: `law(position)` at each mass centre, in ground components.

        It adds to the system's uniform gravity, which is then mostly set to zero; it acts on bodies added later too.
        Its energy is that of the `potential(position)`, in J/kg, whose downward slope is the law, or gives it; that of
        a law with powers of the distance is found. Without a potential the field is a force that does work.
        """
        self._apply("gravity_field", acceleration=law, potential=potential, name=name)

    def potential(self, energy: Any, name: str = "") -> None:
        """Add a potential energy: any expression of coordinates, parameters and time."""
        self._apply("potential", energy=energy, name=name)

    def _apply(self, kind: str, **values: Any) -> None:
        from .forces import FORCES

        self.apply(FORCES[kind], **values)
