"""The plan: from the graph below the given roots to a straight-line program, pass by pass.

1. `value_numbering`: nodes with one fingerprint are one value with several forms; what needs no symbol is a constant.
2. `expand_angle_sums`: sin(a ± b) and cos(a ± b) from those of a and b, where all four are there anyway.
3. `select_forms`: one form for each value, so that the whole becomes cheap.
4. Factoring: a·b + a·c becomes a·(b + c).
5. `common_subexpressions`: what several sums or products have in common is computed once.
6. Emission: instructions; signs travel with references, a shared denominator is inverted once.
7. Partition: what depends on parameters alone goes to `setup`, the rest to `run`.
8. Scheduling: `run` in an order that keeps few values alive.

Emission executes hardly any negation: a sum of values with opposite signs is a difference, an even function drops the
sign of its operand, an odd function passes it on. Scheduling is a list schedule: of the instructions whose operands are
computed, the one that ends the lives of most operands goes next, among equals the one whose operands are freshest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from ..errors import PolhodeError, ValueMissing
from ..expr import Expr, topological
from ..expr.field import P
from ..expr.node import CALL
from .ir.program import Array, Instruction, Output, Program
from .passes.common_subexpressions import factor_sums, share_subexpressions
from .passes.value_numbering import Form, Ref, Values, expand_angle_sums, number_values, select_forms

#: Longer programs, which are split into functions, run faster (by a tenth or more, measured) in the order of writing.
LONGEST = 40_000


def schedule(operands: Sequence[Sequence[int]]) -> list[int]:
    """An order for instructions, given for each the earlier instructions that it reads."""
    count = len(operands)
    if count > LONGEST:
        return list(range(count))
    reads = [tuple(dict.fromkeys(args)) for args in operands]
    waiting = [len(args) for args in reads]
    uses = [0] * count
    users: list[list[int]] = [[] for _ in range(count)]
    for k, args in enumerate(reads):
        for arg in args:
            uses[arg] += 1
            users[arg].append(k)
    made_at = [0] * count
    done = [False] * count

    def rank(k: int) -> tuple[int, int, int]:
        ended = sum(uses[arg] == 1 for arg in reads[k])
        freshest = max((made_at[arg] for arg in reads[k]), default=0)
        return -ended, -freshest, k

    heap: list[tuple[int, int, int]] = []
    for k in range(count):
        if not waiting[k]:
            heappush(heap, rank(k))
    order: list[int] = []
    while heap:
        entry = heappop(heap)
        k = entry[2]
        if done[k]:
            continue
        now = rank(k)
        if now > entry:  # it was better when it was filed
            heappush(heap, now)
            continue
        done[k] = True
        order.append(k)
        made_at[k] = len(order)
        again = [user for user in users[k] if _is_ready(user, waiting)]
        for arg in reads[k]:
            uses[arg] -= 1
            if uses[arg] == 1:
                again += [user for user in users[arg] if not done[user] and not waiting[user]]
        for user in dict.fromkeys(again):
            heappush(heap, rank(user))
    return order


def _is_ready(user: int, waiting: list[int]) -> bool:
    """Remove one operand from those that an instruction waits for; return whether none is left."""
    waiting[user] -= 1
    return not waiting[user]


_EVEN = {"cos", "abs", "cosh"}
_ODD = {"sin", "tan", "asin", "atan", "sinh", "tanh", "sign"}

Operand = tuple[str, Any]  # "constant" and a number, "input", "parameter" or "code" and an index


@dataclass
class Emitter:
    """Emits the selected forms as instructions, operands first, with the sign of each value."""

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
        operand = self.made.get(key)
        if operand is None:
            operand = ("code", len(self.code))
            self.on_run.append(any(self._runs(arg) for arg in args))
            self.code.append((op, args))
            self.made[key] = operand
        return operand

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
                message = f"the {symbol.data[0]} '{symbol.name}' is not among the arguments of this function."
                cure = "Ask for a function that takes it, or give it a value."
                raise ValueMissing(message, cure=cure, code="E-CODE-NAME")
            self.operand_of[value] = (self.array_slots[value], self.values.forms[value][0].sign)
            return None
        form = self.chosen[value]
        if form is None:
            raise PolhodeError("a value has no form.", code="E-CODE-UNSUPPORTED")
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


def plan(
    name: str,
    arrays: Sequence[tuple[str, Sequence[Expr]]],
    outputs: Sequence[tuple[str, tuple[int, ...], Sequence[Expr]]],
    parameters: Sequence[Expr] = (),
    notes: Mapping[int, str] | None = None,
    split_angles: bool = True,
    factor: bool = True,
) -> Program:
    """The program that computes the outputs from the input arrays and the parameters.

    With `split_angles`, the sine of a sum is computed from sines and cosines that are there anyway: six operations
    instead of a call. With `factor`, sums of products are factored and their common parts shared. `notes` say what
    values mean, by fingerprint.
    """
    roots = [root for _, _, entries in outputs for root in entries]
    flat = [symbol for _, symbols in arrays for symbol in symbols]
    nodes = topological([*roots, *flat, *parameters])
    values = number_values(nodes)
    if split_angles:
        expand_angle_sums(values, nodes)
    refs = [values.ref(root) for root in roots]
    inputs = [values.ref(symbol)[0] for symbol in flat]
    chosen = select_forms(values)
    if factor:
        chosen = factor_sums(values, chosen, refs, inputs)
        chosen = share_subexpressions(values, chosen, refs, inputs)
    slots: dict[int, Operand] = {}
    for k, symbol in enumerate(flat):
        slots.setdefault(values.ref(symbol)[0], ("input", k))
    for k, symbol in enumerate(parameters):
        slots.setdefault(values.ref(symbol)[0], ("parameter", k))
    emitter = Emitter(values, chosen, slots, count_divisors(chosen, refs))
    emitter.emit_values(refs)
    finished = [emitter.root(ref) for ref in refs]
    return _assemble(name, arrays, outputs, len(parameters), emitter, finished, notes or {}, values)


def _scheduled(emitter: Emitter, run: list[int]) -> list[int]:
    index = {k: number for number, k in enumerate(run)}
    operands = [
        [index[payload] for kind, payload in emitter.code[k][1] if kind == "code" and payload in index] for k in run
    ]
    return [run[number] for number in schedule(operands)]


def _assemble(
    name: str,
    arrays: Sequence[tuple[str, Sequence[Expr]]],
    outputs: Sequence[tuple[str, tuple[int, ...], Sequence[Expr]]],
    parameter_count: int,
    emitter: Emitter,
    finished: Sequence[Operand],
    notes: Mapping[int, str],
    values: Values,
) -> Program:
    numbers: dict[float, int] = {}
    for _, args in emitter.code:
        for kind, payload in args:
            if kind == "constant":
                numbers.setdefault(payload, len(numbers))
    for kind, payload in finished:
        if kind == "constant":
            numbers.setdefault(payload, len(numbers))
    first_input = len(numbers)
    first_parameter = first_input + sum(len(symbols) for _, symbols in arrays)
    first_setup = first_parameter + parameter_count
    setup = [k for k, on_run in enumerate(emitter.on_run) if not on_run]
    run = _scheduled(emitter, [k for k, on_run in enumerate(emitter.on_run) if on_run])
    slot_of_code = {k: first_setup + offset for offset, k in enumerate(setup)}
    slot_of_code.update({k: first_setup + len(setup) + offset for offset, k in enumerate(run)})

    def slot(operand: Operand) -> int:
        kind, payload = operand
        if kind == "constant":
            return numbers[payload]
        if kind == "input":
            return first_input + int(payload)
        if kind == "parameter":
            return first_parameter + int(payload)
        return slot_of_code[payload]

    functions: dict[str, int] = {}

    def instruction(k: int) -> Instruction:
        op, args = emitter.code[k]
        if op.startswith(CALL):
            op = f"{CALL}{functions.setdefault(op.removeprefix(CALL), len(functions))}"
        return Instruction(op, tuple(slot(arg) for arg in args))

    remarks: dict[int, str] = {}
    for fp, remark in notes.items():
        value = values.number_of.get(min(fp, P - fp))
        if value in emitter.operand_of:
            operand, came_out = emitter.operand_of[value]
            if operand[0] == "constant":  # a number may be equal to anything
                continue
            minus = came_out < 0 if fp <= P - fp else came_out > 0
            remarks.setdefault(slot(operand), f"minus {remark}" if minus else remark)
    result, start = [], 0
    for label, shape, entries in outputs:
        result.append(Output(label, shape, tuple(slot(o) for o in finished[start : start + len(entries)])))
        start += len(entries)
    return Program(
        name,
        tuple(Array(label, len(symbols)) for label, symbols in arrays),
        parameter_count,
        tuple(numbers),
        tuple(instruction(k) for k in setup),
        tuple(instruction(k) for k in run),
        tuple(result),
        remarks,
        tuple(values.functions[digest] for digest in functions),
    )
