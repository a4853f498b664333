"""The plan: from the graph below the asked roots to a straight-line program, pass by pass.

1. `value_numbering`: nodes with one fingerprint are one value with several forms; what needs no symbol is a constant.
2. `expand_angle_sums`: sin(a ± b) and cos(a ± b) from those of a and b, where all four are there anyway.
3. `select_forms`: one form for each value, so that the whole becomes cheap.
4. `factoring`: a·b + a·c becomes a·(b + c).
5. `common_subexpressions`: what several sums or products have in common is computed once.
6. `emission`: instructions; signs travel with references, a shared denominator is inverted once.
7. Partition: what depends on parameters alone goes to `setup`, the rest to `run`.
8. `scheduling`: `run` in an order that keeps few values alive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..expr import Expr, topological
from ..expr.field import P
from ..expr.node import CALL
from .ir.program import Array, Instruction, Output, Program
from .passes.common_subexpressions import share_subexpressions
from .passes.emission import Emitter, Operand, count_divisors
from .passes.factoring import factor_sums
from .passes.scheduling import schedule
from .passes.value_numbering import Values, expand_angle_sums, number_values, select_forms


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
    made, start = [], 0
    for label, shape, entries in outputs:
        made.append(Output(label, shape, tuple(slot(o) for o in finished[start : start + len(entries)])))
        start += len(entries)
    return Program(
        name,
        tuple(Array(label, len(symbols)) for label, symbols in arrays),
        parameter_count,
        tuple(numbers),
        tuple(instruction(k) for k in setup),
        tuple(instruction(k) for k in run),
        tuple(made),
        remarks,
        tuple(values.functions[digest] for digest in functions),
    )
