"""The System: what a user writes down about a mechanism.

Each method is what a user reads, and hands over to the module that owns the idea, which is imported when it is called.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any, Unpack

from ..errors import no_attribute
from ..notebook import Cell, Shown
from ..registry import registered
from .contact_methods import ContactMethods

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..compare import Comparison
    from ..compare.comparison import CompareOptions
    from ..constraints.diagnostics import Diagnosis
    from ..expr import Expr
    from ..kinematics.vectors import Arrow, Point
    from ..surface.equations import Equations
    from .body import Body, Frame, Shape
    from .equipment import Equipment
    from .flexible.beam import BeamOptions
    from .flexible.mounting import FlexibleBody
    from .joints import JointType
    from .joints.protocol import JointOptions
    from .motor import Motor, MotorOptions
    from .records import Joint, NamedPose

#: What is looked for here, and is there once the equations are derived.
_OF_EQUATIONS = {
    name: f"system.derive().{name}" for name in ("mass_matrix", "bias", "forcing", "coordinates", "speeds")
}
_OF_EQUATIONS |= {
    name: f"a method of the equations, derive first: system.derive().{name}(…)"
    for name in (
        "simulate", "compile", "linearize", "export", "inverse_kinematics", "equilibrium", "jacobian",
        "latex", "collocation", "sweep",
    )
}  # fmt: skip


class System(ContactMethods, Shown):
    """A mechanism: bodies joined in a tree on the ground, and what acts on them.

    Whatever is added has a `name`, given or made; `at` is a point, in metres, and `rotation` how axes are turned: what
    `ph.rotation` takes; `unit` is a label; an `index` counts the coordinates or speeds of a joint from 0.

    >>> import polhode as ph
    >>> pendulum = ph.System("pendulum")
    >>> l = pendulum.parameter("l", 1)
    >>> bob = pendulum.body("bob", mass=1, com=(0, 0, -l))
    >>> hinge = pendulum.joint("hinge", pendulum.ground, bob, ph.Revolute("y"))
    >>> hinge.q
    (hinge,)
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Refuse an unknown attribute; the message names those of derived equations."""
            raise no_attribute(self, name, _OF_EQUATIONS)

    # ---- symbols ---------------------------------------------------------------------------------------------

    def parameter(self, name: str, value: Any = None, unit: str = "") -> Expr:
        """A constant that stays a symbol in the equations; its value can be given now or at run time.

        The value is in `unit`, or a text with one, as "20 kN/m", and is converted to SI units exactly: the symbol, runs
        and results are in SI units. Sums of unlike units, and a mass that is stated in m, are refused.
        """
        from .building import named_symbol

        return named_symbol(self, "parameters", "parameter", name, value, unit)

    def input(self, name: str, value: Any = 0, unit: str = "") -> Expr:
        """A quantity that may vary during a run, with its `value` where none is given: a motor torque, a wind speed."""
        from .building import named_symbol

        return named_symbol(self, "inputs", "input", name, value, unit)

    def state(self, name: str, rate: Any = None, start: Any = 0, unit: str = "") -> Expr:
        """A first-order state: ż = rate, an expression of coordinates, speeds, states, time, parameters and inputs.

        Runs begin with its value `start`.
        Forces and the rates of other states may hold it: an actuator, a filter, an integral of an error. A rate that
        holds the state itself is a function of it, or is given later by `state_rate`.
        """
        from .building import add_state

        return add_state(self, name, rate, start, unit)

    def state_rate(self, state: Expr | str, rate: Any) -> None:
        """Give a state that was declared without one its rate."""
        from .building import set_rate

        set_rate(self, state, rate)

    # ---- bodies, frames, joints ------------------------------------------------------------------------------

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
        `shapes` are drawn. An inertia that no body can have is refused; `check=False` takes it all the same, as some
        robot files need.
        """
        from .building import body

        return body(self, name, mass, com, inertia, shapes, check, about)

    def frame(self, name: str, body: Body | str, at: Iterable[Any] = (0, 0, 0), rotation: Any = None) -> Frame:
        """Add a frame fixed in a body; its origin serves as a point."""
        from .building import frame

        return frame(self, name, body, at, rotation)

    def point(self, on: Body | Frame | str, at: Iterable[Any] | Arrow = (0, 0, 0)) -> Point:
        """A point of a body or frame, by its coordinates there or by an arrow from its origin."""
        from .lookup import frame_name

        name = frame_name(self, on, "point")
        owner = self.bodies[name] if name in self.bodies else self.frames[name]
        return owner.point(at)

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
        limits: Any = None,
        speed_limits: Any = None,
        effort_limits: Any = None,
        small: Any = False,
        stop: Any = None,
        **options: Unpack[JointOptions],
    ) -> Joint:
        """Join a child to a parent: `at` and `rotation` place the joint in the parent, `child_at` and `child_rotation`
        in the child.

        `kind` is a type of joint, as `ph.Revolute("y")`, or its name, with these options as far as the type has them:
        axis            of revolute, prismatic, screw, cylindrical joints and building blocks
        pitch           of a screw, metres of advance for each radian
        first, second   axes of a universal joint, in the parent and in the child
        normal          of a planar joint's plane
        storage         of orientations: "quaternion", "angles", "vector", or a sequence of axes
        translations, rotations, reference   of a building block, see `ph.BuildingBlock`

        `limits` (lower, upper), for several coordinates a list of pairs, say how far it is meant to go: a run reports
        when it goes further, and a workspace lies within them. `speed_limits` and `effort_limits` are numbers that hold
        for both signs, or pairs, for all speeds or in a list; `simulate(controller=…, limits="model")` keeps those of
        efforts. A `small` joint's coordinates, speeds and accelerations are small: equations of motion are derived to
        first order in them. With `stop` the joint cannot pass its limits: a coefficient of restitution, or what `stop`
        takes, as {"stiffness": 1e5, "damping": 100}.
        """
        from .building import joint

        seats = {"at": at, "rotation": rotation, "child_at": child_at, "child_rotation": child_rotation}
        rest: dict[str, Any] = {"coordinates": coordinates, "speeds": speeds, "limits": limits, "options": options}
        rest |= {"small": small, "speed_limits": speed_limits, "effort_limits": effort_limits}
        record = joint(self, name, parent, child, kind, **seats, **rest)
        if stop is not None:
            self._stop_at_limits(record, stop)
        return record

    def motor(self, joint: Joint | str, ratio: Any = None, **given: Unpack[MotorOptions]) -> Motor:
        """Put a motor on a joint of one axis: a rotor that turns `ratio` times as fast, behind a stiff or elastic gear.

        With a `stiffness` (and `damping`, both on the joint's side) the gear is elastic: the rotor has a coordinate and
        a speed "<joint> rotor", and the motor's effort is the one on that. Else it is geared, and the effort on the
        joint is the motor's times the ratio. The rotor's `inertia` is about its axis, or (across, across, along); it is
        carried by the joint's parent, on the joint's axis, unless `on`, `axis`, `at` and `com` say otherwise. With
        `coupling="reduced"` its spin is decoupled from the motion of what carries it. `friction` is that of the rotor,
        `joint_friction` that of the joint. With `resistance`, `constant` and perhaps `inductance` it is driven by the
        input "<joint> voltage", and its current is a state. The ratio is 1 unless it is given here or by a robot file.

        >>> import polhode as ph
        >>> s = ph.System("arm", gravity=(0, 0, 0))
        >>> k, n = s.parameter("k"), s.parameter("n")
        >>> _ = s.joint("elbow", s.ground, s.body("arm", inertia=(1, 1, 2)), ph.Revolute("z"))
        >>> _ = s.motor("elbow", n, inertia=3, stiffness=k)
        >>> s.derive().coordinates, s.derive().mass_matrix
        (['elbow', 'elbow rotor'], Matrix([[2, 0], [0, 3]]))
        """
        from .motor_mounting import mount

        return mount(self, joint, {"ratio": ratio, **given})

    def beam(
        self,
        name: str,
        *,
        length: Any,
        mass: Any,
        EI: Any = None,
        modes: int | Mapping[str, int] = 3,
        axis: str = "x",
        ends: Sequence[str] = ("clamped", "free"),
        **options: Unpack[BeamOptions],
    ) -> FlexibleBody:
        """Add a uniform beam along an `axis` that bends; returns its inboard section, and `at(x)` gives the others.

        One `EI` bends along `bending` ("z", of a beam along z "x"), a pair (EIy, EIz) about both axes across. `EA` adds
        axial, `GJ` torsional motion, `GA` (with its shear factor) shear after Timoshenko; `gyration` is the radius, or
        two, of the sections' inertia. `modes` counts the normal modes of each of these, or is {"z": 3, "torsion": 1}.
        `load_shapes` adds to each the static shapes under so many of the distributed loads 1, x, x², …
        `ends` are clamped, pinned, sliding or free: conditions on the shapes in the body's frame, not supports. `frame`
        is "tangent", "chord" or "mean" (axes). `damping` is a ratio for all coordinates or a list, `rayleigh` (α, β).
        With stiffening=True the displacement is quadratic: a beam that bends draws its tip back.

        >>> import polhode as ph
        >>> s = ph.System("crane")
        >>> boom = s.beam("boom", length=2, mass=3, EI=40, modes=2)
        >>> _ = s.joint("slew", s.ground, boom, ph.Revolute("z"))
        >>> _ = s.joint("tip", boom.at(2), s.body("load", 1), ph.Revolute("y"))
        >>> boom.q
        (boom_z1, boom_z2, boom_s1_z, boom_s1_ry)
        """
        from .flexible.beam import beam_of
        from .flexible.mounting import mount

        stated = {"length": length, "mass": mass, "EI": EI, "modes": modes, "axis": axis, "ends": ends, **options}
        record = beam_of({key: parameter.value for key, parameter in self.parameters.items()}, name, stated)
        self._units.check(self, "flexible", name, record)
        return mount(self, record)

    def flexible_body(
        self,
        name: str,
        mass: Any = None,
        com: Iterable[Any] | None = None,
        inertia: Any = None,
        *,
        shapes: Sequence[Any] = (),
        material: Sequence[Any] = (),
        nodes: Mapping[str, Any] | None = None,
        modal_mass: Sequence[Any] | None = None,
        stiffness: Any = None,
        damping: Any = 0,
        rayleigh: Sequence[Any] | None = None,
        data: Any = None,
    ) -> FlexibleBody:
        """Add a body that deforms in given shapes; what is returned is its frame, and `at(…)` gives its stations.

        The shapes are functions of x, y, z, polynomials, over a `material` of points (mass, at) and bars (mass, start,
        end); or values at `nodes`, by name a `Node` with its mass, or without masses a `modal_mass` for each shape,
        with the mass, centre and inertia of the body; or standard input data (Wallrapp), by the path of the file. The
        `stiffness` is a number for each shape, or a matrix; `damping` a ratio for all shapes or a list, or `rayleigh`
        (α, β).
        """
        from .flexible.modal import modal_body_of
        from .flexible.mounting import mount

        stated: dict[str, Any] = {"mass": mass, "com": com, "inertia": inertia, "shapes": shapes, "material": material}
        stated |= {"nodes": nodes, "modal_mass": modal_mass, "stiffness": stiffness, "damping": damping, "data": data}
        values = {key: parameter.value for key, parameter in self.parameters.items()}
        return mount(self, modal_body_of(values, name, stated | {"rayleigh": rayleigh}))

    def pose(
        self,
        name: str,
        coordinates: Mapping[str, float],
        speeds: Mapping[str, float] | None = None,
        states: Mapping[str, float] | None = None,
    ) -> NamedPose:
        """Name a state to start from: `coordinates`, `speeds` and `states` by name; what is not given is zero, at
        rest, or where the state starts by itself.
        """
        from .building import pose

        return pose(self, name, coordinates, speeds, states)

    def dt(self, expr: Any) -> Any:
        """The derivative of `expr` in time along any motion: coordinates change by their rates, q̇ = Γ(q) u,
        speeds by their accelerations, first-order states by theirs.

        A vector, matrix or equation is differentiated entry by entry. What depends on inputs or efforts, whose rates
        are not known, is refused; an arrow has its own `dt`, in a frame.

        >>> import polhode as ph
        >>> s = ph.System("pendulum")
        >>> hinge = s.joint("q", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"), speeds=["u"])
        >>> s.dt(ph.sin(hinge.q[0])), s.dt(hinge.u[0] ** 2)
        (u*cos(q), 2*u*u')
        """
        return vectors().rate_of(self, expr)

    def equip(self, table: str, name: str, **given: Any) -> Equipment:
        """Record what equations do not depend on, by the section of model files that has it and its fields.

        The sections are tendons, actuators, sensors, geoms, pairs and excludes; see
        `polhode.model.equipment`. `system.equipment[table][name]` is the record.

        >>> import polhode as ph
        >>> s = ph.System("arm")
        >>> _ = s.joint("elbow", s.ground, s.body("arm", 1), ph.Revolute("y"))
        >>> s.equip("actuators", "servo", joint="elbow", gain=(50, 0, 0), bias=(0, -50, -2)).bias
        (0, -50, -2)
        """
        from .equipment.protocol import equip

        return equip(self, table, name, given)

    # ---- results ---------------------------------------------------------------------------------------------

    def derive(
        self,
        formalism: str = "auto",
        passes: Iterable[str] | None = None,
        constraints: str = "multipliers",
        independent: Sequence[str] | None = None,
        near: Mapping[str, float] | str | None = None,
        tables: bool = False,
        pseudo: Mapping[str, Any] | None = None,
        *,
        speeds: str | None = None,
        tree: Iterable[str] | None = None,
        small: Iterable[Joint | Expr | str] | None = None,
        omit: Iterable[Joint | Expr | str] | None = None,
        report: bool = False,
    ) -> Equations:
        """The equations of motion, by a formalism named in `polhode.formalisms.registry.names()`; `passes` rewrite the
        tree.

        Loops and rolling are kept by multipliers, or "embedded": then some speeds (`independent`, if named) stay,
        from which the others follow at and around a pose (`near`, by default at zero). `derive("kane", tables=True)`
        makes its `sayers_tables` at once; the old name of that option is `report`.

        `pseudo` gives pseudo-velocities that replace the speeds, constraints put in: by name expressions, or texts,
        that are linear in the speeds, as many as there are degrees of freedom. `derive("kane", speeds="sayers")` takes
        those of Sayers' paper: of a body that flies free its velocities along its own axes.
        `derive("network", tree=[…])` solves along the formulation tree of these edges.

        `small` names coordinates, joints, parameters, inputs or states to first order in which the equations are kept
        (by default the joints made with small=True; none for the whole equations), `omit` coordinates that nothing
        depends on and that are left out of the state.

        >>> import polhode as ph
        >>> s = ph.System("skate", gravity=(0, 0, 0))
        >>> slide = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
        >>> ice = s.joint("ice", s.ground, s.body("skate", 2, inertia=(1, 1, 1)), slide, coordinates=["x", "y", "turn"])
        >>> _ = s.knife_edge("blade", "skate")
        >>> (x, y, turn), (c, t) = ice.u, (ph.cos(ice.q[2]), ph.sin(ice.q[2]))
        >>> s.derive("hamel", pseudo={"v": c * x + t * y, "w": turn}).mass_matrix
        Matrix([[2, 0], [0, 1]])
        """
        chosen: dict[str, Any] = {"speeds": speeds, "tree": tree, "small": small, "omit": omit}
        derive = registered("System.derive")
        result: Equations = derive(
            self, formalism, passes, constraints, independent, near, tables or report, pseudo, **chosen
        )
        return result

    def compare(self, formalisms: Sequence[str] | str | None = None, **options: Unpack[CompareOptions]) -> Comparison:
        """Every formalism beside the others, or some `formalisms`: whether they agree, what they cost.

        `functions` names what is compared; unless `run`, native code is not timed; `speeds="sayers"` takes Kane's
        method in Sayers' speeds. See `polhode.compare.compare`.
        """
        comparison: Comparison = registered("System.compare")(self.model(), formalisms, **options)
        return comparison

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
        diagnosis: Diagnosis = registered("System.diagnose")(self.model(), pose)
        return diagnosis

    # ---- in words --------------------------------------------------------------------------------------------

    def _cell(self) -> Cell:
        from .summary import cell_of

        return cell_of(self.model())

    def __repr__(self) -> str:
        from .summary import counted

        return f"System('{self.name}': {counted(self.model())})"


def vectors() -> ModuleType:
    """The vector language, for the axes and points of bodies and frames."""
    module: ModuleType = registered("System.vectors")
    return module
