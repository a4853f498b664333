"""The plan: from the graph below the asked roots to a straight-line program.

Nodes with one fingerprint, up to sign, are one *value*; its *forms* are the different ways in which the graph computes
it. The plan

1. folds what depends on no symbol into constants (computed to forty digits, then rounded once);
2. chooses a form for each value so that the whole becomes cheap;
3. factors sums of products, and computes once what several sums or products have in common;
4. lets signs travel with the references, so that almost no negation is ever executed;
5. divides by a shared denominator once, and multiplies by its reciprocal;
6. puts what depends on parameters alone into `setup`, the rest into `run`, in an order that keeps few values alive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import PolhodeError, ValueMissing
from ..expr import Expr, constant_value, topological
from ..expr.field import P
from ..expr.node import CALL, NUMBER, SYMBOL
from .ir.program import Array, Instruction, Output, Program
from .passes.common_subexpressions import shared
from .passes.factoring import factored
from .passes.scheduling import schedule
from .passes.value_numbering import Form, Ref, Values

_LOG_COST = {"add": 0.0, "sub": 0.0, "mul": 0.0, "div": 2.0, "sqrt": 2.5}  # base 2
_LOG_FUNCTION_COST = 4.5
_EVEN = {"cos", "abs", "cosh"}
_ODD = {"sin", "tan", "asin", "atan", "sinh", "tanh", "sign"}

Operand = tuple[str, Any]  # "constant" and a number, "input", "parameter" or "code" and a place


def _collect(roots: Sequence[Expr], split_angles: bool) -> Values:
    values = Values()
    constant: set[int] = set()
    nodes = topological(roots)
    for node in nodes:
        value, sign = values.file(node)
        if node.op == SYMBOL:
            values.leaves.setdefault(value, node)
            if sign < 0:  # the canonical sign of a leaf is its own
                values.forms[value].append(Form("leaf", (), -1))
            else:
                values.forms[value].append(Form("leaf", (), 1))
            continue
        folds = node.op != CALL or node.data.foldable
        if node.op in (NUMBER, "pi") or (folds and all(id(arg) in constant for arg in node.args)):
            constant.add(id(node))
            if value not in values.constants:
                values.constants[value] = sign * _number(node)
            elif node.op == NUMBER:
                _check_same(values.constants[value], sign * _number(node))
            continue
        if node.op == "neg":
            continue
        args = tuple(values.ref(arg) for arg in node.args)
        if node.op == CALL:
            values.functions.setdefault(node.data.digest, node.data)
        form = _signed(f"{CALL}{node.data.digest}" if node.op == CALL else node.op, args, sign)
        if form not in values.forms[value]:
            values.forms[value].append(form)
    if split_angles:
        _split_angles(values, nodes)
    return values


def _split_angles(values: Values, nodes: Sequence[Expr]) -> None:
    """Compute sin(a ± b) and cos(a ± b) from those of a and b where all four are there anyway."""
    waves = {(node.op, id(node.args[0])): values.ref(node) for node in nodes if node.op in ("sin", "cos")}
    for node in nodes:
        if node.op not in ("sin", "cos") or node.args[0].op not in ("add", "sub"):
            continue
        parts = node.args[0].args
        found = [waves.get((op, id(part))) for op in ("sin", "cos") for part in parts]
        if None in found:
            continue
        sin_a, sin_b, cos_a, cos_b = (ref for ref in found if ref is not None)
        turn = 1 if node.args[0].op == "add" else -1
        if node.op == "sin":
            first, second = values.product(sin_a, cos_b), values.product(cos_a, sin_b)
        else:
            first, second, turn = values.product(cos_a, cos_b), values.product(sin_a, sin_b), -turn
        value, sign = values.ref(node)
        values.forms[value] = [Form("add", (first, (second[0], turn * second[1])), sign)]


def _number(node: Expr) -> float:
    try:
        return float(node.data) if node.op == NUMBER else float(constant_value(node))
    except OverflowError:
        raise PolhodeError(
            "a constant is out of the range of a double.",
            cure="Check the exponents of masses, lengths and stiffnesses.",
            code="E-PLAN-003",
        ) from None


def _check_same(known: float, other: float) -> None:
    """Numbers of one fingerprint are one number, unless somebody made them to look alike."""
    if not math.isclose(known, other, rel_tol=1e-9):
        raise PolhodeError(
            f"the numbers {known!r} and {other!r} have one fingerprint and cannot be told apart.",
            cure="Write them with fewer digits.",
            code="E-PLAN-004",
        )


def _signed(op: str, args: tuple[Ref, ...], sign: int) -> Form:
    if op == "sub":
        (a, s), (b, t) = args
        return Form("add", ((a, s), (b, -t)), sign)
    if op in ("mul", "div"):
        (a, s), (b, t) = args
        return Form(op, ((a, 1), (b, 1)), sign * s * t)
    return Form(op, args, sign)


def _choose(values: Values) -> list[Form | None]:
    """For each value the form whose whole expression, shared parts written out, is lightest.

    Weights are logarithms, for such expressions outgrow every number. They strictly fall from a value to its operands,
    so that the choice cannot be circular.
    """
    weight = [math.inf] * len(values.forms)
    for value in (*values.constants, *values.leaves):
        weight[value] = 0.0
    chosen: list[Form | None] = [None] * len(values.forms)
    changed = True
    while changed:
        changed = False
        for value, forms in enumerate(values.forms):
            if value in values.constants or value in values.leaves:
                continue
            for form in forms:
                total = _log_sum(form, weight)
                if total < weight[value]:
                    weight[value], chosen[value], changed = total, form, True
    return chosen


def _log_sum(form: Form, weight: Sequence[float]) -> float:
    """The logarithm of the form's cost and its operands' weights together, a trifle more than the heaviest."""
    parts = [_LOG_COST.get(form.op, _LOG_FUNCTION_COST), *(weight[arg] for arg, _ in form.args)]
    top = max(parts)
    if top == math.inf:
        return math.inf
    return top + math.log2(sum(2.0 ** (part - top) for part in parts)) + 1e-9


@dataclass
class _Writer:
    """Writes the chosen forms as instructions, operands first, remembering the sign each value came out with."""

    values: Values
    chosen: list[Form | None]
    array_slots: Mapping[int, Operand]  # value -> ("input" or "parameter", place)
    divisors: Mapping[int, int]
    code: list[tuple[str, tuple[Operand, ...]]] = field(default_factory=list)
    place_of: dict[int, tuple[Operand, int]] = field(default_factory=dict)  # value -> operand and its sign
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
        kind, place = operand
        return bool(kind == "input" or (kind == "code" and self.on_run[place]))

    def constant(self, number: float) -> Operand:
        return ("constant", number)

    def operand(self, ref: Ref) -> tuple[Operand, int]:
        value, sign = ref
        operand, came_out = self.place_of[value]
        return operand, sign * came_out

    def write(self, roots: Sequence[Ref]) -> None:
        """Every value that the roots need, in depth-first order."""
        stack = [value for value, _ in reversed(roots)]
        while stack:
            value = stack[-1]
            if value in self.place_of:
                stack.pop()
                continue
            form = self._form(value)
            waiting = [arg for arg, _ in form.args if arg not in self.place_of] if form else []
            if waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            if form is not None:
                self.place_of[value] = self._write_form(form)

    def _form(self, value: int) -> Form | None:
        """The form to write; None for constants and symbols, which are placed at once."""
        if value in self.values.constants:
            number = self.values.constants[value]
            sign = -1 if number < 0 else 1
            self.place_of[value] = (self.constant(abs(number)), sign)
            return None
        if value in self.values.leaves:
            if value not in self.array_slots:
                symbol = self.values.leaves[value]
                raise ValueMissing(
                    f"the {symbol.data[0]} '{symbol.name}' is not among the arguments of this function.",
                    cure="Ask for a function that takes it, or give it a value.",
                    code="E-PLAN-001",
                )
            self.place_of[value] = (self.array_slots[value], self.values.forms[value][0].sign)
            return None
        form = self.chosen[value]
        if form is None:
            raise PolhodeError("a value has no form.", code="E-PLAN-002")
        return form

    def _write_form(self, form: Form) -> tuple[Operand, int]:
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
            return self._write_quotient(form, parts)
        if len(parts) == 1 and form.op in _EVEN:
            return self.emit(form.op, parts[0][0]), form.sign
        if len(parts) == 1 and form.op in _ODD:
            return self.emit(form.op, parts[0][0]), form.sign * parts[0][1]
        plain = [operand if sign > 0 else self.emit("neg", operand) for operand, sign in parts]
        return self.emit(form.op, *plain), form.sign

    def _write_quotient(self, form: Form, parts: list[tuple[Operand, int]]) -> tuple[Operand, int]:
        (a, s), (b, t) = parts
        below = form.args[1][0]
        if self.divisors.get(below, 0) < 2:
            return self.emit("div", a, b), form.sign * s * t
        reciprocal = self.emit("div", self.constant(1.0), b)
        if a == self.constant(1.0):
            return reciprocal, form.sign * s * t
        return self.emit("mul", a, reciprocal), form.sign * s * t


def _count_divisors(values: Values, chosen: Sequence[Form | None], roots: Sequence[Ref]) -> dict[int, int]:
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

    >>> from polhode.expr import symbol, sin
    >>> q, k = symbol("q"), symbol("k")
    >>> program = plan("f", [("q", [q])], [("y", (), [k * k * sin(q)])], [k])
    >>> [step.op for step in program.setup], [step.op for step in program.run]
    (['mul'], ['sin', 'mul'])
    """
    roots = [root for _, _, entries in outputs for root in entries]
    flat = [symbol for _, symbols in arrays for symbol in symbols]
    values = _collect([*roots, *flat, *parameters], split_angles)
    refs = [values.ref(root) for root in roots]
    chosen = _choose(values)
    if factor:
        inputs = [values.ref(symbol)[0] for symbol in flat]
        chosen = shared(values, factored(values, chosen, refs, inputs), refs, inputs)
    slots: dict[int, Operand] = {}
    for place, symbol in enumerate(flat):
        slots.setdefault(values.ref(symbol)[0], ("input", place))
    for place, symbol in enumerate(parameters):
        slots.setdefault(values.ref(symbol)[0], ("parameter", place))
    writer = _Writer(values, chosen, slots, _count_divisors(values, chosen, refs))
    writer.write(refs)
    finished = [_positive(writer, ref) for ref in refs]
    return _assemble(name, arrays, outputs, len(parameters), writer, finished, notes or {}, values)


