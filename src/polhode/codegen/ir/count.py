"""Operation counts, read off a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .calls import CALL
from .program import Instruction, Program

#: What is counted by itself.
_APART = {"add", "sub", "mul", "div", "neg", "sin", "cos"}


@dataclass(frozen=True)
class Operations:
    """Operations of one evaluation; `sincos` counts angles with a sine or cosine, `functions` other functions.

    `by_name` counts each of these; `calls` are those of tables and users' functions.
    """

    multiplications: int
    additions: int
    divisions: int
    negations: int
    sincos: int
    functions: int
    setup: int
    calls: int = 0
    by_name: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def total(self) -> int:
        """Multiplications and additions."""
        return self.multiplications + self.additions

    def __repr__(self) -> str:
        return f"Operations({self})"

    def __str__(self) -> str:
        parts = [
            _counted(self.multiplications, "multiplication"),
            _counted(self.additions, "addition"),
            _counted(self.divisions, "division"),
            _counted(self.sincos, "sine-cosine pair"),
        ]
        parts += [f"{number} {name}" for name, number in self.by_name.items()]
        if self.calls:
            parts.append(_counted(self.calls, "call"))
        return ", ".join(parts)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def count(program: Program) -> Operations:
    """The operations of the run part; `setup` is the number of all operations of the set-up part."""
    run = program.run
    calls = sum(bool(CALL.fullmatch(step.op)) for step in run)
    others = Counter(step.op for step in run if step.op not in _APART and not CALL.fullmatch(step.op))
    return Operations(
        multiplications=_number(run, {"mul"}),
        additions=_number(run, {"add", "sub"}),
        divisions=_number(run, {"div"}),
        negations=_number(run, {"neg"}),
        sincos=len({step.args for step in run if step.op in ("sin", "cos")}),
        functions=others.total(),
        setup=len(program.setup),
        calls=calls,
        by_name=dict(sorted(others.items())),
    )


def _number(steps: Iterable[Instruction], ops: set[str]) -> int:
    return sum(step.op in ops for step in steps)
