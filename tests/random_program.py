"""Random programs that use every operation, to compare targets with the reference interpreter."""

import random
from collections.abc import Mapping, Sequence

from polhode.codegen.ir.program import ARITY, Array, Instruction, Output, Program
from polhode.expr.opaque.function import Opaque


def random_program(seed: int, size: int = 60, functions: Sequence[Opaque] = ()) -> Program:
    """A legal program of about `size` instructions whose values stay moderate for inputs of order one.

    It calls each of the `functions`, whose values should be moderate too.

    Operands that an operation would blow up or reject are first brought into its domain by others, as in
    log(1 + x²) or asin(tanh x).
    """
    choose = random.Random(seed)
    arrays = (Array("q", 3), Array("tau", 2), Array("t", 1))
    constants = (0.5, 1.0, -1.75, 2.0, 1e-3)
    first = len(constants) + 6
    parameters = 3
    arity = {**ARITY, **{f"call{number}": function.arity for number, function in enumerate(functions)}}
    known = [*range(len(constants)), *range(first, first + parameters)]
    setup = _Code(choose, arity, start=first + parameters, pool=known)
    setup.grow(size // 4, ["mul", "sin", "exp", "div"])
    run = _Code(choose, arity, start=setup.next, pool=list(range(setup.next)))
    run.grow(size, sorted(arity))
    last = run.next
    outputs = (
        Output("scalar", (), (last - 1,)),
        Output("vector", (4,), tuple(choose.randrange(last) for _ in range(4))),
        Output("matrix", (2, 3), tuple(choose.randrange(last // 2, last) for _ in range(6))),
    )
    return Program(
        "sample", arrays, parameters, constants, tuple(setup.code), tuple(run.code), outputs, {}, tuple(functions)
    )


class _Code:
    """Instructions under construction, each reading from the pool of slots known so far."""

    def __init__(self, choose: random.Random, arity: Mapping[str, int], start: int, pool: list[int]) -> None:
        self.choose, self.arity, self.next, self.pool = choose, arity, start, pool
        self.code: list[Instruction] = []

    def emit(self, op: str, *args: int) -> int:
        self.code.append(Instruction(op, args))
        self.pool.append(self.next)
        self.next += 1
        return self.next - 1

    def grow(self, size: int, at_least: list[str]) -> None:
        """Every operation of `at_least` once, in random order, then more until `size` is reached."""
        for op in self.choose.sample(at_least, len(at_least)):
            self._one(op)
        while len(self.code) < size:
            self._one(self.choose.choice(sorted(self.arity)))

    def _one(self, op: str) -> None:
        args = [self.choose.choice(self.pool) for _ in range(self.arity[op])]
        if op in ("exp", "sinh", "cosh", "asin", "acos", "mul", "tan"):
            args = [self.emit("tanh", arg) for arg in args]
        elif op in ("sqrt", "log", "div", "pow"):
            args[-1] = self.emit("add", 1, self.emit("abs", self.emit("sin", args[-1])))
            args[0] = args[0] if op == "div" else args[-1]
        self.emit(op, *args)
