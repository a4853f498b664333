"""Symbols that an expression holds and does not depend on: they cancel, and are not shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from ..errors import PolhodeError
from .differentiation import PARTIALS
from .field import P, hash_to_field
from .graph import substitute, topological
from .node import ADD, CALL, MUL, NEG, SUB, SYMBOL, Expr


def without_absent(root: Expr) -> Expr:
    """The expression with numbers for the symbols by which its derivative is zero."""
    absent = absent_symbols(root)
    for values in ((0,) * len(absent), (1,) * len(absent), range(2, 2 + len(absent))) if absent else ():
        smaller = _replaced(root, dict(zip(absent, values, strict=True)))
        if smaller is not None:
            return smaller
    for x in absent:  # some cannot be replaced, as x in sign(x)
        root = _replaced(root, {x: 0}) or _replaced(root, {x: 1}) or root
    return root


def absent_symbols(root: Expr) -> list[Expr]:
    """The symbols in an expression by which its derivative vanishes, by reverse accumulation of fingerprints."""
    order = topological([root])
    slope = {id(root): 1}
    for node in reversed(order):
        total = slope.get(id(node), 0)
        if total and node.args:
            for arg, partial in zip(node.args, _slopes(node), strict=True):
                slope[id(arg)] = (slope.get(id(arg), 0) + total * partial) % P
    return [node for node in order if node.op == SYMBOL and not slope.get(id(node), 0)]


def _slopes(node: Expr) -> Sequence[int]:
    """The fingerprints of the partial derivatives of a node by its operands; of an opaque function, any numbers."""
    if node.op == ADD:
        return 1, 1
    if node.op == SUB:
        return 1, -1
    if node.op == MUL:
        return node.args[1].fp, node.args[0].fp
    if node.op == NEG:
        return (-1,)
    if node.op == CALL:
        return [hash_to_field("slope", node.fp, k) for k in range(len(node.args))]
    return [slope.fp for slope in PARTIALS[node.op](node, *node.args)]


def _replaced(root: Expr, values: Mapping[Expr, int]) -> Expr | None:
    """The expression with numbers for symbols, if it is still the same function."""
    with suppress(PolhodeError):
        (result,) = substitute([root], values)
        return result if result.fp == root.fp else None
    return None
