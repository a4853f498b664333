"""From what a user passes to what native code may read: contiguous float64 of a checked shape."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..codegen.ir.program import Outline, Program
from ..errors import PolhodeError, Problem, ShapeError, ValueMissing

Floats = npt.NDArray[np.float64]


def address_of(array: npt.NDArray[Any]) -> int:
    """The address of an array's first entry: `array.ctypes.data` in a third of its time."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]  # NumPy's arrays are buffers, which its types leave out
    except (TypeError, ValueError):  # empty, read-only, or not contiguous
        return int(array.__array_interface__["data"][0])


def as_floats(value: Any, size: int, place: str) -> Floats:
    """One row (size,) or a batch (N, size) as contiguous float64; integers and single precision convert exactly."""
    try:
        array = np.asarray(value)
    except ValueError as problem:
        cure = f"Give {size} numbers, or N rows of {size}."
        raise ShapeError("the rows have different lengths.", place, cure, "E-CODE-SHAPE") from problem
    if array.dtype.kind not in "fiub" and array.size:
        message = f"the type is {array.dtype}, which is not a real number."
        raise ShapeError(message, place, f"Give {size} numbers, or N rows of {size}.", "E-VALUE-TYPE")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        cure = "Convert it to float64 yourself."
        raise ShapeError(f"{array.dtype} would lose digits.", place, cure, "E-VALUE-TYPE")
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        message = f"the shape is {array.shape}, expected ({size},) for one state or (N, {size}) for a batch."
        raise ShapeError(message, place, f"Give {size} numbers, or N rows of {size}.", "E-CODE-SHAPE")
    return np.ascontiguousarray(array, dtype=np.float64)


def ordered(program: Program | Outline, given: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """Positional and named arrays in the program's order; raises ShapeError for what is missing or unknown."""
    names = [array.name for array in program.arrays]
    problems: list[Problem] = []
    place, cure = program.name, f"The arrays are {', '.join(names) or 'none'}, in this order."
    if len(given) > len(names):
        message = f"{len(given)} arrays were given, expected {len(names)}: {', '.join(names)}."
        problems.append(Problem(message, place, "Leave the others out.", "E-CODE-SHAPE"))
    by_name = dict(zip(names, given, strict=False))
    for name, value in named.items():
        if name not in names:
            problems.append(Problem(f"there is no array {name!r}.", place, cure, "E-CODE-NAME"))
        elif name in by_name:
            problems.append(Problem(f"array {name!r} was given twice.", place, cure, "E-CODE-TWICE"))
        by_name[name] = value
    for array in program.arrays:
        if array.name not in by_name and array.size:
            message = f"array {array.name!r} is missing, expected shape ({array.size},)."
            problems.append(Problem(message, place, cure, "E-CODE-MISSING"))
    if problems:
        raise ShapeError(problems=problems)
    return [by_name.get(name, ()) for name in names]


def batch_size(arrays: Sequence[tuple[str, Floats]]) -> int | None:
    """The common number of states, or None where no array is a batch."""
    lengths = {name: array.shape[0] for name, array in arrays if array.ndim == 2}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
        cure = "Give one state, or as many as the other arrays have."
        raise ShapeError(f"the arrays have different numbers of states: {counts}.", "", cure, "E-CODE-SHAPE")
    return next(iter(lengths.values()), None)


def as_parameters(value: Any, program: Program | Outline) -> Floats:
    """Parameters (count,) or one set a state (N, count), all finite."""
    place = f"parameters of {program.name!r}"
    if value is None:
        if program.parameters:
            message = f"{program.parameters} parameters have no value."
            raise ValueMissing(message, place, "Pass parameters=[…].", "E-VALUE-MISSING")
        value = ()
    array = as_floats(value, program.parameters, place)
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        wrong = [(f"parameter {where[-1]} is {array[tuple(where)]}.", place) for where in bad[:20]]
        raise PolhodeError(problems=[Problem(*problem, "Give finite numbers.", "E-VALUE-NUMBER") for problem in wrong])
    return array


# ---- quaternions ---------------------------------------------------------------------------------------------
# Whatever its length, a quaternion stands for the orientation that it has at unit length. Compiled code takes it to be
# of unit length and checks nothing; what a user passes is scaled before.

#: Lengths whose square is off by less are one, to rounding.
_SLACK = 1e-14


def scale_quaternions(states: Floats, groups: Sequence[tuple[int, int]]) -> None:
    """Divide the quaternions in states (…, n), each (first entry, 4), by their lengths."""
    for first, count in groups:
        columns = [states[..., k] for k in range(first, first + count)]
        length = np.sqrt(sum(column * column for column in columns))
        for column in columns:
            column /= length


def unit_quaternions(q: Any, starts: Sequence[int]) -> tuple[Any, list[Floats]]:
    """Coordinates with the quaternions that begin at these indices scaled to unit length, and the lengths they had."""
    array = q
    if type(q) is not np.ndarray or q.dtype != np.float64:
        try:
            array = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError):
            return q, []  # told where arrays are checked
    if array.ndim not in (1, 2) or array.shape[-1] < max(starts) + 4:
        return array, []
    if all(map(_are_unit if array.ndim == 2 else _is_unit, [array[..., start : start + 4] for start in starts])):
        return array, []
    array = array.copy()
    return array, [_scaled(array[..., start : start + 4], start) for start in starts]


def _is_unit(part: Floats) -> bool:
    a, b, c, d = part.tolist()
    return bool(abs(a * a + b * b + c * c + d * d - 1.0) < _SLACK)


def _are_unit(parts: Floats) -> bool:
    squares = np.einsum("ij,ij->i", parts, parts)
    squares -= 1.0
    return bool(np.maximum.reduce(np.abs(squares, out=squares), initial=0.0) < _SLACK)


def _scaled(part: Floats, start: int) -> Floats:
    """Bring quaternions to unit length in place, and give the lengths they had; no square leaves the floats."""
    largest = np.abs(part).max(axis=-1, keepdims=True)
    for wrong, what in ((~np.isfinite(largest), "that is not finite"), (largest == 0.0, "of length zero")):
        if wrong.any():
            message = f"coordinates {start} to {start + 3} are a quaternion {what}, which is no orientation."
            raise PolhodeError(message, "array 'q'", "No turn is (1, 0, 0, 0).", "E-CODE-NUMBER")
    part /= largest
    length = np.sqrt(np.einsum("...i,...i", part, part))[..., None]
    part /= length
    return np.asarray(largest * length)


def stretch(rates: Floats, axes: int, starts: Sequence[int], lengths: Sequence[Floats]) -> None:
    """Rates of unit quaternions as those of the quaternions themselves: ė = Γ(e) ω is linear in e."""
    for start, length in zip(starts, lengths, strict=True):
        if axes == 1:
            rates[..., start : start + 4] *= length
        else:
            rates[..., start : start + 4, :] *= length[..., None]
