"""`polhode new`: a commented model file and a notebook to start from; `polhode schema`: its JSON Schema."""

from __future__ import annotations

import json as plain_json
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import PolhodeError, check_known
from ..files.writing import replace_file
from ..terminal import output
from ..terminal.options import Json, Out

#: What can be started from: the model files in `starts`.
KINDS = ("arm", "lagrange", "pendulum")


def new(
    kind: Annotated[str, typer.Argument(help="What to start from, such as arm; a wrong one lists them all.")],
    out: Out = Path(),
    json: Json = False,
) -> None:
    """Write both files; existing files are not overwritten."""
    check_known("start", [kind], KINDS, place="new", code="E-CLI-NAME")
    if out.exists() and not out.is_dir():
        raise PolhodeError("this is a file, not a folder.", f"--out {out}", "Name a folder.", "E-FILE-WRITE")
    model, notebook = out / f"{kind}.yaml", out / f"{kind}.ipynb"
    for path in (model, notebook):
        if path.exists():
            said = "there is such a file already, and it is left as it is."
            raise PolhodeError(said, str(path), "Move it away, or name another folder with --out.", "E-FILE-WRITE")
    output.create_folder(out)
    text = resources.files(__package__).joinpath("starts", f"{kind}.yaml").read_text(encoding="utf-8")
    replace_file(model, text.encode("utf-8"))
    replace_file(notebook, (plain_json.dumps(notebook_of(kind), indent=1) + "\n").encode("utf-8"))
    if json:
        output.as_json({"files": [str(model), str(notebook)]})
        return
    output.say_written([model, notebook])
    output.say(f"try: polhode check {model}, polhode view {model}, or open {notebook}")


def schema() -> None:
    """Print the JSON Schema."""
    from .. import formats

    output.as_json(formats.schema())


def notebook_of(kind: str) -> dict[str, Any]:
    """A notebook, in the form of Jupyter's format 4.5: describe, derive, simulate, look."""
    cells = [_cell(f"{kind}-{k}", *cell) for k, cell in enumerate(_cells(kind))]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _cells(kind: str) -> list[tuple[str, str]]:
    if kind == "lagrange":
        return _BY_HAND
    return [
        ("markdown", f"# {kind}\nThe mechanism is in `{kind}.yaml`; change it there and run this again."),
        ("markdown", "## Describe"),
        ("code", f'import polhode as ph\n\nsystem = ph.load("{kind}.yaml")\nsystem'),
        ("markdown", "## Derive"),
        ("code", "equations = system.derive()\nequations"),
        ("code", "system.compare()  # by every formalism: they must agree exactly"),
        ("markdown", "## Simulate"),
        ("code", 'run = equations.simulate(5, start="start")\nrun'),
        ("code", "run.power_audit()  # does what flows into each part equal what it stores?"),
        ("markdown", "## Look"),
        ("code", "run.plot()"),
        ("code", 'ph.widget(equations, 5, start="start")  # needs: pip install "polhode[notebook]"'),
        ("markdown", "## Use it elsewhere"),
        ("code", f'equations.export("c", "{kind}_c")'),
    ]


#: Each step of Lagrange's derivation, and the same from `derive`.
_BY_HAND = [
    ("markdown", "# Lagrange by hand, step by step\nA pendulum hangs on a cart that slides. We write what a textbook "
     "writes, and compare each step with what `derive` gives: `holds()` decides it exactly, by fingerprint."),
    ("code", 'import polhode as ph\n\nsystem = ph.load("lagrange.yaml")\nsystem'),
    ("code", "equations = system.derive()\nM, m, l, g = (system.parameters[name].symbol for name in \"Mmlg\")\n"
     "(x, theta), (v, omega) = equations.q, equations.u"),
    ("markdown", "## 1. Where the bob is\nThe pendulum turns about y, and hangs down at θ = 0."),
    ("code", "r = ph.Vector([x - l * ph.sin(theta), 0, -l * ph.cos(theta)])\npose = equations.pose(\"bob\")\n"
     "position = ph.equation(r, pose.p + pose.R @ ph.Vector([0, 0, -l]))\nassert position.holds()\nposition"),
    ("markdown", "## 2. How it moves\nThe derivative in time along the motion: the rates of x and θ are v and ω."),
    ("code", "velocity = system.dt(r)\nvelocity"),
    ("markdown", "## 3. The energies"),
    ("code", "T = M * v**2 / 2 + m * velocity.dot(velocity) / 2\n"
     "kinetic = ph.equation(ph.normal(T), equations.kinetic_energy)\nassert kinetic.holds()\nkinetic.lhs"),
    ("code", "V = m * g * r[2]\npotential = ph.equation(V, equations.potential_energy)\nassert potential.holds()\nV"),
    ("markdown", "## 4. The momenta\n∂L/∂q̇ is the mass matrix times the speeds."),
    ("code", "L = T - V\np = ph.Vector([L.diff(v), L.diff(omega)])\n"
     "momenta = ph.equation(p.simplify(), equations.mass_matrix @ equations.u)\nassert momenta.holds()\nmomenta"),
    ("markdown", "## 5. Lagrange's equations\nd/dt ∂L/∂q̇ − ∂L/∂q = τ"),
    ("code", "lagrange = ph.equation(system.dt(p) - ph.Vector([L.diff(x), L.diff(theta)]), equations.tau)\n"
     "assert ph.equation(lagrange.lhs, equations.inverse_dynamics).holds()\nlagrange.simplify()"),
    ("markdown", "## 6. The accelerations\nThe equations are linear in them."),
    ("code", "free = lagrange.subs(dict.fromkeys(equations.tau, 0))\naccelerations = free.solve(equations.udot)\n"
     "derived = equations.forward_dynamics.subs(dict.fromkeys(equations.tau, 0))\n"
     "assert ph.equation(accelerations, derived).holds()\naccelerations.simplify()"),
    ("markdown", "## 7. Small motions\nThe derivatives at rest are the matrix of `linearize`."),
    ("code", "state = [x, theta, v, omega]\nrates = ph.Vector([v, omega, *accelerations])\n"
     "A = rates.jacobian(state).subs(dict.fromkeys(state, 0)).simplify()\nlinear = equations.linearize()\n"
     "assert ph.equation(A, linear.A).holds()\nA"),
    ("code", 'linear.plot("poles", "tau_x", "theta")'),
    ("markdown", "## 8. The motion\nNothing drives it, so that T + V stays what it was."),
    ("code", 'run = equations.simulate(5, start="start")\nenergy = run.energy.total\n'
     "assert abs(energy - energy[0]).max() < 1e-6\nrun.plot()"),
]  # fmt: skip


def _cell(name: str, kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": source.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
