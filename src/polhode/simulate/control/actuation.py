"""What acts on a run: efforts and inputs, those that are plain numbers inside a step, and those that follow laws.

Laws are inside the native code of the rates (`compiled.closed_loop`), which takes the plain values as arrays:
constants, values that are held until the next break, and those that a Python function gives at every evaluation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.functions import Functions
from ...errors import LimitError, PolhodeError, check_kind, number, shown, suggestion, understood
from ..initial_state import Floats, numbers, value_in_si
from ..trajectory.record import Record

if TYPE_CHECKING:
    from ...compiled.closed_loop import Laws
    from ...expr import Expr, Function
    from ...expr.opaque.table import Table
    from ...formalisms.derivation import Derivation
    from ...model import Model
    from .sampled_law import SampledLoop

#: A time this near to a break, as a part of the run, is at it.
_ROUNDING = 1e-13


class Actuation:
    """Efforts and inputs of one run."""

    def __init__(self, functions: Functions, parameters: Mapping[str, Any] | None, tau: Signal, inputs: Signal) -> None:
        known = functions.derivation.synopsis
        self.functions, self.parameters = functions, parameters
        self.efforts = len(tau.names)
        self.coordinates, self.speeds = len(known.coordinates), len(known.speeds)
        self.values = np.concatenate([tau.constant, inputs.constant])
        self.tau, self.inputs = self.values[: self.efforts], self.values[self.efforts :]  # views
        self.names = (*(f"effort '{name}'" for name in tau.names), *(f"input '{name}'" for name in inputs.names))
        given = self._columns(tau, inputs)
        self.laws: Laws | None = None
        if tau.laws or inputs.laws:
            from ...compiled.closed_loop import laws_of

            equations = functions.equations
            symbols = [*equations.tau, *(each.symbol for each in self.system.inputs.values())]
            found = {**tau.laws, **{self.efforts + column: law for column, law in inputs.laws.items()}}
            self.laws = laws_of(equations, {symbols[column]: found[column] for column in sorted(found)})
        self._asked = [(each, columns) for each, columns in given if each.every is None]
        self._held = [[each, columns, 0] for each, columns in given if each.every is not None]
        self._latest: tuple[float, Floats] | None = None
        self._last = np.inf  # the latest time at which something acts, where there is a break at the end
        self.begun: list[tuple[Floats, Floats, Floats, Floats]] = []  # rows for pieces: t, t before, x, values
        self.sampled: SampledLoop | None = None

    def _columns(self, tau: Signal, inputs: Signal) -> list[tuple[Asked, Any]]:
        """The functions that are asked, each with the columns of all values that it gives."""
        pairs = ((tau, 0), (inputs, self.efforts))
        return [(each, np.array(each.columns) + first) for signal, first in pairs for each in signal.asked]

    @property
    def system(self) -> Model:
        """The mechanism that is driven."""
        return self.functions.derivation.model

    @property
    def is_asked(self) -> bool:
        """Whether a Python function is asked at every evaluation."""
        return bool(self._asked)

    @property
    def asked_columns(self) -> list[int]:
        """The columns that such functions give."""
        return sorted(int(column) for _, columns in self._asked for column in columns)

    def driving(self, functions: Functions) -> Functions:
        """Functions of the same mechanism with the laws in them."""
        return functions if self.laws is None else functions.driven(self.laws)

    # ---- in time ---------------------------------------------------------------------------------------------

    def breaks(self, end: float) -> Breaks:
        """The times at which held values change, and the knots of all tables of time."""
        clocks = [sample_times(each.every, end, each.words) for each, _, _ in self._held]
        clocks += [] if self.sampled is None else self.sampled.clocks
        found = breaks_at([*clocks, *self._knots()], end)
        if self.sampled is not None:
            self.sampled.connect(self.values, self.names, found)
        self._last = float(found.before[-1]) if len(found) and found.times[-1] >= end else np.inf
        return found

    def _knots(self) -> list[Floats]:
        """The knots of all tables of time, in the model and in laws."""
        expressions = [] if self.laws is None else [*self.laws.given.values()]
        if not self.functions.derivation.synopsis.is_smooth:
            from ...model.expressions import expressions_of

            expressions += expressions_of(self.system)
        if not expressions:
            return []
        return [np.array(table.pieces.knots[0]) for table in tables_of_time(expressions, self.system.time)]

    def begin(self, number: int, t: float, before: float, x: Floats, slack: float) -> None:
        """Ask what is held and due behind a break, and note the state: from here on it acts until the next one."""
        for entry in self._held:
            each, columns, count = entry
            if count * each.every <= t + slack:
                entry[2] = round(t / each.every) + 1
                self.values[columns] = each(round(t / each.every) * each.every, *self._parts(x))
        if self.sampled is not None:
            self.sampled.begin(number, x)
        self._latest = None
        self.begun.append((np.array([t]), np.array([before]), np.array([x]), self.values[None, :].copy()))

    @property
    def is_held(self) -> bool:
        """Whether a Python function is asked at breaks."""
        return bool(self._held)

    def passed(self, first: int, t: Floats, before: Floats, x: Floats) -> None:
        """Note the states at breaks, from a first one on, that native code has passed."""
        values = np.tile(self.values, (len(t), 1))
        if self.sampled is not None:
            self.sampled.passed(first, values)
        self.begun.append((t, before, x, values))

    def plain(self, t: float, x: Floats) -> tuple[Floats, Floats]:
        """Efforts and inputs but for those that follow laws; a function is asked once for a state."""
        if self._asked and not self._is_latest(t, x):
            parts = self._parts(x)
            for each, columns in self._asked:
                self.values[columns] = each(t, *parts)
            self._latest = t, x.copy()
        return self.tau, self.inputs

    def at(self, t: float, x: Floats) -> tuple[Floats, Floats]:
        """Efforts and inputs as they act."""
        given = self.plain(t, x)
        if self.laws is None:
            return given
        timed = (np.array([t]),) if "t" in self._acting.arrays else ()
        tau, inputs = self._acting(x, *given, *timed)
        return tau, inputs

    def failure(self, t: float, x: Floats) -> str:
        """The effort or input that is no finite number here, in words, if there is one."""
        try:
            values = np.concatenate(self.at(t, x))
        except ControllerFailed:
            return ""
        wrong = np.flatnonzero(~np.isfinite(values))
        return f"the law of {self.names[wrong[0]]} gave no finite number" if len(wrong) else ""

    @cached_property
    def _acting(self) -> Any:
        driven = self.driving(self.functions)
        return driven.native("actuation").with_parameters(driven.parameter_values("actuation", self.parameters))

    def _is_latest(self, t: float, x: Floats) -> bool:
        return self._latest is not None and t == self._latest[0] and np.array_equal(x, self._latest[1])

    def _parts(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Coordinates, speeds, and states without mass."""
        first, second = self.coordinates, self.coordinates + self.speeds
        return x[:first], x[first:second], x[second:]

    # ---- afterwards ------------------------------------------------------------------------------------------

    def notices(self, end: float, of_controller: Collection[Expr] = ()) -> list[str]:
        """A sentence for each law whose samples do not reach as far as the run, but for those of a controller."""
        given = self.laws.given.items() if self.laws else ()
        laws = {symbol: law for symbol, law in given if symbol not in of_controller}
        return [
            told
            for symbol, law in laws.items()
            for told in beyond(f"the {symbol.data[0]} '{symbol.name}'", [law], self.system.time, end)
        ]

    def acted(self, record: Record) -> Acted:
        """All that is needed to tell what acted at any time of the run that is over."""
        begun = self.begun
        if not begun:
            begun = [(np.zeros(1), np.full(1, -np.inf), record.states[:1], self.values[None, :].copy())]
        times, before, states, values = (
            each[0] if len(each) == 1 else np.concatenate(each) for each in zip(*begun, strict=True)
        )
        columns = self.asked_columns
        recorded = record.actuation if columns else []
        return Acted(
            self.driving(self.functions),
            dict(self.parameters or {}),
            self.efforts,
            self._last,
            times,
            before,
            states,
            values,
            tuple(columns),
            np.array([t for t, _ in recorded]),
            np.array([values[columns] for _, values in recorded]).reshape(len(recorded), len(columns)),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Acted:
    """Efforts and inputs along a run that is over: held values and laws exactly, what Python gave as it was recorded.

    The pieces between breaks begin at `times`, with `states` and the plain `values` that hold from there on; `before`
    are the times at which the piece before still holds, and `last` is the latest time of all. Columns that a function
    gave at every evaluation are lines between what was `recorded`.
    """

    functions: Functions
    parameters: Mapping[str, Any]
    efforts: int
    last: float
    times: Floats
    before: Floats
    states: Floats
    values: Floats
    columns: tuple[int, ...]
    recorded_times: Floats
    recorded: Floats

    def __repr__(self) -> str:
        return f"Acted({self.values.shape[1]} efforts and inputs in {len(self.times)} pieces, until {self.last:g} s)"

    @property
    def jumps(self) -> bool:
        """Whether there is more than one piece."""
        return len(self.times) > 1

    @property
    def slack(self) -> float:
        """The time by which a sample may miss its break by rounding."""
        return _ROUNDING * max(1.0, float(self.times[-1]))

    def along(self, t: Floats, x: Floats) -> tuple[Floats, Floats]:
        """Efforts (T, efforts) and inputs (T, inputs) at times (T,) and states (T, n); at a break those that follow."""
        if not self.jumps and not self.columns and self.functions.laws is None:
            values = np.broadcast_to(self.values, (len(t), self.values.shape[1]))
            return values[:, : self.efforts], values[:, self.efforts :]
        piece = np.maximum(np.searchsorted(self.times - self.slack, t, side="right") - 1, 0)
        return self._of_pieces(np.maximum(t, self.times[piece]), x, piece)

    def before_breaks(self) -> tuple[Floats, Floats]:
        """The same at every break but the first, as long as the piece before it holds."""
        return self._of_pieces(self.before[1:], self.states[1:], np.arange(len(self.times) - 1))

    def _of_pieces(self, t: Floats, x: Floats, piece: Any) -> tuple[Floats, Floats]:
        plain = self.values[piece]
        for k, column in enumerate(self.columns):
            known = len(self.recorded_times) > 0
            plain[:, column] = np.interp(t, self.recorded_times, self.recorded[:, k], right=np.nan) if known else np.nan
        tau, inputs = plain[:, : self.efforts], plain[:, self.efforts :]
        if self.functions.laws is None or not len(t):
            return tau, inputs
        tau, inputs = self.functions.evaluate(
            "actuation", x, tau, inputs, t=np.minimum(t, self.last), parameters=self.parameters
        )
        return np.broadcast_to(tau, (len(t), tau.shape[-1])), np.broadcast_to(inputs, (len(t), inputs.shape[-1]))


# ---- breaks --------------------------------------------------------------------------------------------------
# Breaks: the times at which what drives a run, or its slope, jumps. Steps end there, and begin anew.
#
# A function of time that jumps at a break has two values there. A step that ends at it wants the one from before: its
# times are kept from reaching the break, by a few last bits. Knots that differ by rounding alone are one break.

#: Breaks that lie nearer to each other than this part of the run are one.
_SAME = 1e-14


@dataclass(frozen=True, eq=False)
class Breaks:
    """Times at which steps end, ascending, and for each the latest time that lies before it on all accounts."""

    times: Floats = field(default_factory=lambda: np.zeros(0))
    before: Floats = field(default_factory=lambda: np.zeros(0))
    start: float = 0.0  # the earliest time of the first piece: a knot may lie a rounding error behind the start

    def __len__(self) -> int:
        return len(self.times)


def breaks_at(times: Iterable[Floats], end: float) -> Breaks:
    """The breaks of a run from 0 to `end`, from times that need be neither sorted nor inside."""
    given = [*times]
    if not given:
        return Breaks()
    found = np.unique(np.concatenate(given))
    same = max(_SAME * end, 4.0 * float(np.spacing(end)))
    late = found[found <= same]
    found = found[(found > same) & (found <= end + same)]
    if not len(found):
        return Breaks(start=max(0.0, float(late[-1])) if len(late) else 0.0)
    first = np.flatnonzero(np.diff(found, prepend=-np.inf) > same)
    last = np.append(first[1:] - 1, len(found) - 1)
    before = found[first] - 4.0 * np.spacing(found[first])
    return Breaks(np.minimum(found[last], end), before, max(0.0, float(late[-1])) if len(late) else 0.0)


def tables_of_time(expressions: Iterable[Expr], time: Expr) -> Iterator[Table]:
    """The tables in some expressions that are asked at the time itself."""
    from ...expr import topological
    from ...expr.node import CALL
    from ...expr.opaque.table import Table

    for node in topological(list(expressions)):
        if node.op == CALL and node.args == (time,) and isinstance(node.data, Table):
            yield node.data


def beyond(what: str, expressions: Iterable[Expr], time: Expr, end: float) -> Iterator[str]:
    """A sentence for each table of time in what something is, where its samples do not reach as far as a run."""
    for table in tables_of_time(expressions, time):
        first, last = table.points.axes[0][0], table.pieces.knots[0][-1]
        if first > 0.0 or last < end * (1.0 - 1e-12):
            reach = f"from {first:g} to {table.points.axes[0][-1]:g} s"
            yield f"the samples of {what} run {reach}: beyond them the nearest one was held."


# ---- inputs --------------------------------------------------------------------------------------------------
# Efforts and inputs as they are given: numbers, expressions, samples and Python functions, by name or all at once.

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
        for column, key in self._columns(given).items():
            made = self._read(key, given[key])
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
            read = value_in_si(self.derivation, value, self._kind, key)
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
                f"{shown(value)} has no times.", place=place, cure=_SAMPLED, code="E-RUN-MISSING"
            )  # fmt: skip
        return value

    def _in_time(self, function: Function, place: str) -> Expr:
        """A table or a user's function at the time."""
        if function.opaque.arity != 1:
            message = f"'{function.name}' takes {function.opaque.arity} arguments, and the time is one."
            raise PolhodeError(message, place, "Give a function of time, or call it: f(system.time, …).", "E-RUN-TYPE")
        made: Expr = function(self.derivation.model.time)
        return made

    def constants(self, given: Any) -> Floats:
        """Numbers for all names, from a mapping or from as many of them."""
        if given is None:
            return self.default
        if isinstance(given, Mapping):
            values = self.default.copy()
            for column, key in self._columns(given).items():
                values[column] = self._number(key, given[key])[0]
            return values
        if np.ndim(given) == 0 and len(self.names) == 1:
            given = [given]
        return self._finite(numbers(given, len(self.names), self.what), self.names)

    def _number(self, key: str, value: Any) -> Floats:
        return self._finite(numbers([value], 1, f"{self.what} '{key}'"), (key,))

    def _finite(self, values: Floats, names: tuple[str, ...]) -> Floats:
        if not np.isfinite(values).all():
            message = f"the value of '{names[int(np.argmin(np.isfinite(values)))]}' is not finite."
            raise PolhodeError(message, self.what, "Give finite numbers.", "E-RUN-NUMBER")
        return values

    def _columns(self, given: Mapping[Any, Any]) -> dict[int, Any]:
        """The keys of a mapping by their columns."""
        keys: dict[int, Any] = {}
        for key in given:
            column = self._column(key)
            if column in keys:
                message = f"'{keys[column]}' and '{key}' are one {self._kind}."
                raise PolhodeError(message, self.what, "Give one of them.", "E-RUN-TWICE")
            keys[column] = key
        return keys

    @property
    def _kind(self) -> str:
        return "effort" if self.what == "tau" else "input"

    def _column(self, key: Any) -> int:
        name = self.also.get(key, key) if isinstance(key, str) else key
        if name not in self.names:
            name = self._as_written(key)
        if name is None:
            cure = suggestion(key, (*self.names, *self.also))
            raise PolhodeError(f"there is no {self._kind} '{key}'.", self.what, cure, "E-RUN-NAME")
        return self.names.index(name)

    def _as_written(self, key: Any) -> str | None:
        """The name of the effort or input that is given by its symbol, or an effort as it is written, `tau_<speed>`."""
        from ...expr import Expr, symbol
        from ...laws.named_symbols import control_names

        kind = self._kind
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


