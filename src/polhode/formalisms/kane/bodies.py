"""Step 1 of Sayers' method: building blocks, categories and composite properties, (14) to (19), Tables 1, 5 and 6.

    paper           here
    d_t             a stage's sliding column in the parent's components: up to three, before any turn (Table 1)
    B_0             the origin of the last stage, at r^A0Bj + Σ q d_t (14)
    body B          a `Part`: a body of the mechanism as it was written, with its joint as one `Block`
    fixed in A      the mass centre of what B carries as one does not move in the parent: its mass counts there  (15)
    rotor           the inertia is the same however far the joint has turned: it is written in the parent's basis (19)
    nonrecursive    the joint's own speeds suffice for the velocity; they are then absolute, along the body's axes

The stages that slide, and the one after them, are the joint of one body. A second turn begins a block of its own, with
a massless body between, as the paper has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...expr import Expr, Matrix, Vector, as_expr, is_zero, rank, skew, substitute
from ...geometry import Pose
from ...geometry.inertia import rotate_symmetric, symmetric
from ...geometry.twist import ZERO, Twist
from ...kinematics.motion import velocities
from ...kinematics.tree import BASE, Link, Tree
from ...model.model import Model


@dataclass(frozen=True)
class Block:
    """The joint of one body: translations fixed in the parent, then the columns of `link`; `parent` is a block."""

    link: Link
    place: int  # of the last stage in the tree
    stages: tuple[Link, ...]
    translations: tuple[tuple[int, Vector], ...] = ()  # speeds, and directions in the parent's components


def blocks_of(tree: Tree, as_one: bool = True) -> list[Block]:
    """The links of a tree as the joints of bodies, each after its parent; unless `as_one`, a block for each stage."""
    blocks: list[Block] = []
    number = {BASE: BASE}
    before: dict[int, tuple[Link, ...]] = {}  # stages that go on, by their last link
    for index, link in enumerate(tree.links):
        stages = (*before.pop(link.parent, ()), link)
        if as_one and _goes_on(tree, index):
            before[index] = stages
            continue
        blocks.append(_joined(stages, index, number[stages[0].parent]))
        number[index] = len(blocks) - 1
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


NONRECURSIVE, FIXED, RECURSIVE, ROTOR = "nonrecursive", "fixed", "recursive", "rotor"

_AXES = range(3)


@dataclass(frozen=True)
class Lump:
    """Mass, mass centre, and inertia about the mass centre, in one link's components."""

    mass: Any
    centre: Vector
    inertia: Matrix


@dataclass(frozen=True)
class Part:
    """A body of the paper with the data of Table 2; the composite's inertia is in `basis`; indices count the parts."""

    index: int
    block: Block
    level: int
    translation: str
    rotation: str
    composite: Lump
    basis: int

    @property
    def link(self) -> Link:
        """The joint, beyond its translations along directions of the parent."""
        return self.block.link

    @property
    def is_fixed(self) -> bool:
        return self.translation == FIXED

    @property
    def centre(self) -> Vector:
        """r^B0B*, from the origin to the point whose velocity is used; if B is fixed, B_0 is taken for B*."""
        return ZERO if self.is_fixed else self.composite.centre

    @property
    def mass(self) -> Any:
        """m^B', (41): the mass of a fixed body is counted with its parent."""
        return as_expr(0) if self.is_fixed else self.composite.mass

    @cached_property
    def turning(self) -> dict[int, Vector]:
        """The speeds that turn the body, each with its axis in the body's components."""
        return {speed: w for speed, (w, _) in zip(self.link.speeds, self.link.H, strict=True) if any(w)}

    @cached_property
    def sliding(self) -> dict[int, Vector]:
        """The speeds that move the body without turning it, each with its direction in the body's components."""
        return _sliding(self.block)

    @cached_property
    def absolute(self) -> dict[int, Vector]:
        """Absolute speeds and their directions in the body: its axes, or for two in another plane those at zero q."""
        table: dict[int, Vector] = {}
        if self.rotation == NONRECURSIVE:
            table |= dict(zip(self.turning, Matrix.identity(3), strict=True))
        if self.translation == NONRECURSIVE:
            table |= dict(zip(self.sliding, _directions(self.block), strict=True))
        return table


def parts_of(
    model: Model, tree: Tree, name: Callable[[Expr], Expr] = lambda entry: entry, absolute: bool = True
) -> list[Part]:
    """The bodies of the paper, parents first; without `absolute` each stage is a body, and all are recursive."""
    lumps = _own_lumps(model, tree)
    blocks = blocks_of(tree, as_one=absolute)
    composites: dict[int, Lump] = {}
    fixed_in: dict[int, list[Lump]] = {index: [] for index in range(BASE, len(blocks))}
    home = {model.time: 0, **dict.fromkeys(tree.q, 0), **{tree.q[index]: 1 for index in tree.quaternions}}
    fixed = [False] * len(blocks)
    for index in reversed(range(len(blocks))):  # from the tips: a parent counts its fixed children
        block = blocks[index]
        composites[index] = _composite(lumps[block.place], fixed_in[index][::-1], name)
        bends = block.link.parent != BASE and tree.links[blocks[block.link.parent].place].deforming
        fixed[index] = not bends and _stays_in_parent(block, composites[index].centre)
        if fixed[index]:
            fixed_in[block.link.parent].append(_seen_from_parent(block.link, composites[index], home))
    moving = velocities(tree)
    parts: list[Part] = []
    for index, block in enumerate(blocks):
        link = block.link
        level = 1 if link.parent == BASE else parts[link.parent].level + 1
        translation = _translation_category(block, fixed[index], *moving[block.place])
        rotation = _rotation_category(link, composites[index].inertia)
        if not absolute:
            translation, rotation = (
                RECURSIVE if category == NONRECURSIVE else category for category in (translation, rotation)
            )
        lump, basis = composites[index], index
        if rotation == ROTOR:  # (19)
            R = link.X.R if link.is_placement else link.fixed.R  # a joint's turn leaves a rotor's inertia as it is
            lump = Lump(lump.mass, lump.centre, rotate_symmetric(R, lump.inertia))
            basis = link.parent
        parts.append(Part(index, block, level, translation, rotation, lump, basis))
    return parts


