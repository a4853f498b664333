"""The order in which a textbook writes terms and factors.

Factors: constants, masses and inertias, g, other parameters by name, sums of parameters, coordinates, speeds,
accelerations, efforts, functions, other sums. Terms: accelerations, products of speeds, speeds, functions of
coordinates, parameters, efforts; powers of one symbol fall, so that a polynomial in s ends with its constant.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import IntEnum
from typing import Any

from .node import ADD, MUL, NEG, NUMBER, SUB, SYMBOL, Expr
from .spelling import is_greek, rates_of, spelled

#: Names of masses and moments of inertia: m, m1, M_cart, J, I, Ixx_2.
_MASS = re.compile(r"(?:[mMJI]|I[xyz][xyz]|mass|inertia)(?:[0-9_]\w*)?\Z")
_GRAVITY = "g"


class Rank(IntEnum):
    """The place of a factor in a product."""

    CONSTANT = 0
    MASS = 1
    GRAVITY = 2
    PARAMETER = 3
    PARAMETERS = 4  # sums of parameters, and named parts
    LAPLACE = 5
    COORDINATE = 6
    SPEED = 7
    ACCELERATION = 8
    EFFORT = 9
    FUNCTION = 10
    SUM = 11


_KINDS = {
    "speed": Rank.SPEED, "acceleration": Rank.ACCELERATION, "effort": Rank.EFFORT, "input": Rank.EFFORT,
    "multiplier": Rank.EFFORT,
}  # fmt: skip


#: Steps of a law: the commanded accelerations and speeds.
_STEPS = {"a_": Rank.ACCELERATION, "v_": Rank.SPEED}


def symbol_rank(x: Expr, masses: Collection[Expr] = ()) -> Rank:
    """The rank of a symbol by its kind; of a parameter by `masses` or its name."""
    kind, rates = rates_of(x)
    if kind == "reference" and rates:
        return Rank.SPEED if rates == 1 else Rank.ACCELERATION
    rank = _KINDS.get(kind) or (_STEPS.get(x.name[:2]) if kind == "step" else None)
    if rank is not None:
        return rank
    if x in masses or (kind in ("parameter", "symbol") and _MASS.match(x.name)):
        return Rank.MASS
    if kind in ("parameter", "symbol") and x.name == _GRAVITY:
        return Rank.GRAVITY
    if kind not in ("parameter", "symbol", "standard"):
        return Rank.COORDINATE
    return Rank.LAPLACE if (kind, x.name) == ("symbol", "s") else Rank.PARAMETER


def ranks(order: list[Expr], masses: Collection[Expr] = ()) -> dict[int, Rank]:
    """The rank of every node, by its id; operands come first in `order`."""
    rank_of: dict[int, Rank] = {}
    plain: dict[int, bool] = {}  # nothing but numbers and parameters below
    for node in order:
        plain[id(node)] = all(plain.get(id(arg), True) for arg in node.args)
        if node.op == SYMBOL:
            rank = symbol_rank(node, masses)
            plain[id(node)] = rank <= Rank.PARAMETER
        elif not node.args or (node.op == "sqrt" and node.args[0].op == NUMBER):
            rank = Rank.CONSTANT
        elif node.op in (ADD, SUB, NEG):
            heavy = all(rank_of.get(id(arg)) == Rank.MASS for arg in node.args)
            rank = Rank.MASS if heavy else Rank.PARAMETERS if plain[id(node)] else Rank.SUM
        else:
            scaled = node.op == MUL and node.args[0].op == NUMBER and rank_of.get(id(node.args[1])) == Rank.MASS
            rank = Rank.MASS if scaled else Rank.FUNCTION
        rank_of[id(node)] = rank
    return rank_of


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts q2 before q10."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", text)
    return tuple((0, int(part), part) if part[0] in "0123456789" else (1, 0, part) for part in parts)


def symbol_key(x: Expr) -> tuple[Any, ...]:
    """Latin names before Greek ones, each in alphabetical order."""
    return is_greek(x.name), natural(spelled(x))


def factor_key(base: Expr, exponent: int, rank: Rank, body: str) -> tuple[Any, ...]:
    """Sort key of a factor in a product; `body` is its plain text."""
    return rank, symbol_key(base) if base.op == SYMBOL else (True, natural(body)), -exponent


def term_key(keys: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Sort key of a term, from those of its factors: its class, what it is of, then its coefficient."""
    degree: dict[Rank, int] = {}
    for rank, _, power in keys:
        degree[rank] = degree.get(rank, 0) - power
    of: tuple[Rank, ...] = ()
    if degree.get(Rank.ACCELERATION):
        group, of = 0, (Rank.ACCELERATION,)
    elif degree.get(Rank.SPEED):
        group, of = 1 if degree[Rank.SPEED] > 1 else 2, (Rank.SPEED,)
    elif degree.get(Rank.EFFORT):
        group, of = 5, (Rank.EFFORT,)
    elif degree.get(Rank.LAPLACE):
        return 3, [(power, name) for rank, name, power in keys if rank == Rank.LAPLACE], False, keys
    elif any(rank > Rank.LAPLACE for rank in degree):
        group, of = 3, (Rank.COORDINATE, Rank.FUNCTION, Rank.SUM)
    else:
        group = 4
    return group, [key for key in keys if key[0] in of], not keys, keys
