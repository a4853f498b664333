"""The compiled functions by their names: of frames and mass centres, and of the equations and their constraints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .quantities import Asked, BiasAccelerationOf, FrameAccelerationOf, FrameVelocityOf, JacobianOf, PoseOf

if TYPE_CHECKING:
    from typing import Unpack

    from ..dynamics.equations import EquationsOfMotion
    from .call_options import CallOptions, TimeOptions

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


class EquationFunctions(FrameFunctions):
    """Functions of states, by `evaluate`; a state is one, or a batch with a leading axis.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    >>> f = s.derive().compile()
    >>> f.mass_matrix([0.0]).tolist(), f.bias([0.0], [3.0]).tolist(), f.coriolis_matrix([0.0], [3.0]).tolist()
    ([[2.0]], [0.0], [[0.0]])
    >>> f.state_rates([0.0, 3.0]).tolist(), f.coordinate_rates([0.0], [3.0]).tolist()  # x = (q, u)
    ([3.0, 0.0], [3.0])
    >>> rates_by_state, rates_by_time = f.state_rates_jacobian([0.0, 3.0])
    >>> rates_by_state.tolist(), rates_by_time.tolist()
    ([[0.0, 1.0], [-10.0, 0.0]], [0.0, 0.0])
    >>> kinetic, potential = f.energy([0.0], [3.0])
    >>> float(kinetic), float(potential)
    (9.0, -20.0)
    >>> angular, linear = f.momentum([0.0], [3.0])
    >>> angular.tolist(), linear.tolist()
    ([0.0, 6.0, 0.0], [-6.0, 0.0, 0.0])
    >>> Y, known = f.regressor([0.0], [3.0], [0.0])
    >>> Y.shape
    (1, 10)

    With constraints, here a bob that slides along x = z:

    >>> s = ph.System("bead")
    >>> slide = s.joint("bead", s.ground, s.body("bead", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")))
    >>> _ = s.constrain(slide.q[0] - slide.q[1])
    >>> f = s.derive().compile()
    >>> f.constraint_values([1.0, 1.0]).tolist(), f.constraint_rates([1.0, 1.0], [2.0, 2.0]).tolist()
    ([0.0], [0.0])
    >>> f.constraint_matrix([1.0, 1.0]).tolist(), f.multipliers([1.0, 1.0], [0.0, 0.0]).round(3).tolist()
    ([[1.0, -1.0]], [-4.905])
    """

    @property
    @abstractmethod
    def equations(self) -> EquationsOfMotion:
        """The equations of which these are functions."""

    @abstractmethod
    def native(self, name: Asked) -> Any:
        """The compiled function by itself, of arrays."""

    def _no_effort(self, name: Asked) -> Floats:
        return np.zeros(sum(array.size for array in self.native(name).outline.arrays if array.name == "tau"))

    def state_rates_jacobian(
        self, x: ArrayLike, tau: ArrayLike | None = None, **more: Unpack[CallOptions]
    ) -> tuple[Floats, Floats]:
        """∂ẋ/∂x by the coordinates as they are stored, speeds and states without mass, and ∂ẋ/∂t."""
        effort = self._no_effort("state_rates_jacobian") if tau is None else tau
        return self._two("state_rates_jacobian", x, effort, **more)

    def z_rates(self, q: ArrayLike, u: ArrayLike, z: ArrayLike, **more: Unpack[TimeOptions]) -> Floats:
        """ż(q, u, z, t, inputs) of the states without mass.

        >>> import polhode as ph
        >>> s = ph.System("lag")
        >>> _ = s.state("z", rate=lambda z: -2 * z, start=1)
        >>> s.derive().compile().z_rates([], [], [3.0]).tolist()
        [-6.0]
        """
        return self._one("z_rates", q, u, z, **more)

    def mass_matrix(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """M(q)."""
        return self._one("mass_matrix", q, **more)

    def coriolis_matrix(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """C(q, u), by which velocity terms are C u and Ṁ - 2C is skew."""
        return self._one("coriolis_matrix", q, u, **more)

    def bias(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """tau - M u̇."""
        return self._one("bias", q, u, **more)

    def state_rates(self, x: ArrayLike, tau: ArrayLike | None = None, **more: Unpack[CallOptions]) -> Floats:
        """The rates of the state x = (q, u, z) for efforts tau (none by default)."""
        return self._one("state_rates", x, self._no_effort("state_rates") if tau is None else tau, **more)

    def coordinate_rates(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """q̇ = Γ(q) u."""
        return self._one("coordinate_rates", q, u, **more)

    def energy(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> tuple[Floats, Floats]:
        """Kinetic and potential energy."""
        return self._two("energy", q, u, **more)

    def momentum(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> tuple[Floats, Floats]:
        """Angular momentum about the ground's origin and linear momentum, in ground components."""
        return self._two("momentum", q, u, **more)

    def regressor(
        self, q: ArrayLike, u: ArrayLike, udot: ArrayLike, **more: Unpack[CallOptions]
    ) -> tuple[Floats, Floats]:
        """Y(q, u, u̇) of the standard parameters, and the efforts that other loads take: τ = Y π + known."""
        return self._two("regressor", q, u, udot, **more)

    def multipliers(
        self, q: ArrayLike, u: ArrayLike, tau: ArrayLike | None = None, **more: Unpack[CallOptions]
    ) -> Floats:
        """λ of the independent constraints: their forces on the speeds are Aᵀλ."""
        effort = np.zeros(len(self.equations.tau)) if tau is None else tau
        return self._one("multipliers", q, u, effort, **more)

    def constraint_values(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """φ(q, t) of the constraints on the position."""
        return self._one("constraint_values", q, **more)

    def constraint_rates(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """A u + a of all constraints."""
        return self._one("constraint_rates", q, u, **more)

    def constraint_matrix(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """A(q, t), a row for each constraint and a column for each speed of the tree."""
        return self._one("constraint_matrix", q, **more)
