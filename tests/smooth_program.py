"""Random right-hand sides x' = f(t, x) of every operation that has a Taylor series."""

from dataclasses import replace

from polhode.codegen.ir.program import Array, Instruction, Output, Program

from .random_program import random_program

#: What stands where a random program has an operation with a corner; its operand is a sine where it must stay positive.
_SMOOTH = {"abs": "neg", "sign": "tanh", "min": "add", "max": "sub", "floor": "sin", "where": "add"}


def smooth_program(seed: int, size: int = 60) -> Program:
    """A program with a state x of three, efforts tau, time and parameters."""
    program = random_program(seed, size)

    def smooth(instructions: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
        return tuple(Instruction(_SMOOTH.get(step.op, step.op), step.args[-2:]) for step in instructions)

    last = program.first_run + len(program.run)
    # sines of the last values: the motion stays moderate
    sines = tuple(Instruction("sin", (last - 1 - place,)) for place in range(3))
    return replace(
        program,
        name="state_rates",
        arrays=(Array("x", 3), *program.arrays[1:]),
        setup=smooth(program.setup),
        run=smooth(program.run) + sines,
        outputs=(Output("xdot", (3,), tuple(range(last, last + 3))),),
    )
