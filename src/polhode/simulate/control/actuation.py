"""What acts on a run: efforts and inputs, those that are plain numbers inside a step, and those that follow laws.

Laws are inside the native code of the rates (`compiled.closed_loop`), which takes the plain values as arrays:
constants, values that are held until the next break, and those that a Python function gives at every evaluation.
A break is a time at which what drives a run, or its slope, jumps: steps end there, and begin anew.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
    from ...expr import Expr
    from ...expr.opaque.table import Table
    from ...formalisms.derivation import Derivation
    from ...model import Model
    from .sampled_law import SampledLoop

#: A time this near to a break, as a part of the run, is at it.
_ROUNDING = 1e-13


class Actuation:
    """Efforts and inputs of one run."""

    def __init__(self, functions: Functions, parameters: Mapping[str, Any] | None, tau: Signal, inputs: Signal) -> None:
        synopsis = functions.derivation.synopsis
        self.functions, self.parameters, self.efforts = functions, parameters, len(tau.names)
        self._ends = len(synopsis.coordinates), len(synopsis.coordinates) + len(synopsis.speeds)
        self.values = np.concatenate([tau.constant, inputs.constant])
        self.tau, self.inputs = self.values[: self.efforts], self.values[self.efforts :]  # views
        self.names = (*(f"effort '{name}'" for name in tau.names), *(f"input '{name}'" for name in inputs.names))
        self.laws: Laws | None = None
        if tau.laws or inputs.laws:
            from ...compiled.closed_loop import laws_of

            symbols = [*functions.equations.tau, *(signal.symbol for signal in self.system.inputs.values())]
            laws = {**tau.laws, **{self.efforts + column: law for column, law in inputs.laws.items()}}
            self.laws = laws_of(functions.equations, {symbols[column]: laws[column] for column in sorted(laws)})
        pairs = [(function, np.array(function.columns)) for function in tau.functions]
        pairs += [(function, np.array(function.columns) + self.efforts) for function in inputs.functions]
        self._called = [(function, columns) for function, columns in pairs if function.every is None]
        self._held: list[list[Any]] = [[f, columns, 0] for f, columns in pairs if f.every is not None]
        self.calls_python, self.is_held = bool(self._called), bool(self._held)
        self._latest: tuple[float, Floats] | None = None
        self._last = np.inf  # the latest time at which something acts, where there is a break at the end
        self.begun: list[tuple[Floats, Floats, Floats, Floats]] = []  # rows for pieces: t, t before, x, values
        self.sampled: SampledLoop | None = None

    @property
    def system(self) -> Model:
        """The mechanism that is driven."""
        return self.functions.derivation.model

    def driving(self, functions: Functions) -> Functions:
        """Functions of the same mechanism with the laws in them."""
        return functions if self.laws is None else functions.driven(self.laws)

    def breaks(self, end: float) -> Breaks:
        """The times at which held values change, and the knots of all tables of time in the model and in laws."""
        times = [sample_times(function.every, end, function.words) for function, _, _ in self._held]
        times += [] if self.sampled is None else self.sampled.clocks
        expressions = [] if self.laws is None else [*self.laws.given.values()]
        if not self.functions.derivation.synopsis.is_smooth:
            from ...model.expressions import expressions_of

            expressions += expressions_of(self.system)
        if expressions:
            times += [np.array(table.pieces.knots[0]) for table in tables_of_time(expressions, self.system.time)]
        breaks = breaks_at(times, end)
        if self.sampled is not None:
            self.sampled.connect(self.values, self.names, breaks)
        self._last = float(breaks.before[-1]) if len(breaks) and breaks.times[-1] >= end else np.inf
        return breaks

    def begin(self, number: int, t: float, before: float, x: Floats, slack: float) -> None:
        """Call the sampled functions that are due at a break, and record the state from which their values hold."""
        for entry in self._held:
            function, columns, count = entry
            if count * function.every <= t + slack:
                entry[2] = round(t / function.every) + 1
                self.values[columns] = function(round(t / function.every) * function.every, *self._parts(x))
        if self.sampled is not None:
            self.sampled.begin(number, x)
        self._latest = None
        self.begun.append((np.array([t]), np.array([before]), np.array([x]), self.values[None, :].copy()))

    def passed(self, first: int, t: Floats, before: Floats, x: Floats) -> None:
        """Record the states at breaks, from a first one on, that native code has passed."""
        values = np.tile(self.values, (len(t), 1))
        if self.sampled is not None:
            self.sampled.passed(first, values)
        self.begun.append((t, before, x, values))

    def plain(self, t: float, x: Floats) -> tuple[Floats, Floats]:
        """Efforts and inputs but for those that follow laws; a function is called once for a state."""
        if self._called:
            latest = self._latest
            if latest is None or t != latest[0] or not np.array_equal(x, latest[1]):
                for function, columns in self._called:
                    self.values[columns] = function(t, *self._parts(x))
                self._latest = t, x.copy()
        return self.tau, self.inputs

    def at(self, t: float, x: Floats) -> tuple[Floats, Floats]:
        """Efforts and inputs as they act."""
        plain = self.plain(t, x)
        if self.laws is None:
            return plain
        timed = (np.array([t]),) if "t" in self._acting.arrays else ()
        tau, inputs = self._acting(x, *plain, *timed)
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

    def _parts(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Coordinates, speeds, and first-order states."""
        first, second = self._ends
        return x[:first], x[first:second], x[second:]

    def notices(self, end: float, of_controller: Collection[Expr] = ()) -> list[str]:
        """A sentence for each law whose samples end before the run, except those of a controller."""
        laws = {} if self.laws is None else self.laws.given
        sentences: list[str] = []
        for symbol, law in laws.items():
            if symbol not in of_controller:
                sentences += beyond(f"the {symbol.data[0]} '{symbol.name}'", [law], self.system.time, end)
        return sentences

    def acted(self, record: Record) -> Acted:
        """Efforts and inputs along the run that is over."""
        begun = self.begun
        if not begun:
            begun = [(np.zeros(1), np.full(1, -np.inf), record.states[:1], self.values[None, :].copy())]
        t, before, x, held = (rows[0] if len(rows) == 1 else np.concatenate(rows) for rows in zip(*begun, strict=True))
        columns = sorted(int(column) for _, columns in self._called for column in columns)
        recorded = record.actuation if columns else []
        values = np.array([values[columns] for _, values in recorded]).reshape(len(recorded), len(columns))
        functions, parameters = self.driving(self.functions), dict(self.parameters or {})
        times, gave = np.array([t for t, _ in recorded]), tuple(columns)
        return Acted(functions, parameters, self.efforts, self._last, t, before, x, held, gave, times, values)


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
        """Tolerance in time within which a sample is at a break."""
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
            kept = len(self.recorded_times) > 0
            plain[:, column] = np.interp(t, self.recorded_times, self.recorded[:, k], right=np.nan) if kept else np.nan
        tau, inputs = plain[:, : self.efforts], plain[:, self.efforts :]
        if self.functions.laws is None or not len(t):
            return tau, inputs
        tau, inputs = self.functions.evaluate(
            "actuation", x, tau, inputs, t=np.minimum(t, self.last), parameters=self.parameters
        )
        return np.broadcast_to(tau, (len(t), tau.shape[-1])), np.broadcast_to(inputs, (len(t), inputs.shape[-1]))


