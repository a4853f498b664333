"""Tables 2, 8 and 10 of Sayers' paper for any system, and the kinematical equations S q̇ = v, (1) and (20) to (28).

Each coordinate of a joint has a direction: a translation one fixed in the parent, a rotation its axis (Table 1). Those
of a nonrecursive body, each times its rate, make up the relative velocity; dotted with each direction in turn this
gives the equations. Other coordinates, and orientations that are stored without directions, have q̇ = Γ u.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import unknown
from ...expr import Matrix, Vector, as_expr, derivative, same
from ...formalisms.kane.bodies import NONRECURSIVE, Block, Part
from ...formalisms.kane.literal import Literal
from ...formalisms.kane.terms import Partials
from ...kinematics.joint import envelope_kinematics
from ...kinematics.tree import Link, Tree
from .notation import Notation, Sum

#: A cell lists sums (scalars, vectors, dyadics) or words; an empty one is left blank.
Cell = tuple[Sum | str, ...]


@dataclass(frozen=True)
class Row:
    """A property in words and in LaTeX, and its cells."""

    name: str
    latex: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """A table with a column for each body."""

    title: str
    bodies: tuple[str, ...]
    rows: tuple[Row, ...]

    def cell(self, name: str, body: str) -> Cell:
        """The cell of a property and a body's letter."""
        for kind, given, known in (("row", name, [row.name for row in self.rows]), ("body", body, self.bodies)):
            if given not in known:
                raise unknown(kind, given, known, code="E-DERIVE-NAME", place=self.title)
        row = next(row for row in self.rows if row.name == name)
        return row.cells[self.bodies.index(body)]


def _scalars(entries: Iterable[Any]) -> Cell:
    return tuple(Sum(((as_expr(entry), ()),)) for entry in entries)


def _table(title: str, notation: Notation, rows: Iterable[tuple[str, str, Sequence[Cell]]]) -> Table:
    return Table(title, tuple(notation.letters), tuple(Row(name, latex, tuple(cells)) for name, latex, cells in rows))


# ---- directions of coordinates ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Direction:
    """A coordinate by its index, and along what it goes: d_t in the parent's components, d_r in the body's.

    The components of a quaternion or a vector-parameter turn the body, but none of them about an axis.
    """

    coordinate: int
    turns: bool
    vector: Vector | None


def directions_of(tree: Tree, block: Block) -> list[Direction]:
    """The coordinates of a body's joint with their directions."""
    found: list[Direction] = []
    R = Matrix.identity(3)  # from the stage's own parent to the body's
    for stage in block.stages:
        found += _directions_of_stage(tree, stage, R)
        R = R @ stage.fixed.R
    return found


def _directions_of_stage(tree: Tree, link: Link, to_parent: Matrix) -> list[Direction]:
    own = [tree.q[k] for k in link.coordinates]
    if not own:
        return []
    slides = [k for k, h in enumerate(link.stage.algebra) if not any(h[:3])]
    if link.stage.stores_orientation and not link.stage.is_free_translation_first:
        slides = [*range(len(own) - len(slides), len(own))]  # an orientation may have more coordinates than columns
    found: list[Direction] = []
    axes: Matrix | None = None
    if link.stage.is_vector_turn or link.stage.storage not in ("quaternion", "vector"):
        _, back = envelope_kinematics(link.stage, own)  # H u = H back q̇
        axes = Matrix.columns_of(link.stage.algebra, 6) @ back
    for k, index in enumerate(link.coordinates):
        if k in slides:
            shift = Vector([derivative([as_expr(entry)], own[k])[0] for entry in link.motion.p])
            found.append(Direction(index, False, Vector(to_parent @ (link.fixed.R @ shift))))
        else:
            found.append(Direction(index, True, None if axes is None else Vector(axes[:3, k])))
    return found


