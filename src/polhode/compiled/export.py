"""Export: functions of a mechanism as source code, each value noted with what it means.

Generated code carries slots and sanitised notes only; the user's own names are in a JSON file beside it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from textwrap import wrap
from typing import Any, TypedDict

from ..codegen.ir.count import count
from ..codegen.ir.interpreter import interpret
from ..codegen.ir.program import Array, Output, Program
from ..codegen.printers.target import check_inputs
from ..codegen.printers.targets import target_of
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, listed, warn
from ..files.writing import put_in_place
from ..model.records import GROUND, Parameter
from .annotations import meanings, speed_labels
from .catalogue import Planned, catalogued, plan_of
from .quantities import FunctionKey, FunctionKeys, Quantity

_NAMES_SHOWN = 12
#: Such names, and what is put around them, stay within the 63 letters that compilers tell apart.
_LONGEST_PREFIX = 31
_LONGEST_NAME = 48
_WHAT = {
    "forward_dynamics": "accelerations from coordinates, speeds and efforts",
    "inverse_dynamics": "efforts from coordinates, speeds and accelerations",
    "mass_matrix": "mass matrix from coordinates",
    "coriolis_matrix": "Coriolis matrix from coordinates and speeds",
    "bias": "efforts at zero acceleration from coordinates and speeds",
    "coordinate_rates": "rates of the coordinates from coordinates and speeds",
    "energy": "kinetic and potential energy from coordinates and speeds",
    "momentum": "angular and linear momentum about the ground from coordinates and speeds",
    "poses": "position and rotation matrix of each body from coordinates",
    "state_rates": "rates of coordinates and speeds from both, and efforts",
    "state_rates_jacobian": "derivatives of the rates of coordinates and speeds by both, and by time",
    "inverse_dynamics_derivatives": "derivatives of the efforts by coordinates, speeds and accelerations",
    "forward_dynamics_derivatives": "derivatives of the accelerations by coordinates, speeds and efforts",
    "z_rates": "rates of the first-order states from coordinates, speeds and these states",
    "contact_rates": "rates of the state without forces of contacts, and the rows of these",
}
_KIND = {
    "q": "coordinates", "u": "speeds", "tau": "efforts", "udot": "accelerations", "x": "coordinates, then speeds",
    "z": "first-order states", "zdot": "rates of the first-order states", "inputs": "inputs", "t": "time",
    "qdot": "rates of the coordinates", "xdot": "rates of coordinates, then speeds",
    "bias": "efforts at zero acceleration", "mass_matrix": "mass matrix, row after row", "kinetic": "kinetic energy",
    "coriolis_matrix": "Coriolis matrix, row after row",
    "potential": "potential energy", "angular": "angular momentum", "linear": "linear momentum",
    "accelerations": "accelerations of all speeds", "multipliers": "multipliers of the constraints",
    "position": "positions of the bodies", "rotation": "rotation matrices of the bodies, row after row",
    "xdot_d_x": "derivatives by the state, row after row", "xdot_d_t": "derivatives by time",
    "torque": "torque", "force": "force", "effort": "effort", "origin": "position of the origin",
    "rows": "velocities of contacts by speeds, row after row", "velocities": "velocities of the rows of contacts",
    "responses": "accelerations by a unit of force in each row", "drift": "accelerations of rows at u' = 0",
    "margins": "distances from the edges of surfaces", "laws": "friction, static friction, Stribeck speed, restitution",
    "orientation": "rotation matrix, row after row", "jacobian": "angular over linear velocity, row after row",
}  # fmt: skip


#: At the head of a source: words of its comments, or what its names are.
_OF_NOTES = (
    "Joint frame: that of a joint on its parent, which the joint has not moved.",
    "Regrouped: with the mass that a joint does not move counted to its parent (base parameters).",
)
_OF_NAMES = (
    "Names: q and u are coordinates and speeds, C and S cosines and sines of coordinates, P constants, Z intermediate "
    "variables, qp and up rates; M up = f is solved by elimination, each step of which is noted.",
)

#: Functions of accelerations, which contact forces are a part of.
_WITHOUT_CONTACTS = ("forward_dynamics", "state_rates", "state_rates_jacobian", "forward_dynamics_derivatives")


class ExportOptions(TypedDict, total=False):
    """What `Equations.export` takes besides target, folder and functions; the last two with `program=True` alone."""

    prefix: str | None
    start: Any
    speeds: Any


def annotated(equations: EquationsOfMotion, of: FunctionKey) -> Planned:
    """The plan of a function, with a note beside each value that has a meaning by itself."""
    return plan_of(equations, of, notes=meanings(equations, of))


def export(
    equations: EquationsOfMotion,
    target: str,
    folder: str | Path,
    of: FunctionKeys = "forward_dynamics",
    *,
    prefix: str | None = None,
    start: Any = None,
    speeds: Any = None,
) -> list[Path]:
    """Write functions as source code for a target such as `c` (`codegen.printers` lists them); all files, or none.

    The names of files, functions, macros and modules begin with the `prefix`, by default the system's name as an
    identifier, so that exports of several systems can be linked together; "" leaves it out.
    """
    if start is not None or speeds is not None:
        cure = "Add program=True."
        raise PolhodeError("a start is that of a simulation program.", "export", cure, "E-CODE-UNSUPPORTED")
    render, target_folder = target_of(target).files, folder_of(folder)
    before = names_before(equations.system.name, prefix)
    names: list[FunctionKey] = []
    for name in [of] if isinstance(of, str | Quantity) or not isinstance(of, Iterable) else of:
        catalogued(name)
        names += [name] if name not in names else []
    if not names:
        cure = "Name one, for example forward_dynamics."
        raise PolhodeError("no function is named.", cure=cure, code="E-CODE-MISSING")
    files: dict[str, str] = {}
    for name in names:
        planned = annotated(equations, name)
        program = replace(planned.program, name=shortened(before + planned.program.name))
        words = f"{program.name}.json"
        if words in files:
            message = f"two functions would be written to {words!r}."
            raise PolhodeError(message, f"function {name!r}", "Export them to two folders.", "E-CODE-TWICE")
        files |= render(program, preface(equations, planned))
        if name == "contact_rates" and target == "c" and equations.system.contacts:
            files |= _contacts_in_c(equations, program, shortened(f"{before}contacts"))
        files[words] = sidecar(equations, planned, program.name)
    if equations.system.contacts and (left_out := [name for name in names if name in _WITHOUT_CONTACTS]):
        message = f"{listed(list(map(str, left_out)))}: without the forces of contacts, stops and dry friction."
        cure = 'export("c", folder, of="contact_rates") has them.'
        warn(message, place="export", cure=cure, code="W-CODE-UNSUPPORTED")
    if equations.system.contacts and "contact_rates" in names and target != "c":
        message = f"contact_rates: the rows of contacts; what solves for their forces is not written for {target}."
        cure = "The target c has forces, impacts and time steps, as files beside these."
        warn(message, place="export", cure=cure, code="W-CODE-UNSUPPORTED")
    return write_together(target_folder, files)


def _contacts_in_c(equations: EquationsOfMotion, program: Program, name: str) -> dict[str, str]:
    """Forces, impacts and time steps in C by the rows that a program puts out."""
    from ..constraints.unilateral import unilateral_rows
    from ..ode.unilateral.in_c import contacts_in_c

    rows, (q, u) = unilateral_rows(equations.system, equations.tree), (len(equations.q), len(equations.u))
    shapes = [(int(group.gap is not None), group.tangents) for _, group in rows.groups]
    groups = list(zip(rows.names, shapes, strict=True))
    sizes = q, u, q + u + len(equations.z)
    return contacts_in_c(name, program, equations.system.name, groups, sizes, list(equations.quaternions))


def default_prefix(name: str) -> str:
    """A system's name as the beginning of identifiers; where more than spaces had to change, a digest follows."""
    plain = re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")
    if plain == name.replace(" ", "_") and plain[:1].isalpha() and len(plain) <= _LONGEST_PREFIX:
        return plain
    plain = plain if plain[:1].isalpha() else f"m_{plain}".rstrip("_")
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[: _LONGEST_PREFIX - 9].rstrip('_')}_{digest}"


