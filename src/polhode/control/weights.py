"""Weights of costs, covariances of noise and limits of inputs, as a user gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.joint_limits import Ends, joint_limits
from ..dynamics.synopsis import joints_of_one_speed
from ..errors import PolhodeError, check_known, numbers, warn
from ..expr import Expr
from ..expr.spelling import spelled
from ..laws.named_symbols import Named, control_names, limits_of, unlimited_notice

Floats = NDArray[np.float64]

#: What is smaller than this part of a matrix is rounding.
_ROUNDING = 1e-10


def weights(word: str, values: Any, names: Sequence[str], place: str, *, positive: bool = False) -> Floats:
    """W of a number for all `names`, of one for each in order or by name (others nil), or of a symmetric matrix.

    W is positive semidefinite, or with `positive` positive definite.
    """
    where, size = f"{place} {word}", len(names)
    if isinstance(values, Mapping):
        check_known("weight", values, names, place=where, code="E-CONTROL-NAME")
        values = [values.get(name, 0.0) for name in names]
    cure = f"Give a number, {size} of them, values by name, or {size} rows of {size}."
    matrix = numbers(values, "a finite number, a list of them, or a matrix", place=where, cure=cure)
    if matrix.ndim == 0:
        matrix = float(matrix) * np.eye(size)
    elif matrix.shape == (size,):
        matrix = np.diag(matrix)
    elif matrix.shape != (size, size):
        message = f"it has the shape {'×'.join(map(str, matrix.shape))}, and there are {size} of {', '.join(names)}."
        raise PolhodeError(message, where, cure, "E-CONTROL-SHAPE")
    scale = float(np.abs(matrix).max(initial=0.0))
    if np.abs(matrix - matrix.T).max(initial=0.0) > _ROUNDING * scale:
        raise PolhodeError("the matrix is not symmetric.", where, "Give a symmetric one.", "E-CONTROL-NUMBER")
    least = float(np.linalg.eigvalsh((matrix + matrix.T) / 2).min(initial=np.inf)) if matrix.size else np.inf
    if least < -_ROUNDING * scale or (positive and least <= _ROUNDING * scale):
        what = "positive definite" if positive else "positive semidefinite"
        message = f"the matrix is not {what}: its least eigenvalue is {least:.3g}."
        cure = f"Give a {what} one, or {'positive numbers' if positive else 'numbers that are not negative'}."
        raise PolhodeError(message, where, cure, "E-CONTROL-NUMBER")
    return (matrix + matrix.T) / 2


def input_limits(
    bounds: Any,
    inputs: Mapping[str, Expr],
    equations: EquationsOfMotion,
    parameters: Mapping[str, Any],
    place: str,
    steady: Sequence[float] | None = None,
) -> tuple[Floats, Floats]:
    """Lower and upper limits of inputs, as deviations from what they are at the operating point, where there is one."""
    limits = control_limits(bounds, tuple(inputs.values()), equations, parameters, place)
    ends = np.array([limits.get(control, (-np.inf, np.inf)) for control in inputs.values()]).reshape(-1, 2)
    middle = np.zeros(len(ends)) if steady is None else np.asarray(steady)
    for name, (low, high), value in zip(inputs, ends.tolist(), middle.tolist(), strict=True):
        if steady is not None and not low <= value <= high:
            message = f"{name} is {value:g} at the operating point, which is not between {low:g} and {high:g}."
            cure = "Give limits between which the operating point is."
            raise PolhodeError(message, f"{place} limits", cure, "E-CONTROL-NUMBER")
    return ends[:, 0] - middle, ends[:, 1] - middle


def control_limits(
    bounds: Any, controls: Sequence[Expr], equations: EquationsOfMotion, parameters: Mapping[str, Any], place: str
) -> dict[Expr, tuple[float, float]]:
    """The limits of controls; those of the model at the values of parameters."""
    named = controls_by_name(controls, equations)
    ends = {ends.quantity: ends for ends in joint_limits(equations, parameters, "effort")}
    rated = {x: (_end(limit, "lower", -np.inf), _end(limit, "upper", np.inf)) for x, limit in ends.items()}
    limits = {x: (float(low), float(high)) for x, (low, high) in limits_of(bounds, named, rated).items()}
    for x, pair in limits.items():
        if np.isnan(pair).any():
            message = f"the limit {next(iter(ends[x].unknown.values()))} of {spelled(x)} has no value."
            cure = "Give its parameters values: parameters={…}."
            raise PolhodeError(message, f"{place} limits", cure, "E-CONTROL-MISSING")
    unlimited = unlimited_notice(bounds, named, limits)
    if unlimited:
        warn(f"{place}: {unlimited}", code="W-CONTROL-MISSING")
    return limits


def _end(ends: Ends, side: Any, otherwise: float) -> float:
    """One end of a joint's limits: not a number where its parameters have no value."""
    return np.nan if side in ends.unknown else ends.known.get(side, otherwise)


def controls_by_name(controls: Sequence[Expr], equations: EquationsOfMotion) -> Named:
    """Controls of a mechanism by all of their names."""
    return Named("control", tuple(controls), control_names(controls, joints_of_one_speed(equations)))
