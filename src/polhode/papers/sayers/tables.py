"""The tables of `derive("kane").sayers_tables`: equations of motion and costs in the letters of Sayers' paper, Tables
2, 8 and 10, and the kinematical equations S q̇ = v, (1) and (20) to (28).

Each coordinate of a joint has a direction: a translation one fixed in the parent, a rotation its axis (Table 1). Those
of a nonrecursive body, each times its rate, make up the relative velocity; dotted with each direction in turn this
gives the equations. Other coordinates, and orientations that are stored without directions, have q̇ = Γ u.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ... import notebook
from ...codegen.ir.count import Operations
from ...dynamics.equations import EquationsOfMotion
from ...dynamics.whole import check_rigid, check_untruncated
from ...errors import PolhodeError, check_known
from ...expr import Expr, Matrix, Vector, as_expr, derivative, quiet_collector, same, substitute
from ...expr.latex_printer import latex_as_built as expression_latex
from ...expr.spelling import latex_escape
from ...formalisms.kane.bodies import NONRECURSIVE, Block, Part
from ...formalisms.kane.literal import Literal
from ...formalisms.kane.terms import Partials
from ...kinematics.joint import envelope_kinematics
from ...kinematics.tree import Link, Tree, build_tree
from ...model.model import Model
from .notation import Constants, Notation, Sum, as_text, unused

#: The derivations whose operations are counted: formalism and speeds of each.
_PEERS = {
    "sayers": ("kane", "sayers"),
    "kane": ("kane", None),
    "composite_body": ("composite_body", None),
    "articulated_body": ("articulated_body", None),
}


@dataclass(frozen=True, eq=False, repr=False)
class SayersTables(notebook.Shown):
    """Tables 2, 8 and 10, the equations of motion, and operation counts; `str()` and `latex()` write them out.

    All is in the paper's speeds (see `literal`), which need not be the system's own, and in the paper's letters:
    `mass_matrix` and `forcing` are M and f of `derive("kane", speeds="sayers")` with the intermediate `variables`.
    """

    equations: EquationsOfMotion
    absolute: bool = True  # whether in the paper's speeds; else in the system's own, for the program
    _constants: Constants = field(init=False)

    def __post_init__(self) -> None:
        if self.equations.formalism != "kane":
            message = f"the formalism {self.equations.formalism!r} has no tables of Sayers' paper."
            raise PolhodeError(message, "sayers_tables", 'Write derive("kane").', "E-DERIVE-UNSUPPORTED")
        check_untruncated(self.equations, "the set of the paper's tables")
        check_rigid(self.equations.system, "the set of the paper's tables", "Derive without `tables`.")
        object.__setattr__(self, "_constants", Constants(unused("P", self.equations.system)))

    def __repr__(self) -> str:
        return f"SayersTables('{self.equations.system.name}' by Kane's equations; print it for the tables)"

    def _cell(self) -> notebook.Cell:
        parts: list[str | notebook.Table] = []
        for table in self.tables:
            parts += [table.title, *table._cell().parts]
        equations = notebook.Table(["equations"], [[line] for line in self._equations(latex=False)])
        return notebook.Cell(repr(self), [*parts, equations])

    def __reduce__(self) -> tuple[Any, ...]:
        return _tables_of, (self.equations.system,)

    @cached_property
    def literal(self) -> Literal:
        """The method as printed, with constants named P1, P2, …"""
        with quiet_collector():
            tree = build_tree(self.equations.system, welds=True)  # a body without freedom is a body of the paper
            return Literal(self.equations.system, tree, self._constants.name, self.absolute)

    @property
    def constants(self) -> dict[Expr, Expr]:
        """Precomputed constants with their meanings."""
        _ = self.literal.parts
        return dict(self._constants.meanings)

    @cached_property
    def kinematics(self) -> list[tuple[Expr, Expr]]:
        """Each coordinate with its rate in the paper's speeds, (20) to (29)."""
        return list(zip(self.literal.tree.q, self.literal.coordinate_rates, strict=True))

    @cached_property
    def kinematical_equations(self) -> tuple[Matrix, Vector]:
        """S and v of S q̇ = v, (1), before they are solved."""
        return kinematical_equations(self.literal)

    @cached_property
    def table_2(self) -> Table:
        """Body and joint properties."""
        return table_2(self.literal, self.notation)

    @cached_property
    def table_8(self) -> Table:
        """Rotational velocity and acceleration terms."""
        return table_8(self.literal, self.notation)

    @cached_property
    def table_10(self) -> Table:
        """Translational velocity and acceleration terms."""
        return table_10(self.literal, self.notation)

    @cached_property
    def sums(self) -> tuple[Matrix, Vector]:
        """M and f as they are added up, with the efforts."""
        with quiet_collector():
            M, f = self.literal.mass_matrix(), self.literal.efforts + self.literal.forcing()
        omitted = self.equations.omitted
        return (M.map(lambda x: substitute([x], omitted)[0]), Vector(substitute(f, omitted))) if omitted else (M, f)

    @cached_property
    def notation(self) -> Notation:
        """The paper's letters, with intermediate variables for what the equations of motion hold more than once."""
        literal, (M, f) = self.literal, self.sums
        plain = Notation(self.equations.system, literal.tree, literal.speeds)
        tables = (table_8(literal, plain), table_10(literal, plain)) if self.absolute else ()
        entries = [entry for table in tables for entry in _coefficients(table)]
        sums = [*(as_expr(M[i, j]) for i in range(len(f)) for j in range(i + 1)), *map(as_expr, f)]
        return replace(
            plain,
            entries=entries,
            rates=[*literal.coordinate_rates, *substitute(self.equations.z_rates, literal.changed_speeds)],
            sums=sums,
            named=len(self._constants.meanings),
        )

    @cached_property
    def mass_matrix(self) -> Matrix:
        """M by (43) and (44), in the paper's letters and intermediate variables."""
        return self.sums[0].map(lambda entry: self.notation.shown(as_expr(entry)))

    @cached_property
    def forcing(self) -> Vector:
        """f by (46), in the paper's letters and intermediate variables."""
        return Vector([self.notation.shown(as_expr(entry)) for entry in self.sums[1]])

    @property
    def variables(self) -> dict[Expr, Expr]:
        """Further constants P, computed once, and intermediate variables Z, each in letters and those before it."""
        return dict(self.notation.variables)

    def written_out(self, entries: Iterable[Any]) -> list[Expr]:
        """Entries in the paper's letters, variables and constants, rewritten in the system's symbols."""
        constants: dict[Expr, Expr] = {}
        for name, meaning in self.constants.items():
            constants[name] = substitute([meaning], constants)[0]
        letters = substitute([as_expr(entry) for entry in entries], self.notation.meanings)
        return substitute(letters, constants)

    @cached_property
    def _peers(self) -> dict[str, EquationsOfMotion]:
        from ...formalisms.deriving import derive

        is_tree = not self.equations.system.constraints  # Sayers' speeds are those of a tree
        return {
            name: derive(self.equations.system, formalism, speeds=speeds)
            for name, (formalism, speeds) in _PEERS.items()
            if speeds is None or is_tree
        }

    def costs_of(self, function: str) -> dict[str, Any]:
        """Operations of a function (`mass_matrix`, `bias`, `coordinate_rates`, …) by the paper's sums and otherwise."""
        from ...compiled.catalogue import operations_of

        return {name: operations_of(equations, function) for name, equations in self._peers.items()}

    @cached_property
    def costs(self) -> dict[str, Any]:
        """Operations of the accelerations."""
        return self.costs_of("forward_dynamics")

    @cached_property
    def operations(self) -> Operations:
        """Operations of the program in the paper's variables: all rates, the accelerations by elimination."""
        from ...codegen.ir.count import count
        from .program import planned

        return count(planned(self).program)

    # ---- written out -----------------------------------------------------------------------------------------

    def cell_text(self, cell: Cell) -> str:
        """A cell as a line of text."""
        return self.notation.cell_text(cell)

    def _cell_latex(self, cell: Cell) -> str:
        return ", ".join(
            rf"\text{{{latex_escape(item)}}}" if isinstance(item, str) else self.notation.sum_latex(item)
            for item in cell
        )

    @property
    def tables(self) -> tuple[Table, Table, Table]:
        return self.table_2, self.table_8, self.table_10

    def _equations(self, latex: bool) -> list[str]:
        """Constants, intermediate variables, rates, M and f, each a line."""
        notation = self.notation
        write = expression_latex if latex else as_text
        definitions = [*self.constants.items(), *notation.variables]
        rates = zip(notation.rate_names, map(notation.shown, notation.rates), strict=True)
        definitions += [(name, rate) for name, rate in rates if name is not rate]  # others are among the variables
        lines = [f"{write(name)} = {write(meaning)}" for name, meaning in definitions]
        entry = "M_{{{},{}}} = {}" if latex else "M[{}, {}] = {}"
        for i, row in enumerate(self.mass_matrix, start=1):
            lines += [entry.format(i, j, write(value)) for j, value in enumerate(row[:i], start=1) if value]
        element = "f_{{{}}} = {}" if latex else "f[{}] = {}"
        return lines + [element.format(i, write(value)) for i, value in enumerate(self.forcing, start=1)]

    def __str__(self) -> str:
        with quiet_collector():
            return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        """All of it as text."""
        lines: list[str] = []
        for table in self.tables:
            lines += [table.title, ""]
            for row in table.rows:
                lines.append(row.name)
                cells = zip(table.bodies, row.cells, strict=True)
                lines += [f"    {letter}  {self.cell_text(cell)}" for letter, cell in cells]
            lines.append("")
        lines += ["Constants, intermediate variables, kinematical equations, M (lower half, without zeros) and f", ""]
        lines += [f"    {line}" for line in self._equations(latex=False)]
        return [*lines, "", "Operations of the program in these variables", "", f"    {self.operations}"]

    def latex(self) -> str:
        """The tables as LaTeX `tabular`, the equations as `align*`."""
        blocks = []
        for table in self.tables:
            head = " & ".join(["Property", *(rf"Body ${letter}$" for letter in table.bodies)])
            rows = [
                " & ".join([
                    f"{row.name}" if not row.latex else f"${row.latex}$",
                    *(f"${body}$" if (body := self._cell_latex(cell)) else "" for cell in row.cells),
                ])
                for row in table.rows
            ]  # fmt: skip
            body = " \\\\\n".join([head, *rows])
            columns = "l" * (1 + len(table.bodies))
            blocks.append(f"% {table.title}\n\\begin{{tabular}}{{{columns}}}\n{body} \\\\\n\\end{{tabular}}")
        lines = " \\\\\n".join(line.replace(" = ", " &= ", 1) for line in self._equations(latex=True))
        blocks.append(f"\\begin{{align*}}\n{lines}\n\\end{{align*}}")
        return "\n\n".join(blocks)

    def as_json(self) -> dict[str, Any]:
        """The tables as plain data: cells as text."""
        tables = {
            table.title: {
                row.name: dict(zip(table.bodies, map(self.cell_text, row.cells), strict=True)) for row in table.rows
            }
            for table in self.tables
        }
        counts = {name: vars(count) for name, count in self.costs.items()}
        texts = {
            "mass_matrix": [[as_text(entry) for entry in row] for row in self.mass_matrix],
            "forcing": [as_text(entry) for entry in self.forcing],
            "variables": {as_text(name): as_text(meaning) for name, meaning in self.variables.items()},
        }
        return {"tables": tables, "equations": self._equations(latex=False), **texts, "operations": counts}