def names_before(system: str, prefix: str | None) -> str:
    """What is put before names: the prefix, or the system's name, and an underscore; nothing where it is empty."""
    prefix = default_prefix(system) if prefix is None else prefix
    if not isinstance(prefix, str) or not re.fullmatch(r"([A-Za-z][A-Za-z0-9_]{0,30})?", prefix, re.ASCII):
        message = f"the prefix {prefix!r} is no identifier."
        cure = 'Use up to 31 letters, digits and underscores, a letter first; "" for none.'
        raise PolhodeError(message, "export", cure, "E-CODE-NAME")
    return f"{prefix}_" if prefix else ""


def shortened(name: str) -> str:
    """A name that compilers can distinguish: a long one ends in a digest."""
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[: _LONGEST_NAME - 9]}_{sha256(name.encode()).hexdigest()[:8]}"


def folder_of(folder: str | Path) -> Path:
    """The folder to write to."""
    try:
        return Path(folder)
    except TypeError:
        raise PolhodeError(f"{folder!r} is no folder.", "export", "Give a path.", "E-FILE-WRITE") from None


def preface(equations: EquationsOfMotion, planned: Planned) -> list[str]:
    """The head of the source: its purpose, its signature in words, its operation counts."""
    program = planned.program
    head = [
        f"{program.name} of {equations.system.name}: {_WHAT.get(program.name, 'a function of its motion')}.",
        f"Derived by: {equations.formalism}. Radians and SI units.",
    ]
    inputs = [
        *(
            _line(array, _entries(equations, array.name, given=True), _state_kind(equations, array.name))
            for array in program.arrays
        ),
        _line(Array("p", program.parameters), planned.parameters, "parameters, for the set-up"),
    ]
    outputs = [_line(o, _entries(equations, o.name), _state_kind(equations, o.name)) for o in program.outputs]
    notes = [
        *(["Without the forces of contacts, stops and dry friction."] if equations.system.contacts else []),
        *(["Quaternions are of unit length; the source does not scale them."] if equations.quaternions else []),
        *(_OF_NAMES if program.names else _OF_NOTES),
    ]
    return in_comments(program, head, inputs, outputs, notes)


