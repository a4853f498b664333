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
from ..trajectory.column_names import check_meant, distinct
from ..trajectory.trajectory import Trajectory
from ..trajectory.values import compiled_values, dependent_of

#: What a measure gave: arrays by name.
Measured = dict[str, NDArray[np.float64]]


def histories(equations: EquationsOfMotion) -> dict[str, tuple[str, str]]:
    """Kind and name of what has a history, by label: coordinates and states, speeds as `d(name)`, inputs, energy."""
    coordinates, speeds = dependent_of(equations)
    listed = [("coordinate", name, name) for name in (*equations.coordinates, *coordinates)]
    listed += [("state", name, name) for name in equations.states]
    listed += [("speed", name, f"d({name})") for name in (*equations.speeds, *speeds)]
    listed += [("input", name, name) for name in equations.system.inputs]
    listed.append(("energy", "total", "energy"))
    labels = distinct([(spelling, f"{kind}:{name}") for kind, name, spelling in listed])
    return {label: (kind, name) for label, (kind, name, _) in zip(labels, listed, strict=True)}


def _history(run: Trajectory, kind: str, name: str) -> Floats:
    return run.energy.total if kind == "energy" else run.column(kind, name)


def _final(run: Trajectory) -> dict[str, Any]:
    coordinates, speeds = run.dependent
    known = {"coordinate": (*run.coordinates, *coordinates), "state": run.states, "speed": (*run.speeds, *speeds)}
    labels = histories(run.mechanism.equations)
    return {label: run.column(*each)[-1] for label, each in labels.items() if each[1] in known.get(each[0], ())}


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
        return tuple(dict.fromkeys(_read(value, "", equations) for value in given))
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
        code="E-BATCH-TYPE",
    )


def _named(given: str, equations: EquationsOfMotion) -> tuple[str, str | None]:
    how, colon, name = given.partition(":")
    if not colon:
        if given not in MEASURES:
            raise _unknown(
                given, [*MEASURES, *(f"{how}:{name}" for how in REDUCTIONS for name in histories(equations))]
            )
        return given, None
    if how not in REDUCTIONS:
        raise _unknown(given, [f"{each}:{name}" for each in REDUCTIONS])
    if name not in histories(equations):
        check_meant(name, histories(equations))
        raise _unknown(given, [f"{how}:{each}" for each in histories(equations)])
    return how, name


def _unknown(given: Any, known: Any) -> PolhodeError:
    return PolhodeError(
        f"there is no measure '{given}'.", place="measure", cure=suggestion(given, known), code="E-BATCH-NAME"
    )


class Measuring:
    """Measures compiled for one mechanism: a function from a trajectory to what is kept of it."""

    def __init__(self, measures: Sequence[Measure], functions: Functions) -> None:
        self.measures = measures
        expressions = [each.of for each in measures if isinstance(each.of, Expr)]
        self.histories = histories(functions.equations)
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
                given = REDUCTIONS[measure.how](run.t, _history(run, *self.histories[measure.of]))
            else:
                given = MEASURES[measure.how](run)
            arrays = _arrays(measure, given)
            if doubled := made.keys() & arrays.keys():
                raise MeasureFailed(f"two measures give a result '{min(doubled)}': name them, measure={{name: …}}.")
            made |= arrays
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
