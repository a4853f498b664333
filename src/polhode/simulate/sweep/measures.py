"""Measures of runs, and the design of a sweep: the values that are varied, and the run at each point of their grid.

A measure is added by a line in `MEASURES`, a number that sums up a history by one in `REDUCTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...compiled.functions import Functions
from ...dynamics.equations import EquationsOfMotion
from ...errors import LimitError, PolhodeError, ShapeError, fault_at, listed, shown, speed_named, suggestion, unknown
from ...expr import Expr
from ...model.lookup import units_by_name
from ...model.unit import si_value, si_values
from ..batch.members import PREFIXES, Members, Which, label_of, labels_of, names_of
from ..contact.results import of_all_parts
from ..initial_state import Floats
from ..trajectory.column_names import check_meant, distinct
from ..trajectory.trajectory import Trajectory
from ..trajectory.values import compiled_values, dependent_of

#: Kinds of histories of contacts, stops and dry friction.
TOUCHING = ("gap", "normal", "friction", "slip")
#: What a measure gave: arrays by name.
Measured = dict[str, NDArray[np.float64]]


def histories(equations: EquationsOfMotion) -> dict[str, tuple[str, str]]:
    """Kind and name of what has a history, by label: coordinates and states, speeds as `d(name)`, inputs, energy.

    Of contacts, stops and dry friction "gap(name)", "normal(name)", "friction(name)" and "slip(name)".
    """
    coordinates, speeds = dependent_of(equations)
    listed = [("coordinate", name, name) for name in (*equations.coordinates, *coordinates)]
    listed += [("state", name, name) for name in equations.states]
    listed += [("speed", name, f"d({name})") for name in (*equations.speeds, *speeds)]
    listed += [("input", name, name) for name in equations.system.inputs]
    listed.append(("energy", "total", "energy"))
    listed += [(kind, name, f"{kind}({name})") for name in equations.system.contacts for kind in TOUCHING]
    labels = distinct([(spelling, f"{kind}:{name}") for kind, name, spelling in listed])
    return {label: (kind, name) for label, (kind, name, _) in zip(labels, listed, strict=True)}


def _final(run: Trajectory) -> dict[str, Any]:
    coordinates, speeds = run.dependent
    by_kind = {"coordinate": (*run.coordinates, *coordinates), "state": run.states, "speed": (*run.speeds, *speeds)}
    labels = histories(run.mechanism.equations)
    return {label: run.column(*key)[-1] for label, key in labels.items() if key[1] in by_kind.get(key[0], ())}


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


def read_measures(measures: Any, equations: EquationsOfMotion) -> tuple[Measure, ...]:
    """The measures that a user names, or none for whole trajectories."""
    if measures is None:
        return ()
    if isinstance(measures, Mapping):
        read = [_read(value, str(label), equations) for label, value in measures.items()]
        return tuple(replace(measure, prefix=f"{measure.label} ") for measure in read)
    if isinstance(measures, list):
        return tuple(dict.fromkeys(_read(value, "", equations) for value in measures))
    return (_read(measures, "", equations),)


def _read(measure: Any, label: str, equations: EquationsOfMotion) -> Measure:
    if isinstance(measure, Expr):
        return Measure(label or "value", "final", measure)
    if isinstance(measure, str):
        how, colon, name = measure.partition(":")
        names = histories(equations)
        if not colon and measure in MEASURES:
            return Measure(label or measure, measure)
        if how in REDUCTIONS and name in names:
            return Measure(label or measure, how, name)
        offered = [*MEASURES, *(f"{reduction}:{one}" for reduction in REDUCTIONS for one in names)]
        if colon and how in REDUCTIONS:
            check_meant(name, names)
            offered = [f"{how}:{one}" for one in names]
        elif colon:
            offered = [f"{reduction}:{name}" for reduction in REDUCTIONS]
        raise unknown("measure", measure, offered, place="measure", code="E-BATCH-NAME")
    if isinstance(measure, tuple) and len(measure) == 2 and isinstance(measure[1], Expr):
        if measure[0] not in REDUCTIONS:
            raise unknown("measure", measure[0], REDUCTIONS, place="measure", code="E-BATCH-NAME")
        return Measure(label or str(measure[0]), *measure)
    if callable(measure):
        name = getattr(measure, "__name__", "value")
        return Measure(label or ("value" if name == "<lambda>" else name), function=measure)
    cure = (
        'Give a name as "final" or "max:hinge", an expression, ("max", expression), a function of the trajectory, '
        "several of them by name, or None for whole trajectories."
    )
    raise PolhodeError(f"{shown(measure)} is no measure.", "measure", cure, "E-BATCH-TYPE")


class Measuring:
    """Measures compiled for one mechanism: a function from a trajectory to what is kept of it."""

    def __init__(self, measures: Sequence[Measure], functions: Functions) -> None:
        self.measures, self.functions = measures, functions
        expressions = [measure.of for measure in measures if isinstance(measure.of, Expr)]
        self.histories = histories(functions.equations)
        self.along = compiled_values(functions, expressions) if expressions else None

    def __call__(self, run: Trajectory) -> Measured:
        values = iter(()) if self.along is None else iter(self.along(run))
        measured: Measured = {}
        for measure in self.measures:
            if measure.function is not None:
                try:
                    result = measure.function(run)
                except Exception as error:
                    message = f"the measure '{measure.label}' raised {type(error).__name__}: {error}"
                    raise MeasureFailed(message) from error
            elif isinstance(measure.of, Expr):
                result = REDUCTIONS[measure.how](run.t, next(values))
            elif measure.of is not None:
                kind, name = self.histories[measure.of]
                if kind in TOUCHING:
                    history = of_all_parts(run.contact(name), kind)
                else:
                    history = run.energy.total if kind == "energy" else run.column(kind, name)
                result = REDUCTIONS[measure.how](run.t, history)
            else:
                result = MEASURES[measure.how](run)
            several = isinstance(result, Mapping)
            named = {f"{measure.prefix}{name}": x for name, x in result.items()} if several else {measure.label: result}
            if doubled := measured.keys() & named.keys():
                raise MeasureFailed(f"two measures give a result '{min(doubled)}': name them, measure={{name: …}}.")
            for name, value in named.items():
                array = _real(value)
                if array is None:
                    message = f"the measure '{measure.label}' returned {shown(value)}, which is no real number."
                    raise MeasureFailed(message)
                measured[name] = np.array(array, dtype=np.float64)
        return measured


class MeasureFailed(Exception):
    """A measure raised, or gave what cannot be kept; the member fails with this sentence."""


def _real(value: Any) -> NDArray[Any] | None:
    """An array of real numbers, or None."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return None
    return array if array.dtype.kind in "fiub" else None