# ---- callables -----------------------------------------------------------------------------------------------
# Python functions that give efforts and inputs: asked at every evaluation, or held between the samples of a clock.
#
# A function takes t, or (t, q, u), or (t, q, u, z). One that is held is asked once at each of its sample times, with
# the state there, and what it gave acts until the next: as a digital controller with a zero-order hold does.

#: What a function may take, by the number of its arguments.
_ARGUMENTS = (1, 3, 4)
#: More sample times than this are refused.
MOST_SAMPLES = 10**8


class ControllerFailed(Exception):
    """A controller raised, or gave what cannot be used; the run stops with this sentence."""


@dataclass(frozen=True, eq=False, repr=False)
class Held:
    """A function that is evaluated at fixed intervals, from t = 0 on; its values are held in between."""

    function: Callable[..., Any]
    every: float

    def __repr__(self) -> str:
        return f"held({getattr(self.function, '__name__', type(self.function).__name__)} every {self.every:g} s)"


#: Options that may hold Python functions which a run asks.
_MAY_BE_PYTHON = ("tau", "inputs", "events", "until", "on")


def options_in_python(options: Mapping[str, Any]) -> list[str]:
    """The options of a run in which there are Python functions."""
    return [name for name in _MAY_BE_PYTHON if any(map(_is_python, _entries(options.get(name))))]


