"""Arithmetic in the prime field: jets, 4×4 motions and twists, exact elimination, and values of expressions.

Jets are numbers of the field that move: truncated Taylor series in time, with a variation for each speed.

    x = (x, ẋ, ẍ; δ₁x, δ₂x, …)

ẋ and ẍ are the rates along the motion; δᵢx is the rate while speed i is one and all else stands still. Every rule below
is Leibniz's. A quantity on the level of velocities may have its partial derivatives by the speeds in place of the δᵢx.

Expressions in the prime field: their values, and how they move when their symbols do.

The value of a node is its fingerprint, unless a symbol in it stands for something else, as LENGTH does in the law of a
line force. The derivative of a function comes from its partial derivatives, which are nodes too: those of a table or of
a user's function are calls of other functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from ...errors import PolhodeError
from ...expr import Expr, call, number, topological
from ...expr.differentiation import PARTIALS
from ...expr.field import P, hash_to_field, inverse
from ...expr.graph import rebuild_named
from ...expr.node import CALL, SYMBOL

#: A number for each speed, by its place; those that are zero may be left out.
Variation = Mapping[int, int]
_NONE: Variation = {}


class Jet:
    """x, its first and second rate, and its variations."""

    __slots__ = ("d", "dd", "vary", "x")

    def __init__(self, x: int, d: int = 0, dd: int = 0, vary: Variation = _NONE) -> None:
        self.x, self.d, self.dd, self.vary = x, d, dd, vary

    @property
    def is_still(self) -> bool:
        """Whether nothing moves it."""
        return not (self.d or self.dd or self.vary)

    def at_rest(self) -> Jet:
        """The same motion without variations."""
        return Jet(self.x, self.d, self.dd)

    def __add__(self, other: Jet | int) -> Jet:
        if isinstance(other, int):
            return Jet((self.x + other) % P, self.d, self.dd, self.vary)
        return Jet(
            (self.x + other.x) % P,
            (self.d + other.d) % P,
            (self.dd + other.dd) % P,
            _combined(self.vary, 1, other.vary, 1),
        )

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return self * -1

    def __sub__(self, other: Jet | int) -> Jet:
        return self + -other

    def __rsub__(self, other: Jet | int) -> Jet:
        return -self + other

    def __mul__(self, other: Jet | int) -> Jet:
        if isinstance(other, int):
            vary = {i: v * other % P for i, v in self.vary.items()} if self.vary else _NONE
            return Jet(self.x * other % P, self.d * other % P, self.dd * other % P, vary)
        return Jet(
            self.x * other.x % P,
            (self.d * other.x + self.x * other.d) % P,
            (self.dd * other.x + 2 * self.d * other.d + self.x * other.dd) % P,
            _combined(self.vary, other.x, other.vary, self.x),
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Jet | int) -> Jet:
        """y = a/b by a' = y' b + y b'."""
        if isinstance(other, int):
            return self * inverse(other % P)
        part = inverse(other.x)
        y = self.x * part % P
        d = (self.d - y * other.d) * part % P
        dd = (self.dd - 2 * d * other.d - y * other.dd) * part % P
        return Jet(y, d, dd, _combined(self.vary, part, other.vary, -y * part))

    def chained(self, value: int, slope: int, bend: int) -> Jet:
        """f(x), from the value of f and its first two derivatives at x."""
        vary = {i: v * slope % P for i, v in self.vary.items()} if self.vary else _NONE
        return Jet(value, slope * self.d % P, (slope * self.dd + bend * self.d * self.d) % P, vary)


def _combined(one: Variation, a: int, other: Variation, b: int) -> Variation:
    """a·one + b·other."""
    if not one and not other:
        return _NONE
    result = {i: v * a % P for i, v in one.items()}
    for i, v in other.items():
        result[i] = (result.get(i, 0) + v * b) % P
    return result


#: Rows of field elements (or of jets, where it says so).
Rows = list[list[Any]]
Numbers = Sequence[Sequence[int]]

IDENTITY: Rows = [[int(i == j) for j in range(4)] for i in range(4)]
ZERO: Rows = [[0] * 4 for _ in range(4)]


def product(a: Numbers, b: Numbers) -> Rows:
    """A B."""
    columns = list(zip(*b, strict=True))
    return [[sum(map(mul, row, column)) % P for column in columns] for row in a]


