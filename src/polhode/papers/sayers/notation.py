"""The letters of Sayers' paper: bodies, unit vectors, q_1 and u_1, C_1 and S_1, constants P and variables Z.

A body's unit vectors are named after it, but an axis about which it turns keeps its parent's name, as in the paper:
Z3 b3 + u5 b2. Sums are collected before parts of them are named: like terms are one, numbers are added up.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from ...expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    cos,
    is_zero,
    quiet_collector,
    rebuild,
    same,
    sin,
    substitute,
    symbol,
    topological,
)
from ...expr.latex_printer import latex_as_built as latex
from ...expr.node import ADD, DIV, MUL, NEG, NUMBER, SUB, SYMBOL
from ...expr.reading import Product
from ...expr.spelling import OWN
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
    _names: dict[Expr, Expr] = field(default_factory=dict)

    def name(self, entry: Expr) -> Expr:
        """A name for a constant; numbers and parameters, also with a minus sign, are left as they are."""
        if _bare(entry).op in (NUMBER, SYMBOL):
            return entry
        negative = text(entry).startswith("-")
        value = -entry if negative else entry
        if value not in self._names:
            name = symbol(f"{self.prefix}{len(self.meanings) + 1}", "constant")
            self._names[value], self.meanings[name] = name, value
        return -self._names[value] if negative else self._names[value]


def unused(letter: str, system: Model) -> str:
    """The letter, doubled until no parameter or input begins with it and goes on with a number."""
    taken = {*system.parameters, *system.inputs}
    free = letter
    while any(name.startswith(free) and name[len(free) :].isdigit() for name in taken):
        free += letter
    return free


@dataclass(frozen=True, eq=False)
class Notation:
    """Names for everything in the tables of one system, as symbols of a separate graph.

    Constants P and variables Z are common subexpressions of `rates`, the `entries` of the tables, and `sums` M and f.
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
        named = {letter: name for name in names for letter in (*_LETTERS, "A") if name.upper() == letter}
        named |= {name: name for name in names if name in named}
        keeping = {name: letter for letter, name in named.items()}
        result: list[str] = []
        for name in names:
            result.append(keeping.get(name) or _first_free(name, {*result, *named}))
        return result

    def letter(self, index: int) -> str:
        return "N" if index == BASE else self.letters[index]

    @cached_property
    def _units(self) -> dict[int, tuple[Unit, ...]]:
        table: dict[int, tuple[Unit, ...]] = {BASE: _own_units("N")}
        for index, link in enumerate(block.link for block in self._blocks):
            units = list(_own_units(self.letter(index)))
            for axis, column in enumerate(link.X.R.map(as_expr).columns):
                for other, unit in enumerate(Matrix.identity(3)):
                    if same(column, unit):
                        units[axis] = table[link.parent][other]
            table[index] = tuple(units)
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
        units = self.units(index)
        entries = [(as_expr(components[i, j]), (units[i], units[j])) for i in range(3) for j in range(3)]
        return Sum(tuple((entry, pair) for entry, pair in entries if not is_zero(entry)))

    # ---- the graph that is shown -------------------------------------------------------------------------------

    @cached_property
    def letters_of(self) -> dict[Expr, Expr]:
        """q_k, u_k, y_k, C_k and S_k for coordinates, speeds, states, and the cosines and sines of coordinates."""
        q, u, y, c, s = (unused(letter, self.system) for letter in "quyCS")
        table: dict[Expr, Expr] = {}
        for k, coordinate in enumerate(self.tree.q, start=1):
            for node, name in ((coordinate, q), (cos(coordinate), c), (sin(coordinate), s)):
                table[node] = symbol(f"{name}{k}", "shown")
        states = [state.symbol for state in self.system.states.values()]
        named = ((name, k, x) for name, xs in ((u, self.speeds), (y, states)) for k, x in enumerate(xs, start=1))
        return table | {node: symbol(f"{name}{k}", "shown") for name, k, node in named}

    @cached_property
    def _shown(self) -> tuple[dict[int, Expr], list[tuple[Expr, Expr]]]:
        """Expressions shown for each entry, rate and sum, and the intermediate variables with their meanings."""
        nodes = [*self.rates, *{id(entry): entry for entry in self.entries}.values(), *self.sums]
        with quiet_collector():
            roots = collected(nodes, {id(node): letter for node, letter in self.letters_of.items()})
        first, last = len(self.rates), len(nodes) - len(self.sums)
        order = topological(roots)
        uses = _uses(order, [*roots[:first], *roots[last:]])
        in_tables = {id(_bare(node)) for node in roots[first:last]}
        fixed: dict[int, bool] = {}
        lasting: set[int] = set()  # constants that what moves is made of
        for node in order:
            fixed[id(node)] = _is_constant(node, fixed)
            if not fixed[id(node)]:
                lasting.update(id(_bare(arg)) for arg in node.args if fixed[id(arg)])
        own_rates = {id(rate): name for name, rate in zip(self.rate_names, roots[:first], strict=True) if rate.args}
        prefixes = {True: unused("P", self.system), False: self.prefix}
        table: dict[int, Expr] = {}
        leaves: dict[int, int] = {}
        listed: dict[bool, list[tuple[Expr, Expr]]] = {True: [], False: []}
        numbers = {True: self.named, False: 0}
        for node in order:
            is_fixed = fixed[id(node)]
            leaves[id(node)] = max(1, sum(leaves[id(arg)] for arg in node.args))
            table[id(node)] = _rebuilt(node, table)
            is_named = leaves[id(node)] > _LONG and id(node) in in_tables
            is_named |= leaves[id(node)] > 1 and uses.get(id(node), 0) > 1
            is_named |= bool(node.args) and id(node) in lasting
            if is_named and _bare(node) is node:
                definitions, name = listed[is_fixed], own_rates.get(id(node))
                if name is None:
                    numbers[is_fixed] += 1
                    name = symbol(f"{prefixes[is_fixed]}{numbers[is_fixed]}", "shown")
                definitions.append((name, table[id(node)]))
                table[id(node)], leaves[id(node)] = name, 1
        shown = {id(node): table[id(root)] for node, root in zip(nodes, roots, strict=True)}
        return shown, [*listed[True], *listed[False]]

    @property
    def prefix(self) -> str:
        """The letter of intermediate variables."""
        return unused("Z", self.system)

    @cached_property
    def rate_names(self) -> list[Expr]:
        """Names for the rates of coordinates and states, as q4' of q4."""
        states = [state.symbol for state in self.system.states.values()]
        return [prime(self.letters_of[x]) for x in (*self.tree.q, *states)]

    @property
    def variables(self) -> list[tuple[Expr, Expr]]:
        """P_k and Z_k with their meanings, parts before wholes: what is used more than once, or long in a table."""
        return self._shown[1]

    @cached_property
    def meanings(self) -> dict[Expr, Expr]:
        """The letters and the variables in the system's own symbols."""
        meanings = {letter: node for node, letter in self.letters_of.items()}
        for name, meaning in self.variables:
            meanings[name] = substitute([meaning], meanings)[0]
        return meanings

    def shown(self, entry: Expr, in_letters: bool = False) -> Expr:
        """An expression in the paper's letters, with intermediate variables unless `in_letters` alone."""
        expression = None if in_letters else self._shown[0].get(id(entry))
        if expression is None:
            (expression,) = collected([entry], {id(node): letter for node, letter in self.letters_of.items()})
        return expression

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