def in_comments(
    program: Program,
    head: Sequence[str],
    inputs: Iterable[str],
    outputs: Iterable[str],
    notes: Iterable[str],
    of: str = "run",
) -> list[str]:
    """Lines of comments: a program's purpose, its inputs and outputs, its operations, notes."""
    operations, saved = count(program), f"w: {len(program.saved)} numbers that the set-up leaves for the {of}"
    counts = f"Operations: {operations}. The set-up takes {operations.setup}."
    paragraphs = [*head, "", "Given:", *inputs, saved, "Made:", *outputs, "", counts, *notes]
    return [row for paragraph in paragraphs for row in wrap(paragraph, 78) or [""]]


def _kind(name: str) -> str:
    top, mark, below = name.partition("_d_")
    return f"derivative of {top} by {below}, row after row" if mark else _KIND.get(name, name)


def _state_kind(equations: EquationsOfMotion, name: str) -> str:
    """What the whole state has in it, where that is more than coordinates and speeds."""
    return f"{_KIND[name]}, then first-order states" if equations.states and name in ("x", "xdot") else ""


def _line(array: Array | Output, entries: Sequence[str], kind: str = "") -> str:
    size = array.size if isinstance(array, Array) else len(array.slots)
    words = f"{array.name}: {size} ({kind or _kind(array.name)})"
    shown = ", ".join(" ".join(entry.split())[:40] for entry in entries[:_NAMES_SHOWN])
    more = f" and {len(entries) - _NAMES_SHOWN} more" if len(entries) > _NAMES_SHOWN else ""
    return f"{words}: {shown}{more}" if shown else words


