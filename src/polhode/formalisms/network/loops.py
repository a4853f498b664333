"""Chords that close loops: the directions along which their across variables vanish.

A joint that closes a loop is an edge from the origin of its frame b to the point of body a that is there; a contact is
one between the points of two bodies at the place where they touch. Its circuit gives x_c = x_b - x_a. Along every
direction d that the joint or the contact forbids, d·x_c = 0 is a constraint, and the through variable of the chord is
y_c = -Σ λ d, λ being the multipliers. With n, m for axes of the frames b and a in ground components:

    condition                        direction (v, ω)
    Level      e·p                   (m, 0),                                    m = R_a e
    Square     e·(R a)               (0, n × m),                                n = R_b a, m = R_a e
    Untwisted  (R_ij - R_ji)/2       (0, (n_j × m_i - n_i × m_j)/2)
    Advance    p·a - pitch · angle   (R_a a, -pitch n × (X m_2 - Y m_1)/(X² + Y²)),    X = n·m_1, Y = n·m_2
    contact    slip along d          (d, 0)

and for a joint with coordinates of its own (`constraints.joint_closing`) what the rates of its rows have of the twist.

Each d·x_c is the rate of its condition wherever the mechanism is, on the constraints or off them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...constraints.asking import Advance, Asked, Level, Square
from ...constraints.closing import asked_of
from ...constraints.rolling import Contact
from ...constraints.wrenches import closing_directions
from ...expr import Matrix, Vector
from ...geometry import Pose
from ...model.constraint import Closure
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


def forbidden(closure: Closure, R_a: Matrix, R_b: Matrix) -> tuple[Direction, ...]:
    """The directions that a joint keeps at zero; R_a and R_b take its frames to the ground.

    >>> import polhode as ph
    >>> from polhode.expr import Matrix
    >>> system = ph.System("table")
    >>> cross = system.close("cross", system.ground, system.body("top", 1), ph.Universal("x", "y"))
    >>> forbidden(cross, Matrix.identity(3), Matrix.identity(3))[-1]
    Direction(label='square', pair=(Vector([0, 0, 0]), Vector([0, 0, -1])))
    """
    return tuple(Direction(asked.name, _pair(asked, R_a, R_b)) for asked in asked_of(closure) or ())


def steered(closure: Closure, X: Pose, R_b: Matrix) -> tuple[Direction, ...]:
    """The directions of a joint with coordinates of its own, which turn with them; X is the pose of frame b in a."""
    found = closing_directions(closure, X)
    return tuple(Direction(name, (R_b @ f, R_b @ n)) for name, (n, f) in found.items())


def unslipping(contact: Contact) -> tuple[Direction, ...]:
    """The directions in which two bodies that touch do not slip, part or turn; none where a surface itself drifts."""
    if any(contact.drift):
        return ()
    slides, turns = contact.directions, contact.turns
    return tuple(Direction(name, (slides.get(name, ZERO), turns.get(name, ZERO))) for name in {**slides, **turns})


def _pair(asked: Asked, R_a: Matrix, R_b: Matrix) -> Pair:
    if isinstance(asked, Level):
        return R_a @ asked.e, ZERO
    if isinstance(asked, Square):
        return ZERO, (R_b @ asked.a).cross(R_a @ asked.e)
    if isinstance(asked, Advance):
        n, m_1, m_2 = R_b @ asked.e1, R_a @ asked.e1, R_a @ asked.e2
        X, Y = n.dot(m_1), n.dot(m_2)
        pitch = asked.v.dot(asked.a) / asked.a.dot(asked.a)
        return R_a @ asked.a, n.cross(m_2 * X - m_1 * Y) * (-pitch / (X * X + Y * Y))
    i, j = asked.plane
    of_b, of_a = R_b.columns, R_a.columns
    return ZERO, (of_b[j].cross(of_a[i]) - of_b[i].cross(of_a[j])) / 2
