"""Constraints taken at their own word: what they state of poses, evaluated where the bodies are.

A constraint that is not stated a second time here is given poses of letters; the expressions that it makes of them are
then evaluated in the prime field, with the letters as the bodies move.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...expr import Expr, Vector, as_expr
from ...model.constraints.protocol import ContactConstraint, LoopConstraint, lettered_pose
from .closures import pose_between
from .contacts import ContactConditions, slip_of
from .evaluate import NotCovered, evaluated
from .jet import Jet
from .jets import Arrow, dot, minus, pose_of, resting_pose_of, spin
from .matrices import Rows
from .positions import Positions

if TYPE_CHECKING:
    from ...geometry import Pose


def held_by_loop(where: Positions, loop: LoopConstraint, symbols: Mapping[Expr, Jet]) -> ContactConditions:
    letters = lettered_pose()
    stated = loop.conditions(letters)
    if stated is None:
        raise NotCovered("a loop of a joint with coordinates of its own")
    known = {**symbols, **_spelled(letters, pose_between(where, loop))}
    return {name: evaluated(where.meant(value), known, order=2) for name, value in stated.items()}, {}


def held_by_contact(where: Positions, constraint: ContactConstraint, symbols: Mapping[Expr, Jet]) -> ContactConditions:
    if constraint.coordinates:
        raise NotCovered("a contact with coordinates of its own")
    stated = constraint.contact(_Letters(where))
    resting = {name: jet.at_rest() for name, jet in symbols.items()}
    moving, still = dict(symbols), dict(resting)
    for name, body in where.bodies.items():
        moving |= _spelled(lettered_pose(name), pose_of(body))
        still |= _spelled(lettered_pose(name), resting_pose_of(body))

    def arrow(vector: Vector) -> Arrow:
        return [evaluated(where.meant(entry), still, order=2) for entry in vector]

    a, b = constraint.bodies
    slip = minus(slip_of(where, a, b, arrow(stated.place)), arrow(stated.drift))
    turning = minus(spin(where.bodies[a]), spin(where.bodies[b]))
    rates: dict[str, Any] = {name: dot(slip, arrow(d)) for name, d in stated.directions.items()}
    for name, turn in stated.turns.items():
        rates[name] = rates.get(name, 0) + dot(turning, arrow(turn))
    positions = {name: evaluated(where.meant(v), moving, order=2) for name, v in stated.positions.items()}
    return positions, {name: rate for name, rate in rates.items() if name not in positions}


class _Letters:
    """Bodies whose poses are letters."""

    def __init__(self, where: Positions) -> None:
        self.where, self.time = where, where.system.time

    def pose(self, frame: str) -> Pose:
        if frame in self.where.system.bodies:
            return lettered_pose(frame)
        found = self.where.system.frames[frame]
        return lettered_pose(found.body) @ found.pose

    def relative(self, a: str, b: str) -> Pose:
        return lettered_pose(a).inverse() @ lettered_pose(b)

    def given(self, value: Any) -> Any:
        return Vector(map(self.where.meant, value)) if isinstance(value, Vector) else self.where.meant(value)


def _spelled(letters: Pose, X: Rows) -> dict[Expr, Jet]:
    """What the letters of a pose stand for."""
    entries = [*(row[j] for row in X[:3] for j in range(3)), *(row[3] for row in X[:3])]
    names = map(as_expr, (*letters.R.entries(), *letters.p))
    return {name: Jet(entry) if isinstance(entry, int) else entry for name, entry in zip(names, entries, strict=True)}
