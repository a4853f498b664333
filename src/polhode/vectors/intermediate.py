"""Intermediate variables: what Sayers writes « », scalar expressions replaced by names, (9).

The graph shares what is computed twice by itself; names are for a reader, and for expressions to be written further by
hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

from ..expr import Expr, substitute, symbol
from ..expr.node import NEG, NUMBER, SYMBOL
from .arrow import Arrow
from .scene import Axis


@dataclass(frozen=True)
class Named:
    """An arrow with names for its coefficients, and what the names stand for."""

    arrow: Arrow
    meaning: Mapping[Expr, Expr]

    def unnamed(self) -> Arrow:
        """The arrow with the names replaced by what they stand for."""
        spelled = substitute(self.arrow.terms.values(), self.meaning)
        return Arrow(self.arrow.system, dict(zip(self.arrow.terms, spelled, strict=True)))


def named(arrow: Arrow, letter: str = "Z", first: int = 1, known: Mapping[Expr, Expr] | None = None) -> Named:
    """« arrow »: each coefficient that is more than a number or a symbol becomes a name, equal ones the same; (9).

    `known` are names given before, which are used again.

    >>> import polhode as ph
    >>> s = ph.System()
    >>> A = s.body("A")
    >>> q = s.joint("q", s.ground, A, ph.Revolute("x"), speeds=["u"]).q[0]
    >>> short = named(s.ground.y.express(A))
    >>> short.arrow, short.meaning
    (Z1*a_y - Z2*a_z, {Z1: cos(q), Z2: sin(q)})
    """
    meaning = dict(known or {})
    names = {expression: name for name, expression in meaning.items()}
    taken = {name.name for name in meaning}
    fresh = (name for name in (f"{letter}{number}" for number in count(first)) if name not in taken)
    terms: dict[Axis, Expr] = {}
    for axis, coefficient in arrow.terms.items():
        size = coefficient.args[0] if coefficient.op == NEG else coefficient
        if size.op not in (NUMBER, SYMBOL):
            if size not in names:
                names[size] = symbol(next(fresh), "intermediate")
                meaning[names[size]] = size
            size = names[size]
        terms[axis] = -size if coefficient.op == NEG else size
    return Named(Arrow(arrow.system, terms), meaning)