# ---- breaks --------------------------------------------------------------------------------------------------
# A function of time that jumps at a break has two values there. A step that ends at it takes the one from before: its
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
    sequences = [*times]
    if not sequences:
        return Breaks()
    breaks = np.unique(np.concatenate(sequences))
    same = max(_SAME * end, 4.0 * float(np.spacing(end)))
    late = breaks[breaks <= same]
    start = max(0.0, float(late[-1])) if len(late) else 0.0
    breaks = breaks[(breaks > same) & (breaks <= end + same)]
    if not len(breaks):
        return Breaks(start=start)
    first = np.flatnonzero(np.diff(breaks, prepend=-np.inf) > same)
    last = np.append(first[1:] - 1, len(breaks) - 1)
    return Breaks(np.minimum(breaks[last], end), breaks[first] - 4.0 * np.spacing(breaks[first]), start)


def tables_of_time(expressions: Iterable[Expr], time: Expr) -> Iterator[Table]:
    """The tables in some expressions whose argument is the time itself."""
    from ...expr import topological
    from ...expr.node import CALL
    from ...expr.opaque.table import Table

    for node in topological(list(expressions)):
        if node.op == CALL and node.args == (time,) and isinstance(node.data, Table):
            yield node.data


def beyond(what: str, expressions: Iterable[Expr], time: Expr, end: float) -> Iterator[str]:
    """A sentence for each table of time whose samples end before the run."""
    for table in tables_of_time(expressions, time):
        first, last = table.points.axes[0][0], table.pieces.knots[0][-1]
        if table.points.outside == "hold" and (first > 0.0 or last < end * (1.0 - 1e-12)):
            reach = f"from {first:g} to {table.points.axes[0][-1]:g} s"
            yield f"the samples of {what} run {reach}: beyond them the nearest one was held."


# ---- inputs --------------------------------------------------------------------------------------------------