def _tables_of(system: Model) -> SayersTables:
    """The tables of a system, derived anew."""
    from ...formalisms.deriving import derive

    return SayersTables(derive(system, "kane"))


def _coefficients(table: Table) -> list[Expr]:
    cells = (item for row in table.rows for cell in row.cells for item in cell)
    return [entry for item in cells if isinstance(item, Sum) for entry, _ in item.terms]


#: A cell lists sums (scalars, vectors, dyadics) or words; an empty one is left blank.
Cell = tuple[Sum | str, ...]


@dataclass(frozen=True)
class Row:
    """A property in words and in LaTeX, and its cells."""

    name: str
    latex: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, repr=False)
class Table(notebook.Shown):
    """A table with a column for each body, in the letters of a notation."""

    title: str
    bodies: tuple[str, ...]
    rows: tuple[Row, ...]
    notation: Notation = field(compare=False)

    def _cell(self) -> notebook.Cell:
        rows = [(row.name, *(self.notation.cell_text(cell) for cell in row.cells)) for row in self.rows]
        return notebook.Cell(self.title, [notebook.Table(["", *self.bodies], rows)])

    def __repr__(self) -> str:
        return self._cell().text()

    def cell(self, name: str, body: str) -> Cell:
        """The cell of a property and a body's letter."""
        for kind, wanted, names in (("row", name, [row.name for row in self.rows]), ("body", body, self.bodies)):
            check_known(kind, [wanted], names, place=self.title, code="E-DERIVE-NAME")
        row = next(row for row in self.rows if row.name == name)
        return row.cells[self.bodies.index(body)]


