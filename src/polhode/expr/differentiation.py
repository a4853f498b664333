"""Derivatives on the graph, forward and reverse, reusing its nodes and never expanding anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..errors import PolhodeError
from .calls import call
from .functions import cos, cosh, log, sign, sin, sinh, sqrt, where
from .graph import topological
from .matrix import Matrix
from .node import CALL, ONE, SYMBOL, ZERO, Expr, add, as_expr, div, mul, neg, number, sub

_TWO = number(2)


def _step(a: Expr, b: Expr) -> Expr:
    """1 where a > b, 0 where a < b, 1/2 between."""
    return mul(number(1) / 2, add(ONE, sign(sub(a, b))))


#: For each operation: its partial derivatives, as functions of the node and its operands.
PARTIALS: dict[str, Callable[..., tuple[Expr, ...]]] = {
    "add": lambda y, a, b: (ONE, ONE),
    "sub": lambda y, a, b: (ONE, number(-1)),
    "mul": lambda y, a, b: (b, a),
    "div": lambda y, a, b: (div(ONE, b), neg(div(y, b))),
    "neg": lambda y, a: (number(-1),),
    "sin": lambda y, a: (cos(a),),
    "cos": lambda y, a: (neg(sin(a)),),
    "sqrt": lambda y, a: (div(ONE, mul(_TWO, y)),),
    "exp": lambda y, a: (y,),
    "log": lambda y, a: (div(ONE, a),),
    "asin": lambda y, a: (div(ONE, sqrt(sub(ONE, mul(a, a)))),),
    "acos": lambda y, a: (neg(div(ONE, sqrt(sub(ONE, mul(a, a))))),),
    "atan": lambda y, a: (div(ONE, add(ONE, mul(a, a))),),
    "atan2": lambda y, a, b: (
        div(b, add(mul(a, a), mul(b, b))),
        neg(div(a, add(mul(a, a), mul(b, b)))),
    ),
    "sinh": lambda y, a: (cosh(a),),
    "cosh": lambda y, a: (sinh(a),),
    "tanh": lambda y, a: (sub(ONE, mul(y, y)),),
    "abs": lambda y, a: (sign(a),),
    "sign": lambda y, a: (ZERO,),
    "floor": lambda y, a: (ZERO,),
    "min": lambda y, a, b: (_step(b, a), _step(a, b)),
    "max": lambda y, a, b: (_step(a, b), _step(b, a)),
    "where": lambda y, side, a, b: (ZERO, where(side, ONE, ZERO), where(side, ZERO, ONE)),
    "pow": lambda y, a, b: (div(mul(b, y), a), mul(y, log(a))),
}


def _partials(node: Expr, value: Expr, args: Sequence[Expr], used: Sequence[bool]) -> tuple[Expr, ...]:
    """Partial derivatives of a node's operation; of an opaque function only those that are used."""
    if node.op != CALL:
        return PARTIALS[node.op](value, *args)
    partials = [node.data.partial(k) if needed else None for k, needed in enumerate(used)]
    return tuple(ZERO if partial is None else call(partial, args) for partial in partials)


def directional(roots: Iterable[Expr], direction: Mapping[Expr, Any]) -> list[Expr]:
    """The derivative of each root when every symbol s moves at the rate direction[s] (forward accumulation).

    With direction[q] = q̇ this is the time derivative; with direction[q] = v(q), the Lie derivative along v.
    """
    roots = list(roots)
    rate = _rates(direction)
    for node in topological(roots):
        args = node.args
        if not args:
            continue
        moving = [rate.get(id(arg)) for arg in args]
        if all(value is None for value in moving):
            continue
        total = forward(node, node, args, moving)
        if total.fp:
            rate[id(node)] = total
    return [rate.get(id(root), ZERO) for root in roots]


