"""What a run tells of its controller: what was wanted, how far it was missed, and what was asked at the samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...notebook import Cell, Shown, course_table
from ..initial_state import Floats

if TYPE_CHECKING:
    from ...dynamics.equations import EquationsOfMotion
    from ...expr import Expr
    from .controlled import ClosedLoop


@dataclass(frozen=True, eq=False, repr=False)
class ControllerLog(Shown):
    """What a sampled law gave: `controls` (K, …) at the `times` (K,) at which it was asked, with `states` (K, …) then.

    What it gave acts a delay later, and until the next acts. `names` are those of the states.

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
        from ..trajectory.column_names import named_value

        known = dict(zip(self.control_names, self.controls.T, strict=True))
        known |= dict(zip(self.names, self.states.T, strict=True))
        return named_value(name, known, tuple(known), "control or state of the controller")

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
class UnderControl:
    """The part of a trajectory that knows of the controller, where there was one.

    `controller` is the log of one that was sampled; the states of a law in continuous time are among those of the run.
    """

    loop: ClosedLoop | None = field(default=None, repr=False)
    controller: ControllerLog | None = field(default=None, repr=False)

    @property
    def reference(self) -> Mapping[str, Floats]:
        """What was wanted at every sample of the run, by name."""
        return dict(zip(self._wanted, self._along[: len(self._wanted)], strict=True))

    @property
    def tracking_error(self) -> Mapping[str, Floats]:
        """What was wanted less what there was, for the references whose quantity the mechanism has."""
        followed, other = self._followed, self._other_errors
        made = self._along[len(self._wanted) :]
        differences = {name: self.reference[name] - values for name, values in zip(followed, made, strict=False)}
        return differences | dict(zip(other, made[len(followed) :], strict=True))

    @cached_property
    def _along(self) -> Floats:
        asked = [*self._wanted.values(), *self._followed.values(), *self._other_errors.values()]
        return self._at_samples(*asked)

    def _at_samples(self, *expressions: Expr) -> Floats:
        """Expressions at the samples of the run."""
        values: Any = getattr(self, "values")  # noqa: B009 - of the trajectory that this is a part of
        return np.asarray(values(*expressions)) if expressions else np.zeros((0, len(self._times)))

    @property
    def _times(self) -> Floats:
        times: Floats = getattr(self, "t")  # noqa: B009 - likewise
        return times

    @property
    def _wanted(self) -> dict[str, Expr]:
        loop = self.loop
        if loop is None:
            return {}
        return {each.name: loop.curves[each.symbols[0]] for each in loop.law.reference}

    @cached_property
    def _followed(self) -> dict[str, Expr]:
        """What follows each reference, as far as it can be known."""
        if self.loop is None:
            return {}
        joints = self._equations.system.joints.values()
        coordinates = {q.name: q for joint in joints for q in joint.q}
        found = {each.name: each.quantity or coordinates.get(each.name) for each in self.loop.law.reference}
        return {name: each for name, each in found.items() if each is not None and self._knows(each)}

    def _knows(self, expression: Expr) -> bool:
        """Whether an expression can be evaluated along the run."""
        from ...expr import free_symbols

        return self._symbols_known.issuperset(free_symbols([expression]))

    @cached_property
    def _other_errors(self) -> dict[str, Expr]:
        """Errors that are no difference of a reference and what follows it, as far as they can be known."""
        from ...expr import substitute

        if self.loop is None or not self.loop.law.errors:
            return {}
        law = self.loop.law
        made = dict(zip(law.errors, substitute(list(law.errors.values()), self.loop.curves), strict=True))
        return {name: error for name, error in made.items() if self._knows(error)}

    @cached_property
    def _symbols_known(self) -> set[Expr]:
        """What the mechanism has."""
        record = self._equations
        system = record.system
        known = {system.time, *record.q, *record.u, *record.z}
        known |= {each.symbol for table in (system.parameters, system.inputs) for each in table.values()}
        return known | {symbol for joint in system.joints.values() for symbol in (*joint.q, *joint.u)}

    @property
    def _equations(self) -> Any:
        return getattr(self, "mechanism").equations  # noqa: B009 - likewise

    @cached_property
    def at_limits(self) -> Mapping[str, float]:
        """For how many seconds each control was at a limit, of those that were."""
        if self.loop is None or not self.loop.limits:
            return {}
        found = {}
        for symbol, ends in self.loop.limits.items():
            values, weights = self._of_control(symbol)
            low, high = map(self._number, ends)
            seconds = float(weights[(values <= low) | (values >= high)].sum())
            if seconds > 0.0:
                found[symbol.name] = seconds
        return found

    def _number(self, limit: float | Expr) -> float:
        """A limit with the parameters of the run; no number where one has no value."""
        if isinstance(limit, float):
            return limit
        from ...dynamics.joint_limits import value_of

        value = value_of(limit, self._equations, getattr(self, "parameters"))  # noqa: B009 - likewise
        return float("nan") if value is None else value

    def _of_control(self, symbol: Expr) -> tuple[Floats, Floats]:
        """A control and for how long it acted: at the samples of its law, or about those of the run."""
        log = self.controller
        if log is not None and self.loop is not None:
            values = log.controls[:, [*self.loop.law.controls].index(symbol)]
            how, end = self.loop.how, float(self._times[-1]) if len(self._times) else 0.0
            begins = log.times + how.delay
            return values, np.clip(end - begins, 0.0, how.sample_time)
        of, names = ("tau", "efforts") if symbol.data[0] == "effort" else ("inputs", "input_names")
        values = getattr(self, of)[:, getattr(self, names).index(symbol.name)]
        halves = np.diff(self._times) / 2.0
        return values, np.append(halves, 0.0) + np.append(0.0, halves) if len(values) else np.zeros(0)

    @property
    def _loop_told(self) -> tuple[str, ...]:
        """What is worth knowing of the closed loop: a sentence for each."""
        loop = self.loop
        if loop is None or not len(self._times):
            return ()
        end = float(self._times[-1])
        told = [
            f"the control '{name}' was at its limits for {s:.3g} of {end:.3g} s." for name, s in self.at_limits.items()
        ]
        told += [loop.unlimited] if loop.unlimited else []
        beyond = dict.fromkeys(self._beyond_samples(end))
        return (*told, *self._unacted(end), *beyond, *self._not_of_unit_length(), *self.conditions_met)

    @cached_property
    def conditions_met(self) -> tuple[str, ...]:
        """A sentence for each condition under which the law does not hold and that the run met, or came near."""

        loop = self.loop
        if loop is None or not loop.law.singular:
            return ()
        is_whole: bool = getattr(self, "is_whole")  # noqa: B009 - of the trajectory that this is a part of
        log = self.controller
        time = self._equations.system.time
        made = [(words, each) for words, each in vanishing(loop, time, log) if self._knows(each)]
        return tuple(conditions_met(made, self._equations, self._times, self._at_samples, is_whole))

    def _not_of_unit_length(self) -> Iterator[str]:
        """Quaternions that were wanted and whose lengths were not one, by more than rounding."""
        from ...laws.law import ROUNDED

        lengths = self.loop.lengths if self.loop is not None else {}
        for name, row in zip(lengths, self._at_samples(*lengths.values()), strict=True):
            if np.abs(row - 1.0).max() > ROUNDED:
                yield (
                    f"the reference quaternion for the orientation of '{name}' had lengths from {row.min():.3g} "
                    f"to {row.max():.3g}: it was divided by its length."
                )

    def _unacted(self, end: float) -> Iterator[str]:
        """What a delay keeps from acting, and what an observer does not know of the controls that act."""
        loop = self.loop
        if loop is None or loop.sampling is None:
            return
        how = loop.sampling
        if how.delay >= end > 0.0:
            yield f"nothing that the controller gave acted: the delay of {how.delay:g} s is as long as the run."
        if how.sample_time >= end > 0.0:
            yield f"the law was called once, at the start: its sample time {how.sample_time:g} s is as long as the run."
        rounded = [each.name for each in loop.law.controls if each in how.quantisation]
        if loop.has_observer and (how.delay or rounded):
            what = f"the delay of {how.delay:g} s" if how.delay else f"how '{rounded[0]}' is rounded"
            yield f"the observer assumes that controls act at once, as the law gives them: {what} is not in its model."

    def _beyond_samples(self, end: float) -> Iterator[str]:
        """Tables over time, of references or in the law itself, that do not reach as far as the run."""
        from .actuation import beyond

        loop = self.loop
        if loop is None:
            return
        time = self._equations.system.time
        for each in loop.law.reference:
            yield from beyond(f"the reference '{each.name}'", [loop.curves[each.symbols[0]]], time, end)
        for control, value in loop.law.controls.items():
            yield from beyond(f"the {control.data[0]} '{control.name}'", [value], time, end)


