"""Calls of opaque functions in programs: the operation `call3` applies the program's function number 3."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import PolhodeError
from ...expr.opaque.function import Opaque
from ...expr.opaque.table import Table
from ...expr.opaque.user import UserFunction
from .ops import live_run, live_setup
from .program import Program

#: The operations that call functions.
CALL = re.compile(r"call(0|[1-9][0-9]*)", re.ASCII)


def called(program: Program) -> Iterator[tuple[str, Opaque]]:
    """The operation and the function of each that the program calls to some effect."""
    wanted = live_setup(program) | live_run(program)
    used = {step.op for slot, step in program.numbered() if slot in wanted}
    for number, function in enumerate(program.functions):
        if f"call{number}" in used:
            yield f"call{number}", function


def tables(program: Program) -> list[tuple[str, Table]]:
    """The operation and the table of each that the program calls."""
    return [(op, function) for op, function in called(program) if isinstance(function, Table)]


def user_functions(program: Program) -> list[tuple[str, UserFunction]]:
    """The operation and the function of each that a user gave."""
    return [(op, function) for op, function in called(program) if isinstance(function, UserFunction)]


def on_floats(program: Program) -> dict[str, Callable[..., float]]:
    """What each call does to floats: the reference for every other way of computing."""
    return {f"call{number}": function.at for number, function in enumerate(program.functions)}


def on_arrays(program: Program) -> dict[str, Callable[..., Any]]:
    """What each call does to NumPy arrays."""
    return {f"call{number}": function.over for number, function in enumerate(program.functions)}


def by_name(program: Program) -> dict[str, str]:
    """Each call as C and Fortran write it, for its operands to be put in."""
    return {op: f"{op}({', '.join(f'{{{k}}}' for k in range(function.arity))})" for op, function in called(program)}


def own_symbol(program: Program, function: UserFunction) -> str:
    """The name of a user's function where several programs are linked, unique to each program."""
    return f"{program.name}_{function.name}"


def renamed(program: Program) -> list[str]:
    """Lines that give the users' functions these names in the C source that follows."""
    functions = {function.name: function for _, function in user_functions(program)}
    return [f"#define {name} {own_symbol(program, function)}" for name, function in functions.items()]


def sources(program: Program) -> list[str]:
    """The C sources of the users' functions, each once, as they were given."""
    source_of: dict[str, str] = {}
    for _, function in user_functions(program):
        if not function.source:
            message = "it has no C source, which this target needs."
            cure = "Give c= as well, or use the targets llvm or numpy."
            raise PolhodeError(message, f"function '{function.name}'", cure, "E-FUNCTION-MISSING")
        if function.name in (program.name, f"{program.name}_setup"):
            message = f"the program is called {program.name!r} and needs that name."
            cure = "Give the function another name."
            raise PolhodeError(message, f"function '{function.name}'", cure, "E-FUNCTION-NAME")
        if source_of.setdefault(function.name, function.source) != function.source:
            message = "there are two of this name with different C sources."
            cure = "Give one of them another name."
            raise PolhodeError(message, f"function '{function.name}'", cure, "E-FUNCTION-TWICE")
    return list(source_of.values())


def horner(names: list[str], step: str) -> str:
    """The polynomial with these coefficients, constant first, as an expression in nested form."""
    text = names[-1]
    for depth, name in enumerate(reversed(names[:-1])):
        inner = f"({text})" if depth else text
        text = f"{inner} * {step} + {name}"
    return text