def _positive(writer: _Writer, ref: Ref) -> Operand:
    operand, sign = writer.operand(ref)
    if sign > 0:
        return operand
    kind, payload = operand
    return writer.constant(-payload) if kind == "constant" else writer.emit("neg", operand)


def _scheduled(writer: _Writer, run: list[int]) -> list[int]:
    place = {k: number for number, k in enumerate(run)}
    operands = [
        [place[payload] for kind, payload in writer.code[k][1] if kind == "code" and payload in place] for k in run
    ]
    return [run[number] for number in schedule(operands)]


def _assemble(
    name: str,
    arrays: Sequence[tuple[str, Sequence[Expr]]],
    outputs: Sequence[tuple[str, tuple[int, ...], Sequence[Expr]]],
    parameter_count: int,
    writer: _Writer,
    finished: Sequence[Operand],
    notes: Mapping[int, str],
    values: Values,
) -> Program:
    numbers: dict[float, int] = {}
    for _, args in writer.code:
        for kind, payload in args:
            if kind == "constant":
                numbers.setdefault(payload, len(numbers))
    for kind, payload in finished:
        if kind == "constant":
            numbers.setdefault(payload, len(numbers))
    first_input = len(numbers)
    first_parameter = first_input + sum(len(symbols) for _, symbols in arrays)
    first_setup = first_parameter + parameter_count
    setup = [k for k, on_run in enumerate(writer.on_run) if not on_run]
    run = _scheduled(writer, [k for k, on_run in enumerate(writer.on_run) if on_run])
    slot_of_code = {k: first_setup + place for place, k in enumerate(setup)}
    slot_of_code.update({k: first_setup + len(setup) + place for place, k in enumerate(run)})

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
        op, args = writer.code[k]
        if op.startswith(CALL):
            op = f"{CALL}{functions.setdefault(op.removeprefix(CALL), len(functions))}"
        return Instruction(op, tuple(slot(arg) for arg in args))

    remarks: dict[int, str] = {}
    for fp, remark in notes.items():
        value = values.number_of.get(min(fp, P - fp))
        if value in writer.place_of:
            operand, came_out = writer.place_of[value]
            if operand[0] == "constant" and operand[1] not in numbers:
                continue
            minus = came_out < 0 if fp <= P - fp else came_out > 0
            remarks.setdefault(slot(operand), f"minus {remark}" if minus else remark)
    pieces, start = [], 0
    for label, shape, entries in outputs:
        pieces.append(Output(label, shape, tuple(slot(o) for o in finished[start : start + len(entries)])))
        start += len(entries)
    return Program(
        name,
        tuple(Array(label, len(symbols)) for label, symbols in arrays),
        parameter_count,
        tuple(numbers),
        tuple(instruction(k) for k in setup),
        tuple(instruction(k) for k in run),
        tuple(pieces),
        remarks,
        tuple(values.functions[digest] for digest in functions),
    )
