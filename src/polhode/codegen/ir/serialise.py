"""A program as text, in and out: what is kept on disk between runs. Nothing in it is executed."""

from __future__ import annotations

import json
from typing import Any

from ...errors import PolhodeError
from ...expr.opaque.records import function_of, record_of
from .calls import CALL
from .program import ARITY, Array, Instruction, Output, Program

_VERSION = 1
_OPS = tuple(ARITY)
_NUMBER_OF = {op: number for number, op in enumerate(_OPS)}


def dump_program(program: Program) -> str:
    """The program as one line of JSON; the same program gives the same text."""
    record: dict[str, Any] = {
        "version": _VERSION,
        "name": program.name,
        "arrays": [[array.name, array.size] for array in program.arrays],
        "parameters": program.parameters,
        "constants": [number.hex() for number in program.constants],
        "setup": [_row(step) for step in program.setup],
        "run": [_row(step) for step in program.run],
        "outputs": [[output.name, output.shape, output.slots] for output in program.outputs],
    }
    if program.functions:
        record["functions"] = [record_of(function) for function in program.functions]
    return json.dumps(record, separators=(",", ":"))


def _row(step: Instruction) -> list[int]:
    called = CALL.fullmatch(step.op)
    return [len(_OPS) + int(called.group(1)) if called else _NUMBER_OF[step.op], *step.args]


def load_program(text: str) -> Program:
    """The program of a text; a text that is none raises PolhodeError."""
    try:
        record = json.loads(text)
        if record["version"] != _VERSION:
            raise PolhodeError(f"a program of version {record['version']!r}.", code="E-FILE-READ")
        return Program(
            name=str(record["name"]),
            arrays=tuple(Array(str(name), int(size)) for name, size in record["arrays"]),
            parameters=int(record["parameters"]),
            constants=tuple(float.fromhex(number) for number in record["constants"]),
            setup=_steps(record["setup"]),
            run=_steps(record["run"]),
            outputs=tuple(Output(str(name), tuple(shape), tuple(slots)) for name, shape, slots in record["outputs"]),
            functions=tuple(function_of(entry) for entry in record.get("functions", ())),
        )
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise PolhodeError(f"not a program ({error}).", code="E-FILE-READ") from None


def _steps(rows: list[list[Any]]) -> tuple[Instruction, ...]:
    count = len(_OPS)
    return tuple(Instruction(_OPS[k] if k < count else f"call{k - count}", tuple(args)) for k, *args in rows)
