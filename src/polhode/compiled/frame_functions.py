"""The compiled functions that tell where frames and mass centres are and how they move."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .quantities import Asked, BiasAccelerationOf, FrameAccelerationOf, FrameVelocityOf, JacobianOf, PoseOf

if TYPE_CHECKING:
    from typing import Unpack

    from .call_options import CallOptions

Floats: TypeAlias = NDArray[np.float64]


class FrameFunctions(ABC):
    """Functions of frames and mass centres, by `evaluate`.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> bob = s.body("bob", 2, com=(0, 0, -1))
    >>> _ = s.joint("hinge", s.ground, bob, ph.Revolute("y")), s.frame("tip", bob, (0, 0, -3))
    >>> f, q, u = s.derive().compile(), [0.0], [3.0]
    >>> position, rotation = f.pose("tip", q)
    >>> float(position[2]), rotation.shape, [each.shape for each in f.poses(q)]  # those of all bodies
    (-3.0, (3, 3), [(1, 3), (1, 3, 3)])
    >>> f.jacobian("tip", q)[:, 0].tolist(), f.frame_velocity("tip", q, u).tolist()  # angular over linear
    ([0.0, 1.0, 0.0, -3.0, 0.0, 0.0], [0.0, 3.0, 0.0, -9.0, 0.0, 0.0])
    >>> f.bias_acceleration("tip", q, u)[3:].tolist(), f.frame_acceleration("tip", q, u, [2.0])[3:].tolist()
    ([0.0, 0.0, 27.0], [-6.0, 0.0, 27.0])
    >>> float(f.center_of_mass(q)[2]), f.centroidal_matrix(q)[:, 0].tolist()
    (-1.0, [0.0, 0.0, 0.0, -2.0, 0.0, 0.0])
    >>> angular, linear = f.centroidal_momentum(q, u)
    >>> linear.tolist(), f.inverse_mass_matrix(q).tolist(), f.gravity_terms(q).tolist()
    ([-6.0, 0.0, 0.0], [[0.5]], [0.0])
    """

    @abstractmethod
    def evaluate(self, name: Asked, *arrays: ArrayLike, **more: Any) -> Any:
        """A function of its arrays."""

    def _one(self, name: Asked, *arrays: ArrayLike, **more: Any) -> Floats:
        output: Floats = self.evaluate(name, *arrays, **more)
        return output

    def _two(self, name: Asked, *arrays: ArrayLike, **more: Any) -> tuple[Floats, Floats]:
        first, second = self.evaluate(name, *arrays, **more)
        return first, second

    def poses(self, q: ArrayLike, **more: Unpack[CallOptions]) -> tuple[Floats, Floats]:
        """Position and rotation matrix of every body in the ground, bodies in the order of the model."""
        return self._two("poses", q, **more)

    def pose(self, name: str, q: ArrayLike, **more: Unpack[CallOptions]) -> tuple[Floats, Floats]:
        """Position and rotation matrix of a body or frame in the ground."""
        return self._two(PoseOf(name), q, **more)

    def jacobian(self, name: str, q: ArrayLike, orientation: str | None = None, **more: Unpack[CallOptions]) -> Floats:
        """The 6×n Jacobian of a body's or frame's origin, in ground components; see `Equations.jacobian`."""
        return (asked := JacobianOf(name, orientation)).checked(self._one(asked, q, **more))

    def frame_velocity(self, name: str, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """ω over v of the origin of a body or frame, in ground components."""
        return self._one(FrameVelocityOf(name), q, u, **more)

    def frame_acceleration(
        self, name: str, q: ArrayLike, u: ArrayLike, udot: ArrayLike, **more: Unpack[CallOptions]
    ) -> Floats:
        """ω̇ over v̇ of the origin of a body or frame, in ground components."""
        return self._one(FrameAccelerationOf(name), q, u, udot, **more)

    def bias_acceleration(self, name: str, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """J̇ u of a body or frame: its acceleration where no speed changes."""
        return self._one(BiasAccelerationOf(name), q, u, **more)

    def center_of_mass(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """The mass centre of all bodies, in ground components."""
        return self._one("center_of_mass", q, **more)

    def centroidal_momentum(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> tuple[Floats, Floats]:
        """Angular momentum about the mass centre and linear momentum, in ground components."""
        return self._two("centroidal_momentum", q, u, **more)

    def centroidal_matrix(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """A_G, 6×n, with A_G u the momenta about the mass centre, angular over linear."""
        return self._one("centroidal_matrix", q, **more)

    def inverse_mass_matrix(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """M⁻¹(q)."""
        return self._one("inverse_mass_matrix", q, **more)

    def gravity_terms(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """What gravity adds to M u̇: the efforts that carry the weight."""
        return self._one("gravity_terms", q, **more)
