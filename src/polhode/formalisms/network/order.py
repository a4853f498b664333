"""The order in which circuits and cut-sets are solved along a formulation tree.

A body hangs on another, or on the ground, by the branch in the circuit of its chord, from which x of the chord
follows. If that branch is a joint, x is H u there. If it is the inertia of the body, or a joint that closes a loop,
nothing gives x yet: the body floats, and all that hang on it form a group with it. A joint that is a chord then leads
from the group to one that is settled, and tells how it moves. Paper: K x_G = x, S = K⁻¹ (13), (19). Where every joint
is a branch there is one group, that of the ground.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from ...expr import Vector
from ...model.records import GROUND
from .given_tree import hanging
from .graph import REFERENCE, Edge, Formulation
from .mechanism import ZERO, Mechanism


@dataclass(frozen=True)
class Link:
    """The joint, a chord, that tells how a floating group moves: x_own = x_beyond + x_joint.

    It leads from a child in the group to its parent beyond, as the ground is beyond all groups.
    """

    joint: str
    own: str  # its terminal in the group, the tail
    beyond: str  # the head; O for the ground
    arm: Vector  # from the terminal of the group's first body that is its chord to `own`
    branch: str  # what the first body floats on
    branch_sign: int  # y_chord = -sign · y_branch


@dataclass(frozen=True)
class Group:
    """Bodies that hang on each other, from the first outward; without a link they hang on the ground."""

    bodies: tuple[str, ...]
    link: Link | None = None


@dataclass(frozen=True)
class Order:
    """Groups, each linked to one before it, and the chord of each body."""

    groups: tuple[Group, ...]
    chord: Mapping[str, str]


def order_of(parts: Mechanism, graph: Formulation) -> Order:
    """How the equations of a mechanism are solved along a tree."""
    chords = set(graph.cotree)
    chord = {body: next(e.name for e in star if e.name in chords) for body, star in graph.graph.stars.items()}
    floats = {body: edge for body, at in chord.items() for edge in graph.circuits[at] if _is_open(parts, edge)}
    groups, arms = _groups(parts, graph, chord, floats)
    first = {body: bodies[0] for bodies in groups.values() for body in bodies if bodies[0] in floats}
    ordered = [Group(tuple(groups.pop(GROUND, [])))]
    links: dict[str, list[Edge]] = {}  # joints that are chords, by the group of their parent
    for name in parts.joints:
        if name in chords:
            edge = graph.graph.by_name[name]
            links.setdefault(_group_at(parts, first, edge.head), []).append(edge)
    waiting = deque([GROUND])
    while waiting:
        for edge in links.get(waiting.popleft(), []):
            part = parts.component_of[edge.tail]
            name = _group_at(parts, first, edge.tail)
            arm = arms[part.name] + part.arm(edge.tail) - part.arm(chord[part.name])
            sign = graph.circuits[chord[name]][floats[name]]
            link = Link(edge.name, edge.tail, edge.head, arm, floats[name], sign)
            ordered.append(Group(tuple(groups[name]), link))
            waiting.append(name)
    return Order(tuple(ordered), chord)


def _is_open(parts: Mechanism, edge: str) -> bool:
    """Whether a branch leaves open how its ends move against each other."""
    return edge not in parts.joints and edge not in parts.component_of


def _group_at(parts: Mechanism, first: Mapping[str, str], vertex: str) -> str:
    return GROUND if vertex == REFERENCE else first.get(parts.component_of[vertex].name, GROUND)


def _groups(
    parts: Mechanism, graph: Formulation, chord: Mapping[str, str], floats: Mapping[str, str]
) -> tuple[dict[str, list[str]], dict[str, Vector]]:
    """The bodies of each group by its first one, each after the one that it hangs on, and their arms from the first."""
    on = hanging(graph)
    after: dict[str, list[str]] = {}
    for part in parts.components:
        if part.name not in floats:
            after.setdefault(on[part.name] or GROUND, []).append(part.name)
    groups: dict[str, list[str]] = {}
    arms: dict[str, Vector] = {}
    for first in (GROUND, *floats):
        own = groups[first] = [] if first == GROUND else [first]
        arms[first] = ZERO
        stack = [first]
        while stack:
            before = stack.pop()
            for body in after.get(before, []):
                own.append(body)
                stack.append(body)
                if first != GROUND:
                    carrier = parts.by_name[before]
                    at = next(edge for edge in graph.circuits[chord[body]] if parts.component_of.get(edge) is carrier)
                    arms[body] = arms[before] + carrier.arm(at) - carrier.arm(chord[before])
    return groups, arms
