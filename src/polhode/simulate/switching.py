"""Rates that jump: what in a mechanism makes them, in words, and native code in which their signs are fixed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..codegen.ir.program import Program
from ..codegen.passes.switches import Divided, Switched, divided, switched
from ..compiled.functions import Functions
from ..compiled.quantities import Asked
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.synopsis import JUMPING
from ..expr import Expr, evaluate, substitute, topological
from ..expr.node import CALL
from ..model.expressions import acting_parts, expressions_in, expressions_of
from ..native.compiled import Compiled
from ..ode.native_events import Effect
from .initial_state import Floats

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
        for words, part in (*acting_parts(functions.equations.system), *_laws(functions))
        for argument in dict.fromkeys(_arguments(expressions_in(part)))
    ]


def has_tables(functions: Functions) -> bool:
    """Whether some part of a system, or a law, reads a table or calls a function of a user's own."""
    laws = [law for _, law in _laws(functions)]
    return any(node.op == CALL for node in topological([*expressions_of(functions.equations.system), *laws]))


def _laws(functions: Functions) -> list[tuple[str, Expr]]:
    """The laws that functions were given, in words."""
    given = functions.laws.given.items() if functions.laws else ()
    return [(f"the law of {symbol.data[0]} '{symbol.name}'", law) for symbol, law in given]


def _arguments(expressions: Iterable[Expr]) -> Iterator[Expr]:
    """What is zero where values or derivatives jump: the argument of a sign, the difference of two values."""
    for node in topological(list(expressions)):
        if node.op in JUMPING:
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


#: Programs and native code that were made of functions before.
_MADE: WeakKeyDictionary[Functions, dict[Any, Any]] = WeakKeyDictionary()


def _once(functions: Functions, key: Any, make: Callable[[], Any]) -> Any:
    """What `make` returned for these functions before."""
    made = _MADE.setdefault(functions, {})
    if key not in made:
        made[key] = make()
    return made[key]


def _switched(functions: Functions, name: Asked) -> Switched | None:
    found: Switched | None = _once(functions, (name, "signs"), lambda: switched(functions.program(name)))
    return found


class FixedSigns:
    """A native function of the catalogue with its signs as they are in `modes`, called as the function itself is."""

    def __init__(self, functions: Functions, made: Switched, parameters: Floats) -> None:
        self.smooth = _compiled(functions, made.smooth, parameters)
        self.values = _compiled(functions, made.values, parameters)
        self.arrays = self.smooth.arrays[:-1]
        self.depends_on = made.depends_on
        self.modes = np.zeros(made.count)

    def __call__(self, *arrays: Floats) -> Any:
        return self.smooth(*arrays, self.modes)


def _compiled(functions: Functions, program: Program, parameters: Floats) -> Compiled:
    """Native code of a program that is kept."""
    found: Compiled = _once(functions, id(program), lambda: functions.compiled(program))
    return found.with_parameters(parameters)


class Located:
    """Where native code divides steps: zeros of what signs in the rates are of, corners of tables, and kinks.

    `smooth` are the rates with tables that are read between bounds; None where no table of the state has corners.
    """

    def __init__(self, functions: Functions, name: Asked, parameters: Floats, signs: FixedSigns | None) -> None:
        made = None if signs is None else _switched(functions, name)
        program, slots = (functions.program(name), ()) if made is None else (made.smooth, made.values.outputs[0].slots)
        found: Divided = _once(functions, (name, "divided", signs is None), lambda: divided(program, slots))
        self.signs, self.kinks, self.corners = len(slots), found.kinks, found.corners
        self.count = self.signs + len(self.corners) + self.kinks
        self.values = _compiled(functions, found.values, parameters) if self.count else None
        self.smooth = _compiled(functions, found.smooth, parameters) if self.corners else None

    @property
    def effects(self) -> list[Effect]:
        """The switches, corners and kinks, as native code locates them."""
        corners = [Effect(corners=each.knots, extent=each.extent, jumps=bool(each.jumping)) for each in self.corners]
        return [*[Effect(is_switch=True)] * self.signs, *corners, *[Effect(is_kink=True)] * self.kinks]


def with_fixed_signs(functions: Functions, name: Asked, parameters: Floats) -> FixedSigns | None:
    """The function with its signs fixed; None where it has none."""
    if not _once(functions, "sources", lambda: bool(sources(functions))):
        return None
    made = _switched(functions, name)
    return None if made is None else FixedSigns(functions, made, parameters)
