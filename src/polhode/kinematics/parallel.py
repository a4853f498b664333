"""Links that need not turn: joints with parallel axes, one after the other, and the last link of a limb.

What parallel joints carry (a knee after a hip, the shoulder, elbow and wrist of an arm) is turned by the sum of their
angles. Two ways to profit:

* `merge`: angular velocities, accelerations and torques cross all of them in one step;
* `hold`: the links keep one orientation, that of the frame before the first of them; their constants (offsets and
  moments) are turned instead of all the vectors that pass. The last of them, if it carries something else, turns by
  the sum of their angles; one before it that does is given an exit, a massless frame that turns with it.

A link that carries nothing can be held as well, in the frame of its seat: `rest`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..expr import Matrix, Vector, as_expr, pi
from ..geometry import Inertia, Pose, about
from .tree import BASE, Link, Tree, Turn


def single_axis(link: Link) -> tuple[str, Vector] | None:
    """The kind and direction of a link's joint if it turns about or slides along one axis through its origin."""
    if len(link.H) != 1:
        return None
    w, v = link.H[0]
    if not any(v):
        return "turn", w
    if not any(w):
        return "slide", v
    return None


def _parallel_angles(tree: Tree) -> tuple[list[Any], list[bool]]:
    """For each link the angle it has turned since its group began (None: no turn), and whether it continues a group."""
    angles: list[Any] = []
    continues: list[bool] = []
    for link in tree.links:
        angle, goes_on = _own_angle(tree, link), False
        if angle is not None and link.parent != BASE and angles[link.parent] is not None:
            offset = _turn_about(link.H[0][0], link.fixed.R, tree.links[link.parent].H[0][0])
            if offset is not None:
                angle, goes_on = angle + angles[link.parent] + offset, True
        angles.append(angle)
        continues.append(goes_on)
    return angles, continues


def merge(tree: Tree) -> Tree:
    """Measure the turn of each link over all parallel joints that carry it, where axes are coordinate axes."""
    angles, continues = _parallel_angles(tree)
    links: list[Link] = []
    for place, link in enumerate(tree.links):
        merged = None
        if continues[place]:
            before, axis = links[link.parent].long_turn, link.H[0][0]
            spin = (*((speed, axis) for speed, _ in before.spin), (link.speeds[0], axis))
            merged = Turn(before.anchor, before.fixed, _turned(axis, angles[place]).R, spin)
        links.append(replace(link, merged=merged))
    return replace(tree, links=tuple(links))


def hold(tree: Tree) -> Tree:
    """Give the links of each group of parallel joints one orientation."""
    angles, continues = _parallel_angles(tree)
    grouped = {place for group in _groups(tree, continues) for place in group}
    continues = [goes_on and place in grouped for place, goes_on in enumerate(continues)]
    last = {place for place in grouped if _ends(tree, place, continues)}
    links: list[Link] = []
    seat: dict[int, int] = {BASE: BASE}  # old place -> new place
    exits: dict[int, int] = {BASE: BASE}  # old place -> the frame that turns with the link
    turns = [
        _turned(link.H[0][0], angles[place]) if place in grouped - last else None
        for place, link in enumerate(tree.links)
    ]
    for place, link in enumerate(tree.links):
        turn = turns[place]
        if continues[place]:
            before, p = turns[link.parent], link.fixed.p
            fixed = Pose(Matrix.identity(3), p if before is None else before.R @ p)
            link = replace(link, parent=seat[link.parent], fixed=fixed)
        else:
            link = replace(link, parent=_exit(link.parent, links, seat, exits, turns))
        link = replace(link, merged=None)  # its anchor may have got another place
        if place in last:
            link = replace(link, motion=_turned(link.H[0][0], angles[place]))
        if turn is not None:
            link = replace(link, motion=Pose.identity(), inertia=_at_rest(link.inertia, turn))
        links.append(link)
        seat[place] = len(links) - 1
    bodies = {}
    for name, (place, X) in tree.bodies.items():
        turn = None if place == BASE else turns[place]
        bodies[name] = (seat[place], X if turn is None else turn @ X)
    return replace(tree, links=tuple(links), bodies=bodies)


