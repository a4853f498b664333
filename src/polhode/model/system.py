"""The System: what a user writes down about a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, shown, understood
from ..expr import Expr, Matrix, Vector, as_expr, free_symbols, symbol, symbols
from ..expr.spelling import acceleration_of, told_apart
from ..geometry import Pose
from .acting import Acting
from .body import Body, Frame, Shape, about_centre, check_inertia, check_mass, inertia_of, shapes_of
from .constraining import Constraining
from .constraint import Constraint
from .directions import Placing
from .force import Load
from .joint_type import JointType, joint_type
from .origin import Origin
from .reading import (
    checked_name,
    coordinate_symbols,
    flag_of,
    names_of,
    number_of,
    numbers_by_name,
    pose_of,
    speed_roles,
    unknown,
    vector_of,
    zeros,
)
from .records import GROUND, Coupling, Joint, NamedPose, Parameter, Prescribed
from .unit import checked_unit

if TYPE_CHECKING:
    from ..compare import Comparison
    from ..constraints.diagnostics import Diagnosis
    from ..dynamics.equations import Equations
    from ..kinematics.vectors import Arrow

BODY_LIMIT = 2000


class System(Acting, Constraining, Placing):
    """A mechanism: bodies joined in a tree on the ground, and what acts on them.

    >>> import polhode as ph
    >>> pendulum = ph.System("pendulum")
    >>> l = pendulum.parameter("l", 1)
    >>> bob = pendulum.body("bob", mass=1, com=(0, 0, -l))
    >>> hinge = pendulum.joint("hinge", pendulum.ground, bob, ph.Revolute("y"))
    >>> hinge.q
    (hinge,)
    """

    #: The file that it was read from, where that is known.
    origin: Origin | None = None

    def __init__(self, name: str = "system", gravity: Iterable[Any] = (0, 0, "-9.81")) -> None:
        self.name = checked_name(name, "system")
        self.gravity = gravity
        self.ground = Body(GROUND, as_expr(0), zeros(), Matrix.zeros(3, 3).map(as_expr), home=self)
        self.time = symbol("t", "time")
        self.bodies: dict[str, Body] = {GROUND: self.ground}
        self.joints: dict[str, Joint] = {}
        self.frames: dict[str, Frame] = {}
        self.parameters: dict[str, Parameter] = {}
        self.inputs: dict[str, Parameter] = {}
        self.couplings: dict[str, Coupling] = {}
        self.prescribed: dict[str, Prescribed] = {}
        self.constraints: dict[str, Constraint] = {}
        self.loads: list[Load] = []
        self.poses: dict[str, NamedPose] = {}
        self.spellings: dict[tuple[str, str], Expr] = {}  # how the symbols of the tables above are written
        self.kept_scene: Any = None  # what polhode.kinematics.vectors made of the tables above, until they grow

    @property
    def gravity(self) -> Vector:
        """The acceleration of free fall in ground components: numbers, parameters, inputs, functions of time."""
        return self._gravity

    @gravity.setter
    def gravity(self, given: Iterable[Any] | Arrow) -> None:
        cure = "Give three components, for example (0, 0, -9.81)."
        with understood("an acceleration of free fall", given, place=f"system '{self.name}' gravity", cure=cure):
            if hasattr(given, "components"):
                given = given.components(self.ground)
            if isinstance(given, str | bytes):
                raise TypeError
            made = Vector([as_expr(g) for g in given])
        if len(made) != 3:
            raise ModelError("gravity has 3 components.", place=f"system '{self.name}'", code="E-MODEL-001")
        moving = [x for x in free_symbols(made) if x.data[0] in ("coordinate", "speed", "effort", "acceleration")]
        if moving:
            raise ModelError(
                f"gravity cannot depend on the {moving[0].data[0]} '{moving[0].name}'.",
                place=f"system '{self.name}'",
                cure="Use gravity_field for a field that depends on the position.",
                code="E-MODEL-063",
            )
        self._gravity = made

    # ---- symbols ---------------------------------------------------------------------------------------------

    def parameter(self, name: str, value: Any = None, unit: str = "") -> Expr:
        """A constant that stays a symbol in the equations; its value can be given now or at run time.

        The unit is a label for readers, plots and files. It is not checked against other units.
        """
        return self._named_symbol(self.parameters, "parameter", name, value, unit)

    def input(self, name: str, value: Any = 0, unit: str = "") -> Expr:
        """A quantity that may vary during a run: a motor torque, a wind speed."""
        return self._named_symbol(self.inputs, "input", name, value, unit)

    def _named_symbol(self, table: dict[str, Parameter], kind: str, name: str, value: Any, unit: str) -> Expr:
        self._new_name(table, kind, name)
        place = f"{kind} '{name}'"
        number = None if value is None else number_of(value, place)
        if number is not None and not number.is_number:
            raise ModelError(f"the value {value!r} is not a number.", place=place, code="E-MODEL-002")
        made, label = symbol(name, kind), checked_unit(unit, place)
        self._tell_apart([made], place)
        table[name] = Parameter(made, None if number is None else number.data, label)
        return made

    # ---- bodies and frames -----------------------------------------------------------------------------------

    def body(
        self,
        name: str,
        mass: Any = 0,
        com: Iterable[Any] = (0, 0, 0),
        inertia: Any = 0,
        shapes: Shape | Iterable[Shape] = (),
        check: bool = True,
        about: Iterable[Any] | None = None,
    ) -> Body:
        """Add a rigid body: mass, mass centre, and inertia about the mass centre in the body's axes.

        The inertia is a matrix, its entries (xx, yy, zz, xy, xz, yz), principal moments (xx, yy, zz), or a solid's
        such as `rod`. Beware of other orders: SymPy's `inertia` takes xx, yy, zz, xy, yz, zx, URDF has xx, xy, xz, yy,
        yz, zz. Products of inertia are entries of the matrix: xy is -∫ x y dm. Where it is given about another point,
        `about` is that point in the body's frame; the axes stay the body's. (0, 0, 0) is where its joint sits.
        An inertia that no body can have is refused; `check=False` takes it all the same, as some robot files need.

        >>> import polhode as ph
        >>> s = ph.System()
        >>> s.body("bar", mass=3, com=(0, 0, "-0.5"), inertia=(1, 1, 0), about=(0, 0, 0)).inertia == ph.rod(3, 1)
        True
        """
        place = f"body '{name}'"
        self._new_name({**self.bodies, **self.frames}, "body", name)
        if len(self.bodies) > BODY_LIMIT:
            raise ModelError(f"more than {BODY_LIMIT} bodies.", place=place, code="E-MODEL-003")
        heavy, centre = number_of(mass, f"{place} mass"), vector_of(com, f"{place} com")
        moments = inertia_of(inertia, f"{place} inertia")
        if about is not None:
            moments = about_centre(moments, heavy, centre - vector_of(about, f"{place} about"))
        made = Body(
            name,
            heavy,
            centre,
            moments,
            shapes_of(shapes, place),
            home=self,
        )
        if flag_of(check, "check", place):
            check_mass(made.mass, {key: each.value for key, each in self.parameters.items()}, place)
            check_inertia(made.inertia, place)
        self.bodies[name] = made
        return made

    def frame(self, name: str, body: Body | str, at: Iterable[Any] = (0, 0, 0), rotation: Any = None) -> Frame:
        """Add a frame fixed in a body; its origin serves as a point."""
        place = f"frame '{name}'"
        self._new_name({**self.frames, **self.bodies}, "frame", name)
        made = Frame(name, self._body_name(body, place), pose_of(at, rotation, place), home=self)
        self.frames[name] = made
        return made

    # ---- joints ----------------------------------------------------------------------------------------------

    def joint(
        self,
        name: str,
        parent: Body | Frame | str,
        child: Body | Frame | str,
        kind: JointType | str = "fixed",
        *,
        at: Iterable[Any] = (0, 0, 0),
        rotation: Any = None,
        child_at: Iterable[Any] = (0, 0, 0),
        child_rotation: Any = None,
        coordinates: Sequence[str] | None = None,
        speeds: Sequence[str] | None = None,
        **options: Any,
    ) -> Joint:
        """Join a child to a parent: `at` and `rotation` place the joint in the parent, `child_…` in the child."""
        place = f"joint '{name}'"
        self._new_name(self.joints, "joint", name)
        made_type = joint_type(kind, place, **options)
        parent_name, in_parent = self._place(parent, at, rotation, place)
        if made_type.nominal is not None:
            in_parent = in_parent @ Pose(made_type.nominal, zeros())
            made_type = replace(made_type, nominal=None)
        child_name, in_child = self._place(child, child_at, child_rotation, place)
        self._check_child(parent_name, child_name, place)
        q_names = names_of(name, made_type.coordinate_labels(), coordinates, f"{place} coordinates")
        u_names = names_of(name, made_type.speed_labels(), speeds, f"{place} speeds")
        self._check_fresh(q_names, u_names, place)
        q, tau = coordinate_symbols(made_type, q_names), symbols(u_names, "effort")
        roles = speed_roles(made_type, q_names, u_names)
        u = tuple(symbol(speed, "speed", role) for speed, role in zip(u_names, roles, strict=True))
        self._tell_apart([*q, *u, *tau, *map(acceleration_of, u)], place)
        made = Joint(name, made_type, parent_name, child_name, in_parent, in_child, q, u, tau)
        self.joints[name] = made
        return made

    def _check_child(self, parent: str, child: str, place: str) -> None:
        if child == GROUND:
            raise ModelError(
                "the ground cannot be a child.", place=place, cure="Swap parent and child.", code="E-MODEL-004"
            )
        if parent == child:
            raise ModelError(f"body '{child}' cannot be joined to itself.", place=place, code="E-MODEL-005")
        carrier = {joint.child: joint for joint in self.joints.values()}
        if child in carrier:
            raise ModelError(
                f"body '{child}' already hangs on joint '{carrier[child].name}'.",
                place=place,
                cure="In a tree each body has one parent; a second joint closes a loop.",
                code="E-MODEL-006",
            )
        body, path = parent, [parent]
        while body in carrier:
            body = carrier[body].parent
            path.append(body)
            if body == child:
                raise ModelError(
                    f"this joint closes a cycle: {' → '.join([child, *path[::-1][1:]])} → {child}.",
                    place=place,
                    cure="Join one of these bodies to the ground or to another body instead.",
                    code="E-MODEL-007",
                )

    def _check_fresh(self, q_names: list[str], u_names: list[str], place: str) -> None:
        for what, names, taken in (
            ("coordinate", q_names, [q.name for joint in self.joints.values() for q in joint.q]),
            ("speed", u_names, [u.name for joint in self.joints.values() for u in joint.u]),
        ):
            again = [name for k, name in enumerate(names) if name in taken or name in names[:k]]
            if again:
                raise ModelError(
                    f"the {what} name '{again[0]}' is already taken.",
                    place=place,
                    cure="Choose another.",
                    code="E-MODEL-008",
                )

    # ---- poses and results -----------------------------------------------------------------------------------

    def pose(self, name: str, coordinates: Mapping[str, float], speeds: Mapping[str, float] | None = None) -> NamedPose:
        """Name a state to start from; coordinates that are not given stay at home, speeds at zero."""
        self._new_name(self.poses, "pose", name)
        place = f"pose '{name}'"
        made = NamedPose(
            numbers_by_name(coordinates, f"{place} coordinates"),
            numbers_by_name({} if speeds is None else speeds, f"{place} speeds"),
        )
        q_names = [*(q.name for joint in self.joints.values() for q in joint.q), *self.places]
        u_names = [u.name for joint in self.joints.values() for u in joint.u]
        for kind, given, known in (("coordinate", made.coordinates, q_names), ("speed", made.speeds, u_names)):
            for key in given:
                if key not in known:
                    raise unknown(kind, key, known, place)
        self.poses[name] = made
        return made

    def derive(
        self,
        formalism: str = "auto",
        passes: Iterable[str] | None = None,
        constraints: str = "multipliers",
        independent: Sequence[str] | None = None,
        near: Mapping[str, float] | str | None = None,
        report: bool = False,
    ) -> Equations:
        """The equations of motion, by a formalism named in `polhode.formalisms.names()`.

        Loops and rolling are kept by multipliers, or "embedded": then some speeds (`independent`, if named) stay,
        from which the others follow at and around a pose (`near`, home by default). `derive("kane", report=True)`
        makes its `report` at once: the tables of Sayers' paper for this system.
        """
        from ..formalisms import derive

        made = derive(self.snapshot(), formalism, passes, constraints, independent, near)
        if flag_of(report, "report", "derive"):
            _ = made.report.tables
        return made

    def snapshot(self) -> System:
        """The system as it is now; what is added to the original later does not reach it."""
        made = copy(self)
        for table, value in vars(self).items():
            if isinstance(value, dict | list):
                setattr(made, table, copy(value))
        return made

    def compare(self, formalisms: Sequence[str] | str | None = None, **options: Any) -> Comparison:
        """Every formalism beside the others: whether they agree, what they cost; see `polhode.compare.compare`."""
        from ..compare import compare

        return compare(self, formalisms, **options)

    def diagnose(self, pose: Mapping[str, float] | str | None = None) -> Diagnosis:
        """What the constraints leave free and what is wrong with them, at a pose and around it; print it.

        >>> import polhode as ph
        >>> s = ph.System("sleigh")
        >>> _ = s.joint("glide", s.ground, s.body("runner", 1, inertia=(1, 1, 1)), ph.Planar("z"))
        >>> _ = s.knife_edge("blade", "runner", across="y")
        >>> print(s.diagnose())
        sleigh: 3 speeds, 1 constraint; 2 degrees of freedom.
        • nonholonomic: blade. 2 speeds can be chosen, and manoeuvres reach 3 dimensions of 3 (growth vector 2, 3).
        • choose as independent: glide_w and glide_vx; the others follow: glide_vy.
        """
        from ..constraints.diagnostics import diagnose

        return diagnose(self.snapshot(), pose)

    def _tell_apart(self, made: Iterable[Expr], place: str) -> None:
        """Refuse symbols that would be written as others are."""
        self.spellings |= told_apart(made, self.spellings, place)

    # ---- looking things up -----------------------------------------------------------------------------------

    def _new_name(self, table: Mapping[str, object], kind: str, name: str) -> None:
        checked_name(name, kind)
        if name in table:
            raise ModelError(
                f"there is already a {'body or frame' if kind in ('body', 'frame') else kind} of this name.",
                place=f"{kind} '{name}'",
                cure="Choose another.",
                code="E-MODEL-011",
            )

    def _body_name(self, body: Body | str, place: str) -> str:
        name = body.name if isinstance(body, Body) else body if isinstance(body, str) else shown(body)
        if name not in self.bodies:
            raise unknown("body", name, self.bodies, place)
        if isinstance(body, Body) and self.bodies[name] is not body:
            raise ModelError(
                f"the body '{name}' is not in the system '{self.name}', which has another of this name.",
                place=place,
                cure=f"Give the body of '{self.name}', or its name.",
                code="E-MODEL-019",
            )
        return name

    def _joint(self, joint: Joint | str, place: str) -> Joint:
        name = joint.name if isinstance(joint, Joint) else joint if isinstance(joint, str) else shown(joint)
        if name not in self.joints:
            raise unknown("joint", name, self.joints, place)
        return self.joints[name]

    def _place(self, on: Body | Frame | str, at: Iterable[Any], rotation: Any, place: str) -> tuple[str, Pose]:
        """The body and the pose in it that a body, a frame or a name with an offset stands for."""
        offset = pose_of(at, rotation, place)
        if isinstance(on, str) and on not in self.bodies and on in self.frames:
            on = self.frames[on]
        if isinstance(on, Frame):
            if self.frames.get(on.name) is not on:
                raise unknown("frame", on.name, self.frames, place)
            return on.body, on.pose @ offset
        return self._body_name(on, place), offset

    def _frame_name(self, frame: Body | Frame | str, place: str) -> str:
        name = frame.name if isinstance(frame, Body | Frame) else frame if isinstance(frame, str) else shown(frame)
        if name not in self.bodies and name not in self.frames:
            raise unknown("frame or body", name, [*self.bodies, *self.frames], place)
        return self._body_name(frame, place) if isinstance(frame, Body) else name
