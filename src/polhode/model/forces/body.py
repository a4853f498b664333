"""Forces and torques on bodies, gravity fields, and potential energies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from ...errors import ModelError
from ...expr import Expr, Matrix, Vector, as_expr, directional, evaluate, free_symbols, gradient, is_zero, substitute
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

#: Degrees in the position that are tried; of degree -1 the potential is a logarithm.
_DEGREES = (*range(-9, -1), *range(10))


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
    """V with a = -∂V/∂r, where a is a sum of at most two homogeneous fields, of degrees k and m; else None.

    With E = r·∂/∂r Euler's theorem is E a = Σ k a_k, so that E² a = (k + m) E a - k m a, and V = -Σ r·a_k/(k + 1).
    """
    if any(x not in POSITION and x.data[0] not in ("parameter", "time") for x in free_symbols(a)):
        return None
    once = Vector(directional(a, dict(zip(POSITION, POSITION, strict=True))))
    twice = Vector(directional(once, dict(zip(POSITION, POSITION, strict=True))))
    zeroth, first, second = (Vector(_at_points(field)) for field in (a, once, twice))
    for k, m in [*zip(_DEGREES, _DEGREES, strict=True), *combinations(_DEGREES, 2)]:
        if all(map(is_zero, first - zeroth * k if k == m else second - first * (k + m) + zeroth * (k * m))):
            parts = {k: a} if k == m else {k: (once - a * m) / (k - m), m: (once - a * k) / (m - k)}
            V = as_expr(-sum(_along(part) / (degree + 1) for degree, part in parts.items()))
            return V if all(map(is_zero, _at_points(a - _slope(V)))) else None
    return None


def _along(part: Vector) -> Expr:
    """r·a, for a central field a = c r written as (r·r) c."""
    c = part[0] / POSITION[0]
    is_central = all(is_zero(entry - x * c) for entry, x in zip(part, POSITION, strict=True))
    return as_expr(POSITION.dot(POSITION) * c if is_central else POSITION.dot(part))


def _alike(a: Vector, b: Vector) -> bool:
    """Whether two laws have the same values, by numbers at random positions."""
    symbols = free_symbols([*a, *b])
    points = np.random.default_rng(1).uniform(0.5, 1.5, (5, len(symbols))).tolist()
    values = [np.reshape(evaluate([*a, *b], dict(zip(symbols, at, strict=True))), (2, 3)) for at in points]
    return all(np.linalg.norm(x - y) <= 1e-6 * np.linalg.norm(x) for x, y in values)


def _slope(V: Expr) -> Vector:
    """-∂V/∂r."""
    return -Vector(gradient(V, list(POSITION)))


def _at_points(entries: Iterable[Expr]) -> list[Expr]:
    """Expressions at two positions of whole numbers whose distance is one too, so that roots of r·r are exact."""
    roots, (p, q) = list(entries), (179, 653)
    values = []
    for s, t in ((307, 811), (523, 67)):
        at = (p * p + q * q - s * s - t * t, 2 * (p * t + q * s), 2 * (q * t - p * s))
        values += substitute(roots, dict(zip(POSITION, map(as_expr, at), strict=True)))
    return values


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
