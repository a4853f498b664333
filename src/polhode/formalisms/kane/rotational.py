"""Rotational terms of Sayers' method: Table 7, (30) to (35).

Each vector of a body is in the components of its `basis`: the body itself, or for a rotor the parent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...expr import Vector
from ...kinematics.tree import BASE, Tree
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


def rotational_terms(tree: Tree, parts: Sequence[Part], u: Sequence[Any]) -> list[Rotational]:
    """Table 7, from the base outward."""
    table: list[Rotational] = []
    for part in parts:
        link = part.link
        up, rotor = link.parent, part.basis != part.place

        def seen(vector: Vector, link: Any = link, up: int = up, rotor: bool = rotor) -> Vector:
            """A vector of the parent's table: «« · A» · B», for a rotor « · A»."""
            at_parent = in_own_basis(parts, up, vector)
            return at_parent if rotor else link.outward(at_parent)

        above = None if up == BASE else table[up]
        if part.rotation == NONRECURSIVE:
            directions = {i: d for i, d in part.absolute.items() if i in {link.speeds[k] for k in part.turning}}
            table.append(
                Rotational(_ZERO, _ZERO, total(directions, u), {}, {}, directions, _ZERO, _ZERO)
            )  # dω/dt has no remainder: ω × ω = 0
            continue
        w_relative, _ = link.relative_velocity(u)
        own: dict[int, Vector] = {}
        for k in part.turning:
            own[link.speeds[k]] = own.get(link.speeds[k], _ZERO) + link.H[k][0]
        if rotor:
            w_relative, own = link.inward(w_relative), {i: link.inward(d) for i, d in own.items()}
        w_parent = seen(above.w) if above else _ZERO
        partials_parent = {i: seen(w) for i, w in above.partials.items()} if above else {}
        step = w_parent.cross(w_relative)
        if link.drive is not None:  # ω_t of (30)
            step = step + (link.inward(link.drive.alpha) if rotor else link.drive.alpha)
        table.append(
            Rotational(
                w_parent,
                w_relative,
                w_parent + w_relative,
                partials_parent,
                own,
                added(partials_parent, own),
                step,
                (seen(above.alpha_rem) if above else _ZERO) + step,
            )
        )
    return table


def in_own_basis(parts: Sequence[Part], place: int, vector: Vector) -> Vector:
    """A vector from a body's row of the table in the components of that body: « · A»."""
    part = parts[place]
    return vector if part.basis == place else part.link.outward(vector)


def added(one: Partials, other: Partials) -> Partials:
    """The sum of partial velocities, speed by speed."""
    return {i: one.get(i, _ZERO) + other.get(i, _ZERO) for i in sorted({*one, *other})}


def total(partials: Partials, u: Sequence[Any]) -> Vector:
    """Σ u_i ω_i, (31)."""
    made = _ZERO
    for i, direction in partials.items():
        made = made + direction * u[i]
    return made
