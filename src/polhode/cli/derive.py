"""`polhode derive` prints a mechanism and its equations of motion, `polhode export` writes them as source code."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from ..compiled.quantities import FunctionKey, PoseOf, ReactionOf
from ..dynamics.naming import RESULTS, result_name
from ..errors import PolhodeError
from ..expr import Expr, Matrix, operation_counts
from ..expr.normal_form import normal
from ..model.records import GROUND
from ..model.summary import FLEXIBLE, flexible_rows, written
from ..model.system import System
from ..surface.equations import Equations
from ..terminal import output
from ..terminal.options import Json, Names, Out, Source

#: Results with more operations than this are counted rather than printed, unless --of names them.
_SMALL = 150


def derive(
    source: Source,
    derivation: dict[str, Any],
    of: Annotated[str | None, typer.Option(help="Print this: mass_matrix, forcing, forward_dynamics, …")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    tables: Annotated[
        bool, typer.Option("--tables", "--report", help="Print the tables of Sayers' paper, by kane.")
    ] = False,
    pseudo: Annotated[
        Names,
        typer.Option(
            "--pseudo", help="A pseudo-velocity: --pseudo v='cos(turn)*a + sin(turn)*b'", metavar="NAME=EXPRESSION"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Load, derive and print; with `tables` those of the paper behind the formalism."""
    of = of and result_name(of)
    system, findings = source.read()
    began = time.perf_counter()
    speeds = output.pairs(pseudo, "--pseudo", "v='2*a'") if pseudo else None
    results = [of] if of else ["mass_matrix", "forcing"]
    with output.progress() as status:
        status("deriving")
        equations = system.derive(tables=tables, pseudo=speeds, **derivation)
        for name in results:
            getattr(equations, name)
    took = time.perf_counter() - began
    if json:
        record = _record(system, equations, results, took, bool(of))
        record["findings"] = [asdict(problem) for problem in findings]
        output.as_json({**record, "sayers_tables": equations.sayers_tables.as_json()} if tables else record)
        return
    for problem in findings:
        output.say(f"• {output.finding(problem)}", "yellow", stderr=True)
    if tables:
        output.say(equations.sayers_tables.latex() if latex else equations.sayers_tables)
    elif latex:
        output.console().print("\n\n".join(map(equations.latex, results)), soft_wrap=True)
    else:
        out = output.console()
        describe(out, system, equations)
        for name in results:
            _print_result(out, equations, name, requested=bool(of))
        if equations.record.small is not None:
            output.say("dropped, to first order in small variables:")
            output.say("\n".join(f"  {line}" for line in str(equations.dropped).splitlines()))
            out.print()
        output.say(f"derived by {derivation['formalism']} in {took * 1e3:.1f} ms", "dim")


def describe(out: Console, system: System, equations: Equations) -> None:
    """Bodies, joints, coordinates and speeds."""
    out.print(Text(output.plain(system.name), style="bold"))
    model = system.model()
    bodies = [(b.name, b.mass, tuple(b.com)) for b in written(model, "bodies").values()]
    if bodies or not model.flexible:
        out.print(output.table(["body", "mass", "mass centre"], bodies))
    if model.flexible:
        out.print(output.table(FLEXIBLE, flexible_rows(model)))
    rows = [
        (
            joint.name,
            f"{joint.type.kind}{'' if joint.type.is_holonomic else ', nonholonomic'}",
            f"{joint.parent} → {joint.child}",
            " ".join(q.name for q in joint.q),
            " ".join(u.name for u in joint.u),
        )
        for joint in written(model, "joints").values()
    ]
    out.print(output.table(["joint", "type", "between", "coordinates", "speeds"], rows))
    values = [
        f"{name} = {'?' if value is None else float(value)} {p.unit}".rstrip()
        for name, p in system.parameters.items()
        for value in [p.stated(p.value)]
    ]
    if values:
        out.print(output.plain("parameters: " + ", ".join(values)))
    if model.contacts:
        out.print(output.plain(f"contacts, stops and dry friction, which runs add: {', '.join(model.contacts)}"))
    counts = [(len(equations.q), "coordinate"), (len(equations.u), "speed")]
    counts += [(len(equations.z), "state")] if equations.states else []
    out.print(f"{', '.join(output.number(*count) for count in counts)}\n")