def rest(tree: Tree) -> Tree:
    """Give each link that carries nothing, and is not on the ground, the orientation of its seat."""
    turns: dict[int, Pose] = {}
    links = list(tree.links)
    for place, link in enumerate(tree.links):
        free = not tree.children[place] and link.merged is None and link.parent != BASE
        angle = _own_angle(tree, link) if free else None
        if angle is not None:
            turn = turns[place] = _turned(link.H[0][0], angle)
            links[place] = replace(link, motion=Pose.identity(), inertia=_at_rest(link.inertia, turn))
    bodies = {name: (place, turns[place] @ X if place in turns else X) for name, (place, X) in tree.bodies.items()}
    return replace(tree, links=tuple(links), bodies=bodies)


def far_end(link: Link) -> tuple[Vector, Vector] | None:
    """The axis of a held link's joint and the vector from there to the link's origin, if that is off the axis."""
    found = link.H[0] if len(link.H) == 1 and Matrix.identity(3) == link.motion.R and any(link.motion.p) else None
    return None if found is None or not any(found[0]) else (found[0], link.motion.p)


def _groups(tree: Tree, continues: list[bool]) -> list[list[int]]:
    """The groups of parallel joints that are worth holding: those with fewer exits than links."""
    groups: dict[int, list[int]] = {}
    first: dict[int, int] = {}
    for place, link in enumerate(tree.links):
        first[place] = first[link.parent] if continues[place] else place
        groups.setdefault(first[place], []).append(place)
    exits = {link.parent for place, link in enumerate(tree.links) if not continues[place]}
    return [group for group in groups.values() if len(group) > 1 and len(exits.intersection(group)) < len(group)]


def _ends(tree: Tree, place: int, continues: list[bool]) -> bool:
    """Whether a link of a group, not its first, carries something, and nothing of the group."""
    return continues[place] and bool(tree.children[place]) and not any(continues[c] for c in tree.children[place])


def _exit(place: int, links: list[Link], seat: dict[int, int], exits: dict[int, int], turns: list[Pose | None]) -> int:
    """The new place of what turns with an old link: the link itself, or the exit frame of a held one."""
    turn = None if place == BASE else turns[place]
    if turn is None:
        return seat[place]
    if place not in exits:
        carrier = links[seat[place]]
        frame = replace(
            carrier, name=f"{carrier.name}, turned", parent=seat[place], fixed=Pose.identity(), motion=turn,
            H=(), coordinates=(), speeds=(), inertia=Inertia.zero(), merged=None,
        )  # fmt: skip
        links.append(frame)
        exits[place] = len(links) - 1
    return exits[place]


def _at_rest(inertia: Inertia, turn: Pose) -> Inertia:
    """The inertia of a turned link; a rotor's (Sayers, Table 6) is what it was, so that its angle does not enter."""
    turned = inertia.seen_from(turn, keep_trace=True)
    return inertia if turned.h == inertia.h and turned.J == inertia.J else turned


def _turned(axis: Vector, angle: Any) -> Pose:
    return Pose(about(axis, angle).map(as_expr), Vector([0, 0, 0]))


def _own_angle(tree: Tree, link: Link) -> Any:
    """The joint's angle if it turns about a coordinate axis of unit length, and the link turns with it."""
    found = single_axis(link)
    if found is None or found[0] != "turn" or not link.coordinates or Matrix.identity(3) == link.motion.R:
        return None
    if sorted(abs(_whole(x)) for x in found[1]) != [0, 0, 1]:
        return None
    return tree.q[link.coordinates[0]]


def _whole(entry: Any) -> int:
    """-1, 0 or 1 for such an entry, 2 for any other."""
    return next((value for value in (-1, 0, 1) if entry == value), 2)


def _turn_about(axis: Vector, R: Matrix, carrier_axis: Vector) -> Any:
    """The angle, a multiple of a right angle, by which R turns about an axis that it shares; None otherwise."""
    if tuple(axis) != tuple(carrier_axis):
        return None
    for quarters in range(4):
        angle = pi * quarters / 2
        if tuple(R.entries()) == tuple(about(axis, angle).entries()):
            return angle
    return None