def _own_lumps(model: Model, tree: Tree) -> list[Lump]:
    """For each link its bodies, welded together, in its components."""
    table: list[list[Lump]] = [[] for _ in tree.links]
    for name, (index, X) in tree.bodies.items():
        body = model.bodies.get(name)
        if body is not None and index != BASE and not body.is_massless and body.flexibility is None:
            table[index].append(Lump(body.mass, X.point(body.com), rotate_symmetric(X.R, body.inertia)))
    none = Lump(as_expr(0), ZERO, Matrix.zeros(3, 3))
    return [_composite(lumps[0], lumps[1:], lambda x: x, with_inertia=True) if lumps else none for lumps in table]


def _composite(body: Lump, others: Sequence[Lump], name: Callable[[Expr], Expr], with_inertia: bool = False) -> Lump:
    """(15), (16), (17): a body with point masses fixed in it, or with bodies welded to it."""
    if with_inertia:  # what has no mass has no centre, but may have inertia
        spare = [other.inertia for other in others if not other.mass]
        body = Lump(body.mass, body.centre, sum(spare, start=body.inertia))
    others = [other for other in others if other.mass]
    if not others:
        return body
    lumps = [body, *others]
    mass = as_expr(sum((lump.mass for lump in others), body.mass))  # (15)
    moment = [sum((lump.centre[k] * lump.mass for lump in others), body.centre[k] * body.mass) for k in _AXES]
    centre = Vector([name(as_expr(entry / mass)) for entry in moment])  # (16)
    entries: dict[tuple[int, int], Any] = {}
    for i in _AXES:
        for j in range(i, 3):
            total = body.inertia[i, j]
            for lump in lumps:
                r = lump.centre - centre
                square = sum(r[k] * r[k] for k in _AXES if k != i) if i == j else -r[i] * r[j]
                total = total + lump.mass * square  # (17), the body itself included
            if with_inertia:
                total = sum((other.inertia[i, j] for other in others), total)
            entries[i, j] = as_expr(total)
    return Lump(mass, centre, symmetric(entries))


def _seen_from_parent(link: Link, lump: Lump, home: Mapping[Expr, int]) -> Lump:
    """The composite mass of a fixed child as a point of its parent."""
    point = [as_expr(entry) for entry in link.X.point(lump.centre)]
    return Lump(lump.mass, Vector(substitute(point, home)), Matrix.zeros(3, 3))


def _motions(link: Link) -> list[Twist]:
    """The directions in which a link can move in its parent, also by prescription."""
    return [*link.H, *([Twist(link.drive.w, link.drive.v)] if link.drive else [])]


def _stays_in_parent(block: Block, point: Vector) -> bool:
    """Whether a point of a body cannot move in the parent: ᴬv = 0, Table 5."""
    still = (is_zero(entry) for w, v in _motions(block.link) for entry in v + w.cross(point))
    return not block.translations and all(still)


def _is_pure(link: Link) -> bool:
    """Whether each column of the joint map either turns or slides."""
    return all(not any(w) or not any(v) for w, v in link.H)


def _sliding(block: Block) -> dict[int, Vector]:
    """The speeds that slide, with their directions in the body's components."""
    link = block.link
    table = {speed: link.outward(direction) for speed, direction in block.translations}
    return table | {speed: v for speed, (w, v) in zip(link.speeds, link.H, strict=True) if not any(w)}


def _directions(block: Block) -> list[Vector]:
    """Directions of the speeds of a body that is nonrecursive in translation, in its components: Table 9, b_(i-o)."""
    axes, slides = list(Matrix.identity(3)), list(_sliding(block).values())
    if len(slides) == 3:
        return axes
    normal = slides[0].cross(slides[1])
    across = [axis for axis in axes if is_zero(axis.dot(normal))]
    if len(across) == 2:
        return across
    return [block.link.fixed.R.T @ direction for _, direction in block.translations] or slides


def _translation_category(block: Block, fixed: bool, w: Vector, v: Vector) -> str:
    """Table 5; w and v are the body's angular velocity and the velocity of its origin."""
    if fixed:
        return FIXED
    slides = list(_sliding(block).values())
    if not _is_pure(block.link) or len(slides) < 2 or rank(Matrix(slides)) < len(slides):
        return RECURSIVE
    if len(slides) == 3:
        return NONRECURSIVE
    normal = slides[0].cross(slides[1])
    if not all(is_zero(entry) for entry in (*w.cross(normal), v.dot(normal))):
        return RECURSIVE
    directions = Matrix(_directions(block))
    gram = directions @ directions.T - Matrix.identity(2)
    return NONRECURSIVE if all(is_zero(entry) for entry in gram.entries()) else RECURSIVE


def _rotation_category(link: Link, inertia: Matrix) -> str:
    """Table 6; an inertia is a rotor's if it commutes with the turn: I â = â I."""
    turns = [w for w, _ in _motions(link) if any(w)]
    if len(turns) == 3 and _is_pure(link) and rank(Matrix(turns)) == 3:
        return NONRECURSIVE
    if len(turns) <= 1 and all(is_zero(e) for w in turns for e in (inertia @ skew(w) - skew(w) @ inertia).entries()):
        return ROTOR
    return RECURSIVE
