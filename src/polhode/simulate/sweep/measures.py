"""Measures: what is kept of a run. Add one by a line in `MEASURES`, or a way to sum up a history in `REDUCTIONS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...compiled.functions import Functions
from ...dynamics.equations import EquationsOfMotion
from ...errors import PolhodeError, shown, suggestion
from ...expr import Expr
from ..initial_state import Floats
from ..trajectory import Trajectory
from ..trajectory_values import compiled_values, dependent_of

#: What a measure gave: arrays by name.
Measured = dict[str, NDArray[np.float64]]


def _final(run: Trajectory) -> dict[str, Any]:
    coordinates, speeds = run.dependent
    last = {name: run[name][-1] for name in (*run.coordinates, *coordinates, *run.states)}
    return last | {f"d({name})": run.speed(name)[-1] for name in (*run.speeds, *speeds)}


#: Measures of a whole run, by name.
MEASURES: Mapping[str, Callable[[Trajectory], Any]] = {
    "final": _final,
    "end_time": lambda run: run.t[-1],
    "energy": lambda run: run.energy.total[-1],
    "energy_drift": lambda run: run.energy_drift,
    "drift": lambda run: max(run.drift.position, run.drift.velocity),
    "steps": lambda run: run.info["steps"],
    "evaluations": lambda run: run.info["evaluations"],
}


def _mean(t: Floats, values: Floats) -> float:
    """The mean over time, by trapezoids."""
    return float(np.trapezoid(values, t) / (t[-1] - t[0])) if len(t) > 1 else float(values[0])


#: Numbers that sum up a history `values` at the samples `t`, as in "max:hinge".
REDUCTIONS: Mapping[str, Callable[[Floats, Floats], float]] = {
    "final": lambda t, values: float(values[-1]),
    "max": lambda t, values: float(values.max()),
    "min": lambda t, values: float(values.min()),
    "mean": _mean,
    "rms": lambda t, values: _mean(t, values**2) ** 0.5,
    "range": lambda t, values: float(np.ptp(values)),
}


@dataclass(frozen=True)
class Measure:
    """One thing to keep of a run, and its label: a measure `how`, a reduction `how` of a history, or a function."""

    label: str
    how: str = ""
    of: str | Expr | None = None
    function: Callable[[Trajectory], Any] | None = None
    prefix: str = ""  # of the names of several results, where the user gave the label


def read_measures(given: Any, equations: EquationsOfMotion) -> tuple[Measure, ...]:
    """The measures that a user names, or none for whole trajectories."""
    if given is None:
        return ()
    if isinstance(given, Mapping):
        read = [_read(value, str(label), equations) for label, value in given.items()]
        return tuple(replace(each, prefix=f"{each.label} ") for each in read)
    if isinstance(given, list):
        return tuple(_read(value, "", equations) for value in given)
    return (_read(given, "", equations),)


def _read(given: Any, label: str, equations: EquationsOfMotion) -> Measure:
    if isinstance(given, Expr):
        return Measure(label or "value", "final", given)
    if isinstance(given, str):
        return Measure(label or given, *_named(given, equations))
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Expr):
        if given[0] not in REDUCTIONS:
            raise _unknown(given[0], REDUCTIONS)
        return Measure(label or str(given[0]), *given)
    if callable(given):
        name = getattr(given, "__name__", "value")
        return Measure(label or ("value" if name == "<lambda>" else name), function=given)
    raise PolhodeError(
        f"{shown(given)} is no measure.",
        place="measure",
        cure='Give a name as "final" or "max:hinge", an expression, ("max", expression), a function of the trajectory, '
        "several of them by name, or None for whole trajectories.",
        code="E-SWEEP-020",
    )


def _named(given: str, equations: EquationsOfMotion) -> tuple[str, str | None]:
    how, colon, name = given.partition(":")
    if not colon:
        if given not in MEASURES:
            raise _unknown(given, [*MEASURES, *(f"{how}:{name}" for how in REDUCTIONS for name in _names(equations))])
        return given, None
    if how not in REDUCTIONS:
        raise _unknown(given, [f"{each}:{name}" for each in REDUCTIONS])
    if name not in _names(equations):
        raise _unknown(given, [f"{how}:{each}" for each in _names(equations)])
    return how, name


def _unknown(given: Any, known: Any) -> PolhodeError:
    return PolhodeError(
        f"there is no measure '{given}'.", place="measure", cure=suggestion(given, known), code="E-SWEEP-021"
    )


def _names(equations: EquationsOfMotion) -> list[str]:
    """What has a history: coordinates, speeds as `d(name)`, inputs, and the energy."""
    coordinates, speeds = dependent_of(equations)
    rates = [f"d({name})" for name in (*equations.speeds, *speeds)]
    return [*equations.coordinates, *coordinates, *equations.states, *rates, *equations.system.inputs, "energy"]


def _history(run: Trajectory, name: str) -> Floats:
    if name.startswith("d(") and name.endswith(")") and name not in run.coordinates:
        return run.speed(name[2:-1])
    if name == "energy" and name not in run.coordinates:
        return run.energy.total
    return run[name]


class Measuring:
    """Measures compiled for one mechanism: a function from a trajectory to what is kept of it."""

    def __init__(self, measures: Sequence[Measure], functions: Functions) -> None:
        self.measures = measures
        expressions = [each.of for each in measures if isinstance(each.of, Expr)]
        self.along = compiled_values(functions, expressions) if expressions else None

    def __call__(self, run: Trajectory) -> Measured:
        values = iter(()) if self.along is None else iter(self.along(run))
        made: Measured = {}
        for measure in self.measures:
            if measure.function is not None:
                given = _asked(measure, measure.function, run)
            elif isinstance(measure.of, Expr):
                given = REDUCTIONS[measure.how](run.t, next(values))
            elif measure.of is not None:
                given = REDUCTIONS[measure.how](run.t, _history(run, measure.of))
            else:
                given = MEASURES[measure.how](run)
            made |= _arrays(measure, given)
        return made


class MeasureFailed(Exception):
    """A measure raised, or gave what cannot be kept; the member fails with this sentence."""


def _asked(measure: Measure, function: Callable[[Trajectory], Any], run: Trajectory) -> Any:
    try:
        return function(run)
    except Exception as error:
        raise MeasureFailed(f"the measure '{measure.label}' raised {type(error).__name__}: {error}") from error


def _arrays(measure: Measure, given: Any) -> Measured:
    if isinstance(given, Mapping):
        return {f"{measure.prefix}{name}": _array(measure, value) for name, value in given.items()}
    return {measure.label: _array(measure, given)}


def _array(measure: Measure, value: Any) -> NDArray[np.float64]:
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind not in "fiub":
        raise MeasureFailed(f"the measure '{measure.label}' returned {shown(value)}, which is no real number.")
    return np.array(array, dtype=np.float64)
