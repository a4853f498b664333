"""The methods of a System for surfaces, contacts, stops and dry friction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from .constraint_methods import ConstraintMethods

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..kinematics.vectors import Point
    from .body import Body, Frame, Shape
    from .constraints import Contact
    from .surface import Surface

    FrameOf: TypeAlias = Body | Frame | str
    Touching: TypeAlias = FrameOf | Point | Surface


class ContactMethods(ConstraintMethods):
    """Surfaces, contacts, stops and dry friction: what touches, and what sticks.

    `friction` and `static` are coefficients in motion and at rest; `stribeck` is the speed at which friction falls from
    the second to the first; `restitution` is between 0 and 1.
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
        static: Any = None, stribeck: Any = 0, restitution: Any = 0,
    ) -> Contact:  # fmt: skip
        """Let `a`, a point of a body or a surface, touch the surface `b`: 0 ≤ normal force ⊥ gap ≥ 0, and dry friction.

        A body or frame stands for its origin, or its point `at`. At rest friction holds up to `static` times the normal
        force (as large as `friction` by default); in motion it is μ(v) = μ_k + (μ_s - μ_k) exp(-(v/v_s)²), with v_s
        the speed `stribeck`. Which pairs of shapes there are: `polhode.model.constraints.pairs`.

        >>> import polhode as ph
        >>> s = ph.System("ball")
        >>> ball = s.body("ball", 1, inertia=ph.sphere(1, "0.1"))
        >>> _ = s.joint("flight", s.ground, ball, ph.Free())
        >>> floor = s.surface("floor", s.ground, ph.Shape.plane("z"))
        >>> skin = s.surface("skin", ball, ph.Shape.sphere("0.1"))
        >>> s.contact("bounce", skin, floor, friction="0.4", restitution="0.8").friction
        2/5
        """
        from .constraints import Contact

        laws = {"friction": friction, "static": static, "stribeck": stribeck, "restitution": restitution}
        return self.constraint(name, Contact, a=a, b=b, at=at, **laws)
