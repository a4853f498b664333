"""What acts on a run: efforts and inputs, those that are plain numbers inside a step, and those that follow laws.

Laws are inside the native code of the rates (`compiled.closed_loop`), which takes the plain values as arrays:
constants, values that are held until the next break, and those that a Python function gives at every evaluation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.functions import Functions
from ..breaks import Breaks, beyond, breaks_at, tables_of_time
from ..initial_state import Floats
from ..trajectory.record import Record
from .callables import Asked, ControllerFailed, sample_times
from .inputs import Signal

if TYPE_CHECKING:
    from ...compiled.closed_loop import Laws
    from ...expr import Expr
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
        """Ask what is held and due behind a break, and note the state: from here on it acts until the next one.

        The start is behind break -1.
        """
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
