"""Walks over the graph: order, symbols, substitution, size. Nothing here recurses."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import LimitError, PolhodeError
from . import functions
from .calls import call
from .node import CALL, NUMBER, SYMBOL, Expr, add, as_expr, div, mul, neg, sub

#: A graph with more nodes than this is refused with a sentence rather than swallowing the machine.
NODE_LIMIT = 20_000_000


def topological(roots: Iterable[Expr]) -> list[Expr]:
    """Every node that the roots reach, operands first, each once; the order depends on the roots alone."""
    order: list[Expr] = []
    seen: set[int] = set()
    path: list[Expr] = []
    stack: list[Expr | None] = list(roots)
    stack.reverse()
    while stack:
        node = stack.pop()
        if node is None:  # all operands of the last node on the path are done
            node = path.pop()
        elif id(node) in seen:
            continue
        elif node.args:
            path.append(node)
            stack.append(None)
            stack.extend(node.args[::-1])
            continue
        seen.add(id(node))
        order.append(node)
        if len(order) > NODE_LIMIT:
            cure = "Ask for fewer outputs, or use a recursive formalism (articulated_body)."
            raise LimitError(f"the expressions have more than {NODE_LIMIT:,} nodes.", cure=cure, code="E-EXPR-SIZE")
    return order


_REBUILD: dict[str, Callable[..., Expr]] = {
    "add": add, "sub": sub, "mul": mul, "div": div, "neg": neg, "pow": functions.power, **functions.BY_NAME,
}  # fmt: skip


def rebuild_named(op: str, args: Sequence[Expr]) -> Expr:
    """An operation, by its name, on operands."""
    return _REBUILD[op](*args)


def rebuild(node: Expr, args: Sequence[Expr]) -> Expr:
    """The same operation on other operands."""
    return call(node.data, args) if node.op == CALL else rebuild_named(node.op, args)


def substitute(roots: Iterable[Expr], replacements: Mapping[Expr, Any]) -> list[Expr]:
    """The roots with symbols replaced by expressions or numbers, all at once."""
    roots = list(roots)
    table: dict[int, Expr] = {}
    for old, new in replacements.items():
        if type(old) is not Expr or old.op != SYMBOL:
            message, cure = f"only symbols can be replaced, not {old!r}.", "Give {symbol: expression}."
            raise PolhodeError(message, "subs", cure, "E-EXPR-TYPE")
        table[id(old)] = as_expr(new)
    failed: dict[int, PolhodeError] = {}  # what has no value with these replacements, as sqrt(x) at x = -1
    for node in topological(roots):
        if id(node) in table:
            continue
        operands = node.args if node.op != "where" else _taken(node, table)
        missing = next((failed[id(arg)] for arg in operands if id(arg) in failed), None) if failed else None
        if missing is not None:
            failed[id(node)] = missing
            continue
        args = [table[id(arg)] for arg in operands]
        try:
            if len(args) < len(node.args):
                table[id(node)] = args[0]
            else:
                same = all(a is b for a, b in zip(args, node.args, strict=True))
                table[id(node)] = node if same else rebuild(node, args)
        except PolhodeError as error:
            failed[id(node)] = error
    for root in roots:
        if id(root) in failed:
            raise failed[id(root)]
    return [table[id(root)] for root in roots]


def _taken(node: Expr, table: Mapping[int, Expr]) -> tuple[Expr, ...]:
    """The operands of a `where`: those of one branch if the condition is decided."""
    side = table.get(id(node.args[0]))
    if side is None or side.op != NUMBER:
        return node.args
    return (node.args[1] if side.data > 0 else node.args[2],)


def free_symbols(roots: Iterable[Expr]) -> list[Expr]:
    """The symbols in the roots, in order of appearance."""
    return [node for node in topological(roots) if node.op == SYMBOL]


def operation_counts(roots: Iterable[Expr]) -> dict[str, int]:
    """How often each operation occurs in the graph below the roots, shared nodes once."""
    counts: dict[str, int] = {}
    for node in topological(roots):
        if node.op not in (NUMBER, SYMBOL, "pi"):
            counts[node.op] = counts.get(node.op, 0) + 1
    return counts


@contextmanager
def quiet_collector() -> Iterator[None]:
    """Suspend Python's cycle collector while a graph is built; nodes form no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
