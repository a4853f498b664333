"""Operation counts, read off a program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .calls import CALL
from .program import Instruction, Program

_CHEAP = {"add", "sub", "mul", "div", "neg"}


@dataclass(frozen=True)
class Operations:
    """How many operations one evaluation takes; `sincos` counts angles of which a sine or cosine is taken.

    `calls` are those of tables and users' functions, which are counted apart.
    """

    multiplications: int
    additions: int
    divisions: int
    negations: int
    sincos: int
    functions: int
    setup: int
    calls: int = 0

    @property
    def total(self) -> int:
        """Multiplications and additions."""
        return self.multiplications + self.additions

    def __str__(self) -> str:
        parts = [
            _counted(self.multiplications, "multiplication"),
            _counted(self.additions, "addition"),
            _counted(self.divisions, "division"),
            _counted(self.sincos, "sine-cosine pair"),
        ]
        if self.calls:
            parts.append(_counted(self.calls, "call"))
        return ", ".join(parts)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def count(program: Program) -> Operations:
    """The operations of the run part; `setup` is the number of all operations of the set-up part."""
    run = program.run
    calls = sum(bool(CALL.fullmatch(step.op)) for step in run)
    return Operations(
        multiplications=_number(run, {"mul"}),
        additions=_number(run, {"add", "sub"}),
        divisions=_number(run, {"div"}),
        negations=_number(run, {"neg"}),
        sincos=len({step.args for step in run if step.op in ("sin", "cos")}),
        functions=sum(step.op not in _CHEAP and step.op not in ("sin", "cos") for step in run) - calls,
        setup=len(program.setup),
        calls=calls,
    )


def _number(steps: Iterable[Instruction], ops: set[str]) -> int:
    return sum(step.op in ops for step in steps)
