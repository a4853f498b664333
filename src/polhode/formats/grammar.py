"""The expressions of a model file: numbers, names, + - * / **, parentheses, pi, the listed functions and tables.

Text becomes graph nodes and nothing else: the parser keeps its own stacks, so that neither depth nor length can
exhaust it, and every operation on numbers is bounded before it is done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..errors import FormatError, PolhodeError, suggestion
from ..expr import Expr, as_expr, call, number, pi
from ..expr.functions import BY_NAME
from ..expr.opaque.function import Opaque
from ..expr.rational import LARGEST, in_range, short_decimal
from .names import Scope

LENGTH_LIMIT = 10_000
DEPTH_LIMIT = 100
EXPONENT_LIMIT = 1_000
BIT_LIMIT = 20_000

#: How many arguments each function takes.
ARGUMENTS = dict.fromkeys(BY_NAME, 1) | {"atan2": 2, "min": 2, "max": 2, "where": 3}
#: `q(hip)` is a coordinate, `u(hip)` its speed, and so on: what a name means, said outright.
ACCESSORS = ("q", "u", "tau", "parameter", "input", "state")
#: `time()` and `pi()` stay reachable when a model gives these names to something else.
CONSTANTS = ("time", "pi")

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "sign": 3, "**": 4}
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[^\W\d]\w*'?)"
    r"|`(?P<quoted>(?:[^`]|``)+)`"
    r"|(?P<mark>\*\*|[-+*/(),])"
)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int


@dataclass(frozen=True)
class _Open:
    """An open parenthesis: of a function call, or plain (an empty name)."""

    function: str
    start: int
    below: int  # how many operands were there before it


@dataclass(frozen=True)
class _Operator:
    text: str
    start: int
    negative: bool = False


def parse(text: str, meaning: Scope) -> Expr:
    """The expression that a text spells; decimals are exact.

    >>> parse("0.1*10 + sin(pi/6)", Scope())
    3/2
    """
    if len(text) > LENGTH_LIMIT:
        message = f"the expression has {len(text):,} characters, more than {LENGTH_LIMIT:,}."
        raise FormatError(message, cure="Split it into parameters.", code="E-EXPR-SIZE")
    return _Parser(text, meaning).run()


class _Parser:
    """Two stacks: operands, and the operators and parentheses that wait for them."""

    def __init__(self, text: str, meaning: Scope) -> None:
        self.text = text
        self.meaning = meaning
        self.tokens = [*_tokens(text), Token("end", "", len(text))]
        self.place = 0
        self.depth = 0
        self.operands: list[Expr] = []
        self.waiting: list[_Operator | _Open] = []

    def run(self) -> Expr:
        if len(self.tokens) == 1:
            raise _wrong(self.text, 0, "there is nothing here.", "Write a number or an expression.")
        wants_operand = True
        while True:
            token = self._next()
            wants_operand = self._operand(token) if wants_operand else self._after_operand(token)
            if token.kind == "end":
                return self.operands[0]

    def _next(self) -> Token:
        """The next token; at the end, the end again."""
        self.place = min(self.place + 1, len(self.tokens))
        return self.tokens[self.place - 1]

    def _follows(self, ahead: int, text: str) -> bool:
        index = self.place + ahead
        return index < len(self.tokens) and self.tokens[index].text == text

    def _operand(self, token: Token) -> bool:
        """Take a token where a value must begin; return whether a value is still wanted."""
        if token.kind == "number":
            bounded = in_range if token.text.isdigit() else short_decimal  # fractions are spelled as quotients
            self._push(lambda: number(bounded(_decimal(self.text, token))), token.start)
            return False
        if token.kind in ("name", "quoted"):
            return self._name(token)
        if token.text in ("+", "-"):
            self.waiting.append(_Operator("sign", token.start, token.text == "-"))
            return True
        if token.text == "(":
            self._open("", token)
            return True
        if token.kind == "end":
            raise _wrong(self.text, token.start, "the expression stops where a value should follow.")
        raise _wrong(self.text, token.start, f"a value should stand here, not {token.text!r}.")

    def _name(self, token: Token) -> bool:
        called = self.tokens[self.place].text == "(" and (token.kind == "name" or self._table(token.text) is not None)
        if not called:
            self.operands.append(self._located(token, lambda: self.meaning.named(token.text)))
            return False
        if token.kind == "quoted":
            self._open(token.text, self._next())
            return True
        if token.text in CONSTANTS and self._follows(1, ")"):
            self.place += 2
            self.operands.append(pi if token.text == "pi" else self._located(token, lambda: self.meaning.time()))
            return False
        if token.text in ACCESSORS:
            self.operands.append(self._accessed(token))
            return False
        if token.text not in BY_NAME and self._table(token.text) is None:
            names = list(dict.fromkeys([*BY_NAME, *ACCESSORS, *self.meaning.functions]))
            cure = f"there is no function {token.text!r}."
            raise _wrong(self.text, token.start, cure, suggestion(token.text, names, written=str))
        self._open(token.text, self._next())
        return True

    def _table(self, name: str) -> Opaque | None:
        return None if name in BY_NAME else self.meaning.function(name)

    def _applied(self, name: str, arguments: list[Expr]) -> Expr:
        table = self._table(name)
        result: Expr = BY_NAME[name](*arguments) if table is None else call(table, arguments)
        return result

    def _accessed(self, token: Token) -> Expr:
        _, name, close = self._next(), self._next(), self._next()
        if name.kind not in ("name", "quoted", "number") or close.text != ")":
            cure = f"{token.text}(…) takes one name."
            raise _wrong(self.text, token.start, cure, f"Write {token.text}(name), or {token.text}(`any name`).")
        return self._located(token, lambda: self.meaning.accessed(token.text, name.text))

    def _open(self, function: str, token: Token) -> None:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise _wrong(self.text, token.start, f"parentheses are more than {DEPTH_LIMIT} deep.")
        self.waiting.append(_Open(function, token.start, len(self.operands)))

    def _after_operand(self, token: Token) -> bool:
        """Take a token after a value; return whether another value is wanted."""
        if token.text in ("+", "-", "*", "/", "**") and token.kind == "mark":
            self._apply_down_to(_PRECEDENCE[token.text], keep_equal=token.text == "**")
            self.waiting.append(_Operator(token.text, token.start))
            return True
        if token.text == ")" and token.kind == "mark":
            self._close(token)
            return False
        if token.text == "," and token.kind == "mark":
            self._apply_down_to(0)
            if not self.waiting or not self._innermost().function:
                raise _wrong(self.text, token.start, "a comma cannot stand here.", "Decimals have a point: 1.5.")
            return True
        if token.kind == "end":
            self._apply_down_to(0)
            if self.waiting:
                raise _wrong(self.text, self._innermost().start, "this parenthesis is never closed.")
            return False
        cure = f"an operator is missing before {token.text!r}."
        raise _wrong(self.text, token.start, cure, "Write * for a product; numbers are decimal and carry no unit.")

    def _innermost(self) -> _Open:
        top = self.waiting[-1]
        if not isinstance(top, _Open):
            raise _wrong(self.text, top.start, "this operator has no place here.")
        return top

    def _close(self, token: Token) -> None:
        self._apply_down_to(0)
        if not self.waiting:
            raise _wrong(self.text, token.start, "there is no parenthesis to close.")
        opened = self._innermost()
        self.waiting.pop()
        self.depth -= 1
        count = len(self.operands) - opened.below
        table = self._table(opened.function)
        wanted = ARGUMENTS.get(opened.function, 1) if table is None else table.arity
        if count != wanted:
            raise _wrong(
                self.text, opened.start, f"{opened.function} takes {wanted} argument{'s' * (wanted > 1)}, not {count}."
            )
        if opened.function:
            arguments = self.operands[opened.below :]
            del self.operands[opened.below :]
            self._push(lambda: self._applied(opened.function, arguments), opened.start)

    def _apply_down_to(self, precedence: int, keep_equal: bool = False) -> None:
        """Carry out the waiting operators that bind tighter than what follows."""
        while self.waiting and isinstance(self.waiting[-1], _Operator):
            binding = _PRECEDENCE[self.waiting[-1].text]
            if binding < precedence or (binding == precedence and keep_equal):
                return
            operator = self.waiting.pop()
            if isinstance(operator, _Operator):
                self._carry_out(operator)

    def _carry_out(self, operator: _Operator) -> None:
        right = self.operands.pop()
        if operator.text == "sign":
            self.operands.append(-right if operator.negative else right)
            return
        left = self.operands.pop()
        if operator.text == "**":
            self._check_power(left, right, operator.start)
        work: dict[str, Callable[[], Expr]] = {
            "+": lambda: left + right,
            "-": lambda: left - right,
            "*": lambda: left * right,
            "/": lambda: left / right,
            "**": lambda: left**right,
        }
        self._push(work[operator.text], operator.start)

    def _check_power(self, base: Expr, exponent: Expr, start: int) -> None:
        if not exponent.is_number:
            return
        size = abs(exponent.data)
        if size > EXPONENT_LIMIT or (base.is_number and _bits(base.data) * size > BIT_LIMIT):
            raise _wrong(self.text, start, "this power is too large.", "Use exp and log for large powers.")

    def _push(self, make: Callable[[], Expr], start: int) -> None:
        try:
            result = as_expr(make())
        except PolhodeError as error:
            problem = error.problems[0]
            raise _wrong(self.text, start, problem.message, problem.cure) from None
        self.operands.append(self._checked(result, start))

    def _located(self, token: Token, make: Callable[[], Expr]) -> Expr:
        try:
            return make()
        except PolhodeError as error:
            problem = error.problems[0]
            raise _wrong(self.text, token.start, problem.message, problem.cure) from None

    def _checked(self, value: Expr, start: int) -> Expr:
        if value.is_number and (abs(value.data) > LARGEST or _bits(value.data) > BIT_LIMIT):
            raise _wrong(self.text, start, "this number is out of the range of a double.", "Check its exponent.")
        return value


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _tokens(text: str) -> Iterator[Token]:
    start = 0
    while start < len(text):
        match = _TOKEN.match(text, start)
        if match is None:
            cure = "Write ** for a power." if text[start] == "^" else "Write a name with other characters as `name`."
            raise _wrong(text, start, f"the character {text[start]!r} has no meaning here.", cure)
        kind = str(match.lastgroup)
        if kind != "space":
            token = match.group(kind)
            yield Token(kind, token.replace("``", "`") if kind == "quoted" else token, start)
        start = match.end()


def _decimal(text: str, token: Token) -> Fraction:
    """The exact rational that a decimal spells."""
    mantissa, _, exponent = token.text.lower().partition("e")
    if len(mantissa) > EXPONENT_LIMIT or len(exponent) > 5 or abs(int(exponent or 0)) > EXPONENT_LIMIT:
        raise _wrong(text, token.start, "this number is out of the range of a double.", "Check its exponent.")
    return Fraction(mantissa) * Fraction(10) ** int(exponent or 0)


def _wrong(text: str, start: int, message: str, cure: str = "Write it as in m*g*l*sin(q).") -> FormatError:
    first = max(0, start - 20)
    shown = ("…" if first else "") + text[first : start + 20] + ("…" if start + 20 < len(text) else "")
    return FormatError(f"{message[:-1]} (character {start + 1} of {shown!r}).", cure=cure, code="E-EXPR-READ")
