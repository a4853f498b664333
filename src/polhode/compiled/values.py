"""Values that a user gave, read as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import PolhodeError, ShapeError, ValueMissing, listed, shown, understood, unknown

if TYPE_CHECKING:
    from ..model.records import Parameter


class TimeOptions(TypedDict, total=False):
    """Time, inputs of the model, multipliers of constraints where they are given, and values of parameters by name."""

    t: ArrayLike
    inputs: Mapping[str, Any] | ArrayLike | None
    multipliers: ArrayLike | str | None
    parameters: Mapping[str, Any] | None


class CallOptions(TimeOptions, total=False):
    """The same, and the values of first-order states."""

    z: Mapping[str, Any] | ArrayLike | None


def parameter_sets(values: Mapping[str, Any], given: Mapping[str, Any]) -> NDArray[np.float64]:
    """Values in their order: one row, or a row for each state where some that are given are arrays.

    >>> parameter_sets({"l": [1.0, 2.0], "m": 3}, {"l": [1.0, 2.0]})
    array([[1., 3.],
           [2., 3.]])
    """
    count = _common_length({key: value for key, value in given.items() if np.ndim(value)})
    if count is None:
        return np.array([_number(key, value) for key, value in values.items()], dtype=np.float64)
    columns = [np.broadcast_to(_numbers(key, value), count) for key, value in values.items()]
    return np.stack(columns, axis=-1) if columns else np.zeros((count, 0))


def _number(key: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        message = f"the value {shown(value)} of parameter '{key}' is not a finite number."
        raise PolhodeError(message, "parameters", "Give a finite number.", "E-VALUE-NUMBER")
    return number


def in_si(table: Mapping[str, Parameter], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values by name in SI units; see `polhode.model.unit.si_values`."""
    if not given:
        return given
    from ..model.unit import si_values

    read: Mapping[str, Any] = si_values(table, given, lists=False)
    return read


def counted(key: str, value: Any) -> Any:
    """A value that has a shape: a list becomes an array."""
    if not isinstance(value, list | tuple):
        return value
    with understood("a list of numbers", value, place=f"parameter '{key}'", cure="Give one number for each state."):
        return np.asarray(value)


def _numbers(key: str, value: Any) -> NDArray[np.float64]:
    """One value of a parameter, or one for each member of a batch."""
    if not np.ndim(value):
        return np.array(_number(key, value))
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        message = f"{array.dtype} is no type of real numbers."
        raise ShapeError(message, f"parameter '{key}'", "Give one number for each state.", "E-VALUE-TYPE")
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        message = f"value {bad[0]} of parameter '{key}' is {array[bad[0]]}, not a finite number."
        raise PolhodeError(message, "parameters", "Give finite numbers.", "E-VALUE-NUMBER")
    return array.astype(np.float64)


def _common_length(values: Mapping[str, Any]) -> int | None:
    """How many values the parameters that are arrays have, which is one number for them all."""
    shapes = {key: np.shape(value) for key, value in values.items()}
    for key, shape in shapes.items():
        if len(shape) != 1:
            cure = "Give one number, or an array (N,) with one for each of N states."
            raise ShapeError(f"the values have shape {shape}.", f"parameter '{key}'", cure, "E-VALUE-SHAPE")
    if len({*shapes.values()}) > 1:
        counts = listed(f"'{key}' has {shape[0]}" for key, shape in shapes.items())
        message = f"the parameters have different numbers of values: {counts}."
        raise ShapeError(message, "parameters", "Give each one number, or as many as the others have.", "E-VALUE-SHAPE")
    return next((shape[0] for shape in shapes.values()), None)


def check_lengths(parameters: Mapping[str, Any] | None, count: int, arrays: Mapping[str, ArrayLike]) -> None:
    """Refuse parameters that are of another number than the states."""
    key = next(key for key, value in (parameters or {}).items() if np.ndim(value))
    for name, array in arrays.items():
        if np.ndim(array) == 2 and np.shape(array)[0] != count:
            message = f"it has {count} values; the array '{name}' has {np.shape(array)[0]} states."
            raise ShapeError(message, f"parameter '{key}'", "Give one value, or one for each state.", "E-VALUE-SHAPE")


def real_numbers(value: Any, what: str) -> NDArray[np.float64]:
    """A float array; raises ShapeError for anything else, also None, which NumPy takes as NaN."""
    try:
        if value is not None:
            return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    message = f"{shown(value)} is no real number, nor an array of them."
    raise ShapeError(message, what, "Give a number, or an array of numbers.", "E-VALUE-TYPE") from None


def given_states(names: Sequence[str], place: str, given: Mapping[str, Any] | ArrayLike | None) -> NDArray[np.float64]:
    """The first-order states, as they are given: an array with a column for each, or columns by name."""
    if isinstance(given, Mapping):
        for strange in (key for key in given if key not in names):
            raise unknown("state", strange, names, place=place, code="E-CODE-NAME")
    lacking = names if given is None else [key for key in names if isinstance(given, Mapping) and key not in given]
    if lacking:
        message = f"it depends on the state{'s' * (len(lacking) > 1)} {listed([repr(key) for key in lacking])}."
        cure = f"Give z=[…], {len(names)} number{'s' * (len(names) > 1)} in the order of equations.states."
        raise ValueMissing(message, place, cure, "E-CODE-MISSING")
    if isinstance(given, Mapping):
        return stacked([real_numbers(given[key], f"state '{key}'") for key in names])
    states = real_numbers(given, "z")
    if states.ndim == 0 or states.shape[-1] != len(names):
        raise ShapeError(
            f"z has shape {states.shape}; its last axis has a number for each first-order state, {len(names)} here.",
            place=place,
            cure="See equations.states for their order.",
            code="E-CODE-SHAPE",
        )
    return states


def stacked(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Columns side by side, each one number or many."""
    return np.stack(np.broadcast_arrays(*columns), axis=-1) if columns else np.zeros(0)
