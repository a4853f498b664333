"""The slow reference interpreter: one slot after the other, in plain floats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ...errors import ShapeError
from .calls import on_floats
from .ops import MEANING
from .program import Program

Value = TypeVar("Value")


def evaluate(
    program: Program,
    constants: Sequence[Value],
    inputs: Sequence[Value],
    parameters: Sequence[Value],
    meaning: Mapping[str, Callable[..., Value]],
) -> dict[str, list[Value]]:
    """The entries of each output, for any kind of value that `meaning` computes with."""
    slots: list[Value] = [*constants, *inputs, *parameters]
    for instruction in program.setup + program.run:
        slots.append(meaning[instruction.op](*(slots[arg] for arg in instruction.args)))
    return {output.name: [slots[slot] for slot in output.slots] for output in program.outputs}


def interpret(
    program: Program, inputs: Mapping[str, npt.ArrayLike], parameters: npt.ArrayLike = ()
) -> dict[str, npt.NDArray[np.float64]]:
    """The outputs at one state, computed with plain floats."""
    entries: list[float] = []
    for array in program.arrays:
        if array.name not in inputs:
            raise ShapeError(f"array {array.name!r} is missing.", cure=f"Give {array.size} numbers.")
        entries += _floats(inputs[array.name], array.size, f"array {array.name!r}")
    values = _floats(parameters, program.parameters, "parameters")
    results = evaluate(program, program.constants, entries, values, {**MEANING, **on_floats(program)})
    return {
        output.name: np.array(results[output.name], dtype=np.float64).reshape(output.shape)
        for output in program.outputs
    }


def _floats(values: npt.ArrayLike, size: int, place: str) -> list[float]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (size,):
        raise ShapeError(f"the shape is {array.shape}, expected {(size,)}.", place=place)
    return [float(value) for value in array]
