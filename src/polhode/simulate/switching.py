"""Rates that jump: what in a mechanism makes them, in words, and native code in which their signs are fixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from ..codegen.passes.switches import Switched, switched
from ..compiled.functions import Functions
from ..dynamics.equations import EquationsOfMotion
from ..expr import Expr, evaluate, substitute, topological
from ..expr.node import CALL
from ..model.model import Model
from .initial_state import Floats

#: Operations whose value or derivative jumps, and where: at the zero of a sign's or an absolute value's argument, and
#: where two values are equal.
_JUMPING = ("sign", "abs", "min", "max")
#: A value this near to zero is at its jump.
_NEAR = 1e-6


@dataclass(frozen=True, eq=False)
class Source:
    """A part of the model, in words, and an expression at whose zeros it jumps."""

    words: str
    argument: Expr


def sources(functions: Functions) -> list[Source]:
    """All parts of a system, and all laws, that can make its rates jump."""
    return [
        Source(words, argument)
        for words, part in (*_parts(functions.equations.system), *_laws(functions))
        for argument in dict.fromkeys(_arguments(_expressions(part)))
    ]


def has_tables(functions: Functions) -> bool:
    """Whether some part of a system, or a law, reads a table or calls a function of a user's own."""
    laws = [law for _, law in _laws(functions)]
    return any(node.op == CALL for node in topological([*expressions_of(functions.equations.system), *laws]))


def expressions_of(system: Model) -> list[Expr]:
    """The expressions of all parts of a system that act on it."""
    return [expression for _, part in _parts(system) for expression in _expressions(part)]


def _laws(functions: Functions) -> list[tuple[str, Expr]]:
    """The laws that functions were given, in words."""
    given = functions.laws.given.items() if functions.laws else ()
    return [(f"the law of {symbol.data[0]} '{symbol.name}'", law) for symbol, law in given]


def _parts(system: Model) -> Iterator[tuple[str, Any]]:
    for each in system.acting:
        yield f"the {each.element.place}", each.loads
    for name, state in system.states.items():
        yield f"the rate of state '{name}'", state.rate
    for prescribed in system.prescribed.values():
        yield f"the prescribed motion of '{prescribed.coordinate}'", prescribed
    for name, constraint in system.constraints.items():
        yield f"the constraint '{name}'", constraint
    yield "gravity", system.gravity


def _expressions(part: Any) -> Iterator[Expr]:
    """The expressions in a record."""
    if isinstance(part, Expr):
        yield part
    elif isinstance(part, Mapping):
        for entry in part.values():
            yield from _expressions(entry)
    elif isinstance(part, list | tuple):
        for entry in part:
            yield from _expressions(entry)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _expressions(getattr(part, field.name))


def _arguments(expressions: Iterable[Expr]) -> Iterator[Expr]:
    for node in topological(list(expressions)):
        if node.op in _JUMPING:
            yield node.args[0] if len(node.args) == 1 else node.args[0] - node.args[1]


def at_the_jump(found: Iterable[Source], equations: EquationsOfMotion, known: Mapping[Expr, float]) -> str:
    """The sources whose expressions are zero where the values are known, in words; all where none can be told."""
    near, rest = [], []
    for source in found:
        (argument,) = substitute([source.argument], equations.tree.followed)
        (argument,) = equations.in_independent_speeds([argument])
        try:
            (value,) = evaluate([argument], known)
        except (KeyError, ArithmeticError, ValueError):
            rest.append(source)
        else:
            if abs(value) <= _NEAR:
                near.append(source)
    named = dict.fromkeys(source.words for source in near or rest or found)
    return " or ".join(named)


class FixedSigns:
    """A native function of the catalogue with its signs as they are in `modes`, called as the function itself is."""

    def __init__(self, functions: Functions, made: Switched, parameters: Floats) -> None:
        self.smooth = functions.compiled(made.smooth).with_parameters(parameters)
        self.values = functions.compiled(made.values).with_parameters(parameters)
        self.arrays = self.smooth.arrays[:-1]
        self.depends_on = made.depends_on
        self.modes = np.zeros(made.count)

    def __call__(self, *arrays: Floats) -> Any:
        return self.smooth(*arrays, self.modes)


def with_fixed_signs(functions: Functions, name: str, parameters: Floats) -> FixedSigns | None:
    """The function with its signs fixed; None where it has none."""
    if not sources(functions):
        return None
    made = switched(functions.program(name))
    return None if made is None else FixedSigns(functions, made, parameters)