def kinematical_equations(literal: Literal) -> tuple[Matrix, Vector]:
    """S and v."""
    tree = literal.tree
    S = [[as_expr(int(i == j)) for j in range(len(tree.q))] for i in range(len(tree.q))]
    v = [as_expr(rate) for rate in literal.coordinate_rates]  # (20), (25)
    for part in literal.parts:
        directions = directions_of(tree, part.block)
        for turns, category in ((False, part.translation), (True, part.rotation)):
            own = [(d.coordinate, d.vector) for d in directions if d.turns is turns and d.vector is not None]
            if category == NONRECURSIVE:
                velocity = _relative_velocity(literal, part, turns)
                for i, d_i in own:
                    v[i] = as_expr(velocity.dot(d_i))
                    for j, d_j in own:
                        S[i][j] = as_expr(d_j.dot(d_i))  # (23), (28)
    return Matrix(S), Vector(v)


def _relative_velocity(literal: Literal, part: Part, turns: bool) -> Vector:
    """Right sides of (27), in the body's components, and of (22), in the parent's."""
    turning = [turn.w for turn in literal.rotational]
    moving = [move.v for move in literal.translational]
    w, v = literal.relative_velocity(part, turning, moving)
    return w if turns else part.link.inward(v)


# ---- Table 2 --------------------------------------------------------------------------------------------------


def _named(notation: Notation, part: Part, direction: Direction) -> Cell:
    """A direction: that of a turn in the parent's basis if it is an axis of the parent, in the body's otherwise."""
    if direction.vector is None:
        return ()
    if not direction.turns:
        return (notation.vector(part.link.parent, direction.vector),)
    in_parent = [as_expr(entry) for entry in part.link.inward(direction.vector)]
    is_axis = any(same(in_parent, axis) for axis in Matrix.identity(3))
    index, vector = (part.link.parent, in_parent) if is_axis else (part.index, direction.vector)
    return (notation.vector(index, vector),)


def _axes(notation: Notation, part: Part) -> Cell:
    return tuple(notation.vector(part.index, axis) for axis in Matrix.identity(3))


def table_2(literal: Literal, notation: Notation) -> Table:
    """Body and joint properties."""
    parts = literal.parts
    tree = literal.tree
    directions = [directions_of(tree, part.block) for part in parts]
    children: dict[int, list[int]] = {}
    for part in parts:
        children.setdefault(part.link.parent, []).append(part.index)

    def symbols(entries: Sequence[Any], indices: Iterable[int]) -> Cell:
        return _scalars(entries[index] for index in indices)

    def along(part: Part, own: Mapping[int, Vector]) -> Cell:
        """Directions of speeds: in the body's basis, but for those of recursive translations, which the parent has."""
        in_parent = dict(part.block.translations)
        return tuple(
            notation.vector(part.link.parent, in_parent[i])
            if i in in_parent and i not in part.absolute
            else notation.vector(part.index, part.absolute.get(i, direction))
            for i, direction in own.items()
        )

    def coordinates(turns: bool) -> list[Cell]:
        return [symbols(tree.q, (d.coordinate for d in own if d.turns is turns)) for own in directions]

    def named(turns: bool) -> list[Cell]:
        pairs = zip(parts, directions, strict=True)
        return [
            tuple(item for d in own if d.turns is turns for item in _named(notation, part, d)) for part, own in pairs
        ]

    composites = [part.composite for part in parts]
    made = _table("Table 2. Body and joint properties", notation, [
        ("Name", "", [(part.link.name,) for part in parts]),
        ("Parent", "", [(notation.letter(part.link.parent),) for part in parts]),
        ("Level", "", [(str(part.level),) for part in parts]),
        ("Children", "", [tuple(map(notation.letter, children.get(part.index, ()))) for part in parts]),
        ("Translation category", "", [(part.translation,) for part in parts]),
        ("Composite body mass", "m^{Bc}", [_scalars([lump.mass]) for lump in composites]),
        ("Unit vectors", "", [_axes(notation, part) for part in parts]),
        ("Rotation category", "", [(part.rotation,) for part in parts]),
        ("Inertia dyadic of composite body", r"\vec I^{Bc*}",
         [(notation.dyadic(part.basis, part.composite.inertia),) for part in parts]),
        ("Translational coordinates", "", coordinates(False)),
        ("Translational speeds", "", [symbols(literal.speeds, part.sliding) for part in parts]),
        ("Translational directions", "", named(False)),
        ("Direction of translational speeds", "", [along(part, part.sliding) for part in parts]),
        ("Rotational coordinates", "", coordinates(True)),
        ("Rotation speeds", "", [symbols(literal.speeds, part.turning) for part in parts]),
        ("Rotation directions", "", named(True)),
        ("Directions of rotational speeds", "", [along(part, part.turning) for part in parts]),
        ("Joint point (in parent)", "", [_scalars(part.block.stages[0].fixed.p) for part in parts]),
        ("Mass center of composite body", "", [_scalars(lump.centre) for lump in composites]),
    ])  # fmt: skip
    return replace(made, rows=tuple(replace(row, cells=tuple(map(_in_letters, row.cells))) for row in made.rows))


