"""Intermediate variables: what Sayers writes « », scalar expressions replaced by names, (9).

The graph shares what is computed twice by itself; names are for a reader, and for expressions to be written further by
hand. In one system a name stands for one value: what was named before keeps its name, and a new value gets a new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from ...errors import PolhodeError, check_kind, shown, understood, whole_number
from ...expr import Expr, free_symbols, substitute, symbol
from ...expr.node import NEG, NUMBER, SYMBOL
from ...model.builder import Builder
from .arrow import Arrow
from .combination import Combination
from .dyadic import Dyadic

Kind = TypeVar("Kind", Arrow, Dyadic)

#: The names that were given in each system, with what they stand for.
_meanings: WeakKeyDictionary[Builder, dict[Expr, Expr]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Named(Generic[Kind]):
    """An arrow or a dyadic with names for its coefficients, and what the names stand for."""

    arrow: Kind
    meaning: Mapping[Expr, Expr]

    def unnamed(self) -> Kind:
        """The arrow with all names replaced by their meanings."""
        terms: Mapping[Any, Expr] = self.arrow.terms
        spelled = list(terms.values())
        while any(x in self.meaning for x in free_symbols(spelled)):
            spelled = substitute(spelled, self.meaning)
        return type(self.arrow)(self.arrow.system, dict(zip(terms, spelled, strict=True)))


def named(arrow: Kind, letter: str = "Z", first: int = 1, known: Mapping[Expr, Expr] | None = None) -> Named[Kind]:
    """« arrow »: each coefficient that is more than a number or a symbol becomes a name, equal ones the same; (9).

    An arrow or a dyadic. In a system a name stands for one value, whatever is named after it, and for nothing of the
    model. `known` are names from elsewhere that are used as well; `first` is the first number to be tried.

    >>> import polhode as ph
    >>> s = ph.System()
    >>> A = s.body("A")
    >>> q = s.joint("q", s.ground, A, ph.Revolute("x"), speeds=["u"]).q[0]
    >>> short = named(s.ground.y.express(A))
    >>> short.arrow, short.meaning
    (Z1*a_y - Z2*a_z, {Z1: cos(q), Z2: sin(q)})
    """
    check_kind(Combination, "an arrow or a dyadic", arrow, "named", "Give one, such as 3 * A.x.")
    whole_number(first, "a whole number, 0 or more", least=0, place="named first")
    with understood("names and what they stand for", known, place="named known", cure="Give {symbol: expression}."):
        if not isinstance(known, Mapping | None) or any(not isinstance(name, Expr) for name in known or ()):
            raise TypeError
    saved: dict[Expr, Expr] = _meanings.setdefault(arrow.system, {})
    meaning: dict[Expr, Expr] = dict(known or {})
    for name, expression in meaning.items():
        if saved.setdefault(name, expression) != expression:
            message = f"'{name.name}' stands for {shown(saved[name])} already, and not for {shown(expression)}."
            raise PolhodeError(message, "named", "Give the other expression another name.", "E-MODEL-TWICE")
    names = {expression: name for name, expression in saved.items()}
    taken = {*_names_of(arrow.system), *(name.name for name in (*saved, *free_symbols(arrow.terms.values())))}
    fresh = (name for name in (f"{letter}{number}" for number in count(first)) if name not in taken)
    terms: dict[Any, Expr] = {}
    for axis, coefficient in arrow.terms.items():
        size = coefficient.args[0] if coefficient.op == NEG else coefficient
        if size.op not in (NUMBER, SYMBOL):
            if size not in names:
                names[size] = symbol(next(fresh), "intermediate")
                saved[names[size]] = size
            meaning[names[size]] = size
            size = names[size]
        terms[axis] = -size if coefficient.op == NEG else size
    while older := [x for x in free_symbols([*terms.values(), *meaning.values()]) if x in saved and x not in meaning]:
        meaning |= {name: saved[name] for name in older}  # with the meanings of the names used before
    return Named(type(arrow)(arrow.system, terms), meaning)


def _names_of(system: Builder) -> set[str]:
    """Names of the symbols of a model."""
    tables = (system.parameters, system.inputs, system.states)
    moving = (x.name for joint in system.model().joints.values() for x in (*joint.q, *joint.u))
    return {*moving, *(name for table in tables for name in table)}