def added(a: Numbers, b: Numbers) -> Rows:
    """A + B."""
    return [[(x + y) % P for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def scaled(a: Numbers, factor: int) -> Rows:
    """A times a number."""
    return [[x * factor % P for x in row] for row in a]


def transposed(a: Sequence[Sequence[Any]]) -> Rows:
    """Aᵀ."""
    return [list(column) for column in zip(*a, strict=True)]


def paired(a: Numbers, b: Numbers) -> int:
    """tr(A Bᵀ), the sum of the products of all entries: a power, if one is a force and the other a velocity."""
    return sum(sum(map(mul, *rows)) for rows in zip(a, b, strict=True)) % P


def applied(a: Numbers, x: Sequence[int]) -> list[int]:
    """A x."""
    return [sum(map(mul, row, x)) % P for row in a]


def outer(x: Sequence[int], y: Sequence[int]) -> Rows:
    """x yᵀ."""
    return [[a * b % P for b in y] for a in x]


def motion(R: Sequence[Sequence[Any]], p: Sequence[Any]) -> Rows:
    """The 4×4 matrix of a rigid motion, which takes (r, 1) to (R r + p, 1)."""
    return [[*R[i], p[i]] for i in range(3)] + [[0, 0, 0, 1]]


def undone(X: Sequence[Sequence[Any]]) -> Rows:
    """X⁻¹ of a rigid motion, of numbers or jets: Rᵀ and -Rᵀ p."""
    Rt = [[X[j][i] for j in range(3)] for i in range(3)]
    p = [-(row[0] * X[0][3] + row[1] * X[1][3] + row[2] * X[2][3]) for row in Rt]
    return motion(Rt, [entry % P if isinstance(entry, int) else entry for entry in p])


def jet_product(a: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]]) -> Rows:
    """A B over jets and numbers; zeros cost nothing."""
    columns = transposed(b)
    return [
        [summed([x * y for x, y in zip(row, column, strict=True) if _there(x) and _there(y)]) for column in columns]
        for row in a
    ]


def _there(entry: Any) -> bool:
    return entry != 0 if isinstance(entry, int) else True


def summed(terms: Sequence[Any]) -> Any:
    """The sum of jets and numbers."""
    total: Any = 0
    for term in terms:
        total = total + term
    return total % P if isinstance(total, int) else total


def hat(w: Sequence[Any]) -> Rows:
    """ŵ with ŵ r = w × r."""
    x, y, z = w
    return [[0, -z, y], [z, 0, -x], [-y, x, 0]]


def twist(h: Sequence[int]) -> Rows:
    """The 4×4 matrix of a twist (w, v): the velocity of a point r is w × r + v."""
    turned = hat(h[:3])
    return [[*turned[i], h[3 + i]] for i in range(3)] + [[0, 0, 0, 0]]