def _scalars(entries: Iterable[Any]) -> Cell:
    return tuple(Sum(((as_expr(entry), ()),)) for entry in entries)


def _table(title: str, notation: Notation, rows: Iterable[tuple[str, str, Sequence[Cell]]]) -> Table:
    listed = tuple(Row(name, latex, tuple(cells)) for name, latex, cells in rows)
    return Table(title, tuple(notation.letters), listed, notation)


# ---- directions of coordinates ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Direction:
    """A coordinate by its index, and along what it goes: d_t in the parent's components, d_r in the body's."""

    coordinate: int
    turns: bool
    vector: Vector | None


def directions_of(tree: Tree, block: Block) -> list[Direction]:
    """The coordinates of a body's joint with their directions."""
    directions: list[Direction] = []
    R = Matrix.identity(3)  # from the stage's own parent to the body's
    for stage in block.stages:
        directions += _directions_of_stage(tree, stage, R)
        R = R @ stage.fixed.R
    return directions


def _directions_of_stage(tree: Tree, link: Link, to_parent: Matrix) -> list[Direction]:
    q = [tree.q[k] for k in link.coordinates]
    if not q:
        return []
    slides = [k for k, h in enumerate(link.stage.algebra) if not any(h[:3])]
    if link.stage.stores_orientation and not link.stage.is_free_translation_first:
        slides = [*range(len(q) - len(slides), len(q))]  # an orientation may have more coordinates than columns
    directions: list[Direction] = []
    axes: Matrix | None = None
    if link.stage.is_vector_turn or link.stage.storage not in ("quaternion", "vector"):
        _, back = envelope_kinematics(link.stage, q)  # H u = H back q̇
        axes = Matrix.columns_of(link.stage.algebra, 6) @ back
    for k, index in enumerate(link.coordinates):
        if k in slides:
            shift = Vector([derivative([as_expr(entry)], q[k])[0] for entry in link.motion.p])
            directions.append(Direction(index, False, Vector(to_parent @ (link.fixed.R @ shift))))
        else:
            directions.append(Direction(index, True, None if axes is None else Vector(axes[:3, k])))
    return directions


