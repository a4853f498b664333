"""From the notes of some values of a program to notes of almost all."""

from __future__ import annotations

from dataclasses import replace

from ...codegen.ir.program import Program
from .catalogue import LONGEST_NOTE


def with_parts(program: Program) -> Program:
    """The program with a note also beside each value that has none but serves noted ones.

    A value that serves, directly or not, one noted value alone is part of it; one that serves several says so.

    >>> from polhode.codegen.ir.program import Array, Instruction, Output
    >>> code = (Instruction("mul", (0, 0)), Instruction("add", (1, 0)))
    >>> program = Program("f", (Array("q", 1),), 0, (), (), code, (Output("y", (), (2,)),), {2: "energy"})
    >>> dict(with_parts(program).notes)
    {1: 'part of energy', 2: 'energy'}
    """
    readers: dict[int, list[int]] = {}
    notes = dict(program.notes)
    for slot, step in program.numbered():
        if step.op == "neg" and slot not in notes and step.args[0] in notes:
            notes[slot] = _negative(notes[step.args[0]])
        for arg in step.args:
            readers.setdefault(arg, []).append(slot)
    serves: dict[int, list[str]] = {}
    for slot in reversed(range(program.first_setup, program.first_run + len(program.run))):
        own = notes.get(slot)
        if own is not None:
            serves[slot] = [own.removeprefix("minus ")]
            continue
        serves[slot] = list(dict.fromkeys(whole for reader in readers.get(slot, ()) for whole in serves[reader]))
        if len(serves[slot]) == 1:
            notes[slot] = f"part of {serves[slot][0]}"
        elif serves[slot]:
            notes[slot] = _in_several(serves[slot])
    return replace(program, notes={slot: _fitted(notes[slot]) for slot in sorted(notes)})


def _negative(note: str) -> str:
    return note.removeprefix("minus ") if note.startswith("minus ") else f"minus {note}"


def _in_several(wholes: list[str]) -> str:
    more = f", and {len(wholes) - 1} more"
    return f"in {_fitted(wholes[0], LONGEST_NOTE - len(more) - 3)}{more}"


def _fitted(note: str, length: int = LONGEST_NOTE) -> str:
    """A note that is too long loses its frame first, then its end."""
    if len(note) > length:
        note = note.rpartition(" in ")[0] or note
    return note if len(note) <= length else note[: length - 2].rstrip() + ".."
