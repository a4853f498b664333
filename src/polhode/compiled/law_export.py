"""Laws of controllers as source code without dependencies: set-up of parameters, and the law from sample to sample.

    control_law_setup(p, w)                                              once, from the parameters
    control_law(measured, reference, states, t, w, controls, next_states)   at every sample

Arrays of nothing are left out. All is read before anything is written, so that next_states may be states.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..codegen.ir.count import count
from ..codegen.printers.targets import target_of
from ..errors import PolhodeError
from ..expr import Expr
from ..expr.spelling import described, is_reference, spelled
from .control_law import SAMPLE_TIME, PlannedLaw, plan_law
from .export import check_value, folder_of, names_before, shortened, write_together

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..laws.law import Law
    from ..laws.named_symbols import Range

_WORDS = {
    "measured": "what is measured", "reference": "what is wanted and its derivatives in time",
    "states": "states of the controller", "controls": "efforts and inputs",
    "next_states": "states of the controller at the next sample", "t": "time",
}  # fmt: skip


def export_law(
    law: Law,
    controller: str,
    equations: EquationsOfMotion,
    target: str,
    folder: str | Path,
    prefix: str | None = None,
    sample_time: float | None = None,
    discretisation: str = "euler",
    limits: Mapping[Expr, Range] | None = None,
) -> list[Path]:
    """Write a law as source code for a target such as `c`; all files, or none. `limits` are those that it keeps."""
    render, place = target_of(target).files, folder_of(folder)
    made = plan_law(law, equations, sample_time, discretisation, _notes(law))
    program, system = made.planned.program, equations.system.name
    program = replace(program, name=shortened(names_before(system, prefix) + program.name))
    _check_free(place / f"{program.name}.json", controller, system)
    kept = limits or {}
    files = render(program, _preface(made, controller, system, kept))
    files[f"{program.name}.json"] = _sidecar(made, controller, system, program.name, kept)
    return write_together(place, files)


def _check_free(sidecar: Path, controller: str, system: str) -> None:
    """Refuse to write over the law of another controller, or of another mechanism."""
    try:
        there = json.loads(sidecar.read_text(encoding="utf-8"))
        found = there["controller"], there["system"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if found != (controller, system):
        raise PolhodeError(
            f"{sidecar.name} is there already, of {found[0]} for {found[1]}.",
            place="export",
            cure='Give another folder, or names of its own: prefix="…".',
            code="E-LOOP-050",
        )


def _notes(law: Law) -> dict[int, str]:
    """What values mean, by fingerprint."""
    symbols = [*law.measurements, *(each for wanted in law.reference for each in wanted.symbols)]
    symbols += [each.symbol for each in law.states]
    notes = {each.fp: _words(each) for each in symbols}
    for control, value in law.controls.items():
        notes.setdefault(value.fp, described(control))
    return notes


def _words(symbol: Expr) -> str:
    """A symbol in words: the effort on something, the reference of something and its derivatives."""
    return _plain(symbol) if is_reference(symbol) else described(symbol)


def _plain(symbol: Expr) -> str:
    """A symbol as it is spelled, in letters that comments may hold."""
    return _in_letters(spelled(symbol))


def _in_letters(name: str) -> str:
    return name.replace("'", " dot")


def _preface(made: PlannedLaw, controller: str, system: str, limits: Mapping[Expr, Range]) -> list[str]:
    program = made.planned.program
    sizes = {array.name: array.size for array in program.arrays}
    outputs = {output.name: len(output.slots) for output in program.outputs}
    operations = count(program)
    paragraphs = [
        f"The law of {controller} for {system}.",
        "Radians and SI units.",
        "",
        "Given:",
        *(_line(name, size, made.entries.get(name, ())) for name, size in sizes.items()),
        f"p: {program.parameters} (parameters, for the set-up): {', '.join(map(_in_letters, made.parameters))}",
        f"w: {len(program.saved)} numbers that the set-up leaves for the law",
        "Made:",
        *(_line(name, size, made.entries.get(name, ())) for name, size in outputs.items()),
        "",
        f"Operations: {operations}. The set-up takes {operations.setup}.",
        *(f"{_plain(each)} is kept from {_end(low)} to {_end(high)}." for each, (low, high) in limits.items()),
        *(f"The law does not hold where {each}." for each in made.law.conditions),
    ]
    return [row for paragraph in paragraphs for row in wrap(paragraph, 78) or [""]]


def _line(name: str, size: int, entries: Sequence[Expr]) -> str:
    words = f"{name}: {size} ({_WORDS.get(name, name)})"
    return f"{words}: {', '.join(map(_plain, entries))}" if entries else words


def _end(limit: float | Expr) -> str:
    """A limit as a comment may hold it."""
    return _in_letters(str(limit)) if isinstance(limit, Expr) else f"{limit:.17g}"


def _sample_time(made: PlannedLaw) -> float | None:
    given = made.parameters[SAMPLE_TIME].value if SAMPLE_TIME in made.parameters else made.law.sample_time
    return None if given is None else float(given)


def _sidecar(made: PlannedLaw, controller: str, system: str, symbol: str, limits: Mapping[Expr, Range]) -> str:
    """JSON with the user's own names, the parameters' defaults, where states start, and the driver's check value."""
    program, law = made.planned.program, made.law
    record: dict[str, Any] = {
        "format": "polhode-controller/1",
        "controller": controller,
        "system": system,
        "symbol": symbol,
        "arrays": [
            {"name": array.name, "size": array.size, "entries": [spelled(x) for x in made.entries.get(array.name, ())]}
            for array in program.arrays
        ],
        "parameters": [
            {"name": name, "unit": each.si_unit, "default": None if each.value is None else float(each.value)}
            for name, each in made.parameters.items()
        ],
        "work": len(program.saved),
        "outputs": [
            {"name": output.name, "shape": output.shape, "entries": [spelled(x) for x in made.entries[output.name]]}
            for output in program.outputs
        ],
        "reference": [
            {"name": each.name, "order": each.order, "default": None if each.default is None else float(each.default)}
            for each in law.reference
        ],
        "states": [{"name": each.symbol.name, "start": float(each.start), "unit": each.unit} for each in law.states],
        **({"limits": {spelled(x): [_number(end) for end in ends] for x, ends in limits.items()}} if limits else {}),
        "sample_time": _sample_time(made),
        "does_not_hold_where": [*law.conditions],
        "check_value": check_value(program),
    }
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _number(limit: float | Expr) -> float | str | None:
    """A limit as JSON has it: a number, an expression of parameters as text, or nothing."""
    if isinstance(limit, Expr):
        return str(limit)
    return limit if isfinite(limit) else None
