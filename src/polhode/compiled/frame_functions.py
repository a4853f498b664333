"""The compiled functions that tell where frames and mass centres are and how they move."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .quantities import Asked, BiasAccelerationOf, FrameAccelerationOf, FrameVelocityOf, JacobianOf, PoseOf


class FrameFunctions(ABC):
    """Functions of frames and mass centres, by `evaluate`."""

    @abstractmethod
    def evaluate(self, name: Asked, *arrays: ArrayLike, **more: Any) -> Any:
        """A function of its arrays."""

    def _one(self, name: Asked, *arrays: ArrayLike, **more: Any) -> NDArray[np.float64]:
        output: NDArray[np.float64] = self.evaluate(name, *arrays, **more)
        return output

    def _two(self, name: Asked, *arrays: ArrayLike, **more: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        first, second = self.evaluate(name, *arrays, **more)
        return first, second

    def poses(self, q: ArrayLike, **more: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Position and rotation matrix of every body in the ground, bodies in the order of the model."""
        return self._two("poses", q, **more)

    def pose(self, name: str, q: ArrayLike, **more: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Position and rotation matrix of a body or frame in the ground."""
        return self._two(PoseOf(name), q, **more)

    def jacobian(self, name: str, q: ArrayLike, orientation: str | None = None, **more: Any) -> NDArray[np.float64]:
        """The 6×n Jacobian of a body's or frame's origin, in ground components; see `Equations.jacobian`."""
        return (asked := JacobianOf(name, orientation)).checked(self._one(asked, q, **more))

    def frame_velocity(self, name: str, q: ArrayLike, u: ArrayLike, **more: Any) -> NDArray[np.float64]:
        """ω over v of the origin of a body or frame, in ground components."""
        return self._one(FrameVelocityOf(name), q, u, **more)

    def frame_acceleration(
        self, name: str, q: ArrayLike, u: ArrayLike, udot: ArrayLike, **more: Any
    ) -> NDArray[np.float64]:
        """ω̇ over v̇ of the origin of a body or frame, in ground components."""
        return self._one(FrameAccelerationOf(name), q, u, udot, **more)

    def bias_acceleration(self, name: str, q: ArrayLike, u: ArrayLike, **more: Any) -> NDArray[np.float64]:
        """J̇ u of a body or frame: its acceleration where no speed changes."""
        return self._one(BiasAccelerationOf(name), q, u, **more)

    def center_of_mass(self, q: ArrayLike, **more: Any) -> NDArray[np.float64]:
        """The mass centre of all bodies, in ground components."""
        return self._one("center_of_mass", q, **more)

    def centroidal_momentum(
        self, q: ArrayLike, u: ArrayLike, **more: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Angular momentum about the mass centre and linear momentum, in ground components."""
        return self._two("centroidal_momentum", q, u, **more)

    def centroidal_matrix(self, q: ArrayLike, **more: Any) -> NDArray[np.float64]:
        """A_G, 6×n, with A_G u the momenta about the mass centre, angular over linear."""
        return self._one("centroidal_matrix", q, **more)

    def inverse_mass_matrix(self, q: ArrayLike, **more: Any) -> NDArray[np.float64]:
        """M⁻¹(q)."""
        return self._one("inverse_mass_matrix", q, **more)

    def gravity_terms(self, q: ArrayLike, **more: Any) -> NDArray[np.float64]:
        """What gravity adds to M u̇: the efforts that carry the weight."""
        return self._one("gravity_terms", q, **more)