fault = fault_at("sweep")

#: More members than this are refused: their statuses alone would fill the memory.
MOST_MEMBERS = 10**7
MEMBER = "member"

#: The option of a run by how a kind of value is written in front of its name.
_PREFIXES = {prefix: option for option, prefix in PREFIXES.items()}
#: The kinds of symbols that the values of an option belong to.
KINDS = {
    "parameters": ("parameter",), "start": ("coordinate", "state"), "speeds": ("speed",), "inputs": ("input",),
    "tau": ("effort",),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Design:
    """The values that are varied, by label: along an axis of a grid each, or sample by sample."""

    axes: Mapping[str, Floats]
    zipped: bool
    members: Members

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the grid's axes, or the number of samples."""
        return shape_of(self.axes, self.zipped)


def shape_of(axes: Mapping[str, Floats], zipped: bool) -> tuple[int, ...]:
    """The shape of what is kept for each member."""
    lengths = tuple(len(values) for values in axes.values())
    return lengths[:1] if zipped else lengths


def design_of(equations: EquationsOfMotion, vary: Any, zipped: bool, options: Mapping[str, Any]) -> Design:
    """Read the values to vary, by names of parameters, coordinates (their start), speeds and inputs."""
    if not isinstance(vary, Mapping) or not vary:
        cure = 'Give values by name: {"l": np.linspace(0.5, 2, 20)}.'
        raise fault(f"{shown(vary)} is no mapping of values to vary.", cure, "E-BATCH-MISSING")
    which = {name: _which(equations, name) for name in vary}
    labels = labels_of(equations)
    axes = {labels[which[name]]: _values(name, _in_si(equations, which[name], vary[name])) for name in vary}
    if len(axes) < len(vary):
        message = f"{listed(map(repr, vary))} name one value twice."
        raise PolhodeError(message, "sweep", "Give one of the names.", "E-BATCH-TWICE")
    lengths = {name: len(values) for name, values in axes.items()}
    if zipped and len({*lengths.values()}) > 1:
        counts = listed(f"'{name}' has {length}" for name, length in lengths.items())
        cure = "Give arrays of one length, or leave zip=True out for a grid."
        raise ShapeError(f"samples must have one value of each: {counts}.", "sweep", cure, "E-BATCH-SHAPE")
    count = prod(shape_of(axes, zipped))
    if count > MOST_MEMBERS:
        cure = "Vary fewer values, or give samples with zip=True."
        raise LimitError(f"the grid has {count:,} points, more than {MOST_MEMBERS:,}.", "sweep", cure, "E-BATCH-SIZE")
    columns = list(axes.values()) if zipped else [grid.ravel() for grid in np.meshgrid(*axes.values(), indexing="ij")]
    shared = _shared(equations, options, list(which.values()))
    return Design(axes, zipped, Members(count, shared, dict(zip(which.values(), columns, strict=True))))


def _in_si(equations: EquationsOfMotion, which: tuple[str, str], value: Any) -> Any:
    """Values to vary in SI units, as runs have them: those of a list may be texts with units."""
    option, name = which
    if option == "parameters":
        return si_values(equations.system.parameters, {name: value})[name]
    units = units_by_name(equations.system)
    matches = filter(None, (units.get(kind, {}).get(name) for kind in KINDS[option]))
    return si_value(value, next(matches, ""), f"sweep '{name}'")


def _values(name: str, value: Any) -> Floats:
    real = _real(value)
    values = np.zeros((0, 0)) if real is None else np.atleast_1d(real)
    if values.ndim != 1:
        cure = "Give an array (N,) of real numbers."
        raise ShapeError(f"{shown(value)} is not a list of numbers.", f"sweep '{name}'", cure, "E-BATCH-TYPE")
    if not len(values):
        raise ShapeError("there are no values.", f"sweep '{name}'", "Give one or more.", "E-BATCH-MISSING")
    return values.astype(np.float64)


def _which(equations: EquationsOfMotion, name: Any) -> tuple[str, str]:
    """The option of a run, and the name in it, of a value to vary."""
    by_option = names_of(equations)
    prefix, _, rest = str(name).partition(":")
    if rest and rest in by_option.get(_PREFIXES.get(prefix, ""), ()):
        return _PREFIXES[prefix], rest
    # No two of them are written alike but a coordinate and its speed, where the coordinate is meant.
    for option in ("parameters", "inputs", "start", "speeds"):
        if name in by_option[option]:
            return option, str(name)
    if rate := speed_named(name, by_option["speeds"], by_option["start"]):
        return "speeds", rate
    pairs = [(option, spelling) for option, names in by_option.items() for spelling in names]
    cure = suggestion(name, [*(text for _, text in pairs), *(f"{PREFIXES[option]}:{text}" for option, text in pairs)])
    raise fault(f"there is no parameter, input, coordinate or speed '{name}' to vary.", cure, "E-BATCH-NAME")


def axis_named(axes: Iterable[str], name: Any) -> str | None:
    """The label of a varied value that a name means: `hinge(0)` is also `start:hinge` and `hinge`."""
    prefix, _, rest = str(name).partition(":")
    written = [name, *([label_of(_PREFIXES[prefix], rest)] if prefix in _PREFIXES else [])]
    written += [label_of(option, str(name)) for option in ("start", "speeds")]
    return next((axis for axis in axes if axis in written), None)


def _shared(equations: EquationsOfMotion, options: Mapping[str, Any], which: Sequence[Which]) -> dict[str, Any]:
    """The options of all runs, start and speeds by name where some of them are varied."""
    shared = {name: value for name, value in options.items() if name != "progress"}
    doubled = Members.of(shared)
    if doubled is not None:
        option, name = next(iter(doubled.varied))
        message = "an array of values is given beside what is varied."
        cure = "Name it in what is varied too, or give one value."
        raise PolhodeError(message, f"{option} '{name}'" if isinstance(name, str) else option, cure, "E-BATCH-TWICE")
    varied = {option for option, _ in which}
    if varied & {"start", "speeds"}:
        start, speeds = shared.get("start"), shared.get("speeds")
        moving = _by_name(speeds, equations.speeds)
        if isinstance(start, str) and start in equations.system.poses:
            pose = equations.system.poses[start]
            moving = {name: value for name, value in pose.speeds.items() if name in equations.speeds} | moving
            start = {**pose.coordinates, **pose.states}
        elif isinstance(start, tuple) and len(start) in (2, 3):
            moving = _by_name(start[1], equations.speeds) | moving
            states = _by_name(start[2], equations.states) if len(start) == 3 else {}
            start = _by_name(start[0], equations.coordinates) | states
        shared["start"], shared["speeds"] = _by_name(start, equations.coordinates), moving
    for option in varied & {"inputs", "tau"}:
        value = shared.get(option)
        if callable(value):
            message = f"{option} are given by a function, so none of them can be varied."
            raise fault(message, "Vary a parameter that an expression in it has.", "E-BATCH-TWICE")
        shared[option] = _by_name(value, names_of(equations)[option])
    return shared


def _by_name(value: Any, names: Any) -> dict[str, Any]:
    """Values by name, of a mapping or a row of them."""
    if value is None or isinstance(value, Mapping):
        return dict(value or {})
    row = np.atleast_1d(np.asarray(value))
    if row.shape != (len(names),):
        cure = f"Give values by name: {listed(names)}."
        raise ShapeError(f"expected {len(names)} numbers, got shape {row.shape}.", "sweep", cure, "E-BATCH-SHAPE")
    return dict(zip(names, row.tolist(), strict=True))
