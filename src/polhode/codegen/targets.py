"""Source targets by name: each turns a program into files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import PolhodeError
from .c99 import prefaced, print_c
from .fortran import print_fortran
from .numpy_module import print_numpy
from .program import Program


def _c(program: Program, preface: Sequence[str]) -> dict[str, str]:
    return dict(print_c(program, preface).files())


def _numpy(program: Program, preface: Sequence[str]) -> dict[str, str]:
    head = "".join(f"# {line}".rstrip() + "\n" for line in prefaced(preface)) if preface else ""
    return {f"{program.name}.py": head + print_numpy(program)}


Printer = Callable[[Program, Sequence[str]], dict[str, str]]

TARGETS: dict[str, Printer] = {"c": _c, "fortran": print_fortran, "numpy": _numpy}


def printer(target: str) -> Printer:
    """The printer of a target: from a program and the lines of its preface to files, by name.

    >>> from polhode.codegen.random_program import random_program
    >>> list(printer("fortran")(random_program(1), ["A sample."]))
    ['sample.f90', 'sample_main.f90']
    """
    if not isinstance(target, str) or target not in TARGETS:
        raise PolhodeError(
            f"there is no target {target!r}.", cure=f"Choose one of {', '.join(TARGETS)}.", code="E-CODE-010"
        )
    return TARGETS[target]
