"""`polhode derive`: what a mechanism is, and its equations of motion in readable form."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from ..dynamics.naming import RESULTS, result_name
from ..expr import Expr, Matrix, operation_counts
from ..expr.normal_form import normal
from ..model.records import GROUND
from ..model.summary import FLEXIBLE, flexible_rows, written
from ..model.system import System
from ..surface.equations import Equations
from . import show
from .options import Json, Names
from .source import Source

#: Results with more operations than this are counted rather than printed, unless they were asked for.
_SMALL = 150


def run(
    source: Source,
    derivation: dict[str, Any],
    of: Annotated[str | None, typer.Option(help="Print this: mass_matrix, forcing, forward_dynamics, …")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    report: Annotated[bool, typer.Option("--report", help="Print the tables of the paper, by kane.")] = False,
    pseudo: Annotated[
        Names,
        typer.Option(
            "--pseudo", help="A pseudo-velocity: --pseudo v='cos(turn)*a + sin(turn)*b'", metavar="NAME=EXPRESSION"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Load, derive and print; with `report` the tables of the paper behind the formalism."""
    of = of and result_name(of)
    system, found = source.read()
    began = time.perf_counter()
    chosen = show.laws(pseudo, "--pseudo") if pseudo else None
    wanted = [of] if of else ["mass_matrix", "forcing"]
    with show.progress() as tell:
        tell("deriving")
        equations = system.derive(report=report, pseudo=chosen, **derivation)
        for name in wanted:
            getattr(equations, name)
    took = time.perf_counter() - began
    if not json:
        show.tell_findings(found)
    if json:
        record = _record(system, equations, wanted, took, bool(of)) | {"findings": show.findings_record(found)}
        show.as_json({**record, "report": equations.report.as_json()} if report else record)
    elif report:
        written = equations.report.latex() if latex else str(equations.report)
        for line in written.splitlines():
            show.console().print(show.plain(line), soft_wrap=True)
    elif latex:
        show.console().print("\n\n".join(map(equations.latex, wanted)), soft_wrap=True)
    else:
        out = show.console()
        describe(out, system, equations)
        for name in wanted:
            _print_result(out, equations, name, asked=bool(of))
        if equations.record.small is not None:
            out.print("dropped, to first order in small variables:")
            for line in str(equations.dropped).splitlines():
                out.print(show.plain(f"  {line}"), soft_wrap=True)
            out.print()
        out.print(f"derived by {derivation['formalism']} in {took * 1e3:.1f} ms", style="dim")


def describe(out: Console, system: System, equations: Equations) -> None:
    """Bodies, joints, coordinates and speeds."""
    out.print(Text(show.plain(system.name), style="bold"))
    model = system.model()
    bodies = [(b.name, b.mass, tuple(b.com)) for b in written(model, "bodies").values()]
    if bodies or not model.flexible:
        out.print(show.table(["body", "mass", "mass centre"], bodies))
    if model.flexible:
        out.print(show.table(FLEXIBLE, flexible_rows(model)))
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
    out.print(show.table(["joint", "type", "between", "coordinates", "speeds"], rows))
    values = [
        f"{name} = {'?' if value is None else float(value)} {p.unit}".rstrip()
        for name, p in system.parameters.items()
        for value in [p.stated(p.value)]
    ]
    if values:
        out.print(show.plain("parameters: " + ", ".join(values)))
    counted = [(len(equations.q), "coordinate"), (len(equations.u), "speed")]
    counted += [(len(equations.z), "state")] if equations.states else []
    out.print(f"{', '.join(show.number(*each) for each in counted)}\n")


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


def readable(found: list[tuple[str, Expr]]) -> list[tuple[str, str]]:
    """The entries in normal form, as text."""
    return [(label, repr(normal(entry))) for label, entry in found]


def _print_result(out: Console, equations: Equations, name: str, asked: bool) -> None:
    found = entries(equations, name)
    size = sum(operation_counts(entry for _, entry in found).values())
    if size > _SMALL and not asked:
        out.print(f"{name}: {equations.operations(name) if name in _COUNTED else f'{size} operations'}")
        out.print(f"  print it with --of {name}\n", style="dim")
        return
    for label, entry in readable(found):
        out.print(show.plain(f"{label} = {entry}"), soft_wrap=True)
    out.print()


_COUNTED = ("mass_matrix", "bias", "inverse_dynamics", "forward_dynamics", "coordinate_rates")


def _record(system: System, equations: Equations, wanted: list[str], took: float, asked: bool) -> dict[str, Any]:
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
        "operations": {name: vars(equations.operations(name)) for name in wanted if name in _COUNTED},
    }
    if equations.record.small is not None:
        record["dropped"] = {part.equation: str(part) for part in equations.dropped}
    for name in wanted:
        found = entries(equations, name)
        if asked or sum(operation_counts(entry for _, entry in found).values()) <= _SMALL:
            record[name] = dict(readable(found))
    return record
