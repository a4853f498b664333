"""Rotations with their velocities: the tangent bundle of the rotation group, a group; Mladenova, theorems 1 and 2.

The product of two moving rotations moves. With angular velocities in the frame that stays (theorem 1)

    (R1, ω1)(R2, ω2) = (R1 R2, ω1 + R1 ω2),

in the turned frame (R1 R2, R2ᵀ ω1 + ω2), and in coordinates with their rates (theorem 2) what differentiation of the
composition of the coordinates gives (`polhode.papers.mladenova.tangent_bundle`). These are one group in three ways of
writing its elements down.
"""

from __future__ import annotations

from typing import Any

from .motion import is_body
from .rotation import Frame, Rotation
from .values import batch_of, broadcast, is_exact, read, written


class MovingRotation:
    """A rotation and its angular velocity, kept in the turned frame; `@` composes, both factors moving.

    Angles are about axes that move, or `extrinsic`; a `rate` is that of coordinates.
    """

    __slots__ = ("_velocity", "rotation")

    def __init__(self, rotation: Rotation, velocity: Any, frame: Frame = "body") -> None:
        self.rotation = rotation
        exact = rotation.is_exact or is_exact(velocity)
        w = read(velocity, (3,), "an angular velocity", exact)
        if not exact:
            broadcast(rotation.shape, batch_of(w))
        components = written(w, (3,), None if exact else ())
        self._velocity = components if is_body(frame) else rotation.apply(components, inverse=True)

    @staticmethod
    def from_rate(rotation: Rotation, rate: Any, form: str = "vector", *, extrinsic: bool = False) -> MovingRotation:
        """Of a rotation and the rates of its coordinates in a form: the second trivialisation."""
        return MovingRotation(rotation, rotation.velocity(rate, form, extrinsic=extrinsic))

    def velocity(self, frame: Frame = "body") -> Any:
        """The angular velocity, in the turned frame or in the one that stays."""
        return self._velocity if is_body(frame) else self.rotation.apply(self._velocity)

    def rate(self, form: str = "vector", *, extrinsic: bool = False) -> Any:
        """The rates of its coordinates in a form."""
        return self.rotation.rate(self._velocity, form, extrinsic=extrinsic)

    def __matmul__(self, other: MovingRotation) -> MovingRotation:
        """(R1 R2, R2ᵀ ω1 + ω2) in the turned frame: theorem 1."""
        if not isinstance(other, MovingRotation):
            return NotImplemented
        carried = other.rotation.apply(self._velocity, inverse=True)
        return MovingRotation(self.rotation @ other.rotation, carried + other._velocity)

    def inverse(self) -> MovingRotation:
        """The inverse (Rᵀ, -R ω)."""
        return MovingRotation(self.rotation.inverse(), -self.velocity("space"))

    def __repr__(self) -> str:
        return f"MovingRotation({self.rotation!r}, {self._velocity!r})"
