"""Limits of controls in numbers, given as `simulate` takes them: for regulators, predictive control and collocation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.joint_limits import Ends, joint_limits
from ..dynamics.synopsis import joints_of_one_speed
from ..errors import PolhodeError, warn
from ..expr import Expr
from ..expr.spelling import spelled
from ..laws.controls import control_names
from ..laws.named_symbols import Named, limits_of, told_unlimited
from .weights import Floats


def input_limits(
    given: Any,
    inputs: Mapping[str, Expr],
    equations: EquationsOfMotion,
    parameters: Mapping[str, Any],
    place: str,
    steady: Sequence[float] | None = None,
) -> tuple[Floats, Floats]:
    """Lower and upper limits of inputs, as deviations from what they are at the operating point, where there is one."""
    limits = control_limits(given, tuple(inputs.values()), equations, parameters, place)
    ends = np.array([limits.get(each, (-np.inf, np.inf)) for each in inputs.values()]).reshape(-1, 2)
    middle = np.zeros(len(ends)) if steady is None else np.asarray(steady)
    for name, (low, high), value in zip(inputs, ends.tolist(), middle.tolist(), strict=True):
        if steady is not None and not low <= value <= high:
            raise PolhodeError(
                f"{name} is {value:g} at the operating point, which is not between {low:g} and {high:g}.",
                place=f"{place} limits",
                cure="Give limits between which the operating point is.",
                code="E-REGULATOR-043",
            )
    return ends[:, 0] - middle, ends[:, 1] - middle


def control_limits(
    given: Any, controls: Sequence[Expr], equations: EquationsOfMotion, parameters: Mapping[str, Any], place: str
) -> dict[Expr, tuple[float, float]]:
    """The limits of controls; those of the model at the values of parameters."""
    named = controls_by_name(controls, equations)
    ends = {each.quantity: each for each in joint_limits(equations, parameters, "effort")}
    rated = {x: (_end(each, "lower", -np.inf), _end(each, "upper", np.inf)) for x, each in ends.items()}
    limits = {x: (float(low), float(high)) for x, (low, high) in limits_of(given, named, rated).items()}
    for x, pair in limits.items():
        if np.isnan(pair).any():
            raise PolhodeError(
                f"the limit {next(iter(ends[x].unknown.values()))} of {spelled(x)} has no value.",
                place=f"{place} limits",
                cure="Give its parameters values: parameters={…}.",
                code="E-REGULATOR-046",
            )
    unlimited = told_unlimited(given, named, limits)
    if unlimited:
        warn(f"{place}: {unlimited}", code="W-REGULATOR-047")
    return limits


def _end(ends: Ends, side: Any, otherwise: float) -> float:
    """One end of a joint's limits: not a number where its parameters have no value."""
    return np.nan if side in ends.unknown else ends.known.get(side, otherwise)


def controls_by_name(controls: Sequence[Expr], equations: EquationsOfMotion) -> Named:
    """Controls of a mechanism by all of their names."""
    return Named("control", tuple(controls), control_names(controls, joints_of_one_speed(equations)))
