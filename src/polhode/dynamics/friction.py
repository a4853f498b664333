"""Friction in the loads of a model: the parts of a force on a speed that are linear in that speed, or in its sign.

    value = -b u - c sign(u) - d tanh(u/v) + what is left

b, c and d must not depend on the motion; what does is no friction of this kind and stays with the other loads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import PolhodeError
from ..expr import Expr, as_expr, free_symbols, gradient, is_zero, rebuild, substitute, symbol, topological
from ..kinematics.tree import Tree
from ..model.forces.protocol import SpeedForce
from ..model.model import Model

#: The functions of a speed that dry friction is written with.
_DRY = ("sign", "tanh")


@dataclass(frozen=True)
class FrictionTerm:
    """A coefficient ≥ 0 and the function of a joint's speed that it multiplies."""

    kind: str  # viscous or coulomb
    owner: str
    speed: Expr
    shape: Expr
    coefficient: Expr


def friction_terms(model: Model, tree: Tree) -> list[FrictionTerm]:
    """The terms of all joints, those of one joint with one shape taken together."""
    found: dict[tuple[Expr, Expr], FrictionTerm] = {}
    for load in model.primitive_loads:
        if isinstance(load, SpeedForce):
            joint = model.joints[load.joint]
            speed = joint.u[load.index]
            owner = joint.name if len(joint.u) == 1 else str(speed.name)
            for kind, shape, coefficient in _split(load.value, speed):
                (given,) = substitute([shape], tree.followed)
                before = found.get((speed, shape))
                total = coefficient if before is None else before.coefficient + coefficient
                found[speed, shape] = FrictionTerm(kind, owner, speed, given, total)
    return list(found.values())


def _split(value: Expr, speed: Expr) -> Iterator[tuple[str, Expr, Expr]]:
    """Kind, shape and coefficient of each part that is friction.

    >>> from polhode.expr import sign, symbols
    >>> u, b, k = symbols("u b k", "parameter")
    >>> list(_split(2 - b * u - 3 * sign(u) + u * u, u))
    [('viscous', u, b), ('coulomb', sign(u), 3)]
    """
    if speed not in free_symbols([value]):
        return
    stands: dict[Expr, Expr] = {speed: speed}
    table: dict[int, Expr] = {}
    for node in topological([value]):
        if node.op in _DRY and speed in free_symbols([node]) and not _moves([node], speed):
            stands[symbol(f"{len(stands)}", "friction")] = node
            table[id(node)] = next(reversed(stands))
        else:
            args = [table[id(arg)] for arg in node.args]
            unchanged = all(a is b for a, b in zip(args, node.args, strict=True))
            table[id(node)] = node if unchanged else rebuild(node, args)
    at_rest = dict.fromkeys(stands, as_expr(0))
    try:
        slopes = substitute(gradient(table[id(value)], list(stands)), at_rest)
    except (PolhodeError, ZeroDivisionError):
        return
    for (atom, shape), slope in zip(stands.items(), slopes, strict=True):
        if not is_zero(slope) and not _moves([slope], speed):
            yield ("viscous" if atom is speed else "coulomb"), shape, as_expr(-slope)


def _moves(entries: list[Expr], speed: Expr) -> bool:
    """Whether more than parameters and this speed enter."""
    return any(x is not speed and x.data[0] != "parameter" for x in free_symbols(entries))
