"""What the varied values of a sweep and its results are measured in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...dynamics.equations import EquationsOfMotion
from ...expr import Expr
from ..batch.members import Which, labels_of
from ..trajectory.units import units_of
from ..trajectory.values import dependent_of
from .measures import Measure, histories

_WHOLE_RUN = {"end_time": "s", "energy": "J"}


def varied_units(equations: EquationsOfMotion, varied: Iterable[Which]) -> dict[str, str]:
    """Units of varied values by their labels; "" where the model does not tell.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -s.parameter("l", 1, unit="m"))), ph.Revolute("y"))
    >>> varied_units(s.derive().record, [("parameters", "l"), ("speeds", "hinge")])
    {'l': 'm', 'd(hinge)(0)': 'rad/s'}
    """
    system, units = equations.system, units_of(equations)
    symbols: dict[str, dict[str, Expr]] = {
        "parameters": {name: each.symbol for name, each in system.parameters.items()},
        "inputs": {name: each.symbol for name, each in system.inputs.items()},
        "start": dict(zip((*equations.coordinates, *equations.states), (*equations.q, *equations.z), strict=True)),
        "speeds": dict(zip(equations.speeds, equations.u, strict=True)),
        "tau": dict(zip(equations.tree.speeds, equations.tau, strict=True)),
    }
    labels = labels_of(equations)
    return {labels[option, str(name)]: units.get(symbols[option][str(name)], "") for option, name in varied}


def result_units(equations: EquationsOfMotion, measures: Sequence[Measure]) -> dict[str, str]:
    """Units of results by their names; those of functions are not known.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    >>> result_units(s.derive().record, [Measure("max:d(hinge)", "max", "d(hinge)"), Measure("energy", "energy")])
    {'max:d(hinge)': 'rad/s', 'energy': 'J'}
    """
    units, histories = units_of(equations), _history_units(equations)
    made: dict[str, str] = {}
    for measure in measures:
        if measure.function is not None:
            continue
        if isinstance(measure.of, Expr):
            made[measure.label] = units.get(measure.of, "")
        elif measure.of is not None:
            made[measure.label] = histories.get(measure.of, "")
        elif measure.how == "final":
            made |= {f"{measure.prefix}{name}": unit for name, unit in histories.items()}
        else:
            made[measure.label] = _WHOLE_RUN.get(measure.how, "")
    return made


def _history_units(equations: EquationsOfMotion) -> dict[str, str]:
    """Units of what has a history, by the label that a measure gives it."""
    units = units_of(equations)
    coordinates, speeds = dependent_of(equations)
    symbols = {
        "coordinate": dict(zip(equations.coordinates, equations.q, strict=True)) | coordinates,
        "state": dict(zip(equations.states, equations.z, strict=True)),
        "speed": dict(zip(equations.speeds, equations.u, strict=True)) | speeds,
        "input": {name: each.symbol for name, each in equations.system.inputs.items()},
    }
    return {
        label: "J" if kind == "energy" else units.get(symbols[kind][name], "")
        for label, (kind, name) in histories(equations).items()
    }
