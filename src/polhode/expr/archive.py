"""Expressions as plain text records, in and out: what is stored, sent to another process, or hashed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..errors import PolhodeError
from .calls import call
from .functions import pi
from .graph import rebuild_named, topological
from .node import CALL, NUMBER, SYMBOL, Expr, number, symbol, unit_symbols
from .opaque.function import Opaque
from .opaque.records import function_of, record_of

_VERSION = 1
_RATIONAL = re.compile(r"-?[0-9]+(/[0-9]+)?")


def dump(roots: Sequence[Expr]) -> str:
    """The graph below the roots as JSON text; the same expressions give the same text."""
    order = topological(roots)
    index = {id(node): k for k, node in enumerate(order)}
    rows: list[list[Any]] = []
    functions: dict[str, tuple[int, Opaque]] = {}
    for node in order:
        if node.op == NUMBER:
            rows.append([NUMBER, str(node.data)])
        elif node.op == SYMBOL:
            rows.append([SYMBOL, *node.data])
        elif node.op == CALL:
            which, _ = functions.setdefault(node.data.digest, (len(functions), node.data))
            rows.append([CALL, which, *(index[id(arg)] for arg in node.args)])
        else:
            rows.append([node.op, *(index[id(arg)] for arg in node.args)])
    record: dict[str, Any] = {"polhode": _VERSION, "nodes": rows, "roots": [index[id(root)] for root in roots]}
    if functions:
        record["functions"] = [record_of(function) for _, function in functions.values()]
    return json.dumps(record)


def load(text: str, root: int | None = None) -> Any:
    """The expressions of a dump: all roots as a list, or one of them."""
    try:
        record = json.loads(text)
        if record["polhode"] != _VERSION:
            message = f"expression archive of version {record['polhode']!r}."
            raise PolhodeError(message, "load", f"Write it anew: this polhode reads version {_VERSION}.", "E-EXPR-READ")
        functions = [function_of(entry) for entry in record.get("functions", ())]
        nodes: list[Expr] = []
        for op, *rest in record["nodes"]:
            if op == CALL:
                nodes.append(call(functions[rest[0]], [nodes[_index(k, nodes)] for k in rest[1:]]))
            else:
                nodes.append(_node(op, rest, nodes))
        roots = [nodes[_index(k, nodes)] for k in record["roots"]]
    except (KeyError, IndexError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        cure = "Give what `dump` wrote."
        raise PolhodeError(f"not an expression archive ({error}).", "load", cure, "E-EXPR-READ") from None
    return roots if root is None else roots[root]


def _index(value: object, nodes: list[Expr]) -> int:
    if type(value) is not int or not 0 <= value < len(nodes):
        raise ValueError(f"{value!r} is not an earlier node")
    return value


def _node(op: str, rest: list[Any], nodes: list[Expr]) -> Expr:
    if op == NUMBER:
        if not isinstance(rest[0], str) or not _RATIONAL.fullmatch(rest[0]):
            raise ValueError(f"{rest[0]!r} is not a rational number")
        return number(Fraction(rest[0]))
    if op == "pi":
        return pi
    if op == SYMBOL:
        kind, name, *more = rest
        others = more[0] if more and isinstance(more[0], list) else []
        if not all(isinstance(word, str) for word in (kind, name, *(others or more))):
            raise ValueError("a symbol's name is not a text")
        return unit_symbols(others, kind)[others.index(name)] if others else symbol(name, kind, *more)
    return rebuild_named(op, [nodes[_index(k, nodes)] for k in rest])
