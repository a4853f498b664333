"""`polhode check`: whether a model file can be derived and run, and what may surprise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import PolhodeError
from ..model.summary import flexible_rows, written
from ..simulate.guard import indefinite_notice, mass_matrix_stop
from ..simulate.initial_state import initial_state
from ..surface.equations import Equations
from . import show
from .options import Json
from .source import Source


def run(source: Source, json: Json = False) -> int:
    """Load, derive by every formalism, and look at the mass matrix where a run may start."""
    system, found = source.read()
    with show.progress() as tell:
        tell("deriving")
        equations = system.derive()
        tell("deriving by every formalism and comparing")
        comparison = system.compare(run=False, functions=("mass_matrix",))
    unset = [name for name, parameter in system.parameters.items() if parameter.value is None]
    notes = [f"parameter '{name}' has no value; give one to simulate" for name in unset]
    notes += [
        f"joint '{joint.name}' is nonholonomic: {len(joint.q)} coordinates, {len(joint.u)} speeds"
        for joint in system.joints.values()
        if not joint.type.is_holonomic
    ]
    notes += map(show.finding, found)
    if not unset:
        with show.progress() as tell:
            tell("compiling the mass matrix")
            notes += _starts(equations)
    model, good = system.model(), comparison.agree
    if json:
        record: dict[str, Any] = {"file": str(source), "ok": good, "verdict": comparison.verdict, "notes": notes}
        record["findings"] = show.findings_record(found)
        show.as_json(record)
        return 0 if good else 1
    out = show.console()
    out.print(
        show.plain(
            f"{system.name}: {show.number(len(written(model, 'bodies')) + len(model.flexible), 'body')}, "
            f"{show.number(len(system.joints), 'joint')}, {show.number(len(equations.q), 'coordinate')}, "
            f"{show.number(len(equations.u), 'speed')}"
        ),
        style="bold",
    )
    for name, _, coordinates, stations in flexible_rows(model):
        told = f"{name} bends by {coordinates}{f'; stations {stations}' if stations else ''}"
        out.print(show.plain(told), soft_wrap=True)
    out.print(f"{'✓' if good else '✗'} {comparison.verdict}", style="green" if good else "red")
    for note in notes:
        out.print(show.plain(f"• {note}"), style="yellow", soft_wrap=True)
    return 0 if good else 1


def _starts(equations: Equations) -> list[str]:
    """Named poses, and home, from which no motion follows."""
    notes = []
    functions = equations.compile()
    for pose in (None, *equations.system.poses):
        name = "home" if pose is None else f"pose '{pose}'"
        try:
            M = functions.mass_matrix(initial_state(equations.derivation, pose).q)
        except PolhodeError as error:
            notes.append(f"{name}: {error.problems[0].message}")
            continue
        stop = mass_matrix_stop(np.atleast_2d(M), equations.speeds, 0.0) if len(equations.u) else None
        if stop is not None:
            notes.append(f"{name} is no place to start from: {stop.message.removeprefix('at t = 0 s ')}")
        elif pose is None and (notice := indefinite_notice(np.atleast_2d(M), equations.speeds)):
            notes.append(notice)
    return notes
