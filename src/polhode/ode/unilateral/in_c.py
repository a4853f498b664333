"""Contacts in C: forces, impacts and time steps (`one_step`) beside the C of `contact_rates`, which they call.

The files `contacts.h` and `contacts.c` are filled in where a name is between two @.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

from ...codegen.ir.program import Program
from ...codegen.printers.target import sanitised
from ...native.kinds import Struct, fields
from ...native.language.c_source import CModule
from ..linear import Factors
from .cone_problem import ConeProblem
from .lemke import LinearComplementarity
from .memory import OUTPUTS, UnilateralMemory
from .one_step import accelerate, advance, strike
from .record import Unilateral

#: What of the problem of all rows is used, and integers that do not change.
_OF_ALL = ("first", "normals", "tangents", "friction", "matrix", "free", "force", "velocity", "dual")
_GIVEN = ("first", "normals", "tangents")


def contacts_in_c(
    name: str,
    program: Program,
    system: str,
    groups: Sequence[tuple[str, tuple[int, int]]],
    sizes: tuple[int, int, int],
    quaternions: Sequence[int],
) -> dict[str, str]:
    """Header and source, by file name; `groups` are names with numbers of rows, `sizes` those of q, u and the state."""
    q, u, size = sizes
    module = CModule()
    for function in (accelerate, strike, advance):
        module.add(function, name=f"ph_{function.__name__}")
    memory = UnilateralMemory([rows for _, rows in groups], q, u, size)
    outputs = {output.name: len(output.slots) for output in program.outputs}
    connections, numbers, integers = _connections(module, memory, outputs)
    inputs = [*(array.name for array in program.arrays), "w"]
    words: dict[str, Any] = {
        "name": name, "NAME": name.upper(), "function": name.removesuffix("s"), "system": sanitised(system),
        "rates": program.name, "rows": memory.size, "groups": memory.count, "q": q, "u": u, "size": size,
        "states": q + u, "numbers": numbers, "integers": integers, "functions": module.text,
        "connections": "\n".join(connections), "given": ", ".join(f"const double *{each}" for each in inputs),
        "passed": ", ".join(inputs), "moved": ", ".join("moved" if each == "x" else each for each in inputs),
        "outputs": ", ".join("xdot" if each == "xdot" else f"rows->{each}" for each in outputs),
        "list": "\n".join(
            f" *   {rows.start} to {rows.stop - 1}: {sanitised(each)}"
            for (each, _), rows in zip(groups, memory.rows_of, strict=True)
        ),
        "quaternions": ", ".join(map(str, quaternions)) or "0", "quaternion_count": len(quaternions),
        **{each: ", ".join(map(str, memory.all.arrays[each].tolist())) for each in _GIVEN},
        "group_of": ", ".join(map(str, memory.group_of.tolist())),
    }  # fmt: skip
    folder = resources.files("polhode.ode.unilateral")
    return {
        f"{name}.{end}": re.sub(
            r"@(\w+)@", lambda word: str(words[word[1]]), folder.joinpath(f"contacts.{end}").read_text("utf-8")
        )
        for end in ("h", "c")
    }


def _connections(module: CModule, memory: UnilateralMemory, outputs: dict[str, int]) -> tuple[list[str], int, int]:
    """Statements that give each record its arrays and sizes, and how many numbers and integers they take."""
    lines, numbers, integers = [], 0, 0
    problem, reduced = memory.all, memory.reduced
    records: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "rows": (Unilateral, memory.record, {**memory.arrays, **{each: outputs[each] for each in OUTPUTS}}),
        "problem": (ConeProblem, problem.record, {each: problem.arrays[each] for each in _OF_ALL}),
        "reduced": (ConeProblem, reduced.record, reduced.arrays),
        "factors": (Factors, reduced.record, reduced.arrays),
        "linear": (LinearComplementarity, reduced.linear, reduced.arrays),
    }
    for record, (struct, given, arrays) in records.items():
        for name, kind in fields(struct).items():
            place, array = f"  records->{record}.{name}", arrays.get(name)
            if name not in module.used[struct]:
                continue
            if isinstance(kind, type) and issubclass(kind, Struct):
                lines.append(f"{place} = &records->{name};")
            elif array is not None and not isinstance(array, int) and array.dtype.kind == "i":
                lines.append(f"{place} = memory->integers + {integers};")
                integers += max(1, array.size)
            elif array is not None:
                lines.append(f"{place} = memory->numbers + {numbers};")
                numbers += max(1, array if isinstance(array, int) else array.size)
            elif name in ("size", "count", "blocks", "speeds"):
                lines.append(f"{place} = {getattr(given, name)};")
    return lines, numbers, integers
