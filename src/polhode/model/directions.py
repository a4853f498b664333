"""What a body and a frame offer to the vector language: axes, points, angular velocity.

Each method hands over to `polhode.kinematics.vectors` when it is called; the model itself knows no kinematics.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .system import vectors

if TYPE_CHECKING:
    from ..kinematics.vectors import Arrow, Point
    from .body import Body, Frame
    from .builder import Builder


def _axis(index: int, doc: str) -> Any:
    """An axis as a property."""
    return property(lambda frame: frame.axis(index), doc=doc)


class Directions:
    """The axes of a body or frame as unit vectors, and how it moves.

    >>> import polhode as ph
    >>> s = ph.System()
    >>> A = s.body("A")
    >>> _ = s.joint("q1", s.ground, A, ph.Revolute("x"), speeds=["u1"])
    >>> s.ground.y & A.y
    cos(q1)
    >>> A.angular_velocity()
    u1*n_x
    """

    if TYPE_CHECKING:

        @property
        def name(self) -> str: ...
        @property
        def home(self) -> Builder | None: ...

    x: Arrow = _axis(0, "The unit vector along the first axis.")
    y: Arrow = _axis(1, "The unit vector along the second axis.")
    z: Arrow = _axis(2, "The unit vector along the third axis.")

    def axis(self, index: int) -> Arrow:
        """The unit vector along the axis of an `index`: 0, 1 or 2."""
        arrow: Arrow = vectors().unit(self, index)
        return arrow

    @property
    def origin(self) -> Point:
        """The origin as a point."""
        return self.point()

    def point(self, at: Iterable[Any] | Arrow = (0, 0, 0)) -> Point:
        """The point with these coordinates along the axes, or at the end of an arrow from the origin."""
        point: Point = vectors().point_of(self, at)
        return point

    def arrow(self, components: Iterable[Any]) -> Arrow:
        """The vector with these components along the axes."""
        arrow: Arrow = vectors().arrow_of(self, components)
        return arrow

    def __getstate__(self) -> dict[str, Any]:
        """The pickled state: the record without its System."""
        return {**vars(self), "home": None}

    def angular_velocity(self, in_: Body | Frame | str | None = None) -> Arrow:
        """ω of this body relative to the body or frame `in_` (the ground), in native form."""
        arrow: Arrow = vectors().angular_velocity(self, in_)
        return arrow

    def angular_acceleration(self, in_: Body | Frame | str | None = None) -> Arrow:
        """α = dω/dt, both relative to the body or frame `in_` (the ground)."""
        arrow: Arrow = vectors().angular_acceleration(self, in_)
        return arrow
