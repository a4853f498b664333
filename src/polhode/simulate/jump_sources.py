"""What in a mechanism can make its rates jump, in words: signs, and the kinks whose derivatives are signs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..expr import Expr, evaluate, substitute, topological
from ..expr.node import CALL
from ..model.model import Model

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


def sources(system: Model) -> list[Source]:
    """All parts of a system that can make its rates jump."""
    return [
        Source(words, argument)
        for words, part in _parts(system)
        for argument in dict.fromkeys(_arguments(_expressions(part)))
    ]


def has_tables(system: Model) -> bool:
    """Whether some part of a system reads a table, or calls a function of a user's own."""
    return any(node.op == CALL for _, part in _parts(system) for node in topological(list(_expressions(part))))


def _parts(system: Model) -> Iterator[tuple[str, Any]]:
    for each in system.acting:
        yield f"the {each.element.words}", each.loads
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
        (argument,) = equations.bound([argument])
        try:
            (value,) = evaluate([argument], known)
        except (KeyError, ArithmeticError, ValueError):
            rest.append(source)
        else:
            if abs(value) <= _NEAR:
                near.append(source)
    named = dict.fromkeys(source.words for source in near or rest or found)
    return " or ".join(named)
