"""Values and their forms: what the plan chooses among.

Nodes with one fingerprint, up to sign, are one value; each way in which the graph computes it is a form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...expr import Expr
from ...expr.field import P
from ...expr.opaque.function import Opaque

Ref = tuple[int, int]  # a value and the sign with which it is meant


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

    def file(self, node: Expr) -> Ref:
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

    def twin(self, value: int) -> int:
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

    def product(self, a: Ref, b: Ref) -> Ref:
        """The value a·b, filed with that form."""
        value, sign = self.numbered(self.fingerprints[a[0]] * self.fingerprints[b[0]] % P)
        form = Form("mul", ((a[0], 1), (b[0], 1)), sign)
        if form not in self.forms[value]:
            self.forms[value].append(form)
        return value, sign * a[1] * b[1]


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