def entries(equations: Equations, name: str) -> list[tuple[str, Expr]]:
    """The entries of a result that are not zero, each with its left-hand side."""
    letter, value = RESULTS[name][0], getattr(equations, name)
    if isinstance(value, Expr):
        return [(letter, value)]
    if isinstance(value, Matrix):
        rows = equations.coordinates if name == "kinematic_matrix" else equations.speeds
        is_symmetric = name == "mass_matrix" and equations.record.small is None
        return [
            (f"{letter}[{rows[i]}, {equations.speeds[j]}]", entry)
            for i, row in enumerate(value)
            for j, entry in enumerate(row)
            if entry != 0 and (j >= i or not is_symmetric)
        ]
    labels = {"coordinate_rates": equations.coordinates, "z_rates": equations.states}.get(name, equations.speeds)
    return [(f"{letter}[{label}]", entry) for label, entry in zip(labels, value, strict=True)]


def readable(results: list[tuple[str, Expr]]) -> list[tuple[str, str]]:
    """The entries in normal form, as text."""
    return [(label, repr(normal(entry))) for label, entry in results]


def _print_result(out: Console, equations: Equations, name: str, requested: bool) -> None:
    rows = entries(equations, name)
    size = sum(operation_counts(entry for _, entry in rows).values())
    if size > _SMALL and not requested:
        out.print(f"{name}: {equations.operations(name) if name in _COUNTED else f'{size} operations'}")
        out.print(f"  print it with --of {name}\n", style="dim")
        return
    for label, entry in readable(rows):
        output.say(f"{label} = {entry}")
    out.print()


_COUNTED = ("mass_matrix", "bias", "inverse_dynamics", "forward_dynamics", "coordinate_rates")


def _record(system: System, equations: Equations, results: list[str], took: float, requested: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "system": system.name,
        "formalism": equations.formalism,
        "milliseconds": round(took * 1e3, 3),
        "bodies": [name for name in system.bodies if name != GROUND],
        "joints": [
            {
                "name": joint.name,
                "type": joint.type.kind,
                "parent": joint.parent,
                "child": joint.child,
                "holonomic": joint.type.is_holonomic,
                "coordinates": [q.name for q in joint.q],
                "speeds": [u.name for u in joint.u],
            }
            for joint in system.model().joints.values()
        ],
        "states": list(system.states),
        "parameters": {n: None if p.value is None else float(p.value) for n, p in system.parameters.items()},
        "operations": {name: vars(equations.operations(name)) for name in results if name in _COUNTED},
    }
    if equations.record.small is not None:
        record["dropped"] = {part.equation: str(part) for part in equations.dropped}
    for name in results:
        rows = entries(equations, name)
        if requested or sum(operation_counts(entry for _, entry in rows).values()) <= _SMALL:
            record[name] = dict(readable(rows))
    return record


def export(
    source: Source,
    derivation: dict[str, Any],
    target: Annotated[str, typer.Option(help="The language, such as c; a wrong one lists them all.")] = "c",
    out: Out = Path("out"),
    of: Annotated[Names, typer.Option(help="Functions, with commas between or given several times.")] = None,
    reaction: Annotated[Names, typer.Option(help="A joint or constraint: what it carries.")] = None,
    pose: Annotated[Names, typer.Option(help="A body or frame: where it is.")] = None,
    prefix: Annotated[
        str | None, typer.Option(help="What names begin with; the system's name by default, '' for nothing.")
    ] = None,
    program: Annotated[
        bool, typer.Option("--program", help="A whole program that simulates, with a text file of its values.")
    ] = False,
    start: Annotated[str | None, typer.Option(help="With --program: the named pose to start from.")] = None,
    sayers: Annotated[
        bool, typer.Option("--sayers", help="A program as of --program, by kane, in the variables of Sayers' paper.")
    ] = False,
    json: Json = False,
) -> None:
    """Load, derive, write."""
    program = program or sayers
    functions: list[FunctionKey] = [name.strip() for names in of or () for name in names.split(",") if name.strip()]
    functions += [*map(ReactionOf, reaction or ()), *map(PoseOf, pose or ())]
    if start is not None and not program:
        raise PolhodeError("a start is that of a simulation program.", "--start", "Add --program.", "E-CLI-UNSUPPORTED")
    system = source.system()
    with output.progress() as status:
        status("deriving")
        equations = system.derive(**derivation)
        status("writing source code")
        options: dict[str, Any] = {"program": "sayers" if sayers else True, "start": start} if program else {}
        written = equations.export(target, out, functions or None, prefix=prefix, **options)
    if json:
        output.as_json({"target": target, "files": [str(path) for path in written]})
        return
    output.say_written(written)
