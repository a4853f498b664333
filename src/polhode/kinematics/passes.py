"""Passes over the tree that change how a mechanism is written down, never how it moves.

* `slide` and `spread` (in `origins`): a joint's origin may lie anywhere on its axis; it is put where offsets have few
  components.
* `regroup`: mass that a joint does not move belongs as well to the parent. Moving it there, from the tips to the base,
  leaves each link with its base parameters: a link on a revolute joint loses its mass, its first moment along the
  axis and its second moment along the axis, exactly.
* `lend` (with `lending`): the same, but particles stay further out where they cancel first moments.
* `merge` and `hold` (in `parallel`): joints with parallel axes, one after the other, turn what they carry by the sum of
  their angles.
* `rest` (in `parallel`): a link that carries nothing keeps the orientation of its seat; its constants turn instead.

Every function of the motion stays the same, by fingerprint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction

from ..errors import PolhodeError, shown
from ..expr import Matrix, Vector
from ..geometry import Inertia
from .lending import particle, particles, weight
from .origins import slide, spread
from .parallel import hold, merge, rest, single_axis
from .tree import BASE, Link, Tree

_ORIGIN = Vector([0, 0, 0])


def regroup(tree: Tree) -> Tree:
    """Move to each parent, from the tips on, the mass that the joint between does not move."""
    return _regrouped(tree, None)


def lend(tree: Tree) -> Tree:
    """Regroup, but lend particles outward where they cancel first moments."""
    return _regrouped(tree, weight(tree))


def _regrouped(tree: Tree, most: Fraction | None) -> Tree:
    """Regroup from the tips to the base, lending particles up to a mass if one is given."""
    inertias = [link.inertia for link in tree.links]

    def move_inward(place: int) -> None:
        link = tree.links[place]
        at_rest = resting_part(link, inertias[place])
        if at_rest is not None:
            inertias[place] = inertias[place] - at_rest
            if link.parent != BASE:
                inertias[link.parent] = inertias[link.parent] + at_rest.seen_from(link.fixed)

    for place in reversed(range(len(tree.links))):
        move_inward(place)
        lent = {} if most is None else particles(tree, place, inertias[place].h, most)
        for child, m in lent.items():
            inertias[child] = inertias[child] + particle(m, _ORIGIN)
            inertias[place] = inertias[place] - particle(m, tree.links[child].fixed.p)
        if lent:  # the mass that is missing now is at the origin of this joint, and so at rest
            move_inward(place)
    links = tuple(replace(link, inertia=inertia) for link, inertia in zip(tree.links, inertias, strict=True))
    return replace(tree, links=links)


def resting_part(link: Link, inertia: Inertia) -> Inertia | None:
    """The part of a link's mass that its joint leaves where it is in the parent."""
    zero = Inertia.zero()
    found = single_axis(link)
    if found is not None:
        kind, axis = found
        if kind == "slide":
            return Inertia(zero.m, zero.h, inertia.J)  # second moments turn with the parent
        square = axis.dot(axis)
        h_along = axis * (inertia.h.dot(axis) / square)
        J_along = axis.dot(inertia.J @ axis) / (square * square)
        J = Matrix([[J_along * axis[i] * axis[j] for j in range(3)] for i in range(3)])
        return Inertia(inertia.m, h_along, J)
    if link.drive is None and all(not any(v) for _, v in link.H):
        return Inertia(inertia.m, zero.h, zero.J)  # turning about a point moves no mass that is there
    return None


PASSES: dict[str, Callable[[Tree], Tree]] = {
    "slide": slide, "spread": spread, "regroup": regroup, "lend": lend, "merge": merge, "hold": hold, "rest": rest,
}  # fmt: skip

#: What is done by default, and what else is worth trying: for all, for inverse dynamics.
USUAL = ("slide", "regroup", "merge", "rest")
VARIANTS = (
    USUAL,
    ("spread", "regroup", "hold", "rest"),
    ("spread", "lend", "rest"),
)


def check(names: Iterable[str]) -> None:
    """Refuse the name of a pass that is none."""
    for name in names:
        if not isinstance(name, str) or name not in PASSES:
            raise PolhodeError(
                f"there is no pass {shown(name)}.", cure=f"Choose among {', '.join(PASSES)}.", code="E-TREE-001"
            )


def apply(tree: Tree, names: Iterable[str]) -> Tree:
    """The tree after the named passes, in their order."""
    return apply_each(tree, [tuple(names)])[0]


def apply_each(tree: Tree, variants: Iterable[tuple[str, ...]]) -> list[Tree]:
    """The tree after each list of passes; what lists have in common at their beginning is done once."""
    made: dict[tuple[str, ...], Tree] = {(): tree}
    found = []
    for names in variants:
        check(names)
        for count in range(1, len(names) + 1):
            if names[:count] not in made:
                made[names[:count]] = PASSES[names[count - 1]](made[names[: count - 1]])
        found.append(made[names])
    return found