def prime(letter: Expr) -> Expr:
    """The name of a rate: q4' of q4."""
    return symbol(letter.name, "acceleration", OWN)


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
    """A node without its sign and number."""
    while node.op in (NEG, MUL):
        parts = [arg for arg in node.args if arg.op != NUMBER]
        if len(parts) != 1:
            break
        node = parts[0]
    return node


def _is_constant(node: Expr, fixed: dict[int, bool]) -> bool:
    """Whether a node is of parameters and numbers alone; `fixed` says it of its operands."""
    if node.op == SYMBOL:
        return node.data[0] in ("parameter", "constant")
    return all(fixed[id(arg)] for arg in node.args)


def _rebuilt(node: Expr, table: Mapping[int, Expr]) -> Expr:
    args = [table[id(arg)] for arg in node.args]
    return node if all(a is b for a, b in zip(args, node.args, strict=True)) else rebuild(node, args)


# ---- collected sums ------------------------------------------------------------------------------------------


_SIGNS = {ADD: (1, 1), SUB: (1, -1), NEG: (-1,)}


def _uses(order: Sequence[Expr], roots: Sequence[Expr], letters: Container[int] = ()) -> dict[int, int]:
    """Number of times each node, without sign and number, is an operand in `order` or among the roots."""
    uses: dict[int, int] = {}
    inner = (node for node in order if node.args and id(node) not in letters and _bare(node) is node)
    for used in chain((arg for node in inner for arg in node.args), roots):
        key = id(_bare(used))
        uses[key] = uses.get(key, 0) + 1
    return uses


def collected(roots: Sequence[Expr], letters: Mapping[int, Expr]) -> list[Expr]:
    """The roots in letters, with the like terms of every sum, and the numbers of every product, as one.

    What is used more than once stays a unit; a second pass collects what the first one brought together.
    """
    for names in (letters, {}):
        roots = _Collection(roots, names).roots
    return list(roots)


