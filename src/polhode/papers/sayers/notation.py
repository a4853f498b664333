"""The paper's way of writing: letters for bodies, unit vectors, q_1 and u_1, C_1 and S_1, constants P and variables Z.

A body's unit vectors are named after it, but for an axis that it shares with its parent, about which it turns: that
keeps the parent's name, so that vectors read as in the paper, Z3 b3 + u5 b2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ...expr import Expr, Matrix, Vector, as_expr, cos, is_zero, rebuild, same, sin, substitute, symbol, topological
from ...expr.latex_printer import latex
from ...expr.node import NEG, NUMBER, SYMBOL
from ...expr.text_printer import text
from ...formalisms.kane.bodies import Block, blocks_of
from ...kinematics.tree import BASE, Tree
from ...model.model import Model

#: Letters for bodies that have none of their own: A is the paper's word for any parent, N the ground; q1 and u1, which
#: would be unit vectors of Q and U, are a coordinate and a speed.
_LETTERS = "BCDEFGHIJKLMOPRSTVWXYZ"
#: An expression with more leaves than this has a name of its own even if it is used once.
_LONG = 5


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit vector: the letter of the body that it is fixed in, and its index."""

    letter: str
    index: int

    def text(self) -> str:
        return f"{self.letter.lower()}{self.index}"

    def latex(self) -> str:
        return rf"\mathbf{{{self.letter.lower()}}}_{{{self.index}}}"


class Sum(NamedTuple):
    """A scalar, vector or dyadic: coefficients, each with none, one or two unit vectors."""

    terms: tuple[tuple[Expr, tuple[Unit, ...]], ...]
    in_letters: bool = False  # whether it is written without intermediate variables


@dataclass(frozen=True)
class Constants:
    """Names P1, P2, … for constants that are computed once, with what they stand for."""

    prefix: str = "P"
    meanings: dict[Expr, Expr] = field(default_factory=dict)

    def name(self, entry: Expr) -> Expr:
        """A name for a constant; numbers and parameters, also with a minus sign, are left as they are."""
        if _bare(entry).op in (NUMBER, SYMBOL):
            return entry
        negative = text(entry).startswith("-")
        value = -entry if negative else entry
        known = next((name for name, meaning in self.meanings.items() if meaning == value), None)
        if known is None:
            known = symbol(f"{self.prefix}{len(self.meanings) + 1}", "constant")
            self.meanings[known] = value
        return -known if negative else known


def unused(letter: str, system: Model) -> str:
    """The letter, doubled until no parameter or input begins with it and goes on with a number."""
    taken = {*system.parameters, *system.inputs}
    own = letter
    while any(name.startswith(own) and name[len(own) :].isdigit() for name in taken):
        own += letter
    return own


