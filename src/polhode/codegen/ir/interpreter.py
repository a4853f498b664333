"""The slow reference interpreters: one slot after the other, one lane after the other, plain floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ...errors import ShapeError
from .calls import on_floats
from .ops import MEANING
from .packed import Gather, Packed, Source, Splat, Term
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
    found = evaluate(program, program.constants, entries, values, {**MEANING, **on_floats(program)})
    return {
        output.name: np.array(found[output.name], dtype=np.float64).reshape(output.shape) for output in program.outputs
    }


def interpret_packed(
    program: Program, code: Packed, inputs: Sequence[float], parameters: Sequence[float] = ()
) -> list[float]:
    """All entries of all outputs, one after the other; a number that is read before it is made is a KeyError."""
    meaning = {**MEANING, **on_floats(program)}
    known = dict(enumerate([*program.constants, *inputs, *parameters]))
    for slot, step in enumerate(program.setup, program.first_setup):
        known[slot] = meaning[step.op](*(known[arg] for arg in step.args))
    vectors: dict[int, list[float]] = {}

    def lane(source: Source, k: int) -> float:
        if isinstance(source, Splat):
            return known[source.slot]
        if isinstance(source, Gather):
            slot = source.slots[k]
            return 0.0 if slot is None else known[slot]
        return vectors[source.pack][k]

    def product(term: Term, k: int) -> float:
        return (term.signs[k] or 1) * math.prod(lane(factor, k) for factor in term.factors)

    for is_pack, number in code.order:
        if not is_pack:
            step = program.run[number - program.first_run]
            known[number] = meaning[step.op](*(known[arg] for arg in step.args))
            continue
        pack = code.packs[number]
        found = [[product(term, k) for term in pack.terms] for k in range(len(pack.lanes))]
        vectors[number] = [sum(terms) if pack.op == "sum" else meaning[pack.op](*terms) for terms in found]
        known.update((own[0], own[1] * value) for own, value in zip(pack.lanes, vectors[number], strict=True) if own)
    return [sign * known[slot] for output in code.outputs for slot, sign in output]


def _floats(values: npt.ArrayLike, size: int, place: str) -> list[float]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (size,):
        raise ShapeError(f"the shape is {array.shape}, expected {(size,)}.", place=place)
    return [float(value) for value in array]