def _entries(given: Any) -> list[Any]:
    """What an option holds: both sides of a mapping, the entries of a list, or the one thing that it is."""
    if isinstance(given, Mapping):
        return [*given, *given.values()]
    return list(given) if isinstance(given, list | tuple) else [given]


def _is_python(given: Any) -> bool:
    from ...expr import Expr, Function

    return isinstance(given, Held) or (callable(given) and not isinstance(given, Expr | Function))


def held(function: Callable[..., Any], every: float) -> Held:
    """A Python function under a zero-order hold: asked once at t = 0, `every`, 2 `every`, … and held in between.

    >>> import polhode as ph
    >>> s = ph.System("slider", gravity=(0, 0, 0))
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    >>> run = s.derive().simulate(1, samples=5, tau={"v": ph.held(lambda t, q, u: -u[0] + 1, every=0.5)})
    >>> run.tau[:, 0].round(12).tolist(), round(float(run.u[-1, 0]), 12)
    ([1.0, 1.0, 0.5, 0.5, 0.5], 0.75)
    """
    check_kind(Callable, "a function", function, "held")
    return Held(function, number(every, "a sample time > 0 in seconds", above=0.0, place="held"))


@dataclass(frozen=True, eq=False)
class Asked:
    """A function with the columns that it gives, how to read what it gives, and the words for it in a sentence."""

    words: str
    function: Callable[..., Any]
    arguments: int
    columns: tuple[int, ...]
    read: Callable[[Any], Floats]
    every: float | None = None  # None where it is asked at every evaluation

    def __call__(self, t: float, q: Floats, u: Floats, z: Floats) -> Floats:
        """Its values at a state, of which it gets copies so that it cannot change it."""
        state = (q.copy(), u.copy(), z.copy())[: self.arguments - 1]
        try:
            given = self.function(t, *state)
        except Exception as error:
            raise ControllerFailed(f"{self.words} raised {type(error).__name__}: {error}") from error
        if given is None:
            whole = "values, {} where nothing is to act" if len(self.columns) != 1 else "a number"
            raise ControllerFailed(f"{self.words} returned None; it must return {whole}.")
        try:
            values = self.read(given)
        except PolhodeError as error:
            raise ControllerFailed(f"{self.words} gave no usable value: {error.problems[0].message}") from error
        return values