def kinematical_equations(literal: Literal) -> tuple[Matrix, Vector]:
    """S and v."""
    tree = literal.tree
    S = [[as_expr(int(i == j)) for j in range(len(tree.q))] for i in range(len(tree.q))]
    v = [as_expr(rate) for rate in literal.coordinate_rates]  # (20), (25)
    for part in literal.parts:
        directions = directions_of(tree, part.block)
        for turns, category in ((False, part.translation), (True, part.rotation)):
            kind = [(d.coordinate, d.vector) for d in directions if d.turns is turns and d.vector is not None]
            if category == NONRECURSIVE:
                velocity = _relative_velocity(literal, part, turns)
                for i, d_i in kind:
                    v[i] = as_expr(velocity.dot(d_i))
                    for j, d_j in kind:
                        S[i][j] = as_expr(d_j.dot(d_i))  # (23), (28)
    return Matrix(S), Vector(v)


def _relative_velocity(literal: Literal, part: Part, turns: bool) -> Vector:
    """Right sides of (27), in the body's components, and of (22), in the parent's."""
    turning = [turn.w for turn in literal.rotational]
    moving = [move.v for move in literal.translational]
    w, v = literal.relative_velocity(part, turning, moving)
    return w if turns else part.link.inward(v)


# ---- Table 2 --------------------------------------------------------------------------------------------------


