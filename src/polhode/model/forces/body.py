"""Forces and torques on bodies, gravity fields, and potential energies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, PolhodeError
from ...expr import Expr, Matrix, Vector, as_expr, directional, evaluate, free_symbols, gradient, is_zero
from .protocol import (
    GROUND,
    POSITION,
    BodyTorque,
    ForceElement,
    Mechanism,
    PointForce,
    PotentialEnergy,
    PrimitiveLoad,
    SpeedForce,
    given,
)


@dataclass(frozen=True, kw_only=True)
class Force(ForceElement):
    """A force at a point of a body, its components along the axes of a frame (the ground's)."""

    kind = "force"
    drawing = (("mark", "on"),)

    on: str = given("body")
    vector: Vector = given("vector", of="frame", free=True, unit="N")
    at: Vector = given("point", (0, 0, 0), of="on", free=True, unit="m")
    frame: str = given("frame", GROUND)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (PointForce(self.on, self.at, self.vector, self.frame),)


@dataclass(frozen=True, kw_only=True)
class Torque(ForceElement):
    """A pure torque on a body, its components along the axes of a frame (the ground's)."""

    kind = "torque"

    on: str = given("body")
    vector: Vector = given("vector", of="frame", free=True, unit="N·m")
    frame: str = given("frame", GROUND)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (BodyTorque(self.on, self.vector, self.frame),)


@dataclass(frozen=True, kw_only=True)
class GravityField(ForceElement):
    """A field that accelerates every mass: expressions of its centre's position `x`, `y`, `z`, in ground components.

    The potential V, in J/kg, has the slope -∂V/∂r = acceleration; one of both is enough. That of an acceleration which
    is homogeneous in the position, or the sum of two such fields, as of a planet and its oblateness, is found.
    """

    kind = "gravity_field"

    acceleration: Vector | None = given("vector", None, free=True, unit="m/s²", arguments=(POSITION,))
    potential: Expr | None = given("number", None, free=True, unit="m²/s²", arguments=(POSITION,))

    @cached_property
    def law(self) -> tuple[Vector, Expr | None]:
        """Acceleration and, where it is known, potential."""
        a, V = self.acceleration, self.potential
        if V is None:
            if a is None:
                cure = "Give the acceleration or the potential as a function of the position."
                raise ModelError("a field needs a law.", self.place, cure, "E-MODEL-MISSING")
            V = potential_of(a)
            return (a, None) if V is None else (_slope(V), V)
        if a is not None and not _alike(a, _slope(V)):
            message = "the acceleration is not the downward slope -∂V/∂r of the potential."
            raise ModelError(message, self.place, "Give one of both.", "E-MODEL-DEPENDENCE")
        return _slope(V), V

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        pulled = [body for body in model.bodies.values() if body.mass and body.name != GROUND]
        for body in pulled:
            if body.flexibility is not None:
                message = f"the field is that of rigid bodies, and '{body.name}' bends."
                cure = "Give a uniform field as System(gravity=…)."
                raise ModelError(message, place=self.place, cure=cure, code="E-FLEX-UNSUPPORTED")
        a, V = self.law
        return tuple(
            PointForce(body.name, body.com, a * body.mass, energy=None if V is None else V * body.mass)
            for body in pulled
        )


def potential_of(a: Vector) -> Expr | None:
    """V with a = -∂V/∂r, if a is a sum of at most two homogeneous fields, of degrees k and m in the position.

    With E = r·∂/∂r Euler's theorem is E a = Σ k a_k, so that E² a = (k + m) E a - k m a, and V = -Σ r·a_k/(k + 1). The
    degrees, and whether the slope of V is a, are decided in numbers at random positions: roots are no fingerprints.
    """
    if any(x not in POSITION and x.data[0] not in ("parameter", "time") for x in free_symbols(a)):
        return None
    flow = dict(zip(POSITION, POSITION, strict=True))
    once = Vector(directional(a, flow))
    values = _numbers([*a, *once, *directional(once, flow)])
    if values is None:
        return None
    A, B, C = values.reshape(len(values), 3, 3).transpose(1, 0, 2).reshape(3, -1)
    k = float(A @ B / (A @ A or 1))
    if np.allclose(B, k * A, rtol=1e-9):
        degrees = [k]
    else:
        total, product = np.linalg.lstsq(np.stack([B, -A], axis=1), C)[0]
        degrees = np.roots([1, -total, product]).tolist()
    exact = [Fraction(round(2 * k.real), 2) for k in degrees]
    if -1 in exact or len({*exact}) < len(exact):
        return None
    V = as_expr(0)
    for k in exact:
        rest = [m for m in exact if m != k]
        part = (once - a * rest[0]) / (k - rest[0]) if rest else a
        c = part[0] / POSITION[0]
        central = all(is_zero(entry - x * c) for entry, x in zip(part, POSITION, strict=True))
        V = V - (POSITION.dot(POSITION) * c if central else POSITION.dot(part)) / (k + 1)
    return V if _alike(a, _slope(V)) else None


def _slope(V: Expr) -> Vector:
    """-∂V/∂r."""
    return -Vector(gradient(V, list(POSITION)))


def _alike(one: Vector, other: Vector) -> bool:
    """Whether two laws have the same values at random positions."""
    values = _numbers([*one, *other])
    return values is not None and np.allclose(values[:, :3], values[:, 3:], rtol=1e-9)


def _numbers(entries: Sequence[Expr]) -> NDArray[np.float64] | None:
    """Values of expressions at random values of their symbols, a row for each; None if they are not finite."""
    symbols = free_symbols(entries)
    points = np.random.default_rng(1).uniform(0.5, 1.5, (5, len(symbols))).tolist()
    try:
        rows = [evaluate(entries, dict(zip(symbols, point, strict=True))) for point in points]
    except (ArithmeticError, ValueError, PolhodeError):
        return None
    return np.array(rows) if np.isfinite(rows).all() else None


@dataclass(frozen=True, kw_only=True)
class Potential(ForceElement):
    """A potential energy, as any expression of coordinates, parameters and time."""

    kind = "potential"

    energy: Expr = given("number", free=True, unit="J")

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (PotentialEnergy(self.energy),)


@dataclass(frozen=True, kw_only=True)
class Elasticity(ForceElement):
    """The potential ½ ηᵀ K η of the elastic coordinates η of a flexible body, and the forces -D η̇ on their speeds."""

    kind = "elasticity"

    joint: str
    stiffness: Matrix
    damping: Matrix

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        joint = model.joints[self.joint]
        energy = sum((q * k for q, k in zip(joint.q, self.stiffness @ Vector(joint.q), strict=True)), as_expr(0)) / 2
        losses = self.damping @ Vector(joint.u)
        damped = [SpeedForce(self.joint, i, -loss) for i, loss in enumerate(losses) if loss]
        return (PotentialEnergy(energy), *damped)