class _Collection:
    """One pass: each node as a sum of products of units, and written anew; a sum within a sum is part of it."""

    def __init__(self, roots: Sequence[Expr], letters: Mapping[int, Expr]) -> None:
        order = topological(roots)
        self.uses, self.letters = _uses(order, roots, letters), letters
        self.read: dict[int, list[Product]] = {}
        self.cache: dict[int, Expr] = {}
        self.fixed: dict[int, bool] = {}  # whether a unit is constant
        self.factors: dict[int, tuple[tuple[Expr, int], ...]] = {}  # of units that are products, down to what is none
        for node in order:
            if node.op not in _SIGNS or id(node) in letters:
                self.read[id(node)] = self._shared(node, self._terms(node))
            elif self._is_shared(node):
                self.read[id(node)] = self._shared(node, self._summed(node))
        self.roots = [self._collected(root) for root in roots]

    def _is_shared(self, node: Expr) -> bool:
        return self.uses.get(id(_bare(node)), 0) > 1

    def _summed(self, node: Expr) -> list[Product]:
        """The terms of a node, like ones as one, in order of appearance; a sum that vanishes is the term 0."""
        totals: dict[frozenset[tuple[Expr, int]], Product] = {}
        stack = [(node, 1)]
        while stack:
            part, sign = stack.pop()
            for term in self.read.get(id(part), ()):
                key = frozenset(self._expanded(term.factors))
                product = totals.get(key) or Product(Fraction(0), term.factors)
                totals[key] = Product(product.coefficient + sign * term.coefficient, product.factors)
            if id(part) not in self.read:
                signs = [sign * s for s in _SIGNS[part.op]]
                stack += [*zip(part.args, signs, strict=True)][::-1]
        return [term for term in totals.values() if term.coefficient] or [Product(Fraction(0))]

    def _terms(self, node: Expr) -> list[Product]:
        """The terms of what is no sum."""
        if id(node) in self.letters:
            return [self._unit(self.letters[id(node)])]
        if node.op == NUMBER:
            return [Product(node.data)]
        if node.op in (MUL, DIV):
            one, other = map(self._factor, node.args)
            return [one.times(other, 1 if node.op == MUL else -1)]
        args = [self._collected(arg) for arg in node.args]
        term = node if not args else rebuild(node, args)
        self.fixed[id(term)] = _is_constant(term, self.fixed)
        return [self._unit(term)]

    def _factor(self, node: Expr) -> Product:
        terms = self.read.get(id(node)) or self._summed(node)
        return terms[0] if len(terms) == 1 else self._unit(self._collected(node, terms))

    def _unit(self, node: Expr) -> Product:
        if not node.args:
            self.fixed[id(node)] = _is_constant(node, {})
        return Product(Fraction(1), ((node, 1),))

    def _shared(self, node: Expr, terms: list[Product]) -> list[Product]:
        """A unit for what is used more than once, its number apart."""
        (number, factors), *rest = ((term.coefficient, term.factors) for term in terms)
        if not self._is_shared(node) or len(rest) + len(factors) < 2:
            return terms
        if rest:
            return [self._unit(self._collected(node, terms))]
        unit = self._written([Product(Fraction(1), factors)])
        self.factors[id(unit)] = self._expanded(factors)
        return [Product(number, ((unit, 1),))]

    def _expanded(self, factors: tuple[tuple[Expr, int], ...]) -> tuple[tuple[Expr, int], ...]:
        """Factors with the products among them multiplied out."""
        if not any(id(base) in self.factors for base, _ in factors):
            return factors
        powers: dict[Expr, int] = {}
        for base, power in factors:
            for inner, exponent in self.factors.get(id(base), ((base, 1),)):
                powers[inner] = powers.get(inner, 0) + exponent * power
        return tuple((base, power) for base, power in powers.items() if power)

    def _collected(self, node: Expr, terms: Sequence[Product] | None = None) -> Expr:
        """A node written anew."""
        if id(node) not in self.cache:
            self.cache[id(node)] = self._written(terms or self.read.get(id(node)) or self._summed(node))
        return self.cache[id(node)]

    def _written(self, terms: Sequence[Product]) -> Expr:
        """A sum of products, in each the number first, then what is constant, which can be precomputed."""
        total = as_expr(0)
        for term in terms:
            parts: dict[tuple[bool, bool], Expr] = {}
            for base, power in term.factors:
                kind = self.fixed[id(base)], power > 0
                for _ in range(abs(power)):
                    parts[kind] = parts[kind] * base if kind in parts else base
            product: Any = 1
            for of in (True, False):
                above, below = parts.get((of, True), 1), parts.get((of, False))
                product = product * (above if below is None else above / below)
            size = product if term.coefficient in (1, -1) else abs(term.coefficient) * product
            total = total + size if term.coefficient > 0 else total - size
        self.fixed[id(total)] = all(self.fixed[id(base)] for term in terms for base, _ in term.factors)
        return total


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