def _cell_of(notation: Notation, part: Part, direction: Direction) -> Cell:
    """A direction: that of a turn in the parent's basis if it is an axis of the parent, in the body's otherwise."""
    if direction.vector is None:
        return ()
    if not direction.turns:
        return (notation.vector(part.link.parent, direction.vector),)
    in_parent = [as_expr(entry) for entry in part.link.inward(direction.vector)]
    is_axis = any(same(in_parent, axis) for axis in Matrix.identity(3))
    index, vector = (part.link.parent, in_parent) if is_axis else (part.index, direction.vector)
    return (notation.vector(index, vector),)


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

    def along(part: Part, vectors: Mapping[int, Vector]) -> Cell:
        """Directions of speeds: in the body's basis, but for those of recursive translations, which the parent has."""
        in_parent = dict(part.block.translations)
        return tuple(
            notation.vector(part.link.parent, in_parent[i])
            if i in in_parent and i not in part.absolute
            else notation.vector(part.index, part.absolute.get(i, direction))
            for i, direction in vectors.items()
        )

    def coordinates(turns: bool) -> list[Cell]:
        return [symbols(tree.q, (d.coordinate for d in direction if d.turns is turns)) for direction in directions]

    def named(turns: bool) -> list[Cell]:
        pairs = zip(parts, directions, strict=True)
        return [
            tuple(item for d in row if d.turns is turns for item in _cell_of(notation, part, d)) for part, row in pairs
        ]

    composites = [part.composite for part in parts]
    result = _table("Table 2. Body and joint properties", notation, [
        ("Name", "", [(part.link.name,) for part in parts]),
        ("Parent", "", [(notation.letter(part.link.parent),) for part in parts]),
        ("Level", "", [(str(part.level),) for part in parts]),
        ("Children", "", [tuple(map(notation.letter, children.get(part.index, ()))) for part in parts]),
        ("Translation category", "", [(part.translation,) for part in parts]),
        ("Composite body mass", "m^{Bc}", [_scalars([lump.mass]) for lump in composites]),
        ("Unit vectors", "", [tuple(notation.vector(part.index, e) for e in Matrix.identity(3)) for part in parts]),
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
    return replace(result, rows=tuple(replace(row, cells=tuple(map(_in_letters, row.cells))) for row in result.rows))


def _in_letters(cell: Cell) -> Cell:
    """A cell of Table 2, without intermediate variables."""
    return tuple(item if isinstance(item, str) else item._replace(in_letters=True) for item in cell)


# ---- Tables 8 and 10 ------------------------------------------------------------------------------------------


def _listed(literal: Literal, notation: Notation, index: int, partials: Partials) -> Cell:
    """A vector for each speed."""
    zero = Vector([0, 0, 0])
    return tuple(notation.vector(index, partials.get(i, zero)) for i in range(len(literal.speeds)))


def table_8(literal: Literal, notation: Notation) -> Table:
    """Rotational velocity and acceleration terms."""
    rows = list(zip(literal.parts, literal.rotational, strict=True))

    def cells(name: str, inherited: bool = False) -> list[Cell]:
        """A vector of each body, or one a speed; blank where a nonrecursive body takes none from its parent."""
        result: list[Cell] = []
        for part, turn in rows:
            value = getattr(turn, name)
            is_list, blank = isinstance(value, Mapping), inherited and part.rotation == NONRECURSIVE
            parts = _listed(literal, notation, part.basis, value) if is_list else (notation.vector(part.basis, value),)
            result.append(() if blank else parts)
        return result

    return _table("Table 8. Rotational velocity and acceleration terms", notation, [
        ("ω^A'", r"\omega^{A'}", cells("w_parent", inherited=True)),
        ("Aω^B", r"{}^A\omega^B", cells("w_relative")),
        ("ω^B", r"\omega^B", cells("w")),
        ("ω_i^A'", r"\omega_i^{A'}", cells("partials_parent", inherited=True)),
        ("Aω_i^B", r"{}^A\omega_i^B", cells("partials_relative")),
        ("ω_i^B", r"\omega_i^B", cells("partials")),
        ("α_rem^B", r"\alpha_{rem}^B", cells("alpha_rem")),
        ("α_rem^AB", r"\alpha_{rem}^{AB}", cells("alpha_step")),
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
