"""heyoka, a Taylor integrator compiled by LLVM, with our own equations instruction by instruction."""

import math
import operator
from typing import Any

import heyoka as hy
import numpy as np

from polhode.codegen.ir.interpreter import evaluate
from polhode.codegen.ir.serialise import dump_program
from polhode.errors import PolhodeError

from ..build import key_of, stored
from ..motions import Floats, Motion, distance

#: Every operation that heyoka has, on its expressions.
_MEANING: dict[str, Any] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "pow": operator.pow,
} | {name: getattr(hy, name) for name in (
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sinh", "cosh", "tanh")
}  # fmt: skip

#: From this many instructions by its order heyoka compiles in its compact mode, which is half as fast: the other takes
#: minutes then. heyoka keeps what it compiled on disk.
_COMPACT_FROM = {False: 30_000, True: 6_000}  # if quick


def _equations(functions: Any) -> list[tuple[Any, Any]]:
    """The rates of a state as heyoka's expressions, without efforts: pairs of a variable and its rate."""
    program, parameters = functions.program("state_rates"), functions.parameter_values("state_rates")
    state, *others = program.arrays
    x = [hy.expression(f"x{index}") for index in range(state.size)]
    zeros = [hy.expression(0.0)] * sum(array.size for array in others)
    constants, values = ([hy.expression(float(number)) for number in each] for each in (program.constants, parameters))
    (rates,) = evaluate(program, constants, [*x, *zeros], values, _MEANING).values()
    return list(zip(x, rates, strict=True))


class Heyoka:
    """A motion by heyoka at one tolerance; building it compiles its Taylor series once."""

    def __init__(self, motion: Motion, tolerance: float, quick: bool = False) -> None:
        functions = motion.equations.compile()
        self.start, self.duration = motion.start, motion.duration
        order = math.ceil(-math.log(tolerance) / 2 + 1)  # as heyoka has it
        compact = len(functions.program("state_rates").run) * order >= _COMPACT_FROM[quick]
        given = {"tol": tolerance, "compact_mode": compact}
        self.integrator = hy.taylor_adaptive(_equations(functions), self.start.tolist(), **given)

    def __call__(self) -> Floats:
        """The last state."""
        self.integrator.time = 0.0
        self.integrator.state[:] = self.start
        self.integrator.propagate_until(self.duration)
        return np.array(self.integrator.state)


def reference(motion: Motion) -> Floats:
    """The last state in quadruple, if stiff in extended, precision at two tolerances; stored under out/.

    A mechanism with loops moves as its pendulum: every crank by its angle, and couplers against it.
    """
    equations, start = motion.equations, motion.start
    if motion.pendulum is not None:
        equations, start = motion.pendulum().derive(), motion.pendulum_start
    functions = equations.compile()
    values = functions.parameter_values("state_rates").tolist()
    key = key_of(dump_program(functions.program("state_rates")), repr((start.tolist(), values, motion.duration)))
    real, tolerances = (np.longdouble, (1e-17, 1e-19)) if motion.is_stiff else (hy.real128, (1e-25, 1e-28))

    def last(tolerance: float) -> Any:
        given = {"tol": real(tolerance), "fp_type": real, "compact_mode": True}
        run = hy.taylor_adaptive(_equations(functions), [real(entry) for entry in start.tolist()], **given)
        run.propagate_until(real(motion.duration))
        return np.array([float(entry) for entry in run.state])

    def make(path: Any) -> None:
        first, second = map(last, tolerances)
        if not distance(first, second) < 1e-15:
            message = f"two references differ by {distance(first, second):.1e}."
            raise PolhodeError(message, place=motion.name, code="E-BENCH-013")
        with path.open("wb") as file:
            np.save(file, second)

    end = np.asarray(np.load(stored(f"reference-{key}.npy", make)))
    signs = [1.0 if name.startswith("crank") else -1.0 for name in motion.equations.coordinates]
    return end if motion.pendulum is None else np.outer(end, signs).ravel()