def asked(
    given: Callable[..., Any] | Held, words: str, columns: tuple[int, ...], read: Callable[[Any], Floats]
) -> Asked:
    """A function that a user gave, held or not, if it takes what a run can give it."""
    function, every = (given.function, given.every) if isinstance(given, Held) else (given, None)
    return Asked(words, function, _arguments(function, words), columns, read, every)


def _arguments(function: Callable[..., Any], words: str) -> int:
    """How many arguments a function is to be given: what it must have, and no more than it can take."""
    try:
        listed = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # as of some functions in C, which take numbers
        return 1
    plain = [each for each in listed if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    needed = sum(each.default is each.empty for each in plain)
    any_more = any(each.kind == each.VAR_POSITIONAL for each in listed)
    possible = [count for count in _ARGUMENTS if count >= needed and (any_more or count <= len(plain))]
    if not possible or any(each.kind == each.KEYWORD_ONLY and each.default is each.empty for each in listed):
        cure = "Give a function of t, of (t, q, u), or with states without mass of (t, q, u, z)."
        raise PolhodeError(f"{words} takes neither t nor (t, q, u).", cure=cure, code="E-RUN-TYPE")
    return 3 if 3 in possible and (any_more or not needed) else possible[0]


def sample_times(every: float, end: float, words: str) -> Floats:
    """The times after the start, and before the end of a run, at which a function is asked."""
    if end / every > MOST_SAMPLES:
        message = f"{words} would be called {end / every:.3g} times, more than {MOST_SAMPLES:,}."
        raise LimitError(message, "held", "Give a longer sample time, or a shorter run.", "E-RUN-SIZE")
    return np.arange(1, int(end / every) + 1, dtype=np.float64) * np.float64(every)