_SAMPLED = "Give sampled(times, values) or sampled(values, rate=…); for each member of a batch, vary its start as well."


@dataclass(frozen=True, eq=False)
class Signal:
    """Values by name: what is constant, the laws that some follow, by column, and the functions that give others."""

    what: str
    names: tuple[str, ...]
    constant: Floats
    laws: Mapping[int, Expr] = field(default_factory=dict)
    functions: tuple[SignalFunction, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether nothing changes while a run goes on."""
        return not self.laws and not self.functions


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads what a user gave for values of these names; `also` are other words for some of them."""

    derivation: Derivation
    what: str
    names: tuple[str, ...]
    default: Floats
    also: Mapping[str, str]

    def signal(self, value: Any) -> Signal:
        if value is None or isinstance(value, int | float | np.ndarray):
            return Signal(self.what, self.names, self.constants(value))
        from ...expr import Expr, Function

        if _is_python(value):
            columns = tuple(range(len(self.names)))
            function = SignalFunction(value, f"the controller of {self.what}", columns, self.constants)
            return Signal(self.what, self.names, self.default, functions=(function,))
        if isinstance(value, str | Expr | Function) and len(self.names) == 1:
            value = {self.names[0]: value}
        elif isinstance(value, list | tuple) and any(isinstance(x, str | Expr | Held) or callable(x) for x in value):
            if len(value) != len(self.names):
                numbers(np.zeros(len(value)), len(self.names), self.what)
            value = dict(zip(self.names, value, strict=True))
        if not isinstance(value, Mapping):
            return Signal(self.what, self.names, self.constants(value))
        values, laws, functions = self.default.copy(), {}, []
        for column, key in self._columns(value).items():
            read = self._read(key, value[key])
            if isinstance(read, Expr) and not read.is_number:
                laws[column] = read
            elif _is_python(read):
                words = f"the function of '{key}' in {self.what}"
                functions.append(SignalFunction(read, words, (column,), partial(self._number, key)))
            else:
                values[column] = self._number(key, float(read.data) if isinstance(read, Expr) else read)[0]
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
                if value.opaque.arity != 1:
                    message = f"'{value.name}' takes {value.opaque.arity} arguments, and the time is one."
                    cure = "Give a function of time, or call it: f(system.time, …)."
                    raise PolhodeError(message, place, cure, "E-RUN-TYPE")
                return value(self.derivation.model.time)
        if np.ndim(value) > 0 and not callable(value):
            raise PolhodeError(f"{shown(value)} has no times.", place, _SAMPLED, "E-RUN-MISSING")
        return value

    def constants(self, value: Any) -> Floats:
        """Numbers for all names, from a mapping or from as many of them."""
        if value is None:
            return self.default
        if isinstance(value, Mapping):
            values = self.default.copy()
            for column, key in self._columns(value).items():
                values[column] = self._number(key, value[key])[0]
            return values
        if np.ndim(value) == 0 and len(self.names) == 1:
            value = [value]
        return self._finite(value, self.names, self.what)

    def _number(self, key: str, value: Any) -> Floats:
        return self._finite([value], [key], f"{self.what} '{key}'")

    def _finite(self, value: Any, names: Sequence[str], place: str) -> Floats:
        values = numbers(value, len(names), place)
        if not np.isfinite(values).all():
            message = f"the value of '{names[int(np.argmin(np.isfinite(values)))]}' is not finite."
            raise PolhodeError(message, self.what, "Give finite numbers.", "E-RUN-NUMBER")
        return values

    def _columns(self, values: Mapping[Any, Any]) -> dict[int, Any]:
        """The keys of a mapping by their columns."""
        keys: dict[int, Any] = {}
        for key in values:
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
        """The column of a name, a symbol, or an effort spelled `tau_<speed>`."""
        name = self.also.get(key, key) if isinstance(key, str) else key
        if name in self.names:
            return self.names.index(name)
        from ...expr import Expr, symbol
        from ...laws.named_symbols import control_names

        kind, control = self._kind, key
        if isinstance(key, str):
            control = control_names([symbol(name, kind) for name in self.names], self.also).get(key)
        if not isinstance(control, Expr) or control.data[:1] != (kind,) or control.name not in self.names:
            cure = suggestion(key, (*self.names, *self.also))
            raise PolhodeError(f"there is no {kind} '{key}'.", self.what, cure, "E-RUN-NAME")
        return self.names.index(control.name)


def read_efforts(derivation: Derivation, tau: Any) -> Signal:
    """The option `tau` as a signal: by names of speeds, or of joints with one speed."""
    synopsis = derivation.synopsis
    return _Reader(derivation, "tau", synopsis.efforts, np.zeros(len(synopsis.efforts)), synopsis.joints).signal(tau)


def read_inputs(derivation: Derivation, inputs: Any, default: Floats) -> Signal:
    """The option `inputs` as a signal; inputs that are not given have the model's values."""
    return _Reader(derivation, "inputs", tuple(derivation.synopsis.inputs), default, {}).signal(inputs)


# ---- Python functions ----------------------------------------------------------------------------------------
# A function takes t, or (t, q, u), or (t, q, u, z). One under a hold is called once at each of its sample times, with
# the state there, and its value acts until the next: a digital controller with a zero-order hold.

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


def options_in_python(options: Mapping[str, Any]) -> list[str]:
    """The options of a run in which there are Python functions."""
    names = []
    for name in ("tau", "inputs", "events", "until", "on"):
        option = options.get(name)
        entries = [*option, *option.values()] if isinstance(option, Mapping) else option
        if any(map(_is_python, entries if isinstance(entries, list | tuple) else [entries])):
            names.append(name)
    return names


def _is_python(value: Any) -> bool:
    from ...expr import Expr, Function

    return isinstance(value, Held) or (callable(value) and not isinstance(value, Expr | Function))


def held(function: Callable[..., Any], every: float) -> Held:
    """A Python function under a zero-order hold: called once at t = 0, `every`, 2 `every`, … and held in between.

    >>> import polhode as ph
    >>> s = ph.System("slider", gravity=(0, 0, 0))
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    >>> run = s.derive().simulate(1, samples=5, tau={"v": ph.held(lambda t, q, u: -u[0] + 1, every=0.5)})
    >>> run.tau[:, 0].round(12).tolist(), round(float(run.u[-1, 0]), 12)
    ([1.0, 1.0, 0.5, 0.5, 0.5], 0.75)
    """
    check_kind(Callable, "a function", function, "held")
    return Held(function, number(every, "a sample time > 0 in seconds", above=0.0, place="held"))


class SignalFunction:
    """A function with the columns that it gives, how to read its result, its name in sentences, and its sample time."""

    def __init__(
        self, function: Callable[..., Any] | Held, words: str, columns: tuple[int, ...], read: Callable[[Any], Floats]
    ) -> None:
        self.function = function.function if isinstance(function, Held) else function
        self.every = function.every if isinstance(function, Held) else None
        self.words, self.columns, self.read = words, columns, read
        self.arguments = _arguments(self.function, words)

    def __call__(self, t: float, q: Floats, u: Floats, z: Floats) -> Floats:
        """Values of the function at a state; it gets copies, so that it cannot change the state."""
        state = (q.copy(), u.copy(), z.copy())[: self.arguments - 1]
        try:
            returned = self.function(t, *state)
        except Exception as error:
            raise ControllerFailed(f"{self.words} raised {type(error).__name__}: {error}") from error
        if returned is None:
            expected = "values, {} where nothing is to act" if len(self.columns) != 1 else "a number"
            raise ControllerFailed(f"{self.words} returned None; it must return {expected}.")
        try:
            return self.read(returned)
        except PolhodeError as error:
            raise ControllerFailed(f"{self.words} gave no usable value: {error.problems[0].message}") from error


def _arguments(function: Callable[..., Any], words: str) -> int:
    """Number of arguments to call a function with: at least its required ones, at most those it accepts."""
    try:
        listed = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # as of some functions in C, which take numbers
        return 1
    plain = [p for p in listed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(parameter.default is parameter.empty for parameter in plain)
    any_more = any(parameter.kind == parameter.VAR_POSITIONAL for parameter in listed)
    possible = [count for count in _ARGUMENTS if count >= needed and (any_more or count <= len(plain))]
    if not possible or any(p.kind == p.KEYWORD_ONLY and p.default is p.empty for p in listed):
        cure = "Give a function of t, of (t, q, u), or with first-order states of (t, q, u, z)."
        raise PolhodeError(f"{words} takes neither t nor (t, q, u).", cure=cure, code="E-RUN-TYPE")
    return 3 if 3 in possible and (any_more or not needed) else possible[0]


def sample_times(every: float, end: float, words: str) -> Floats:
    """The multiples of a sample time after the start of a run, up to its end."""
    if end / every > MOST_SAMPLES:
        message = f"{words} would be called {end / every:.3g} times, more than {MOST_SAMPLES:,}."
        raise LimitError(message, "held", "Give a longer sample time, or a shorter run.", "E-RUN-SIZE")
    return np.arange(1, int(end / every) + 1, dtype=np.float64) * np.float64(every)
