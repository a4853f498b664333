"""Source targets by name: each turns a program into files."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import PolhodeError
from .c99 import print_c
from .numpy_module import print_numpy
from .program import Program


def _c(program: Program) -> dict[str, str]:
    return dict(print_c(program).files())


def _numpy(program: Program) -> dict[str, str]:
    return {f"{program.name}.py": print_numpy(program)}


TARGETS: dict[str, Callable[[Program], dict[str, str]]] = {"c": _c, "numpy": _numpy}


def render(target: str, program: Program) -> dict[str, str]:
    """The files of a program for a target, by name."""
    if target not in TARGETS:
        raise PolhodeError(
            f"there is no target {target!r}.", cure=f"Choose one of {', '.join(TARGETS)}.", code="E-CODE-010"
        )
    return TARGETS[target](program)
