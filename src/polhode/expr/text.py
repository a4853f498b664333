"""Plain text of an expression, as it was built, with the usual precedence and shared parts written out.

A large expression is abbreviated: nobody reads ten thousand characters.
"""

from __future__ import annotations

from .graph import topological
from .node import NUMBER, SYMBOL, Expr

_LIMIT = 2000
_ATOM, _UNARY, _PRODUCT, _SUM = 4, 3, 2, 1


def text(root: Expr) -> str:
    """The expression as a line of text.

    >>> from polhode.expr import symbols
    >>> a, b = symbols("a b")
    >>> text((a + b) * a - b / 2)
    'a*(a + b) - b/2'
    """
    made: dict[int, tuple[str, int]] = {}
    for node in topological([root]):
        made[id(node)] = _one(node, [made[id(arg)] for arg in node.args])
    return made[id(root)][0]


def _wrap(part: tuple[str, int], least: int) -> str:
    return part[0] if part[1] >= least else f"({part[0]})"


def _one(node: Expr, parts: list[tuple[str, int]]) -> tuple[str, int]:
    if sum(len(part[0]) for part in parts) > _LIMIT:
        return "…", _ATOM
    op = node.op
    if op == NUMBER:
        whole = node.data.denominator == 1 and node.data >= 0
        return str(node.data), _ATOM if whole else _PRODUCT
    if op == SYMBOL:
        return node.name, _ATOM
    if op == "pi":
        return "pi", _ATOM
    if op == "add":
        return f"{_wrap(parts[0], _SUM)} + {_wrap(parts[1], _SUM)}", _SUM
    if op == "sub":
        return f"{_wrap(parts[0], _SUM)} - {_wrap(parts[1], _PRODUCT)}", _SUM
    if op == "neg":
        return f"-{_wrap(parts[0], _PRODUCT)}", _PRODUCT
    if op == "mul":
        if node.args[0] is node.args[1]:
            return f"{_wrap(parts[0], _ATOM)}**2", _UNARY
        first = node.args[0]
        if first.op == NUMBER and first.data.numerator == 1:
            return f"{_wrap(parts[1], _PRODUCT)}/{first.data.denominator}", _PRODUCT
        return f"{_wrap(parts[0], _PRODUCT)}*{_wrap(parts[1], _PRODUCT)}", _PRODUCT
    if op == "div":
        return f"{_wrap(parts[0], _PRODUCT)}/{_wrap(parts[1], _UNARY)}", _PRODUCT
    if op == "pow":
        return f"{_wrap(parts[0], _ATOM)}**{_wrap(parts[1], _ATOM)}", _UNARY
    return f"{op}({', '.join(part[0] for part in parts)})", _ATOM
