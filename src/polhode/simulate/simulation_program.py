"""A complete simulation program as source code: `export(target, folder, program=True)`.

The program reads parameters and start from a text file, takes the steps of `simulate(method="rk4")` and writes a table
that `Trajectory.from_csv` reads. Its start in the text file keeps the constraints, and the rows of these that it solves
with are those that are independent there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..codegen.passes.switches import switched
from ..codegen.printers.simulation import Function, Projection, Simulation, SimulationWriting, Value, text_file
from ..codegen.printers.targets import TARGETS, target_of
from ..compiled.catalogue import Planned, catalogued, plan_outputs
from ..compiled.export import annotated, folder_of, names_before, preface, shortened, write_together
from ..compiled.functions import Functions
from ..dynamics.omission import depends_on
from ..dynamics.whole import refuse_contacts
from ..errors import PolhodeError, fault_at
from .guard import DIVERGED, HALF_TURN
from .run import first_state
from .settings import MOST_STEPS, check_fit, grid_of, times_of
from .trajectory.units import coordinate_units, effort_units, speed_units

if TYPE_CHECKING:
    from ..compiled.quantities import FunctionKeys, Outputs
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derivation

fault = fault_at("export")

#: The run that the text file begins with, in seconds.
_DURATION = 10.0


def export_program(
    derivation: Derivation,
    target: str,
    folder: str | Path,
    of: FunctionKeys | None = None,
    rates: Callable[[EquationsOfMotion], Planned] | None = None,
    *,
    prefix: str | None = None,
    start: Any = None,
    speeds: Any = None,
) -> list[Path]:
    """Write a program that simulates the mechanism, and its input file; either all files or none.

    `rates` plans the rates of the states otherwise than for speed.
    """
    if of is not None:
        message = "a simulation program has its own functions."
        raise fault(message, "Leave out `of`, or export functions without program=True.", "E-CODE-UNSUPPORTED")
    writing, path, before = _writing(target), folder_of(folder), names_before(derivation.model.name, prefix)
    simulation = simulation_of(derivation, before, start, speeds, rates)
    system = derivation.model.name
    head = [
        f"Values for {simulation.name}, the simulation of {system}.",
        "A line is: name = value. What follows a # is a comment. Every name needs a value.",
    ]
    files = writing.files(simulation)
    files[f"{simulation.name}.txt"] = text_file(simulation, head)
    files[f"{simulation.name}.json"] = _sidecar(simulation, system, writing.command(simulation))
    return write_together(path, files)


def _writing(target: str) -> SimulationWriting:
    writing = target_of(target).simulation
    if writing is None:
        able = [name for name, entry in TARGETS.items() if entry.simulation is not None]
        message = f"the target {target} has functions, but no simulation program."
        cure = f"Choose {' or '.join(able)}, or export functions without program=True."
        raise fault(message, cure, "E-CODE-UNSUPPORTED")
    return writing


def simulation_of(
    derivation: Derivation,
    before: str = "",
    start: Any = None,
    speeds: Any = None,
    plan: Callable[[EquationsOfMotion], Planned] | None = None,
) -> Simulation:
    """The program of a mechanism, its names beginning with `before`."""
    refuse_contacts(derivation.model.contacts, "a simulation program")
    equations, synopsis = derivation.equations, derivation.synopsis
    check_fit("rk4", derivation)
    planned_rates = None if plan is None else plan(equations)
    first, manifold, assembly = first_state(derivation, Functions(derivation), start, speeds)
    kept: list[Planned] = []
    if manifold is not None and assembly is not None:
        if manifold.definitions:
            raise _refused(equations, f"'{manifold.definitions[0]}' defines an auxiliary coordinate")
        rows = assembly.freedom.rows
        if len(rows) < len(manifold.names):
            kept.append(_planned(equations, "constraint_rows", _rows(equations)))
            equations = equations.keeping(rows)
        by_name = {output[0]: output for output in catalogued("kept_rates").make(equations)}
        steps = [by_name[name] for name in ("pivots", "displacement", "change")]
        kept.insert(0, _planned(equations, "projection", steps))
    rates = planned_rates or annotated(equations, "state_rates")
    if switched(rates.program) is not None:
        raise _refused(equations, "a force in it jumps", "Make it smooth, as tanh(v/0.001) instead of sign(v).")
    # each energy unless it depends on a coordinate that is omitted
    energies = [output for output in catalogued("energy").make(equations) if depends_on(equations, output[2]) is None]
    energy = _planned(equations, "energy", energies)
    planned = [rates, energy, *kept]
    used = {name for program in planned for name in program.parameters}
    parameters = {name: parameter for name, parameter in equations.system.parameters.items() if name in used}
    own_rates, own_energy, *own_kept = (_function(equations, program, before, [*parameters]) for program in planned)
    return Simulation(
        name=shortened(f"{before}simulation"),
        preface=(
            f"Simulation of {equations.system.name}.",
            f"Derived by: {equations.formalism}. Radians and SI units.",
        ),
        rates=own_rates,
        energy=own_energy,
        run=_run(),
        parameters=_values(parameters, [parameter.value for parameter in parameters.values()], _units(parameters)),
        coordinates=_values(equations.coordinates, first.q, coordinate_units(equations)),
        speeds=_values(equations.speeds, first.u, speed_units(equations)),
        states=_values(synopsis.states, first.z, _units(equations.system.states)),
        efforts=_values(synopsis.efforts, [0.0] * len(synopsis.efforts), effort_units(equations)),
        inputs=_values(synopsis.inputs, synopsis.inputs.values(), _units(equations.system.inputs)),
        quaternions=tuple(equations.quaternions),
        bound=HALF_TURN if any(link.stage.storage == "vector" for link in equations.tree.links) else DIVERGED,
        most_steps=MOST_STEPS,
        projection=Projection(*own_kept) if own_kept else None,
    )


def _refused(equations: EquationsOfMotion, reason: str, cure: str = "") -> PolhodeError:
    return fault(
        f"there is no simulation program of system '{equations.system.name}': {reason}, which only simulate follows.",
        cure or "Run it with simulate, or export its functions without program=True.",
        "E-CODE-UNSUPPORTED",
    )


def _planned(equations: EquationsOfMotion, label: str, outputs: Outputs) -> Planned:
    return plan_outputs(equations, label, ("x",), outputs)


def _rows(equations: EquationsOfMotion) -> Outputs:
    ((_, shape, entries),) = catalogued("constraint_values").make(equations)
    return [("rows", shape, entries)]


def _function(equations: EquationsOfMotion, planned: Planned, before: str, parameters: Sequence[str]) -> Function:
    program = replace(planned.program, name=shortened(before + planned.program.name))
    places = tuple(parameters.index(name) for name in planned.parameters)
    return Function(program, places, preface(equations, planned))


def _run() -> tuple[Value, Value, Value]:
    """The default steps and samples of `simulate`."""
    times, (h, steps, _) = times_of(_DURATION, None, None, 1), grid_of(_DURATION, None)
    return (
        Value("duration", _DURATION, "s"),
        Value("step", h, "s, of the integration"),
        Value("every", max(1, round(steps / (len(times) - 1))), "steps from one row of the table to the next"),
    )


def _units(table: Mapping[str, Any]) -> list[str]:
    return [entry.si_unit for entry in table.values()]


def _values(names: Iterable[str], numbers: Iterable[Any], units: Iterable[str]) -> tuple[Value, ...]:
    name_list = list(names)
    return tuple(
        Value(plain, None if number is None else float(number), unit, name)
        for name, plain, number, unit in zip(name_list, plain_names(name_list), numbers, units, strict=True)
    )


def _sidecar(simulation: Simulation, system: str, command: str) -> str:
    """JSON with the user's own names beside those of the text file, and how the program is compiled."""
    record = {
        "format": "polhode-simulation/1",
        "system": system,
        "program": simulation.name,
        "command": command,
        "columns": simulation.columns,
        "names": {
            section: [{"name": value.name, "own": value.own, "unit": value.unit} for value in values]
            for section, values in simulation.sections.items()
            if section != "run"
        },
    }
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


_LONGEST_NAME = 60
_PLAIN = re.compile(rf"[A-Za-z0-9_.-]([A-Za-z0-9_. -]{{0,{_LONGEST_NAME - 2}}}[A-Za-z0-9_.-])?", re.ASCII)


def plain_names(names: Sequence[str]) -> list[str]:
    """Names of letters, digits, blanks, points, hyphens and underscores alone, no two of them the same."""
    washed = [name if _PLAIN.fullmatch(name) else _washed(name) for name in names]
    taken = {name for name, plain in zip(names, washed, strict=True) if name == plain}
    spellings = []
    for name, plain in zip(names, washed, strict=True):
        free, number = plain, 2
        while name != plain and free in taken:
            free, number = f"{plain}_{number}", number + 1
        taken.add(free)
        spellings.append(free)
    return spellings


def _washed(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_. -]+", "_", name)[:_LONGEST_NAME].strip("_ ") or "name"
