"""Emission of instructions: signs travel with references, and a shared denominator is inverted once.

Hardly any negation is executed: a sum of values with opposite signs is a difference, an even function drops the sign of
its operand, an odd function hands it on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import PolhodeError, ValueMissing
from .value_numbering import Form, Ref, Values

_EVEN = {"cos", "abs", "cosh"}
_ODD = {"sin", "tan", "asin", "atan", "sinh", "tanh", "sign"}

Operand = tuple[str, Any]  # "constant" and a number, "input", "parameter" or "code" and an index


@dataclass
class Emitter:
    """Emits the selected forms as instructions, operands first, remembering the sign each value came out with."""

    values: Values
    chosen: list[Form | None]
    array_slots: Mapping[int, Operand]  # value -> ("input" or "parameter", index)
    divisors: Mapping[int, int]
    code: list[tuple[str, tuple[Operand, ...]]] = field(default_factory=list)
    operand_of: dict[int, tuple[Operand, int]] = field(default_factory=dict)  # value -> operand and its sign
    on_run: list[bool] = field(default_factory=list)
    made: dict[tuple[str, tuple[Operand, ...]], Operand] = field(default_factory=dict)

    def emit(self, op: str, *args: Operand) -> Operand:
        key = (op, args)
        known = self.made.get(key)
        if known is None:
            known = ("code", len(self.code))
            self.on_run.append(any(self._runs(arg) for arg in args))
            self.code.append((op, args))
            self.made[key] = known
        return known

    def _runs(self, operand: Operand) -> bool:
        kind, payload = operand
        return bool(kind == "input" or (kind == "code" and self.on_run[payload]))

    def operand(self, ref: Ref) -> tuple[Operand, int]:
        value, sign = ref
        operand, came_out = self.operand_of[value]
        return operand, sign * came_out

    def emit_values(self, roots: Sequence[Ref]) -> None:
        """Every value that the roots need, in depth-first order."""
        stack = [value for value, _ in reversed(roots)]
        while stack:
            value = stack[-1]
            if value in self.operand_of:
                stack.pop()
                continue
            form = self._form(value)
            waiting = [arg for arg, _ in form.args if arg not in self.operand_of] if form else []
            if waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            if form is not None:
                self.operand_of[value] = self._emit_form(form)

    def _form(self, value: int) -> Form | None:
        """The form to emit; None for constants and symbols, which need no instruction."""
        if value in self.values.constants:
            number = self.values.constants[value]
            self.operand_of[value] = ("constant", abs(number)), -1 if number < 0 else 1
            return None
        if value in self.values.leaves:
            if value not in self.array_slots:
                symbol = self.values.leaves[value]
                raise ValueMissing(
                    f"the {symbol.data[0]} '{symbol.name}' is not among the arguments of this function.",
                    cure="Ask for a function that takes it, or give it a value.",
                    code="E-PLAN-001",
                )
            self.operand_of[value] = (self.array_slots[value], self.values.forms[value][0].sign)
            return None
        form = self.chosen[value]
        if form is None:
            raise PolhodeError("a value has no form.", code="E-PLAN-002")
        return form

    def _emit_form(self, form: Form) -> tuple[Operand, int]:
        parts = [self.operand(arg) for arg in form.args]
        if form.op == "add":
            (a, s), (b, t) = parts
            if s == t:
                return self.emit("add", a, b), form.sign * s
            first, second = (a, b) if s > 0 else (b, a)
            return self.emit("sub", first, second), form.sign
        if form.op == "mul":
            (a, s), (b, t) = parts
            return self.emit("mul", a, b), form.sign * s * t
        if form.op == "div":
            return self._emit_quotient(form, parts)
        if form.op in _EVEN | _ODD:
            return self.emit(form.op, parts[0][0]), form.sign * (parts[0][1] if form.op in _ODD else 1)
        plain = [operand if sign > 0 else self.emit("neg", operand) for operand, sign in parts]
        return self.emit(form.op, *plain), form.sign

    def _emit_quotient(self, form: Form, parts: list[tuple[Operand, int]]) -> tuple[Operand, int]:
        (a, s), (b, t) = parts
        below = form.args[1][0]
        if self.divisors.get(below, 0) < 2:
            return self.emit("div", a, b), form.sign * s * t
        reciprocal = self.emit("div", ("constant", 1.0), b)
        if a == ("constant", 1.0):
            return reciprocal, form.sign * s * t
        return self.emit("mul", a, reciprocal), form.sign * s * t

    def root(self, ref: Ref) -> Operand:
        """An output: the value with its sign."""
        operand, sign = self.operand(ref)
        if sign > 0:
            return operand
        kind, payload = operand
        return ("constant", -payload) if kind == "constant" else self.emit("neg", operand)


def count_divisors(chosen: Sequence[Form | None], roots: Sequence[Ref]) -> dict[int, int]:
    """How many quotients below the roots each value divides."""
    counts: dict[int, int] = {}
    seen: set[int] = set()
    stack = [value for value, _ in roots]
    while stack:
        value = stack.pop()
        form = chosen[value]
        if value in seen or form is None:
            continue
        seen.add(value)
        if form.op == "div":
            counts[form.args[1][0]] = counts.get(form.args[1][0], 0) + 1
        stack.extend(arg for arg, _ in form.args)
    return counts