@dataclass(frozen=True, eq=False)
class Notation:
    """Names for everything in the tables of one system.

    What is shown is a graph of its own, in which the paper's letters are symbols. Intermediate variables, constants P
    and others Z, are found below the kinematical equations, `rates`, the `entries` of the tables, and M and f, `sums`.
    """

    system: Model
    tree: Tree
    speeds: Vector
    entries: Sequence[Expr] = ()
    rates: Sequence[Expr] = ()
    sums: Sequence[Expr] = ()
    named: int = 0  # how many constants have names already

    @cached_property
    def _blocks(self) -> list[Block]:
        return blocks_of(self.tree)

    @cached_property
    def letters(self) -> list[str]:
        """For each body its letter: its name, if that is a letter, else the first one free; N is the ground's."""
        names = [block.link.name for block in self._blocks]
        own = {letter: name for name in names for letter in (*_LETTERS, "A") if name.upper() == letter}
        own |= {name: name for name in names if name in own}
        keeping = {name: letter for letter, name in own.items()}
        made: list[str] = []
        for name in names:
            made.append(keeping.get(name) or _first_free(name, {*made, *own}))
        return made

    def letter(self, index: int) -> str:
        return "N" if index == BASE else self.letters[index]

    @cached_property
    def _units(self) -> dict[int, tuple[Unit, ...]]:
        table: dict[int, tuple[Unit, ...]] = {BASE: _own_units("N")}
        for index, link in enumerate(block.link for block in self._blocks):
            own = list(_own_units(self.letter(index)))
            for axis, column in enumerate(link.X.R.map(as_expr).columns):
                for other, unit in enumerate(Matrix.identity(3)):
                    if same(column, unit):
                        own[axis] = table[link.parent][other]
            table[index] = tuple(own)
        return table

    def units(self, index: int) -> tuple[Unit, ...]:
        """The names of a body's three unit vectors."""
        return self._units[index]

    def vector(self, index: int, components: Iterable[Any]) -> Sum:
        """A vector given by its components in a body."""
        pairs = zip(map(as_expr, components), self.units(index), strict=True)
        return Sum(tuple((entry, (unit,)) for entry, unit in pairs if not is_zero(entry)))

    def dyadic(self, index: int, components: Matrix) -> Sum:
        """A dyadic given by its components in a body."""
        own = self.units(index)
        entries = [(as_expr(components[i, j]), (own[i], own[j])) for i in range(3) for j in range(3)]
        return Sum(tuple((entry, pair) for entry, pair in entries if not is_zero(entry)))

    # ---- the graph that is shown -------------------------------------------------------------------------------

    @cached_property
    def _letters_of(self) -> dict[Expr, Expr]:
        """q_k, u_k, C_k and S_k for coordinates, speeds, and the cosines and sines of coordinates."""
        q, u, c, s = (unused(letter, self.system) for letter in "quCS")
        table: dict[Expr, Expr] = {}
        for k, coordinate in enumerate(self.tree.q, start=1):
            for node, name in ((coordinate, q), (cos(coordinate), c), (sin(coordinate), s)):
                table[node] = symbol(f"{name}{k}", "shown")
        return table | {speed: symbol(f"{u}{k}", "shown") for k, speed in enumerate(self.speeds, start=1)}

    @cached_property
    def _shown(self) -> tuple[dict[int, Expr], list[tuple[Expr, Expr]]]:
        """What stands for each node below the roots, and the intermediate variables with their meanings."""
        letters = {id(node): letter for node, letter in self._letters_of.items()}
        equations = [*self.rates, *self.sums]
        order = topological([*self.rates, *self.entries, *self.sums])
        uses: dict[int, int] = {}
        for used in (*(arg for node in order if id(node) not in letters for arg in node.args), *equations):
            uses[id(_bare(used))] = uses.get(id(_bare(used)), 0) + 1
        in_tables = {id(_bare(node)) for node in self.entries}
        prefixes = {True: unused("P", self.system), False: unused("Z", self.system)}
        table, leaves = dict(letters), dict.fromkeys(letters, 1)
        fixed = dict.fromkeys(letters, False)
        found: dict[bool, list[tuple[Expr, Expr]]] = {True: [], False: []}
        for node in order:
            if id(node) in letters:
                continue
            fixed[id(node)] = is_fixed = _is_constant(node, fixed)
            leaves[id(node)] = max(1, sum(leaves[id(arg)] for arg in node.args))
            table[id(node)] = _rebuilt(node, table)
            long = leaves[id(node)] > _LONG and id(node) in in_tables
            if node.op != NEG and (long or (leaves[id(node)] > 1 and uses.get(id(node), 0) > 1)):
                own = found[is_fixed]
                name = symbol(f"{prefixes[is_fixed]}{len(own) + 1 + self.named * is_fixed}", "shown")
                own.append((name, table[id(node)]))
                table[id(node)], leaves[id(node)] = name, 1
        return table, [*found[True], *found[False]]

    @property
    def variables(self) -> list[tuple[Expr, Expr]]:
        """P_k and Z_k with their meanings, parts before wholes: what is used more than once, or long in a table."""
        return self._shown[1]

    @cached_property
    def meanings(self) -> dict[Expr, Expr]:
        """The letters and the variables in the system's own symbols."""
        known = {letter: node for node, letter in self._letters_of.items()}
        for name, meaning in self.variables:
            known[name] = substitute([meaning], known)[0]
        return known

    def shown(self, entry: Expr, in_letters: bool = False) -> Expr:
        """An expression in the paper's letters, with intermediate variables unless `in_letters` alone."""
        table = {id(node): letter for node, letter in self._letters_of.items()} if in_letters else self._shown[0]
        if id(entry) not in table:
            own = dict(table)
            for node in topological([entry]):
                own.setdefault(id(node), _rebuilt(node, own))
            return own[id(entry)]
        return table[id(entry)]

    # ---- written out -----------------------------------------------------------------------------------------

    def cell_text(self, cell: Iterable[Sum | str]) -> str:
        """The sums and words of a cell as a line of text."""
        return ", ".join(item if isinstance(item, str) else self.sum_text(item) for item in cell) or "—"

    def sum_text(self, total: Sum) -> str:
        """A scalar, vector or dyadic as a line of text."""
        written = ((as_text(entry), " ".join(unit.text() for unit in units)) for entry, units in self._terms(total))
        return _joined([(body, f"({units})" if " " in units else units) for body, units in written])

    def sum_latex(self, total: Sum) -> str:
        """The same in LaTeX."""
        return _joined([(latex(entry), "".join(unit.latex() for unit in units)) for entry, units in self._terms(total)])

    def _terms(self, total: Sum) -> list[tuple[Expr, tuple[Unit, ...]]]:
        return [(self.shown(entry, total.in_letters), units) for entry, units in total.terms]


