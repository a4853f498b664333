"""Rotational terms of Sayers' method: Table 7, (30) to (35).

Each vector of a body is in the components of its `basis`: the body itself, or for a rotor the parent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...expr import Vector
from ...kinematics.tree import BASE
from .bodies import NONRECURSIVE, Part

_ZERO = Vector([0, 0, 0])

#: A vector for each speed, those that are zero left out.
Partials = Mapping[int, Vector]


@dataclass(frozen=True)
class Rotational:
    """The rows of Table 7 for one body."""

    w_parent: Vector  # ω^A', in this body's basis
    w_relative: Vector  # ᴬω^B
    w: Vector
    partials_parent: Partials  # ω_i^A'
    partials_relative: Partials  # ᴬω_i^B
    partials: Partials
    alpha_step: Vector  # α_rem^AB
    alpha_rem: Vector


def rotational_terms(parts: Sequence[Part], u: Sequence[Any]) -> list[Rotational]:
    """Table 7, from the base outward."""
    table: list[Rotational] = []
    for part in parts:
        above = None if part.link.parent == BASE else table[part.link.parent]
        table.append(_absolute(part, u) if part.rotation == NONRECURSIVE else _relative(parts, part, above, u))
    return table


def _absolute(part: Part, u: Sequence[Any]) -> Rotational:
    """Three degrees of freedom: ω^B from its own speeds; its rate has no remainder, as ω × ω = 0."""
    directions = {i: part.absolute[i] for i in part.turning}
    return Rotational(_ZERO, _ZERO, total(directions, u), {}, {}, directions, _ZERO, _ZERO)


def _relative(parts: Sequence[Part], part: Part, above: Rotational | None, u: Sequence[Any]) -> Rotational:
    """A rotor, or a body on any other joint: what the parent has, and what the joint adds."""
    link, rotor = part.link, part.basis != part.index

    def seen(vector: Vector) -> Vector:
        """A vector of the parent's row: «« · A» · B», for a rotor « · A»."""
        at_parent = in_own_basis(parts, link.parent, vector)
        return at_parent if rotor else link.outward(at_parent)

    def written(vector: Vector) -> Vector:
        """A vector in the link's components in those of the body's basis."""
        return link.inward(vector) if rotor else vector

    own: Partials = {i: written(axis) for i, axis in part.turning.items()}
    w_relative = written(link.relative_velocity(u)[0])
    w_parent = seen(above.w) if above else _ZERO
    inherited = {i: seen(w) for i, w in above.partials.items()} if above else {}
    step = w_parent.cross(w_relative)
    own_alpha, _ = link.relative_acceleration(u, [0] * len(u))
    if any(own_alpha):  # the rate of ω_t of (30)
        step = step + written(own_alpha)
    alpha = (seen(above.alpha_rem) if above else _ZERO) + step
    return Rotational(w_parent, w_relative, w_parent + w_relative, inherited, own, added(inherited, own), step, alpha)


def in_own_basis(parts: Sequence[Part], index: int, vector: Vector) -> Vector:
    """A vector from a body's row of the table in the components of that body: « · A»."""
    part = parts[index]
    return vector if part.basis == index else part.link.outward(vector)


def added(one: Partials, other: Partials) -> Partials:
    """The sum of partial velocities, speed by speed."""
    return {i: one.get(i, _ZERO) + other.get(i, _ZERO) for i in sorted({*one, *other})}


def total(partials: Partials, u: Sequence[Any]) -> Vector:
    """Σ u_i ω_i, (31)."""
    made = _ZERO
    for i, direction in partials.items():
        made = made + direction * u[i]
    return made
