"""Rotational and translational terms of Sayers' method: Table 7, (30) to (35), and Table 9, (36) to (39).

Each rotational vector of a body is in the components of its `basis`: the body itself, or for a rotor the parent;
translational ones are in those of the body itself. If B is fixed, its origin B_0 is taken for its mass centre B*.
Gravity is an acceleration of the ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...expr import Matrix, Vector, is_zero
from ...geometry.inertia import acceleration_matrix
from ...geometry.twist import ZERO
from ...kinematics.tree import BASE, Tree
from .bodies import NONRECURSIVE, Part

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
    return Rotational(ZERO, ZERO, total(directions, u), {}, {}, directions, ZERO, ZERO)


def _relative(parts: Sequence[Part], part: Part, above: Rotational | None, u: Sequence[Any]) -> Rotational:
    """A rotor, or a body on any other joint: the parent's terms plus the joint's."""
    link, rotor = part.link, part.basis != part.index

    def seen(vector: Vector) -> Vector:
        """A vector of the parent's row: «« · A» · B», for a rotor « · A»."""
        at_parent = in_own_basis(parts, link.parent, vector)
        return at_parent if rotor else link.outward(at_parent)

    def written(vector: Vector) -> Vector:
        """A vector in the link's components in those of the body's basis."""
        return link.inward(vector) if rotor else vector

    axes: Partials = {i: written(axis) for i, axis in part.turning.items()}
    w_relative = written(link.relative_velocity(u)[0])
    w_parent = seen(above.w) if above else ZERO
    inherited = {i: seen(w) for i, w in above.partials.items()} if above else {}
    step = w_parent.cross(w_relative)
    own_alpha, _ = link.relative_acceleration(u, [0] * len(u))
    if any(own_alpha):  # the rate of ω_t of (30)
        step = step + written(own_alpha)
    alpha = (seen(above.alpha_rem) if above else ZERO) + step
    return Rotational(w_parent, w_relative, w_parent + w_relative, inherited, axes, added(inherited, axes), step, alpha)


def in_own_basis(parts: Sequence[Part], index: int, vector: Vector) -> Vector:
    """A vector from a body's row of the table in the components of that body: « · A»."""
    part = parts[index]
    return vector if part.basis == index else part.link.outward(vector)


def added(one: Partials, other: Partials) -> Partials:
    """The sum of partial velocities, speed by speed."""
    return {i: one.get(i, ZERO) + other.get(i, ZERO) for i in sorted({*one, *other})}


def total(partials: Partials, u: Sequence[Any]) -> Vector:
    """Σ u_i ω_i, (31)."""
    result = ZERO
    for i, direction in partials.items():
        result = result + direction * u[i]
    return result


@dataclass(frozen=True)
class Translational:
    """The rows of Table 9 for one body."""

    arm: Vector  # r^A*B0, in the parent's basis
    w: Vector  # ω^B', in the body's own basis
    partials: Partials  # v_i^B*
    native: tuple[int, ...]  # N_i^B: for each speed the body furthest up with the same partial velocity
    v: Vector
    R: Matrix  # what takes a point's position in the body to its acceleration relative to the origin
    a_rem: Vector


def translational_terms(
    tree: Tree, parts: Sequence[Part], rotational: Sequence[Rotational], u: Sequence[Any]
) -> list[Translational]:
    """Table 9, from the base outward."""
    table: list[Translational] = []
    gravity: list[Vector] = []  # in each body's basis
    turns = [_turn_in_own_basis(parts, part.index, turn) for part, turn in zip(parts, rotational, strict=True)]
    for part, turn in zip(parts, turns, strict=True):
        up = part.link.parent
        gravity.append(part.link.outward(Vector(tree.gravity) if up == BASE else gravity[up]))
        if part.translation == NONRECURSIVE:
            table.append(_absolute_move(parts, part, turn, gravity[-1], u))
        elif up == BASE:
            native, g = (part.index,) * len(tree.u), Vector(tree.gravity)
            ground = Translational(ZERO, ZERO, {}, native, ZERO, Matrix.zeros(3, 3), -g)  # (38), a_rem = -g (39)
            table.append(_relative_move(part, turn, ground, _STILL, u))
        else:
            table.append(_relative_move(part, turn, table[up], turns[up], u, parts[up].centre))
    return table


@dataclass(frozen=True)
class _Turn:
    """Angular velocity, its remainder and its partials in the body's own basis: « · B»."""

    w: Vector
    alpha: Vector
    partials: Partials


_STILL = _Turn(ZERO, ZERO, {})


def _turn_in_own_basis(parts: Sequence[Part], index: int, turn: Rotational) -> _Turn:
    w, alpha = in_own_basis(parts, index, turn.w), in_own_basis(parts, index, turn.alpha_rem)
    return _Turn(w, alpha, {i: in_own_basis(parts, index, vector) for i, vector in turn.partials.items()})


def _absolute_move(parts: Sequence[Part], part: Part, turn: _Turn, gravity: Vector, u: Sequence[Any]) -> Translational:
    """The velocity of B* from the body's own speeds, along its axes."""
    link = part.link
    directions = {i: part.absolute[i] for i in part.sliding}
    v = total(directions, u)
    arm = link.X.p if link.parent == BASE else link.X.p - parts[link.parent].centre
    R = acceleration_matrix(turn.w, turn.alpha)
    return Translational(arm, turn.w, directions, (part.index,) * len(u), v, R, turn.w.cross(v) - gravity)


def _relative_move(
    part: Part, turn: _Turn, above: Translational, turn_above: _Turn, u: Sequence[Any], start: Vector = ZERO
) -> Translational:
    """The motion of the parent at A*, and that added by r^A*B0, the joint and r^B0B*."""
    link, centre = part.link, part.centre
    arm = link.X.p - start
    step: Partials = {i: w.cross(centre) for i, w in turn.partials.items()}
    for (_, slide), i in zip(link.H, link.speeds, strict=True):
        step = added(step, {i: slide})
    translations = dict(part.block.translations)  # d_t, in the parent's basis
    step = added(step, {i: link.outward(direction) for i, direction in translations.items()})
    step = added({i: link.outward(w.cross(arm)) for i, w in turn_above.partials.items()}, step)  # v_i^A*B*
    moved = {i for i, vector in step.items() if not all(is_zero(entry) for entry in vector)}
    native = tuple(part.index if i in moved else home for i, home in enumerate(above.native))
    partials = added({i: link.outward(vector) for i, vector in above.partials.items()}, step)
    _, own_v = link.relative_velocity(u)
    _, own_a = link.relative_acceleration(u, [0] * len(u))
    w_in, along = link.outward(above.w), total(translations, u)
    v = link.outward(above.v + above.w.cross(arm) + along) + own_v + turn.w.cross(centre)
    R = acceleration_matrix(turn.w, turn.alpha)
    carried = above.a_rem + above.R @ arm + above.w.cross(along) * 2
    a_rem = link.outward(carried) + R @ centre + (w_in + turn.w).cross(own_v) + own_a
    kept = {i: vector for i, vector in partials.items() if not all(is_zero(entry) for entry in vector)}
    return Translational(arm, turn.w, kept, native, v, R, a_rem)
