"""Chords that close loops: the directions along which their across variables vanish.

A joint that closes a loop is an edge from the origin of its frame b to the point of body a that is there; a contact is
one between the points of two bodies at the place where they touch. Its circuit gives x_c = x_b - x_a. Along every
direction d that the joint or the contact forbids, d·x_c = 0 is a constraint, and the through variable of the chord is
y_c = -Σ λ d, λ being the multipliers. The directions of a closing joint are in `model.constraints.loop_conditions`; for
one with coordinates of its own (`constraints.loop_auxiliary`), and for any other loop, they are what the rates of its
rows have of the twist. Those of a contact are (d, 0) for slip along d.

Each d·x_c is the rate of its condition wherever the mechanism is, on the constraints or off them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...constraints.wrenches import loop_directions
from ...expr import Matrix, Vector
from ...geometry import Pose
from ...model.constraints.protocol import Contact, LoopConstraint
from .component import ZERO, Pair


@dataclass(frozen=True)
class Direction:
    """A direction (v, ω) in ground components; its label is that of the condition whose rate it gives."""

    label: str
    pair: Pair

    def along(self, x: Pair) -> Any:
        """d · x."""
        return self.pair[0].dot(x[0]) + self.pair[1].dot(x[1])


@dataclass(frozen=True)
class ClosingEdge:
    """A joint that closes a loop, or a contact, as an edge: directions in which its ends may not move apart.

    One whose conditions are no directions between two coinciding points has none here.
    """

    name: str
    of: str  # the constraint
    directions: tuple[Direction, ...]
    place: Vector | None = None  # where a contact is, in ground components: it wanders on both bodies

    @property
    def rule(self) -> str:
        """What holds for its across variable, in words; a single direction may have no name.

        >>> ClosingEdge("skate", "skate", (Direction("", (Vector([0, 1, 0]), ZERO)),)).rule
        '= 0 along its direction'
        """
        labels = [direction.label or "its direction" for direction in self.directions]
        return f"= 0 along {', '.join(labels)}" if labels else "is what its joint allows"


def forbidden(loop: LoopConstraint, X: Pose, R_a: Matrix, R_b: Matrix) -> tuple[Direction, ...]:
    """The directions that a loop keeps at zero; X is the pose of frame b in a, R_a and R_b take them to the ground.

    >>> import polhode as ph
    >>> from polhode.expr import Matrix
    >>> from polhode.geometry import Pose
    >>> system, here = ph.System("table"), Pose.identity()
    >>> cross = system.close("cross", system.ground, system.body("top", 1), ph.Universal("x", "y"))
    >>> forbidden(cross, here, here.R, here.R)[-1]
    Direction(label='square', pair=(Vector([0, 0, 0]), Vector([0, 0, -1])))
    """
    found = loop.directions(R_a, R_b)
    if found is None:
        found = {name: (R_b @ f, R_b @ n) for name, (n, f) in loop_directions(loop, X).items()}
    return tuple(Direction(name, pair) for name, pair in found.items())


def unslipping(contact: Contact) -> tuple[Direction, ...]:
    """The directions in which two bodies that touch do not slip, part or turn; none where a surface itself drifts."""
    if any(contact.drift):
        return ()
    slides, turns = contact.directions, contact.turns
    return tuple(Direction(name, (slides.get(name, ZERO), turns.get(name, ZERO))) for name in {**slides, **turns})
