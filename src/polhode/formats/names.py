"""What a name means in an expression, and how to spell a symbol so that it means the same when read again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..errors import FormatError, suggestion
from ..expr import Expr, pi, symbol
from ..expr.opaque.function import Opaque
from ..model import Model, System

_WORD = re.compile(r"[^\W\d]\w*\Z")
_KIND_OF = {
    "q": "coordinate", "u": "speed", "tau": "effort", "parameter": "parameter", "input": "input", "state": "state",
}  # fmt: skip
_ACCESSOR_OF = {kind: accessor for accessor, kind in _KIND_OF.items()}
_TRUTH_WORDS = {"yes", "no", "on", "off", "true", "false"}
_NOT_FINITE = {"nan", "inf", "infinity"}


@dataclass
class Naming:
    """Names for subexpressions of a file: a long part of a text is written separately, once."""

    texts: dict[str, str] = field(default_factory=dict)  # what the file says, in the order of its making
    known: dict[int, str] = field(default_factory=dict)  # the names of nodes, which are interned

    def name_of(self, node: Expr, text: str, scope: Scope) -> str:
        """The name of a node, which is recorded at its first use."""
        if id(node) not in self.known:
            number = len(self.texts) + 1
            while scope.knows(f"part_{number}") or f"part_{number}" in self.texts:
                number += 1
            self.known[id(node)] = f"part_{number}"
            self.texts[f"part_{number}"] = text
        return self.known[id(node)]


@dataclass(frozen=True)
class Scope:
    """The names that an expression may use, by kind; a bare name is a parameter, input, coordinate or state.

    A speed with the name of a coordinate is written u(name) or name'. Names of the model hide `t` and `pi`, which
    remain as time() and pi(); arguments of a law (`own`) hide both. A lenient scope accepts unknown names.
    """

    tables: Mapping[str, Mapping[str, Expr]] = field(default_factory=dict)  # kind -> name -> symbol
    now: Expr | None = None
    lenient: bool = False
    functions: Mapping[str, Opaque] = field(default_factory=dict)  # the model's tables
    own: Mapping[str, Expr] = field(default_factory=dict)  # the arguments of a law
    expressions: Mapping[str, Expr] = field(default_factory=dict)  # those that the model file names
    naming: Naming | None = None  # where they are made, while a file is written

    def named(self, name: str) -> Expr:
        """The symbol of a bare name."""
        if name in self.own:
            return self.own[name]
        if name in self.expressions:
            return self.expressions[name]
        kinds = [kind for kind in ("parameter", "input", "coordinate", "state") if name in self._table(kind)]
        if len(kinds) > 1:
            message = f"{name!r} is {' and '.join(('an ' if kind == 'input' else 'a ') + kind for kind in kinds)}."
            cure = "Write " + " or ".join(f"{_ACCESSOR_OF[kind]}({quoted(name)})" for kind in kinds) + "."
            raise FormatError(message, cure=cure)
        kind = kinds[0] if kinds else "speed"
        if name in self._table(kind):
            return self._table(kind)[name]
        if name == "pi":
            return pi
        if name == "t" and self.now is not None:
            return self.now
        if name.endswith("'") and name[:-1] in self._table("coordinate"):
            return self.accessed("u", name[:-1])
        if self.lenient:
            return symbol(name)
        raise self._unknown(name)

    def accessed(self, accessor: str, name: str) -> Expr:
        """The symbol behind q(name), u(name), tau(name), parameter(name), input(name) or state(name)."""
        kind = _KIND_OF[accessor]
        table = self._table(kind)
        if name in table:
            return table[name]
        if self.lenient:
            return symbol(name, kind)
        raise FormatError(f"there is no {kind} {name!r} to be used here.", cure=_suggestion(name, table))

    def time(self) -> Expr:
        """The time, where it may be used."""
        if self.now is None:
            raise FormatError("the time cannot be used here.", cure="Use numbers and parameters.")
        return self.now

    def knows(self, name: str) -> bool:
        """Whether a bare name or a table's name means something here."""
        return any(name in names for names in (self.own, self.expressions, self.functions, *self.tables.values()))

    def spell(self, leaf: Expr) -> str:
        """A symbol as it must be written here."""
        kind, name = leaf.data[0], leaf.name
        if self.own.get(name) is leaf:
            return quoted(name)
        if leaf is self.now:
            return "t" if self._means("t", leaf) else "time()"
        if kind not in _ACCESSOR_OF or self._table(kind).get(name) is not leaf:
            message = f"{kind} '{name}' does not belong to the system."
            raise FormatError(
                message, cure="Declare it with system.parameter or system.input.", code="E-MODELFILE-WRITE"
            )
        return quoted(name) if self._means(name, leaf) else f"{_ACCESSOR_OF[kind]}({quoted(name)})"

    def function(self, name: str) -> Opaque | None:
        """The table of this name, if there is one."""
        return self.functions.get(name)

    def spell_function(self, function: Opaque) -> str:
        """A table's name as it must be written here."""
        for name, table in self.functions.items():
            if table.digest == function.digest:
                return quoted(name)
        message = f"function '{function.label}' cannot be written to a model file."
        cure = "A model file holds tables; keep what is written in C or Python in your program."
        raise FormatError(message, cure=cure, code="E-MODELFILE-WRITE")

    def spell_pi(self) -> str:
        """The number π as it must be written here."""
        return "pi" if self._means("pi", pi) else "pi()"

    def _means(self, name: str, leaf: Expr) -> bool:
        try:
            return self.named(name) is leaf
        except FormatError:
            return False

    def _table(self, kind: str) -> Mapping[str, Expr]:
        return self.tables.get(kind, {})

    def _unknown(self, name: str) -> FormatError:
        if name.lower() in _TRUTH_WORDS:
            return FormatError(f"{name!r} is not a number.", cure="Write 0 or 1.")
        if name.lower() in _NOT_FINITE:
            return FormatError(f"{name!r} is not a finite number.", cure="Give a finite number.")
        names = [*self.own, *self.expressions, *(key for table in self.tables.values() for key in table)]
        message = f"there is nothing called {name!r} to be used here."
        if self.now is None:
            return FormatError(message, cure=_suggestion(name, names))
        alone = "Only the time, t, and numbers can be used here."
        return FormatError(message, cure=_suggestion(name, [*names, "t"] if names else [], alone))


def scope_of(system: System | Model, *kinds: str, now: bool = False, lenient: bool = False) -> Scope:
    """The names of a system, of these kinds (of all, if none is listed)."""
    joints = (system.model() if isinstance(system, System) else system).joints.values()
    tables: dict[str, dict[str, Expr]] = {
        "parameter": {key: parameter.symbol for key, parameter in system.parameters.items()},
        "input": {key: record.symbol for key, record in system.inputs.items()},
        "state": {key: state.symbol for key, state in system.states.items()},
        "coordinate": {q.name: q for joint in joints for q in joint.q},
        "speed": {u.name: u for joint in joints for u in joint.u},
        "effort": {tau.name: tau for joint in joints for tau in joint.tau},
    }
    chosen = {kind: tables[kind] for kind in kinds or tables}
    return Scope(chosen, system.time if now else None, lenient)


def quoted(name: str) -> str:
    """A name as an expression writes it: as it is, or in backquotes."""
    return name if _WORD.match(name) else "`" + name.replace("`", "``") + "`"


def _suggestion(name: str, names: Iterable[str], alone: str = "Only numbers can be used here.") -> str:
    spelled_names = [quoted(n) for n in names]
    return suggestion(quoted(name), spelled_names, "" if spelled_names else alone, str)
