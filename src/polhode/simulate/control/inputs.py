"""Efforts and inputs as they are given: numbers, expressions, samples and Python functions, by name or all at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import PolhodeError, shown, suggestion, understood
from ..initial_state import Floats, numbers, value_in_si
from .callables import Asked, Held, asked

if TYPE_CHECKING:
    from ...expr import Expr, Function
    from ...formalisms.derivation import Derivation

_SAMPLED = "Give sampled(times, values) or sampled(values, rate=…); for each member of a batch, vary its start as well."


@dataclass(frozen=True, eq=False)
class Signal:
    """Values by name: what is constant, the laws that some follow, by column, and the functions that give others."""

    what: str
    names: tuple[str, ...]
    constant: Floats
    laws: Mapping[int, Expr] = field(default_factory=dict)
    asked: tuple[Asked, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether nothing changes while a run goes on."""
        return not self.laws and not self.asked


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads what a user gave for values of these names; `also` are other words for some of them."""

    derivation: Derivation
    what: str
    names: tuple[str, ...]
    default: Floats
    also: Mapping[str, str]

    def signal(self, given: Any) -> Signal:
        if given is None or isinstance(given, int | float | np.ndarray):
            return Signal(self.what, self.names, self.constants(given))
        from ...expr import Expr, Function

        if isinstance(given, Held) or (callable(given) and not isinstance(given, Function)):
            every = tuple(range(len(self.names)))
            whole = asked(given, f"the controller of {self.what}", every, self.constants)
            return Signal(self.what, self.names, self.default, asked=(whole,))
        if isinstance(given, str | Expr | Function) and len(self.names) == 1:
            given = {self.names[0]: given}
        elif isinstance(given, list | tuple) and any(_varies(value) for value in given):
            given = dict(zip(self.names, self._as_many(given), strict=True))
        if not isinstance(given, Mapping):
            return Signal(self.what, self.names, self.constants(given))
        return self._by_name(given)

    def _by_name(self, given: Mapping[Any, Any]) -> Signal:
        from ...expr import Expr

        values, laws, functions = self.default.copy(), {}, []
        for key, value in given.items():
            column = self._column(key)
            made = self._read(key, value)
            if isinstance(made, Expr) and not made.is_number:
                laws[column] = made
            elif isinstance(made, Held) or (callable(made) and not isinstance(made, Expr)):
                words = f"the function of '{key}' in {self.what}"
                functions.append(asked(made, words, (column,), partial(self._number, key)))
            else:
                values[column] = self._number(key, float(made.data) if isinstance(made, Expr) else made)[0]
        return Signal(self.what, self.names, values, laws, tuple(functions))

    def _read(self, key: str, value: Any) -> Any:
        """One value as an expression, a function, or what should be a number."""
        from ...expr import Function
        from ...expr.calls import samples_of

        place = f"{self.what} '{key}'"
        with understood("a value in time", value, place=place):
            read = value_in_si(self.derivation, value, self.what.removesuffix("s").replace("tau", "effort"), key)
            if read is not value:
                return float(read)
            if isinstance(value, str):
                from ...formats.texts import expression_of

                return expression_of(value, self.derivation.model)
            if isinstance(value, tuple) and len(value) == 2 and all(np.ndim(part) > 0 for part in value):
                value = samples_of(*value, "linear", str(key), place)
            if isinstance(value, Function):
                return self._in_time(value, place)
        if np.ndim(value) > 0 and not callable(value):
            raise PolhodeError(
                f"{shown(value)} has no times.", place=place, cure=_SAMPLED, code="E-INPUT-020"
            )  # fmt: skip
        return value

    def _in_time(self, function: Function, place: str) -> Expr:
        """A table or a user's function at the time."""
        if function.opaque.arity != 1:
            raise PolhodeError(
                f"'{function.name}' takes {function.opaque.arity} arguments, and the time is one.",
                place=place,
                cure="Give a function of time, or call it: f(system.time, …).",
                code="E-INPUT-021",
            )
        made: Expr = function(self.derivation.model.time)
        return made

    def constants(self, given: Any) -> Floats:
        """Numbers for all names, from a mapping or from as many of them."""
        if given is None:
            return self.default
        if isinstance(given, Mapping):
            values = self.default.copy()
            for key, value in given.items():
                values[self._column(key)] = self._number(key, value)[0]
            return values
        if np.ndim(given) == 0 and len(self.names) == 1:
            given = [given]
        values = numbers(given, len(self.names), self.what)
        if not np.isfinite(values).all():
            raise PolhodeError(
                f"the value of '{self.names[int(np.argmin(np.isfinite(values)))]}' is not finite.",
                place=self.what,
                code="E-SIM-006",
            )
        return values

    def _number(self, key: str, value: Any) -> Floats:
        values = numbers([value], 1, f"{self.what} '{key}'")
        if not np.isfinite(values).all():
            raise PolhodeError(f"the value of '{key}' is not finite.", place=self.what, code="E-SIM-006")
        return values

    def _column(self, key: Any) -> int:
        name = self.also.get(key, key) if isinstance(key, str) else key
        if name not in self.names:
            name = self._as_written(key)
        if name is None:
            raise PolhodeError(
                f"there is no '{key}' in {self.what}.",
                cure=suggestion(key, (*self.names, *self.also)),
                code="E-SIM-007",
            )
        return self.names.index(name)

    def _as_written(self, key: Any) -> str | None:
        """The name of the effort or input that is given by its symbol, or an effort as it is written, `tau_<speed>`."""
        from ...expr import Expr, symbol
        from ...laws.controls import control_names

        kind = "effort" if self.what == "tau" else "input"
        if isinstance(key, str):
            key = control_names([symbol(name, kind) for name in self.names], self.also).get(key)
        is_one = isinstance(key, Expr) and key.data[:1] == (kind,) and key.name in self.names
        return str(key.name) if is_one else None

    def _as_many(self, given: list[Any] | tuple[Any, ...]) -> list[Any] | tuple[Any, ...]:
        if len(given) != len(self.names):
            numbers(np.zeros(len(given)), len(self.names), self.what)
        return given


def read_efforts(derivation: Derivation, given: Any) -> Signal:
    """What a user gave as `tau`: by the names of speeds, or of joints that have one speed."""
    known = derivation.synopsis
    return _Reader(derivation, "tau", known.efforts, np.zeros(len(known.efforts)), known.joints).signal(given)


def read_inputs(derivation: Derivation, given: Any, default: Floats) -> Signal:
    """What a user gave as `inputs`, with what the model has for those that are not given."""
    return _Reader(derivation, "inputs", tuple(derivation.synopsis.inputs), default, {}).signal(given)


def _varies(value: Any) -> bool:
    from ...expr import Expr, Function

    return isinstance(value, str | Expr | Function | Held) or callable(value)