def solved(left: Numbers, right: Numbers) -> Rows | None:
    """The X with left · X = right, a row for each unknown; None unless there is exactly one."""
    table = [[entry % P for entry in (*row, *right_row)] for row, right_row in zip(left, right, strict=True)]
    size = len(left[0]) if left else 0
    for column in range(size):
        pivot = next((r for r in range(column, len(table)) if table[r][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        scale = inverse(table[column][column])
        lead = table[column] = [entry * scale % P for entry in table[column]]
        for r, row in enumerate(table):
            if r != column and row[column]:
                factor = row[column]
                table[r] = [(entry - factor * top) % P for entry, top in zip(row, lead, strict=True)]
    if any(entry for row in table[size:] for entry in row):
        return None
    return [row[size:] for row in table[:size]]


def independent_rows(rows: Numbers) -> list[int]:
    """The first rows that span the row space."""
    first: list[int] = []
    leads: list[tuple[int, list[int]]] = []  # rows brought to a leading one, with its index
    for k, row in enumerate(rows):
        left = [entry % P for entry in row]
        for column, lead in leads:
            if factor := left[column]:
                left = [(entry - factor * top) % P for entry, top in zip(left, lead, strict=True)]
        pivot = next((column for column, entry in enumerate(left) if entry), None)
        if pivot is not None:
            scale = inverse(left[pivot])
            leads.append((pivot, [entry * scale % P for entry in left]))
            first.append(k)
    return first


#: What symbols are, where it is not their own fingerprint, standing still.
Symbols = Mapping[Expr, Jet]


class NotCovered(PolhodeError):
    """Raised for what the reference derivation cannot evaluate; the message names it."""


def evaluated(root: Expr, symbols: Symbols, order: int = 0, squares: Mapping[Expr, int] | None = None) -> Jet:
    """An expression to an order: 0 value, 1 first rates and variations, 2 second rates; `squares` defines roots."""
    table: dict[int, Jet] = {}
    for node in topological([root]):
        args = [table[id(arg)] for arg in node.args]
        if node.op == SYMBOL:
            table[id(node)] = symbols.get(node) or Jet(node.fp)
        elif all(jet.is_still and jet.x == arg.fp for jet, arg in zip(args, node.args, strict=True)):
            table[id(node)] = Jet(node.fp)
        elif squares and node.op == "mul" and node.args[0] is node.args[1] and node.args[0] in squares:
            square = args[0] * args[0]
            table[id(node)] = Jet(squares[node.args[0]], square.d, square.dd, square.vary)
        else:
            table[id(node)] = _operation(node, args, symbols, order)
    return table[id(root)]


def _operation(node: Expr, args: Sequence[Jet], symbols: Symbols, order: int) -> Jet:
    op = node.op
    if op == "add":
        return args[0] + args[1]
    if op == "sub":
        return args[0] - args[1]
    if op == "mul":
        return args[0] * args[1]
    if op == "div":
        return args[0] / args[1]
    if op == "neg":
        return -args[0]
    return _function(node, args, symbols, order)


def _function(node: Expr, args: Sequence[Jet], symbols: Symbols, order: int) -> Jet:
    """y = f(a, b): y' = f_a a' + f_b b', and y'' by the rates of f_a and f_b."""
    unchanged = all(jet.x == arg.fp for jet, arg in zip(args, node.args, strict=True))
    value = node.fp if unchanged else function_value(node, [jet.x for jet in args])
    result = Jet(value)
    if order == 0:
        return result
    for index, arg in enumerate(args):
        slope = None if arg.is_still else _partial(node, index)
        if slope is not None:
            f = evaluated(slope, symbols, order - 1)
            moved = Jet(0, f.x * arg.d % P, (f.d * arg.d + f.x * arg.dd) % P, {i: f.x * v for i, v in arg.vary.items()})
            result = result + moved
    return result


def _partial(node: Expr, index: int) -> Expr | None:
    """The partial derivative of a function by one operand; None where it vanishes."""
    if node.op != CALL:
        return PARTIALS[node.op](node, *node.args)[index]
    slope = node.data.partial(index)
    return None if slope is None else call(slope, node.args)


_ODD = ("asin", "atan", "sinh", "tanh", "sign")


def function_value(node: Expr, args: Sequence[int]) -> int:
    """A function at other values than its operands' own: the element that the graph would have there."""
    op = node.op
    if op == CALL:
        return hash_to_field(CALL, node.data.digest, *args)
    if op in ("sin", "cos"):
        # The graph takes them apart as sums of angles; from the value alone they do not follow.
        raise NotCovered(f"{op} of a position, a length, a rate or a dependent speed")
    if op == "sqrt":
        return root_of(args[0])
    fractions = [fraction_of(arg) for arg in args]
    numbers = [number(value) for value in fractions if value is not None]
    if len(numbers) == len(args):
        return rebuild_named(op, numbers).fp
    if op == "where" and (fractions[0] is not None or args[1] == args[2]):
        return args[1] if fractions[0] is None or fractions[0] > 0 else args[2]
    if op == "abs":
        return hash_to_field(op, min(args[0], P - args[0]))
    if op in _ODD and args[0] > P - args[0]:
        return P - hash_to_field(op, P - args[0])
    if op in ("min", "max"):
        return args[0] if args[0] == args[1] else hash_to_field(op, *sorted(args))
    return hash_to_field(op, *args)


def root_of(value: int) -> int:
    """√value as the graph has it: exact for a number, else a fixed element for the value."""
    fraction = fraction_of(value)
    return hash_to_field("sqrt", value) if fraction is None else rebuild_named("sqrt", [number(fraction)]).fp


def root(x: Jet) -> Jet:
    """√x, with y' = x'/(2y) and y'' = (x'' - 2 y'²)/(2y)."""
    y = root_of(x.x)
    slope = inverse(2 * y % P)
    return x.chained(y, slope, -2 * slope * slope * slope % P)


#: Numerators and denominators below this are recognised; an element that is no such number by itself is one with
#: probability 2⁻²⁷.
_PLAIN = 1 << 50


def fraction_of(element: int) -> Fraction | None:
    """The rational number that an element is, if it is a plain one (half of Euclid's algorithm)."""
    r0, r1, s0, s1 = P, element % P, 0, 1
    while r1 >= _PLAIN:
        quotient = r0 // r1
        r0, r1, s0, s1 = r1, r0 - quotient * r1, s1, s0 - quotient * s1
    if not s1 or abs(s1) >= _PLAIN:
        return None
    return Fraction(r1, s1)
