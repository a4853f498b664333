"""Value numbering: nodes with one fingerprint, up to sign, are one value.

Each way in which the graph computes a value is a form of it; of these the one is selected that makes the whole
cheapest. Sines and cosines of sums of angles have forms by the addition theorems, where those of the parts are there
anyway. What depends on no symbol is folded into a constant, computed to forty digits and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import PolhodeError
from ...expr import Expr
from ...expr.evaluation import constant_values
from ...expr.field import P
from ...expr.node import CALL, NUMBER, SYMBOL
from ...expr.opaque.function import Opaque

Ref = tuple[int, int]  # a value and the sign with which it is meant

_LOG_COST = {"add": 0.0, "sub": 0.0, "mul": 0.0, "div": 2.0, "sqrt": 2.5}  # base 2
_LOG_FUNCTION_COST = 4.5


@dataclass(frozen=True)
class Form:
    """One way to compute a value: an operation on signed values; the value is `sign` times the result."""

    op: str
    args: tuple[Ref, ...]
    sign: int


@dataclass
class Values:
    """Every value below the roots, numbered in the order in which it is first met."""

    number_of: dict[int, int] = field(default_factory=dict)  # canonical fingerprint -> value
    forms: list[list[Form]] = field(default_factory=list)
    leaves: dict[int, Expr] = field(default_factory=dict)  # value -> symbol
    constants: dict[int, float] = field(default_factory=dict)
    ref_of: dict[int, Ref] = field(default_factory=dict)  # id(node) -> reference
    fingerprints: list[int] = field(default_factory=list)
    functions: dict[str, Opaque] = field(default_factory=dict)  # digest -> function

    def ref(self, node: Expr) -> Ref:
        return self.ref_of[id(node)]

    def number(self, node: Expr) -> Ref:
        ref = self.ref_of[id(node)] = self.numbered(node.fp)
        return ref

    def numbered(self, fp: int) -> Ref:
        """The value with this fingerprint, up to sign; a new one if it is new."""
        sign = 1 if fp <= P - fp else -1
        key = fp if sign > 0 else P - fp
        value = self.number_of.get(key)
        if value is None:
            value = self.number_of[key] = len(self.forms)
            self.forms.append([])
            self.fingerprints.append(key)
        return value, sign

    def duplicate(self, value: int) -> int:
        """Another value that is the same function; used where the first would be computed too late."""
        self.forms.append([])
        self.fingerprints.append(self.fingerprints[value])
        return len(self.forms) - 1

    def folds(self, value: int, form: Form) -> bool:
        """Whether a sum or product is one of constants alone; then it becomes one itself."""
        if not all(arg in self.constants for arg, _ in form.args):
            return False
        a, b = (sign * self.constants[arg] for arg, sign in form.args)
        self.constants[value] = form.sign * (a + b if form.op == "add" else a * b)
        return True

    def result(self, op: str, args: tuple[Ref, ...]) -> int:
        """The fingerprint of a sum or product."""
        a, b = (sign * self.fingerprints[value] for value, sign in args)
        return (a + b) % P if op == "add" else a * b % P

    def signed(self, op: str, args: tuple[Ref, ...], value: int) -> Form:
        """The sum or product as a form of a value, with the sign that makes them equal."""
        return Form(op, args, 1 if self.result(op, args) == self.fingerprints[value] else -1)

    def computed_by(self, chosen: list[Form | None], ref: Ref, op: str, args: tuple[Ref, ...]) -> int:
        """The value to compute by this form, its only one; a duplicate where the value is computed already."""
        value, sign = ref
        if value < len(chosen):
            value = self.duplicate(value)
        chosen += [None] * (value + 1 - len(chosen))
        form = Form(op, args, sign)
        chosen[value] = None if self.folds(value, form) else form
        return value

    def product(self, a: Ref, b: Ref) -> Ref:
        """The value a·b, numbered with that form."""
        value, sign = self.numbered(self.fingerprints[a[0]] * self.fingerprints[b[0]] % P)
        form = Form("mul", ((a[0], 1), (b[0], 1)), sign)
        if form not in self.forms[value]:
            self.forms[value].append(form)
        return value, sign * a[1] * b[1]


def number_values(nodes: Sequence[Expr]) -> Values:
    """The values of nodes that are given operands first."""
    values = Values()
    constant: set[int] = set()
    folded: dict[int, tuple[Expr, int]] = {}
    again: list[tuple[int, Expr, int]] = []  # numbers with a fingerprint that was met before
    for node in nodes:
        value, sign = values.number(node)
        if node.op == SYMBOL:
            values.leaves.setdefault(value, node)
            values.forms[value].append(Form("leaf", (), sign))  # the canonical sign of a leaf is its own
            continue
        folds = node.op != CALL or node.data.foldable
        if node.op in (NUMBER, "pi") or (folds and all(id(arg) in constant for arg in node.args)):
            constant.add(id(node))
            if value not in folded:
                folded[value] = node, sign
            elif node.op == NUMBER:
                again.append((value, node, sign))
            continue
        if node.op == "neg":
            continue
        args = tuple(values.ref(arg) for arg in node.args)
        if node.op == CALL:
            values.functions.setdefault(node.data.digest, node.data)
        form = _signed(f"{CALL}{node.data.digest}" if node.op == CALL else node.op, args, sign)
        if form not in values.forms[value]:
            values.forms[value].append(form)
    numbers = iter(constant_values([node for node, _ in folded.values() if node.op != NUMBER]))
    for value, (node, sign) in folded.items():
        values.constants[value] = sign * _double(node.data if node.op == NUMBER else next(numbers))
    for value, node, sign in again:
        first, other = values.constants[value], sign * _double(node.data)
        if not math.isclose(first, other, rel_tol=1e-9):
            message = f"the numbers {first!r} and {other!r} have one fingerprint and cannot be distinguished."
            raise PolhodeError(message, cure="Write them with fewer digits.", code="E-CODE-TWICE")
    return values


def _double(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        cure = "Check the exponents of masses, lengths and stiffnesses."
        raise PolhodeError("a constant is out of the range of a double.", cure=cure, code="E-CODE-NUMBER") from None


def _signed(op: str, args: tuple[Ref, ...], sign: int) -> Form:
    if op == "sub":
        (a, s), (b, t) = args
        return Form("add", ((a, s), (b, -t)), sign)
    if op in ("mul", "div"):
        (a, s), (b, t) = args
        return Form(op, ((a, 1), (b, 1)), sign * s * t)
    return Form(op, args, sign)


def operands_first(chosen: Sequence[Form | None], roots: Sequence[Ref]) -> list[int]:
    """The values that roots need by the chosen forms, each after those that it is computed from."""
    order: list[int] = []
    seen: set[int] = set()
    stack = [value for value, _ in reversed(roots)]
    while stack:
        value = stack[-1]
        if value in seen:
            stack.pop()
            continue
        form = chosen[value]
        waiting = [arg for arg, _ in form.args if arg not in seen] if form else []
        if waiting:
            stack.extend(reversed(waiting))
        else:
            stack.pop()
            seen.add(value)
            order.append(value)
    return order


def expand_angle_sums(values: Values, nodes: Sequence[Expr]) -> None:
    """Compute sin(a ± b) and cos(a ± b) from those of a and b where all four are there anyway."""
    ref_of = {(node.op, id(node.args[0])): values.ref(node) for node in nodes if node.op in ("sin", "cos")}
    for node in nodes:
        if node.op not in ("sin", "cos") or node.args[0].op not in ("add", "sub"):
            continue
        parts = node.args[0].args
        sincos = [ref_of.get((op, id(part))) for op in ("sin", "cos") for part in parts]
        if None in sincos:
            continue
        sin_a, sin_b, cos_a, cos_b = (ref for ref in sincos if ref is not None)
        turn = 1 if node.args[0].op == "add" else -1
        if node.op == "sin":
            first, second = values.product(sin_a, cos_b), values.product(cos_a, sin_b)
        else:
            first, second, turn = values.product(cos_a, cos_b), values.product(sin_a, sin_b), -turn
        value, sign = values.ref(node)
        values.forms[value] = [Form("add", (first, (second[0], turn * second[1])), sign)]


def select_forms(values: Values) -> list[Form | None]:
    """For each value the form whose fully expanded expression is lightest.

    Weights are logarithms and decrease strictly from a value to its operands, so that the choice is not circular.
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
