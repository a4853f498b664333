"""From an expression to text that the grammar reads back as the same function."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from ..errors import LimitError
from ..expr import Expr, topological
from ..expr.node import ADD, DIV, MUL, NEG, NUMBER, SUB, SYMBOL
from .grammar import DEPTH_LIMIT, LENGTH_LIMIT
from .names import Scope

_ATOM, _POWER, _PRODUCT, _SUM = 4, 3, 2, 1


@dataclass(frozen=True)
class _Part:
    """A number times a text (none for the number alone), how tightly it binds, how deep its parentheses go."""

    scale: Fraction
    text: str = ""
    binding: int = _ATOM
    depth: int = 1


def spell(root: Expr, scope: Scope) -> str:
    """The text of an expression.

    >>> from polhode.expr import as_expr, sqrt
    >>> spell(sqrt(as_expr(2)) * as_expr(0.35) / 2 + as_expr(1) / 3, Scope())
    '0.175*sqrt(2) + 1/3'
    """
    made: dict[int, _Part] = {}
    for node in topological([root]):
        part = _spell_one(node, [made[id(arg)] for arg in node.args], scope)
        if len(part.text) > LENGTH_LIMIT - 100 or part.depth >= DEPTH_LIMIT:
            raise LimitError(
                f"an expression needs more than {LENGTH_LIMIT:,} characters or {DEPTH_LIMIT} levels of parentheses.",
                cure="Describe it by more bodies, joints or parameters.",
                code="E-YAML-041",
            )
        made[id(node)] = part
    return _whole(made[id(root)])[0]


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
    one = Fraction(1)
    depth = max((part.depth for part in parts), default=0) + 1
    op = node.op
    if op == NUMBER:
        return _Part(node.data)
    if op == SYMBOL:
        return _Part(one, scope.spell(node))
    if op == "pi":
        return _Part(one, scope.spell_pi())
    if op == NEG:
        return replace(parts[0], scale=-parts[0].scale)
    if op == MUL:
        return _product(parts[0], parts[1], node.args[0] is node.args[1], depth)
    if op == DIV:
        return _quotient(parts[0], parts[1], depth)
    if op in (ADD, SUB):
        sign = "+" if op == ADD else "-"
        return _Part(one, f"{_whole(parts[0])[0]} {sign} {_wrapped(parts[1], _PRODUCT)}", _SUM, depth)
    if op == "pow":
        return _Part(one, f"{_wrapped(parts[0], _ATOM)}**{_wrapped(parts[1], _ATOM)}", _POWER, depth)
    return _Part(one, f"{op}({', '.join(_whole(part)[0] for part in parts)})", _ATOM, depth)


def _product(a: _Part, b: _Part, squared: bool, depth: int) -> _Part:
    scale = a.scale * b.scale
    if not a.text or not b.text:
        return replace(b if not a.text else a, scale=scale)
    if squared:
        return _Part(scale, f"{_wrap(a.text, a.binding, _ATOM)}**2", _POWER, depth)
    factors = (_wrap(part.text, part.binding, _PRODUCT) for part in (a, b))
    return _Part(scale, "*".join(factors), _PRODUCT, depth)


def _quotient(a: _Part, b: _Part, depth: int) -> _Part:
    above = _wrap(a.text, a.binding, _PRODUCT) if a.text else "1"
    return _Part(a.scale / b.scale, f"{above}/{_wrap(b.text, b.binding, _POWER)}", _PRODUCT, depth)


def _whole(part: _Part) -> tuple[str, int]:
    """The text with its number in front or below, and how tightly it binds."""
    size = abs(part.scale)
    if not part.text:
        text = spell_number(size)
        binding = _PRODUCT if "/" in text else _ATOM
    elif size == 1:
        text, binding = part.text, part.binding
    else:
        text, binding = _wrap(part.text, part.binding, _PRODUCT), _PRODUCT
        factor, _, divisor = spell_number(size).partition("/")
        text = text if factor == "1" else f"{factor}*{text}"
        text = f"{text}/{divisor}" if divisor else text
    if part.scale < 0:
        return f"-{_wrap(text, binding, _PRODUCT)}", _SUM
    return text, binding


def _wrapped(part: _Part, least: int) -> str:
    return _wrap(*_whole(part), least)


def _wrap(text: str, binding: int, least: int) -> str:
    return text if binding >= least else f"({text})"
