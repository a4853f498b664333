"""Results of a run under a controller: references, tracking errors, controls at limits, and the log of samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...notebook import Cell, Shown, course_table
from ..initial_state import Floats
from ..trajectory.column_names import named_value

if TYPE_CHECKING:
    from ...expr import Expr
    from .controlled import ClosedLoop

#: A factor of a law below this part of its median at random states is near zero; and the same where a run broke off.
_NEAR, _NEAR_THE_END = 0.01, 0.1
#: The number of random states.
_STATES = 15


@dataclass(frozen=True, eq=False, repr=False)
class ControllerLog(Shown):
    """What a sampled law gave: `controls` (K, …) at the sample `times` (K,), with its `states` (K, …) then.

    Controls act a delay later, until the next act. `names` are those of the states.

    >>> import numpy as np
    >>> log = ControllerLog(np.array([0.0, 0.1]), np.array([[2.0], [3.0]]), np.array([[0.0], [5.0]]), ("F",), ("e",))
    >>> log["F"].tolist(), log.held(np.array([0.05, 0.1])).tolist()
    ([2.0, 3.0], [[0.0], [5.0]])
    """

    times: Floats
    controls: Floats
    states: Floats
    control_names: tuple[str, ...]
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> Floats:
        """A control or a state of the controller at the samples, by its name."""
        columns = dict(zip(self.control_names, self.controls.T, strict=True))
        columns |= dict(zip(self.names, self.states.T, strict=True))
        return named_value(name, columns, tuple(columns), "control or state of the controller")

    def __repr__(self) -> str:
        names = ", ".join([*self.control_names, *self.names])
        return f"ControllerLog({len(self.times)} samples of {names})"

    def _cell(self) -> Cell:
        both = (("control", self.control_names), ("state of the controller", self.names))
        return Cell(repr(self), [course_table(kind, ((name, self[name]) for name in names)) for kind, names in both])

    def held(self, t: Floats) -> Floats:
        """The states at the latest samples before some times `t`."""
        return np.asarray(self.states[np.searchsorted(self.times, t * (1.0 + 1e-12), side="right") - 1])


@dataclass(frozen=True, eq=False, kw_only=True)
class ClosedLoopResults:
    """The part of a trajectory that is about the controller, where there was one.

    `controller` is the log of one that was sampled; the states of a law in continuous time are among those of the run.
    """

    loop: ClosedLoop | None = field(default=None, repr=False)
    controller: ControllerLog | None = field(default=None, repr=False)

    @property
    def _run(self) -> Any:
        """The trajectory that this is a part of."""
        return self

    @property
    def _equations(self) -> Any:
        return self._run.mechanism.equations

    @property
    def reference(self) -> Mapping[str, Floats]:
        """The references at every sample of the run, by name."""
        return self._tracking[0]

    @property
    def tracking_error(self) -> Mapping[str, Floats]:
        """Reference minus value, for the references whose quantity the mechanism has."""
        return self._tracking[1]

    @cached_property
    def _tracking(self) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """References, and errors as far as they can be evaluated: reference minus quantity, and the law's errors."""
        from ...expr import substitute

        loop = self.loop
        if loop is None:
            return {}, {}
        coordinates = {q.name: q for joint in self._equations.system.joints.values() for q in joint.q}
        curves = {reference.name: loop.curves[reference.symbols[0]] for reference in loop.law.reference}
        quantities = {r.name: r.quantity or coordinates.get(r.name) for r in loop.law.reference}
        followed = {name: x for name, x in quantities.items() if x is not None and self._is_known(x)}
        errors = dict(zip(loop.law.errors, substitute([*loop.law.errors.values()], loop.curves), strict=True))
        others = {name: error for name, error in errors.items() if self._is_known(error)}
        rows = self._at_samples(*curves.values(), *followed.values(), *others.values())
        reference, values = dict(zip(curves, rows, strict=False)), rows[len(curves) :]
        differences = {name: reference[name] - row for name, row in zip(followed, values, strict=False)}
        return reference, differences | dict(zip(others, values[len(followed) :], strict=True))

    def _at_samples(self, *expressions: Expr) -> Floats:
        """Expressions at the samples of the run."""
        return np.asarray(self._run.values(*expressions)) if expressions else np.zeros((0, len(self._run.t)))

    def _is_known(self, expression: Expr) -> bool:
        """Whether an expression can be evaluated along the run."""
        from ...expr import free_symbols

        return self._symbols_known.issuperset(free_symbols([expression]))

    @cached_property
    def _symbols_known(self) -> set[Expr]:
        record = self._equations
        system = record.system
        symbols = {system.time, *record.q, *record.u, *record.z}
        symbols |= {entry.symbol for table in (system.parameters, system.inputs) for entry in table.values()}
        return symbols | {symbol for joint in system.joints.values() for symbol in (*joint.q, *joint.u)}

    @cached_property
    def at_limits(self) -> Mapping[str, float]:
        """For how many seconds each control was at a limit, of those that were."""
        limits, durations = {} if self.loop is None else self.loop.limits, {}
        for symbol, ends in limits.items():
            values, weights = self._of_control(symbol)
            low, high = map(self._number, ends)
            seconds = float(weights[(values <= low) | (values >= high)].sum())
            if seconds > 0.0:
                durations[symbol.name] = seconds
        return durations

    def _number(self, limit: float | Expr) -> float:
        """A limit with the parameters of the run; nan where one has no value."""
        if isinstance(limit, float):
            return limit
        from ...dynamics.joint_limits import value_of

        value = value_of(limit, self._equations, self._run.parameters)
        return float("nan") if value is None else value

    def _of_control(self, symbol: Expr) -> tuple[Floats, Floats]:
        """A control and for how long it acted: at the samples of its law, or about those of the run."""
        log, run = self.controller, self._run
        if log is not None and self.loop is not None:
            values = log.controls[:, [*self.loop.law.controls].index(symbol)]
            how, end = self.loop.how, float(run.t[-1]) if len(run.t) else 0.0
            return values, np.clip(end - (log.times + how.delay), 0.0, how.sample_time)
        rows, names = (run.tau, run.efforts) if symbol.data[0] == "effort" else (run.inputs, run.input_names)
        values = rows[:, names.index(symbol.name)]
        halves = np.diff(run.t) / 2.0
        return values, np.append(halves, 0.0) + np.append(0.0, halves) if len(values) else np.zeros(0)

    @property
    def _of_loop(self) -> tuple[str, ...]:
        """Notices of the closed loop."""
        if self.loop is None or not len(self._run.t):
            return ()
        end = float(self._run.t[-1])
        notices = [
            f"the control '{name}' was at its limits for {s:.3g} of {end:.3g} s." for name, s in self.at_limits.items()
        ]
        notices += [self.loop.unlimited] if self.loop.unlimited else []
        notices += [*self._of_sampling(self.loop, end), *dict.fromkeys(self._beyond_samples(self.loop, end))]
        return (*notices, *self._not_of_unit_length(), *self.conditions_met)

    def _not_of_unit_length(self) -> Iterator[str]:
        """Reference quaternions whose lengths were not one, by more than rounding."""
        from ...laws.law import ROUNDED

        lengths = self.loop.lengths if self.loop is not None else {}
        for name, row in zip(lengths, self._at_samples(*lengths.values()), strict=True):
            if np.abs(row - 1.0).max() > ROUNDED:
                yield (
                    f"the reference quaternion for the orientation of '{name}' had lengths from {row.min():.3g} "
                    f"to {row.max():.3g}: it was divided by its length."
                )

    def _of_sampling(self, loop: ClosedLoop, end: float) -> Iterator[str]:
        """Delays and sample times as long as the run, and what an observer does not include of the controls."""
        how = loop.sampling
        if how is None:
            return
        if how.delay >= end > 0.0:
            yield f"nothing that the controller gave acted: the delay of {how.delay:g} s is as long as the run."
        if how.sample_time >= end > 0.0:
            long = f"its sample time {how.sample_time:g} s is as long as the run"
            yield f"the law was evaluated once, at the start: {long}."
        rounded = [control.name for control in loop.law.controls if control in how.quantisation]
        if loop.has_observer and (how.delay or rounded):
            what = f"the delay of {how.delay:g} s" if how.delay else f"how '{rounded[0]}' is rounded"
            yield f"the observer assumes that controls act at once, as the law gives them: {what} is not in its model."

    def _beyond_samples(self, loop: ClosedLoop, end: float) -> Iterator[str]:
        """Tables over time, of references or of the law, that end before the run."""
        from .actuation import beyond

        time = self._equations.system.time
        for reference in loop.law.reference:
            yield from beyond(f"the reference '{reference.name}'", [loop.curves[reference.symbols[0]]], time, end)
        for control, value in loop.law.controls.items():
            yield from beyond(f"the {control.data[0]} '{control.name}'", [value], time, end)

    @cached_property
    def conditions_met(self) -> tuple[str, ...]:
        """A sentence for each condition under which the law does not hold and that the run met, or came near."""
        from ...expr import substitute
        from ...expr.calls import sampled

        loop, log, run = self.loop, self.controller, self._run
        if loop is None or not loop.law.singular or not len(run.t):
            return ()
        put: dict[Expr, Any] = {**loop.curves, **loop.law.measured}
        if log is not None and len(log.times) > 1:
            for state, column in zip(loop.law.states, log.states.T, strict=True):
                put[state.symbol] = sampled(log.times, column, "held")(self._equations.system.time)
        factors = substitute([factor for _, factor in loop.law.singular], put)
        conditions = [(words, x) for (words, _), x in zip(loop.law.singular, factors, strict=True) if self._is_known(x)]
        rows, near = self._at_samples(*(x for _, x in conditions)), _NEAR if run.is_whole else _NEAR_THE_END
        sizes = self._usual_sizes([x for _, x in conditions]) if conditions else []
        met = (_zero_or_near(run.t, row, size, near) for row, size in zip(rows, sizes, strict=True))
        return tuple(
            f"the law does not hold where {words}; {sentence}."
            for (words, _), sentence in zip(conditions, met, strict=True)
            if sentence
        )

    def _usual_sizes(self, expressions: list[Expr]) -> list[float]:
        """The median of |expression| at random states."""
        from ...expr import free_symbols
        from ...expr.evaluation import Evaluator

        rng, parameters = np.random.default_rng(0), self._equations.system.parameters.values()
        values = {p.symbol: float(1 if p.value is None else p.value) for p in parameters}
        function = Evaluator(expressions)
        moving = [x for x in free_symbols(expressions) if x not in values]
        rows = []
        for _ in range(_STATES):
            random = rng.standard_normal(len(moving)).tolist()
            rows.append(function({**values, **dict(zip(moving, random, strict=True))}))
        sizes = np.abs(np.array(rows).reshape(_STATES, -1))
        return [float(np.median(x[np.isfinite(x)])) if np.isfinite(x).any() else 0.0 for x in sizes.T]


def _zero_or_near(t: Floats, row: Floats, size: float, near: float) -> str:
    """In words when a factor was zero, or nearly; empty if it never was."""
    signs = np.sign(row)
    crossed = np.flatnonzero(signs[:-1] * signs[1:] < 0)
    if len(crossed):
        k = int(crossed[0])
        at = float(t[k] + (t[k + 1] - t[k]) * row[k] / (row[k] - row[k + 1]))
        often = "" if len(crossed) == 1 else f", and {len(crossed) - 1} times more"
        return f"the run came through there at t = {at:.4g} s (from {row[k]:.3g} to {row[k + 1]:.3g}){often}"
    size = max(size, float(np.abs(row).max()))
    k = int(np.abs(row).argmin())
    if abs(float(row[k])) <= near * size:
        return f"the run came near at t = {t[k]:.4g} s ({row[k]:.3g}, where {size:.3g} is usual)"
    return ""
