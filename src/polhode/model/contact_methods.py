"""The methods of a System for surfaces, contacts, stops and dry friction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from ..errors import ModelError, understood
from .constraint_methods import ConstraintMethods
from .force_methods import ForceMethods

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..expr import Expr
    from ..kinematics.vectors import Point
    from .body import Body, Frame, Shape
    from .constraints import Contact, DryFriction, Stop
    from .records import Joint
    from .surface import Surface

    FrameOf: TypeAlias = Body | Frame | str
    Touching: TypeAlias = FrameOf | Point | Surface


class ContactMethods(ForceMethods, ConstraintMethods):
    """Surfaces, contacts, stops and dry friction: what touches, and what sticks.

    `friction` and `static` are coefficients in motion and at rest; `stribeck` is the speed at which friction falls from
    the second to the first; `restitution` is between 0 and 1. With a `stiffness` what touches is compliant: a force.
    """

    def surface(
        self, name: str, body: FrameOf, shape: Shape, *, at: Iterable[Any] = (0, 0, 0), rotation: Any = None
    ) -> Surface:
        """Add a surface that contacts can be on: a shape fixed in a body, `at` a point of it and turned by `rotation`.

        It is drawn as the shapes of bodies are.

        >>> import polhode as ph
        >>> s = ph.System("ball")
        >>> floor = s.surface("floor", s.ground, ph.Shape.plane("z"))
        >>> floor.kind
        'plane'
        """
        from .surface import surface

        return surface(self, name, body, shape, at, rotation)

    def contact(
        self, name: str, a: Touching, b: Surface | str, *, at: Iterable[Any] | Point = (0, 0, 0), friction: Any = 0,
        static: Any = None, stribeck: Any = 0, restitution: Any = 0, stiffness: Any = None,
        damping: Any = None, exponent: Any = None, law: str | None = None, transition_speed: Any = None,
        bristle: Iterable[Any] | None = None,
    ) -> Contact | None:  # fmt: skip
        """Let `a`, a point of a body or a surface, touch the surface `b`: 0 ≤ normal force ⊥ gap ≥ 0, and dry friction.

        A body or frame stands for its origin, or its point `at`. At rest friction holds up to `static` times the normal
        force (as large as `friction` by default); in motion it is μ(v) = μ_k + (μ_s - μ_k) exp(-(v/v_s)²), with v_s
        the speed `stribeck`. Which pairs of shapes there are: `polhode.model.constraints.pairs`.

        With a `stiffness` k the contact is a force at a depth x: by the `law` "hunt_crossley" k xⁿ max(1 + c ẋ, 0),
        with the `exponent` n = 3/2 unless it is given, or "linear", max(k x + c ẋ, 0), c being the `damping`. Friction
        is then smooth, and full where the slip is well above `transition_speed`, 0.01 m/s by default. With a `bristle`,
        (stiffness, damping) in 1/m and s/m of a unit of normal force, it is that of elastic and plastic bristles, which
        hold without creep: states "<name> bristle 1", … deflect along the tangents.

        >>> import polhode as ph
        >>> s = ph.System("ball")
        >>> ball = s.body("ball", 1, inertia=ph.sphere(1, "0.1"))
        >>> _ = s.joint("flight", s.ground, ball, ph.Free())
        >>> floor = s.surface("floor", s.ground, ph.Shape.plane("z"))
        >>> skin = s.surface("skin", ball, ph.Shape.sphere("0.1"))
        >>> s.contact("bounce", skin, floor, friction="0.4", restitution="0.8").friction
        0.4
        """
        from .constraints import Contact

        laws = {"friction": friction, "static": static, "stribeck": stribeck}
        options = {"damping": damping, "exponent": exponent, "law": law}
        options |= {"transition_speed": transition_speed, "bristle": bristle}
        compliance = {key: value for key, value in options.items() if value is not None}
        if stiffness is None:
            for key in compliance:
                message = f"a rigid contact has no {key}."
                raise ModelError(message, Contact.place_of(name), "Give a stiffness too.", "E-MODEL-TWICE")
            return self.constraint(name, Contact, a=a, b=b, at=at, restitution=restitution, **laws)
        self._refuse(Contact.place_of(name), "a compliant contact has no restitution", restitution)
        self._apply("compliant_contact", name=name, a=a, b=b, at=at, stiffness=stiffness, **laws, **compliance)
        return None

    def stop(
        self, joint: Joint | str, lower: Any = None, upper: Any = None, *, restitution: Any = 0,
        index: int | None = None, stiffness: Any = None, damping: Any = 0, name: str = "",
    ) -> Stop | None:  # fmt: skip
        """Keep a coordinate of a joint between stops, `lower` and `upper`, or its limits if neither is given.

        Of a joint with several coordinates `index` is which one, from 0.
        Rigid stops have a coefficient of `restitution`. With a `stiffness`, in N/m or N·m/rad, and a `damping`, in
        N·s/m or N·m·s/rad, they are compliant: forces max(k x + c ẋ, 0) at a depth x > 0. The name is "<joint> stop"
        unless it is given.

        >>> import polhode as ph
        >>> s = ph.System("pendulum")
        >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
        >>> s.stop("hinge", -1, 1, restitution="0.5").name
        'hinge stop'
        """
        from .constraints import Stop
        from .lookup import joint_named
        from .reading import index_or_only

        record = joint_named(self, joint, "stop")
        place = f"stop of '{record.name}'"
        number = index_or_only(index, len(record.q), "coordinate", place)
        if lower is None and upper is None and record.limits:
            lower, upper = record.limits[number].lower, record.limits[number].upper
        label = name or self._numbered(f"{record.name} stop", number, len(record.q))
        bounds = {"joint": record.name, "index": number, "lower": lower, "upper": upper}
        if stiffness is None:
            self._refuse(place, "a rigid stop has no damping", damping)
            return self.constraint(label, Stop, restitution=restitution, **bounds)
        self._refuse(place, "a compliant stop has no restitution", restitution)
        self._apply("compliant_stop", name=label, stiffness=stiffness, damping=damping, **bounds)
        return None

    def friction(
        self, joint: Joint | str, coulomb: Any = 0, *, static: Any = None, viscous: Any = 0, stribeck: Any = 0,
        index: int | None = None, name: str = "", bristle: Iterable[Any] | None = None,
    ) -> DryFriction | None:  # fmt: skip
        """Dry friction in a joint, or in the rotor of a motor ("elbow rotor"): it sticks until `static` is exceeded.

        In motion it is `coulomb`, in N or N·m, with `static` at rest (as large as `coulomb` by default) and between
        them f(u) = f_c + (f_s - f_c) exp(-(u/u_s)²), u_s the speed `stribeck`. `viscous` adds the force -viscous·u.
        The name is "<joint> friction" unless it is given. Of a joint with several speeds `index` is which one, from 0.

        With a `bristle`, (stiffness, damping) in N/m and N·s/m or N·m/rad and N·m·s/rad, it is a force without modes,
        for gradients and optimal control: a state "<name> bristle" deflects, elastically below 0.9 of `coulomb`.

        >>> import polhode as ph
        >>> s = ph.System("pendulum")
        >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
        >>> s.friction("hinge", 2, static=3, viscous="0.1", stribeck="0.01").static
        3
        """
        from .constraints import DryFriction
        from .lookup import joint_named
        from .reading import index_or_only, number_of

        record = joint_named(self, joint, "friction")
        place = f"friction of '{record.name}'"
        number = index_or_only(index, len(record.u), "speed", place)
        label = name or self._numbered(f"{record.name} friction", number, len(record.u))
        drag, dry = number_of(viscous, f"{place} viscous"), static is not None or number_of(coulomb, place)
        from ..expr import constant_sign, free_symbols

        if not free_symbols([drag]) and constant_sign(drag) < 0:
            raise ModelError(f"viscous = {drag!r} is negative.", place, "Give a number ≥ 0.", "E-CONSTRAINT-NUMBER")
        if not (dry or drag) and bristle is None:
            message = "there is neither dry friction nor a viscous one."
            raise ModelError(message, place, "Give coulomb=… in N or N·m.", "E-MODEL-MISSING")
        if bristle is not None:
            law = self._bristle(label, record.u[number], coulomb, static, stribeck, bristle)
            self._apply(
                "joint_force", joint=record.name, index=number, value=-law - drag * record.u[number], name=label
            )
            return None
        laws = {"coulomb": coulomb, "static": static, "stribeck": stribeck}
        rigid = self.constraint(label, DryFriction, joint=record.name, index=number, **laws) if dry else None
        if drag:
            self._apply("joint_force", joint=record.name, index=number, value=-drag * record.u[number], name=label)
        return rigid

    def _bristle(self, label: str, v: Expr, coulomb: Any, static: Any, stribeck: Any, bristle: Iterable[Any]) -> Expr:
        """The friction σ₀ z + σ₁ ż of bristles, whose deflection z is a new state."""
        from ..expr import Vector, as_expr, exp
        from .building import add_state
        from .constraints.unilateral import check_laws
        from .forces.compliant import bristle_rates
        from .reading import number_of, positive_of

        place, cure = f"friction '{label}'", "Give (stiffness, damping)."
        with understood("a stiffness and a damping", bristle, place=place, cure=cure):
            stiffness, damping = bristle
        sigma, loss = positive_of(stiffness, "stiffness", place), number_of(damping, place)
        slow, least = number_of(stribeck, place), positive_of(coulomb, "coulomb", place)
        most = least if static is None else number_of(static, place)
        check_laws(place, least, most, slow, damping=loss)
        bound = least
        if static is not None:
            slow = positive_of(slow, "speed stribeck", place)
            bound = as_expr(least + (most - least) * exp(-(v * v) / (slow * slow)))

        def rate(z: Expr) -> Expr:
            return as_expr(bristle_rates(Vector([z]), Vector([v]), bound, least, sigma)[0])

        z = add_state(self, f"{label} bristle", rate, 0, "")
        return as_expr(sigma * z + loss * rate(z))

    def with_contacts(self, closed: Mapping[str, str]) -> Self:
        """The system in a mode: `closed` contacts that "stick" or "slip", by name, as constraints, all others left out.

        What sticks keeps its gap and its place; what slips, which it must without friction, keeps its gap. Linear
        models, equilibria, reactions, gradients and optimal control take such a system.

        >>> import polhode as ph
        >>> s = ph.System("foot")
        >>> foot = s.body("foot", 1, (0, 0, 1), inertia=(1, 1, 1))
        >>> _ = s.joint("move", s.ground, foot, ph.Planar("y"))
        >>> _ = s.contact("toe", foot, s.surface("floor", s.ground, ph.Shape.plane("z")), friction=0.8)
        >>> list(s.with_contacts({"toe": "stick"}).constraints)
        ['toe gap', 'toe slip']
        """
        from .contact_modes import with_contacts

        return with_contacts(self, closed)

    def _stop_at_limits(self, joint: Joint, stop: Any) -> None:
        """Stops at all limits of a joint: a restitution, True for 0, False for no stops, or the options of `stop`."""
        if stop is False:
            return
        stop = 0 if stop is True else stop
        place = f"joint '{joint.name}' stop"
        options = dict(stop) if isinstance(stop, Mapping) else {"restitution": stop}
        allowed = ("restitution", "stiffness", "damping")
        for key in options:
            if key not in allowed:
                raise ModelError(f"a stop has no '{key}'.", place, f"Give {', '.join(allowed)}.", "E-MODEL-NAME")
        held = [index for index, ends in enumerate(joint.limits) if ends.are_given]
        if not held:
            raise ModelError("the joint has no limits.", place, "Give limits=(lower, upper).", "E-MODEL-MISSING")
        for index in held:
            self.stop(joint, index=index, **options)

    @staticmethod
    def _numbered(label: str, index: int, count: int) -> str:
        return f"{label} {index}" if count > 1 else label

    @staticmethod
    def _refuse(place: str, message: str, value: Any) -> None:
        """Refuse a value that contradicts the other options, unless it is zero."""
        if not isinstance(value, int) or value:
            raise ModelError(f"{message}.", place, "Give a stiffness with damping, or a restitution.", "E-MODEL-TWICE")
