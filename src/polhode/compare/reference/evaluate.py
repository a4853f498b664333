"""Expressions in the prime field: their values, and how they move when their symbols do.

The value of a node is its fingerprint, unless a symbol in it stands for something else, as LENGTH does in the law of a
line force. The derivative of a function comes from its partial derivatives, which are nodes too: those of a table or of
a user's function are calls of other functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...errors import PolhodeError
from ...expr import Expr, call, number, topological
from ...expr.differentiation import PARTIALS
from ...expr.field import P, hash_to_field, inverse
from ...expr.graph import rebuild_named
from ...expr.node import CALL, SYMBOL
from .matrices import Jet

#: What symbols are, where it is not their own fingerprint, standing still.
Symbols = Mapping[Expr, Jet]


class NotCovered(PolhodeError):
    """What the reference derivation cannot evaluate; the sentence says what it is."""


def evaluated(root: Expr, symbols: Symbols, order: int = 0, squares: Mapping[Expr, int] | None = None) -> Jet:
    """An expression, to an order: 0 its value, 1 with first rates and variations, 2 with second rates.

    `squares` tells the squares of symbols that stand for square roots.
    """
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
    made = Jet(value)
    if order == 0:
        return made
    for index, arg in enumerate(args):
        slope = None if arg.is_still else _partial(node, index)
        if slope is not None:
            f = evaluated(slope, symbols, order - 1)
            moved = Jet(0, f.x * arg.d % P, (f.d * arg.d + f.x * arg.dd) % P, {i: f.x * v for i, v in arg.vary.items()})
            made = made + moved
    return made


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
    known = [fraction_of(arg) for arg in args]
    numbers = [number(each) for each in known if each is not None]
    if len(numbers) == len(args):
        return rebuild_named(op, numbers).fp
    if op == "abs":
        return hash_to_field(op, min(args[0], P - args[0]))
    if op in _ODD and args[0] > P - args[0]:
        return P - hash_to_field(op, P - args[0])
    if op in ("min", "max"):
        return args[0] if args[0] == args[1] else hash_to_field(op, *sorted(args))
    return hash_to_field(op, *args)


def root_of(value: int) -> int:
    """√value as the graph has it: exact for a number, else a fixed element for the value."""
    known = fraction_of(value)
    return hash_to_field("sqrt", value) if known is None else rebuild_named("sqrt", [number(known)]).fp


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
