"""Sines and cosines of sums of angles by the addition theorems, where those of the parts are there anyway."""

from __future__ import annotations

from collections.abc import Sequence

from ...expr import Expr
from .value_numbering import Form, Values


def expand_angle_sums(values: Values, nodes: Sequence[Expr]) -> None:
    """Compute sin(a ± b) and cos(a ± b) from those of a and b where all four are there anyway."""
    known = {(node.op, id(node.args[0])): values.ref(node) for node in nodes if node.op in ("sin", "cos")}
    for node in nodes:
        if node.op not in ("sin", "cos") or node.args[0].op not in ("add", "sub"):
            continue
        parts = node.args[0].args
        found = [known.get((op, id(part))) for op in ("sin", "cos") for part in parts]
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
