"""From expressions, axes and rotations to texts that are read back as the same values, form and all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import LimitError
from ..expr import Expr, Matrix, Vector, as_expr, pi, same, topological
from ..expr.node import ADD, CALL, DIV, MUL, NEG, NUMBER, SUB, SYMBOL
from ..geometry import rotation, unit_axis
from .grammar import DEPTH_LIMIT, LENGTH_LIMIT
from .names import Scope

#: A text that would be longer is put together from expressions with names, where the file may have them.
LONG = 1_000
#: How an axis of the frame is written.
LETTERS = ("x", "y", "z", "-x", "-y", "-z")

_ATOM, _POWER, _PRODUCT, _SUM = 4, 3, 2, 1
_QUOTED = re.compile("`[^`]*`")


@dataclass(frozen=True)
class _Part:
    """A text and how tightly it binds."""

    text: str
    precedence: int = _ATOM

    def within(self, least: int) -> str:
        """The text, in parentheses if it binds less tightly than its place needs."""
        return self.text if self.precedence >= least else f"({self.text})"


def spell(root: Expr, scope: Scope) -> str:
    """The text of an expression."""
    result: dict[int, _Part] = {}
    for node in topological([root]):
        part = _spell_one(node, _operands(node, result, scope), scope)
        result[id(node)] = part
        if len(part.text) > LENGTH_LIMIT:
            raise _too_large(f"{LENGTH_LIMIT:,} characters")
    text = result[id(root)].text
    if _depth(text) > DEPTH_LIMIT:
        raise _too_large(f"{DEPTH_LIMIT} levels of parentheses")
    return text


def _operands(node: Expr, texts: dict[int, _Part], scope: Scope) -> list[_Part]:
    """The texts of a node's operands; where they are long, the longest is given a name in the file."""
    naming = scope.naming if not scope.own else None  # what holds a law's own arguments has no meaning outside it
    if naming is not None:
        for arg in node.args:
            if id(arg) in naming.known:
                texts[id(arg)] = _Part(naming.known[id(arg)])
        for arg in sorted(node.args, key=lambda arg: -len(texts[id(arg)].text)):
            if sum(len(texts[id(argument)].text) for argument in node.args) > LONG and arg.args:
                texts[id(arg)] = _Part(naming.name_of(arg, texts[id(arg)].text, scope))
    return [texts[id(arg)] for arg in node.args]


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in _QUOTED.sub("", text):
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return deepest


def _too_large(limit: str) -> LimitError:
    message = f"an expression needs more than {limit}."
    return LimitError(message, cure="Describe it by more bodies, joints or parameters.", code="E-MODELFILE-SIZE")


def spell_number(value: Fraction) -> str:
    """A rational as a decimal where that is short and exact, else as a fraction.

    >>> spell_number(Fraction(7, 20)), spell_number(Fraction(1, 3))
    ('0.35', '1/3')
    """
    twos = fives = 0
    rest = value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places == 0 or places > 20:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' * (value < 0)}{digits[:-places]}.{digits[-places:]}"


def _spell_one(node: Expr, parts: list[_Part], scope: Scope) -> _Part:
    op = node.op
    if op == NUMBER:
        text = spell_number(node.data)
        return _Part(text, _SUM if node.data < 0 else _PRODUCT if "/" in text else _ATOM)
    if op == SYMBOL:
        return _Part(scope.spell(node))
    if op == "pi":
        return _Part(scope.spell_pi())
    if op == NEG:
        return _Part(f"-{parts[0].within(_PRODUCT)}", _SUM)
    if op == ADD:  # the longer operand first, so that a long sum needs no parentheses
        first, then = sorted(parts, key=lambda part: part.precedence)
        return _Part(f"{first.text} + {then.within(_PRODUCT)}", _SUM)
    if op == SUB:
        return _Part(f"{parts[0].text} - {parts[1].within(_PRODUCT)}", _SUM)
    if op == MUL:
        return _product(node.args[0], node.args[1], parts[0], parts[1])
    if op == DIV:
        return _Part(f"{parts[0].within(_PRODUCT)}/{parts[1].within(_POWER)}", _PRODUCT)
    if op == "pow":
        return _Part(f"{parts[0].within(_ATOM)}**{parts[1].within(_ATOM)}", _POWER)
    name = scope.spell_function(node.data) if op == CALL else op
    return _Part(f"{name}({', '.join(part.text for part in parts)})", _ATOM)


def _product(left: Expr, right: Expr, a: _Part, b: _Part) -> _Part:
    """A square, a quotient by a whole number, or factors; a product among them goes first if it can."""
    if left is right:
        return _Part(f"{a.within(_ATOM)}**2", _POWER)
    if left.is_number and left.data.numerator == 1 and "/" in a.text:
        return _Part(f"{b.within(_PRODUCT)}{a.text[1:]}", _PRODUCT)
    if b.precedence == _PRODUCT and not left.is_number:
        a, b = b, a
    return _Part(f"{a.within(_PRODUCT)}*{b.within(_POWER)}", _PRODUCT)


def describe_axis(axis: Vector, scope: Scope) -> str | list[str]:
    for letter in LETTERS:
        if same(axis, unit_axis(letter)):
            return letter
    return [spell(as_expr(entry), scope) for entry in axis]


def describe_rotation(R: Matrix, scope: Scope) -> Any:
    """Nothing, a turn about an axis of the frame, or a matrix."""
    R = R.map(as_expr)
    if same(R.entries(), Matrix.identity(3).map(as_expr).entries()):
        return None
    for letter in ("x", "y", "z"):
        for angle in _angles(R):
            if same(rotation((letter, angle)).entries(), R.entries()):
                return [letter, spell(angle, scope)]
    return [[spell(entry, scope) for entry in row] for row in R]


def _angles(R: Matrix) -> Iterator[Expr]:
    """Angles that a rotation may be by: those whose sine or cosine it holds, and twelfths of a turn."""
    for entry in R.entries():
        wave = entry.args[0] if entry.op == NEG else entry
        if wave.op in ("sin", "cos"):
            yield wave.args[0]
            yield -wave.args[0]
    for twelfth in (2, 3, 4, 6, 8, 9, 10, 12, -10, -9, -8, -6, -4, -3, -2):
        yield pi * twelfth / 12
