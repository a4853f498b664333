"""heyoka, a Taylor integrator compiled by LLVM, given our own equations instruction by instruction."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import heyoka as hy
import numpy as np

from polhode.codegen.ir.interpreter import evaluate
from polhode.codegen.ir.program import Program

from .plain_tree import Floats

#: Every operation that heyoka knows, on its expressions.
MEANING: Mapping[str, Callable[..., Any]] = MappingProxyType({
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "neg": lambda a: -a, "pow": lambda a, b: a**b,
} | {name: getattr(hy, name) for name in (
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sinh", "cosh", "tanh")
})  # fmt: skip

#: From this many instructions by its order heyoka compiles in its compact mode, which is half as fast: the other takes
#: minutes then. heyoka keeps what it compiled on disk.
_COMPACT_FROM = 30_000
_COMPACT_FROM_IN_HASTE = 6_000


def equations_of(program: Program, parameters: Floats) -> list[tuple[Any, Any]]:
    """The rates of a state as heyoka's expressions, without efforts: pairs of a variable and its rate."""
    state, *others = program.arrays
    x = [hy.expression(f"x{place}") for place in range(state.size)]
    zeros = [hy.expression(0.0)] * sum(array.size for array in others)
    constants, values = ([hy.expression(float(number)) for number in each] for each in (program.constants, parameters))
    (rates,) = evaluate(program, constants, [*x, *zeros], values, MEANING).values()
    return list(zip(x, rates, strict=True))


class Heyoka:
    """A motion by heyoka at one tolerance; building it compiles its Taylor series once."""

    def __init__(
        self,
        program: Program,
        parameters: Floats,
        start: Floats,
        duration: float,
        tolerance: float,
        patient: bool = True,
    ) -> None:
        self.start, self.duration = start, duration
        order = math.ceil(-math.log(tolerance) / 2 + 1)  # as heyoka has it
        most = _COMPACT_FROM if patient else _COMPACT_FROM_IN_HASTE
        self.integrator = hy.taylor_adaptive(
            equations_of(program, parameters),
            start.tolist(),
            tol=tolerance,
            compact_mode=len(program.run) * order >= most,
        )

    def __call__(self) -> Floats:
        """The last state."""
        self.integrator.time = 0.0
        self.integrator.state[:] = self.start
        self.integrator.propagate_until(self.duration)
        return np.array(self.integrator.state)
