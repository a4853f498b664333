"""`polhode check`: whether a model file can be derived and run; `polhode diagnose`: errors of its constraints."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
import typer

from ..errors import PolhodeError, listed
from ..model import Model
from ..model.summary import flexible_rows, written
from ..simulate.guard import indefinite_notice, mass_matrix_stop
from ..simulate.initial_state import initial_state
from ..surface.equations import Equations
from ..terminal import output
from ..terminal.options import Json, Source, with_poses

#: The duration of the run that finds whether contacts let a run start, in s.
_INSTANT = 1e-9


def check(source: Source, json: Json = False) -> int:
    """Load, derive by every formalism, and examine the mass matrix where a run may start."""
    system, findings = source.read()
    with output.progress() as status:
        status("deriving")
        equations = system.derive()
        status("deriving by every formalism and comparing")
        comparison = system.compare(run=False, functions=("mass_matrix",))
    unset = [name for name, parameter in system.parameters.items() if parameter.value is None]
    notes = [f"parameter '{name}' has no value; give one to simulate" for name in unset]
    notes += [
        f"joint '{joint.name}' is nonholonomic: {len(joint.q)} coordinates, {len(joint.u)} speeds"
        for joint in system.joints.values()
        if not joint.type.is_holonomic
    ]
    notes += map(output.finding, findings)
    notes += [f"surface '{name}' is in no contact" for name in _idle_surfaces(system.model())]
    if not unset:
        with output.progress() as status:
            status("compiling")
            notes += _starts(equations)
    model, good = system.model(), comparison.agree
    if json:
        record: dict[str, Any] = {"file": str(source), "ok": good, "verdict": comparison.verdict, "notes": notes}
        output.as_json(record | {"findings": [asdict(problem) for problem in findings]})
        return 0 if good else 1
    bodies = len(written(model, "bodies")) + len(model.flexible)
    counts = [(bodies, "body"), (len(system.joints), "joint"), (len(equations.q), "coordinate")]
    counts.append((len(equations.u), "speed"))
    touching: list[Any] = [*model.contacts.values(), *(load for load in model.loads if load.unique)]
    counts += [(count, kind.replace("_", " ")) for kind, count in Counter(each.kind for each in touching).items()]
    output.say(f"{system.name}: {', '.join(output.number(*count) for count in counts)}", "bold")
    for name, _, coordinates, stations in flexible_rows(model):
        output.say(f"{name} bends by {coordinates}{f'; stations {stations}' if stations else ''}")
    output.say(f"{'✓' if good else '✗'} {comparison.verdict}", "green" if good else "red")
    for note in notes:
        output.say(f"• {note}", "yellow")
    return 0 if good else 1


def _starts(equations: Equations) -> list[str]:
    """Notes on the zero configuration and the named poses from which a run cannot start."""
    notes = []
    refused: dict[str, list[str]] = {}
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
            notes.append(f"a run cannot start from {name}: {stop.message.removeprefix('at t = 0 s ')}")
        elif pose is None and (notice := indefinite_notice(np.atleast_2d(M), equations.speeds)):
            notes.append(notice)
        elif equations.system.contacts:
            try:
                equations.simulate(_INSTANT, start=pose)
            except PolhodeError as error:
                problem = error.problems[0]
                reason = ": ".join(filter(None, (problem.place, problem.message.removeprefix("at t = 0 s "))))
                refused.setdefault(reason, []).append(name)
    return notes + [f"a run cannot start from {listed(names)}: {reason}" for reason, names in refused.items()]


def _idle_surfaces(model: Model) -> list[str]:
    """The surfaces that no contact is on."""
    elements: list[Any] = [*model.contacts.values(), *model.loads]
    taken = {getattr(each, field.name).name for each in elements for field in each.fields if field.kind == "surface"}
    return [name for name in model.surfaces if name not in taken]


def diagnose(
    source: Source,
    pose: Annotated[str | None, typer.Option(help="The named pose to examine; home by default.")] = None,
    json: Json = False,
) -> int:
    """Print the diagnosis; the exit code is 1 if nothing can move, or no pose satisfies the constraints."""
    from ..surface.system import diagnose as examine

    model = source.system().model()
    with output.progress() as status:
        diagnosis = examine(model, pose, status)
    good = diagnosis.can_be_assembled and diagnosis.can_move
    if json:
        output.as_json({"file": str(source), "ok": good, **diagnosis.as_json()})
        return 0 if good else 1
    head, _, rest = with_poses(diagnosis.text()).partition("\n")
    output.say(head, "bold")
    output.say(rest)
    return 0 if good else 1