def _entries(equations: EquationsOfMotion, array: str, given: bool = False) -> tuple[str, ...]:
    """The user's own name for each entry of an output, or of an array that is given, where it has one."""
    if given and array == "tau":  # efforts act on all speeds of the tree
        return tuple(equations.tree.speeds)
    speeds, coordinates, states = tuple(equations.speeds), tuple(equations.coordinates), tuple(equations.states)
    everything = coordinates + speeds + states
    bodies = tuple(name for name in equations.system.bodies if name != GROUND)
    if array.partition("_d_")[0] in ("u", "udot", "tau", "bias", "mass_matrix", "coriolis_matrix"):
        return speeds
    return {
        "q": coordinates, "qdot": coordinates, "x": everything, "xdot": everything, "z": states, "zdot": states,
        "inputs": tuple(equations.system.inputs), "position": bodies, "rotation": bodies,
    }.get(array, ())  # fmt: skip


def sidecar(equations: EquationsOfMotion, planned: Planned, symbol: str) -> str:
    """JSON with the user's names, the parameters' defaults, the meaning of slots, and the driver's check value."""
    program, system = planned.program, equations.system
    head = {"format": "polhode-export/1", "system": system.name, "function": program.name, "symbol": symbol}
    return in_json(
        program,
        {**head, "formalism": equations.formalism},
        partial(_entries, equations, given=True),
        {name: system.parameters[name] for name in planned.parameters},
        partial(_entries, equations),
        joints=dict(zip(equations.speeds, speed_labels(equations), strict=True)),
        check_value=check_value(program),
        slots={f"v{slot}": note for slot, note in program.notes.items()},
    )


def in_json(
    program: Program,
    head: Mapping[str, str],
    inputs: Callable[[str], Sequence[str]],
    parameters: Mapping[str, Parameter],
    outputs: Callable[[str], Sequence[str]],
    **more: Any,
) -> str:
    """A program as JSON: names of the entries of inputs and outputs, and the parameters' defaults."""
    record = {
        **head,
        "arrays": [{"name": array.name, "size": array.size, "entries": inputs(array.name)} for array in program.arrays],
        "parameters": [
            {"name": name, "unit": p.si_unit, "default": None if p.value is None else float(p.value)}
            for name, p in parameters.items()
        ],
        "work": len(program.saved),
        "outputs": [{"name": o.name, "shape": o.shape, "entries": outputs(o.name)} for o in program.outputs],
        **more,
    }
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def check_value(program: Program) -> float | None:
    """What the driver prints, to twelve digits; None if it is no number."""
    *inputs, (_, parameters) = check_inputs(program)
    try:
        results = interpret(program, dict(inputs), parameters)
    except PolhodeError:  # a function that is given in C alone
        return None
    total = sum(entry / (1 + k) for result in results.values() for k, entry in enumerate(result.ravel().tolist()))
    return float(f"{total:.12g}") if math.isfinite(total) else None


def write_together(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write files into a folder, made where it is missing: all of them or none."""
    # A name may hold half a surrogate pair, which UTF-8 has no bytes for but JSON has an escape.
    contents = {folder / name: content.encode("utf-8", "backslashreplace") for name, content in files.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        put_in_place(contents)
    except (OSError, ValueError) as error:
        message = f"the files cannot be written: {getattr(error, 'strerror', None) or error}."
        raise PolhodeError(message, str(folder), "Name a folder that can be written to.", "E-FILE-WRITE") from error
    return list(contents)
