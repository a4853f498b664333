"""Joints as Sayers' building blocks: the stages that slide, and the one after them, are the joint of one body.

paper           here
d_t             a stage's sliding column in the parent's components: up to three, before any turn (Table 1)
B_0             the origin of the last stage, at r^A0Bj + Σ q d_t (14)

A second turn begins a block of its own, with a massless body between, as the paper has it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...expr import Vector
from ...geometry import Pose
from ...kinematics.tree import BASE, Link, Tree


@dataclass(frozen=True)
class Block:
    """The joint of one body: translations along directions fixed in the parent, then the columns of `link`.

    Where there is more than one stage, `link` is all of them: it hangs on the parent where the translations have come
    to. Its `parent` is the number of the parent's block.
    """

    link: Link
    place: int  # of the last stage in the tree
    stages: tuple[Link, ...]
    translations: tuple[tuple[int, Vector], ...] = ()  # speeds, and directions in the parent's components


def blocks_of(tree: Tree, as_one: bool = True) -> list[Block]:
    """The links of a tree as the joints of bodies, each after its parent; unless `as_one`, a block for each stage."""
    blocks: list[Block] = []
    number = {BASE: BASE}
    before: dict[int, tuple[Link, ...]] = {}  # stages that go on, by their last link
    for place, link in enumerate(tree.links):
        stages = (*before.pop(link.parent, ()), link)
        if as_one and _goes_on(tree, place):
            before[place] = stages
            continue
        blocks.append(_joined(stages, place, number[stages[0].parent]))
        number[place] = len(blocks) - 1
    return blocks


def _goes_on(tree: Tree, place: int) -> bool:
    """Whether a stage slides and the next one of the same joint slides too, or turns about one axis or three."""
    link, after = tree.links[place], [tree.links[child] for child in tree.children[place]]
    if len(after) != 1 or after[0].joint != link.joint or not _slides(link):
        return False
    turns = all(any(w) and not any(v) for w, v in after[0].H)
    return _slides(after[0]) or (after[0].drive is None and turns and len(after[0].H) in (1, 3))


def _slides(link: Link) -> bool:
    return link.drive is None and all(not any(w) for w, _ in link.H)


def _joined(stages: tuple[Link, ...], place: int, parent: int) -> Block:
    """Stages as one block."""
    *sliding, last = stages
    if not sliding:
        return Block(replace(last, parent=parent), place, stages)
    if _slides(last):
        sliding, last = list(stages), replace(last, fixed=Pose.identity(), motion=Pose.identity(), H=(), speeds=())
    reached, translations = Pose.identity(), []
    for stage in sliding:
        R = (reached @ stage.fixed).R
        translations += [(speed, R @ v) for speed, (_, v) in zip(stage.speeds, stage.H, strict=True)]
        reached = reached @ stage.X
    return Block(replace(last, parent=parent, fixed=reached @ last.fixed), place, stages, tuple(translations))
