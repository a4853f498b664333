"""A straight-line program: what the plan makes and every printer prints.

Values live in numbered slots, each written once. The slots come in this order:

    constants | inputs, array after array | parameters | setup instructions | run instructions

`setup` depends on parameters alone and is run once a parameter set; what the run part needs of it (`saved`) is
handed over in one work array, in that order. A printer never sees a name that a user wrote: it numbers slots.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import prod
from types import MappingProxyType

from ...expr.opaque.function import Opaque

#: Compilers tell names apart by their first 63 letters.
_LONGEST_NAME = 50

#: Every operation and the number of its operands.
ARITY: Mapping[str, int] = MappingProxyType({
    "add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "sqrt": 1,
    "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2,
    "exp": 1, "log": 1, "sinh": 1, "cosh": 1, "tanh": 1, "abs": 1, "sign": 1, "min": 2, "max": 2, "pow": 2,
    "floor": 1, "where": 3,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation on earlier slots; its own slot is its place in the program."""

    op: str
    args: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """An input array: a fixed identifier of ours (`q`, `u`, `tau`, `t`, `inputs`, ...) and its length."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Output:
    """An output array, row-major, each entry the slot that holds it."""

    name: str
    shape: tuple[int, ...]
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The interface of a program: arrays, parameters, outputs, the lengths of work array and code."""

    name: str
    arrays: tuple[Array, ...]
    parameters: int
    outputs: tuple[tuple[str, tuple[int, ...]], ...]
    saved: int
    length: int

    @property
    def sizes(self) -> list[int]:
        """How many numbers each array has, then each output."""
        return [array.size for array in self.arrays] + [prod(shape) for _, shape in self.outputs]


@dataclass(frozen=True)
class Program:
    """Straight-line code in static single assignment form, with its set-up part apart."""

    name: str
    arrays: tuple[Array, ...]
    parameters: int
    constants: tuple[float, ...]
    setup: tuple[Instruction, ...]
    run: tuple[Instruction, ...]
    outputs: tuple[Output, ...]
    notes: Mapping[int, str] = field(default_factory=dict, compare=False)
    functions: tuple[Opaque, ...] = ()  # what the operations `call0`, `call1`, … apply
    names: Mapping[int, str] = field(default_factory=dict, compare=False)  # identifiers of slots, if they have some

    def label(self, slot: int) -> str:
        """What a slot is called in generated code."""
        return self.names.get(slot) or f"v{slot}"

    @property
    def first_input(self) -> int:
        return len(self.constants)

    def slots_of(self, name: str) -> range:
        """The slots of an input array; none where there is no such array."""
        start = self.first_input
        for array in self.arrays:
            if array.name == name:
                return range(start, start + array.size)
            start += array.size
        return range(0)

    @property
    def first_parameter(self) -> int:
        return self.first_input + sum(array.size for array in self.arrays)

    @property
    def first_setup(self) -> int:
        return self.first_parameter + self.parameters

    @property
    def first_run(self) -> int:
        return self.first_setup + len(self.setup)

    @property
    def saved(self) -> tuple[int, ...]:
        """Slots of parameters and set-up values that the run part or the outputs read, in ascending order."""
        low, high = self.first_parameter, self.first_run
        used = {slot for instruction in self.run for slot in instruction.args}
        used.update(slot for output in self.outputs for slot in output.slots)
        return tuple(sorted(slot for slot in used if low <= slot < high))

    @property
    def outline(self) -> Outline:
        """The program's interface."""
        outputs = tuple((output.name, output.shape) for output in self.outputs)
        return Outline(self.name, self.arrays, self.parameters, outputs, len(self.saved), len(self.run))

    def numbered(self) -> Iterator[tuple[int, Instruction]]:
        """Every instruction with its slot, set-up first."""
        yield from enumerate(self.setup + self.run, start=self.first_setup)


def identifier(kind: str, *words: str) -> str:
    """What a function is called in generated code: small letters, digits and underscores.

    Where a user's words have other letters, or are several, a digest of them makes the names distinct.

    >>> identifier("reaction", "hinge"), identifier("reaction", "größe")
    ('reaction_hinge', 'reaction_gr_e_dba92c0a')
    """
    plain = re.sub(r"[^a-z0-9_]+", "_", "_".join([kind, *words]).lower())
    if len(plain) <= _LONGEST_NAME and len(words) < 2 and all(re.fullmatch(r"[a-z0-9_]+", word) for word in words):
        return plain
    return f"{plain[: _LONGEST_NAME - 9]}_{sha256(repr(words).encode()).hexdigest()[:8]}"