# ---- singular laws -------------------------------------------------------------------------------------------
# Whether a law came to where it does not hold: what vanishes there, at the samples of the run.

#: What is below this part of its usual size is near zero; and where a run broke off.
_NEAR, _NEAR_THE_END = 0.01, 0.1
#: How many random states tell the usual size.
_STATES = 15


def conditions_met(
    made: Sequence[tuple[str, Expr]],
    equations: EquationsOfMotion,
    t: Floats,
    values: Callable[..., Floats],
    is_done: bool = True,
) -> Iterator[str]:
    """A sentence for each condition of a law that its run met, or came near; `values` gives expressions at times t."""
    if not made or not len(t):
        return
    expressions = [each for _, each in made]
    rows, usual = values(*expressions), _usual(expressions, equations)
    for (words, _), row, size in zip(made, rows, usual, strict=True):
        told = _told(t, row, size, _NEAR if is_done else _NEAR_THE_END)
        if told:
            yield f"the law does not hold where {words}; {told}."


def vanishing(loop: ClosedLoop, time: Expr, log: ControllerLog | None) -> list[tuple[str, Expr]]:
    """Where a law does not hold, in words, and what vanishes there, as expressions of the mechanism and of time."""
    from ...expr import substitute
    from ...expr.calls import sampled

    law = loop.law
    put: dict[Expr, Any] = {**loop.curves, **law.measured}
    if log is not None and len(log.times) > 1:
        for state, column in zip(law.states, log.states.T, strict=True):
            put[state.symbol] = sampled(log.times, column, "held")(time)
    made = substitute([each for _, each in law.singular], put)
    return [(words, each) for (words, _), each in zip(law.singular, made, strict=True)]


def _usual(made: Sequence[Expr], equations: EquationsOfMotion) -> list[float]:
    """The size that each has at random states, in the middle."""
    from ...expr import free_symbols
    from ...expr.evaluation import Evaluator

    dice, symbols = np.random.default_rng(0), free_symbols(made)
    values = {
        each.symbol: float(1 if each.value is None else each.value) for each in equations.system.parameters.values()
    }
    function = Evaluator(made)
    moving = [x for x in symbols if x not in values]
    rows = []
    for _ in range(_STATES):
        rows.append(function({**values, **dict(zip(moving, dice.standard_normal(len(moving)).tolist(), strict=True))}))
    sizes = np.abs(np.array(rows).reshape(_STATES, -1))
    return [float(np.median(each[np.isfinite(each)])) if np.isfinite(each).any() else 0.0 for each in sizes.T]


def _told(t: Floats, row: Floats, size: float, near: float) -> str:
    """When a condition was met, or nearly; nothing where it was not."""
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