def _in_letters(cell: Cell) -> Cell:
    """A cell of Table 2, which knows no intermediate variables."""
    return tuple(item if isinstance(item, str) else item._replace(in_letters=True) for item in cell)


# ---- Tables 8 and 10 ------------------------------------------------------------------------------------------


def _listed(literal: Literal, notation: Notation, index: int, partials: Partials) -> Cell:
    """A vector for each speed."""
    zero = Vector([0, 0, 0])
    return tuple(notation.vector(index, partials.get(i, zero)) for i in range(len(literal.speeds)))


def table_8(literal: Literal, notation: Notation) -> Table:
    """Rotational velocity and acceleration terms."""
    rows = list(zip(literal.parts, literal.rotational, strict=True))

    def inherited(part: Part, cell: Cell) -> Cell:
        """What a nonrecursive body does not take from its parent is left blank."""
        return () if part.rotation == NONRECURSIVE else cell

    def one(vectors: Iterable[tuple[Part, Vector]]) -> list[Cell]:
        return [(notation.vector(part.basis, vector),) for part, vector in vectors]

    def many(partials: Iterable[tuple[Part, Partials]]) -> list[Cell]:
        return [_listed(literal, notation, part.basis, own) for part, own in partials]

    w_parent = one((part, turn.w_parent) for part, turn in rows)
    from_parent = many((part, turn.partials_parent) for part, turn in rows)
    return _table("Table 8. Rotational velocity and acceleration terms", notation, [
        ("ω^A'", r"\omega^{A'}", [inherited(part, cell) for (part, _), cell in zip(rows, w_parent, strict=True)]),
        ("Aω^B", r"{}^A\omega^B", one((part, turn.w_relative) for part, turn in rows)),
        ("ω^B", r"\omega^B", one((part, turn.w) for part, turn in rows)),
        ("ω_i^A'", r"\omega_i^{A'}", [inherited(p, cell) for (p, _), cell in zip(rows, from_parent, strict=True)]),
        ("Aω_i^B", r"{}^A\omega_i^B", many((part, turn.partials_relative) for part, turn in rows)),
        ("ω_i^B", r"\omega_i^B", many((part, turn.partials) for part, turn in rows)),
        ("α_rem^B", r"\alpha_{rem}^B", one((part, turn.alpha_rem) for part, turn in rows)),
        ("α_rem^AB", r"\alpha_{rem}^{AB}", one((part, turn.alpha_step) for part, turn in rows)),
    ])  # fmt: skip


def table_10(literal: Literal, notation: Notation) -> Table:
    """Translational velocity and acceleration terms."""
    rows = list(zip(literal.parts, literal.translational, strict=True))
    arms = [
        () if part.translation == NONRECURSIVE else (notation.vector(part.link.parent, move.arm),)
        for part, move in rows
    ]
    return _table("Table 10. Translational velocity and acceleration terms", notation, [
        ("r^A*B0", "r^{A^*B_0}", arms),
        ("v_i^B*", "v_i^{B^*}", [_listed(literal, notation, part.index, move.partials) for part, move in rows]),
        ("N_i^B", "N_i^B", [tuple(map(notation.letter, move.native)) for _, move in rows]),
        ("a_rem^B*", "a_{rem}^{B^*}", [(notation.vector(part.index, move.a_rem),) for part, move in rows]),
        ("R^B", r"\vec R^B", [(notation.dyadic(part.index, move.R),) for part, move in rows]),
    ])  # fmt: skip