def directionals(roots: Iterable[Expr], directions: Sequence[Mapping[Expr, Any]]) -> list[list[Expr]]:
    """The derivatives of the roots along each of several directions, in one walk over the graph; see `directional`."""
    roots = list(roots)
    rates: dict[int, dict[int, Expr]] = {}  # of each node that moves, by the number of the direction
    for k, direction in enumerate(directions):
        for variable, value in _rates(direction).items():
            rates.setdefault(variable, {})[k] = value
    for node in topological(roots):
        moving = [rates[id(arg)] for arg in node.args if id(arg) in rates]
        if not moving:
            continue
        args = node.args
        totals = {}
        for k in moving[0] if len(moving) == 1 else dict.fromkeys(k for moved in moving for k in moved):
            along = [rates[id(arg)].get(k) if id(arg) in rates else None for arg in args]
            total = forward(node, node, args, along)
            if total.fp:
                totals[k] = total
        if totals:
            rates[id(node)] = totals
    still: dict[int, Expr] = {}
    return [[rates.get(id(root), still).get(k, ZERO) for root in roots] for k in range(len(directions))]


def _rates(direction: Mapping[Expr, Any]) -> dict[int, Expr]:
    """The rates of the symbols that move in a direction, by the identity of their nodes."""
    rate: dict[int, Expr] = {}
    for variable, value in direction.items():
        if type(variable) is not Expr or variable.op != SYMBOL:
            message = f"cannot differentiate with respect to {variable!r}: it is no symbol."
            raise PolhodeError(message, "diff", "Give a symbol, as symbol('x') or joint.q[0].", "E-EXPR-TYPE")
        value = as_expr(value)
        if value.fp:
            rate[id(variable)] = value
    return rate


def forward(node: Expr, value: Expr, args: Sequence[Expr], moving: Sequence[Expr | None]) -> Expr:
    """The rate of a node's operation, whose value and operands are given, when the operands move at given rates."""
    op = node.op
    if op == "add" or op == "sub":
        da, db = moving
        if db is None:
            return da if da is not None else ZERO
        if da is None:
            return db if op == "add" else neg(db)
        return add(da, db) if op == "add" else sub(da, db)
    if op == "neg":
        return neg(moving[0]) if moving[0] is not None else ZERO
    if op == "div":  # (a' - y b')/b, one division
        da, db = moving
        top = da if da is not None else ZERO
        if db is not None:
            top = sub(top, mul(value, db))
        return div(top, args[1])
    if op == "where":  # the slope of a branch that is not defined here takes no part
        branches = [ZERO if rate is None else rate for rate in moving[1:]]
        result: Expr = where(args[0], *branches)
        return result
    total = ZERO
    used = [rate is not None for rate in moving]
    for partial, rate in zip(_partials(node, value, args, used), moving, strict=True):
        if rate is not None:
            total = add(total, mul(partial, rate))
    return total


def derivative(roots: Iterable[Expr], variable: Expr) -> list[Expr]:
    """∂root/∂variable for each root.

    >>> from polhode.expr import symbol, sin
    >>> q = symbol("q")
    >>> derivative([sin(2 * q)], q)
    [2*cos(2*q)]
    """
    return directional(roots, {variable: ONE})


def gradient(root: Expr, variables: Sequence[Expr]) -> list[Expr]:
    """∂root/∂variable for each variable, in one backward pass (reverse accumulation); forward with branches."""
    order = topological([root])
    if any(node.op == "where" for node in order):  # backward, slopes of the other branch would be multiplied by 0
        return [column[0] for column in directionals([root], [{variable: ONE} for variable in variables])]
    adjoint: dict[int, Expr] = {id(root): ONE}
    used = {id(variable) for variable in variables}
    useful: set[int] = set()
    for node in order:
        if id(node) in used or any(id(arg) in useful for arg in node.args):
            useful.add(id(node))
    for node in reversed(order):
        bar = adjoint.get(id(node))
        if bar is None or not node.args:
            continue
        wants = [id(arg) in useful for arg in node.args]
        for arg, partial in zip(node.args, _partials(node, node, node.args, wants), strict=True):
            if id(arg) in useful:
                term = mul(bar, partial)
                before = adjoint.get(id(arg))
                adjoint[id(arg)] = term if before is None else add(before, term)
    return [adjoint.get(id(variable), ZERO) for variable in variables]


def jacobian(roots: Sequence[Expr], variables: Sequence[Expr]) -> Matrix:
    """∂rootᵢ/∂variableⱼ: backward when there are fewer roots than variables, else forward."""
    if len(roots) < len(variables):
        return Matrix([gradient(root, variables) for root in roots])
    columns = directionals(roots, [{variable: ONE} for variable in variables])
    return Matrix([[column[i] for column in columns] for i in range(len(roots))])