def _first_free(name: str, taken: set[str]) -> str:
    """The first letter that is not taken, from a name's initial on; with strokes when all are."""
    initial = name[:1].upper()
    order = sorted(_LETTERS, key=lambda letter: letter < initial)
    strokes = ""
    while all(letter + strokes in taken for letter in order):
        strokes += "'"
    return next(letter + strokes for letter in order if letter + strokes not in taken)


def as_text(shown: Expr) -> str:
    """An expression as the paper writes it: factors beside each other, powers with a caret."""
    return text(shown).replace("**", "^").replace("*", " ")


def _bare(node: Expr) -> Expr:
    """A node without its minus sign."""
    return node.args[0] if node.op == NEG else node


def _is_constant(node: Expr, known: dict[int, bool]) -> bool:
    """Whether a node is of parameters and numbers alone; `known` has the answer for its operands."""
    if node.op == SYMBOL:
        return node.data[0] in ("parameter", "constant")
    return all(known[id(arg)] for arg in node.args)


def _rebuilt(node: Expr, table: dict[int, Expr]) -> Expr:
    args = [table[id(arg)] for arg in node.args]
    return node if all(a is b for a, b in zip(args, node.args, strict=True)) else rebuild(node, args)


def _own_units(letter: str) -> tuple[Unit, ...]:
    return tuple(Unit(letter, index) for index in (1, 2, 3))


def _joined(terms: Sequence[tuple[str, str]]) -> str:
    """Terms "coefficient unit" added up, with their signs between them."""
    line = ""
    for body, unit in terms:
        minus = body.startswith("-") and not _is_sum(body)
        body = body[1:] if minus else body
        if unit:
            body = unit if body == "1" else f"({body}) {unit}" if _is_sum(body) else f"{body} {unit}"
        line += (" - " if line else "-") + body if minus else (" + " if line else "") + body
    return line or "0"


def _is_sum(body: str) -> bool:
    """Whether a text is a sum at its outermost level."""
    depth = 0
    for index, letter in enumerate(body):
        depth += (letter in "({") - (letter in ")}")
        if depth == 0 and letter in "+-" and index > 0:
            return True
    return False
