"""What each operation means, and which programs are legal.

`MEANING` is the reference: plain floats, IEEE results where Python would raise (1/0 is inf, sqrt(-1) is nan), so that
every target can be compared with it on any input. NaN always goes through: min, max, sign and floor of NaN are NaN.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from ...errors import PolhodeError, Problem
from .program import ARITY, Instruction, Program

_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,62}", re.ASCII)
_OUR_LOCALS = re.compile(r"[pwv]|[va][0-9]+|out_.*|call[0-9]+.*|table_.*|functions", re.ASCII)
_C_WORDS = re.compile(
    "auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|inline|int|long|main|"
    "register|restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|"
    "fabs|fma|np"
)


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a or b != b:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _log(a: float) -> float:
    return -math.inf if a == 0.0 else math.log(a)


def _sinh(a: float) -> float:
    try:
        return math.sinh(a)
    except OverflowError:
        return math.copysign(math.inf, a)


def _pow(a: float, b: float) -> float:
    odd = b == math.floor(b) and math.fmod(b, 2.0) != 0.0 if math.isfinite(b) else False
    if a == 0.0 and b < 0.0:
        return math.copysign(math.inf, a) if odd else math.inf
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0.0 and odd else math.inf


def _floor(a: float) -> float:
    return math.copysign(float(math.floor(a)), a) if math.isfinite(a) else a


def _ieee(function: Callable[..., float]) -> Callable[..., float]:
    """The function with NaN outside its domain and infinity on overflow, as IEEE 754 has it."""

    def guarded(*operands: float) -> float:
        try:
            return function(*operands)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return guarded


#: The reference meaning of every operation on floats.
MEANING: Mapping[str, Callable[..., float]] = MappingProxyType({
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _divide,
    "neg": lambda a: -a,
    "sqrt": _ieee(math.sqrt),
    "sin": _ieee(math.sin),
    "cos": _ieee(math.cos),
    "tan": _ieee(math.tan),
    "asin": _ieee(math.asin),
    "acos": _ieee(math.acos),
    "atan": math.atan,
    "atan2": math.atan2,
    "exp": _ieee(math.exp),
    "log": _ieee(_log),
    "sinh": _sinh,
    "cosh": _ieee(math.cosh),
    "tanh": math.tanh,
    "abs": abs,
    "sign": lambda a: 1.0 if a > 0.0 else -1.0 if a < 0.0 else a,
    "floor": _floor,
    "min": lambda a, b: a if a < b or a != a else b,
    "max": lambda a, b: a if a > b or a != a else b,
    "pow": _ieee(_pow),
    "where": lambda side, a, b: a if side > 0.0 else b,
})  # fmt: skip


def live(instructions: Iterable[tuple[int, Instruction]], wanted: Iterable[int]) -> frozenset[int]:
    """The slots that the wanted slots depend on, themselves included, as far as these instructions reach.

    >>> code = [(2, Instruction("add", (0, 1))), (3, Instruction("neg", (0,)))]
    >>> sorted(live(code, [3]))
    [0, 3]
    """
    slots = set(wanted)
    for slot, instruction in reversed(list(instructions)):
        if slot in slots:
            slots.update(instruction.args)
    return frozenset(slots)


def live_setup(program: Program) -> frozenset[int]:
    """The set-up slots on which the work array depends."""
    return live(enumerate(program.setup, program.first_setup), program.saved)


def live_run(program: Program, beside: Collection[str] = ()) -> frozenset[int]:
    """The run slots on which the outputs depend, but for those `beside`, by name."""
    wanted = (slot for output in program.outputs if output.name not in beside for slot in output.slots)
    return live(enumerate(program.run, program.first_run), wanted)


def check_program(program: Program) -> None:
    """Raise a PolhodeError that lists all that makes the program illegal; return quietly if nothing does."""
    problems = [Problem(message, place=f"program {program.name!r}") for message in _faults(program)]
    if problems:
        raise PolhodeError(problems=problems)


def _faults(program: Program) -> Iterator[str]:
    yield from _name_faults(program)
    if any(array.size < 0 for array in program.arrays) or program.parameters < 0:
        yield "an array or the parameters have a negative length."
    for k, constant in enumerate(program.constants):
        if not math.isfinite(constant):
            yield f"constant {k} is {constant!r}; constants must be finite."
    arity = {**ARITY, **{f"call{number}": function.arity for number, function in enumerate(program.functions)}}
    run_inputs, first_run = range(program.first_input, program.first_parameter), program.first_run
    for slot, instruction in program.numbered():
        if arity.get(instruction.op) != len(instruction.args):
            yield f"slot {slot} applies {instruction.op!r} to {len(instruction.args)} operands."
        if instruction.args and not 0 <= min(instruction.args) <= max(instruction.args) < slot:
            yield f"slot {slot} reads a slot that is not written before it."
        if slot < first_run and any(arg in run_inputs for arg in instruction.args):
            yield f"slot {slot} of the set-up part reads an input."
    end = first_run + len(program.run)
    for output in program.outputs:
        if math.prod(output.shape) != len(output.slots) or any(extent < 0 for extent in output.shape):
            yield f"output {output.name!r} has {len(output.slots)} entries for the shape {output.shape}."
        if any(not 0 <= slot < end for slot in output.slots):
            yield f"output {output.name!r} reads a slot that does not exist."


def _name_faults(program: Program) -> Iterator[str]:
    arrays = [array.name for array in program.arrays]
    outputs = [output.name for output in program.outputs]
    for name in [program.name, *arrays, *outputs]:
        if not _IDENTIFIER.fullmatch(name):
            yield f"{name[:80]!r} is not a lower-case ASCII identifier of at most 63 characters."
        elif keyword.iskeyword(name) or _C_WORDS.fullmatch(name) or name in ARITY:
            yield f"{name!r} is a word of a target language."
    for name in [program.name, *arrays]:
        if _OUR_LOCALS.fullmatch(name):
            yield f"{name!r} is a name that generated code keeps for itself."
    for names in (arrays, outputs):
        if len(set(names)) != len(names):
            yield f"a name is used twice in {names!r}."
