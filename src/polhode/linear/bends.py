"""Where laws bend or jump: at such a state the derivatives of the equations tell nothing of small motions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..expr import Expr, as_expr, evaluate, topological
from ..expr.exact import floor

#: Operands nearer to each other, or to zero, than this part of their size meet.
_MEET = 1e-9


def bending(entries: Iterable[Expr]) -> list[tuple[Expr, Expr]]:
    """The functions in expressions that bend or jump, each with what vanishes there.

    >>> from polhode.expr import symbols
    >>> from polhode.expr.exact import maximum, sign
    >>> x, y = symbols("x y")
    >>> bending([x * sign(y) + maximum(x, y)])
    [(sign(y), y), (max(x, y), x - y)]
    """
    found = []
    for node in topological(list(entries)):
        if node.op in ("sign", "abs"):
            found.append((node, node.args[0]))
        elif node.op == "floor":
            found.append((node, as_expr(node.args[0] - floor(node.args[0] + as_expr("1/2")))))
        elif node.op in ("min", "max"):
            found.append((node, as_expr(node.args[0] - node.args[1])))
    return found


def bends_at(laws: Sequence[tuple[Expr, Expr]], values: Mapping[Expr, float]) -> list[Expr]:
    """Those of the functions whose bend or jump lies at a state."""
    sizes = evaluate([operand for _, operand in laws], values) if laws else []
    return [law for (law, _), size in zip(laws, sizes, strict=True) if abs(size) <= _MEET]
