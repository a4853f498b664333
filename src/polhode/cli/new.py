"""`polhode new`: a commented model file and a notebook to start from; `polhode schema`: its JSON Schema."""

from __future__ import annotations

import json as plain_json
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import PolhodeError, unknown
from ..files.writing import replace_file
from ..terminal import output
from ..terminal.options import Json, Out

#: What can be started from: the model files in `starts`.
KINDS = ("arm", "pendulum")


def new(
    kind: Annotated[str, typer.Argument(help="What to start from, such as arm; a wrong one lists them all.")],
    out: Out = Path(),
    json: Json = False,
) -> None:
    """Write both files; existing files are not overwritten."""
    if kind not in KINDS:
        raise unknown("start", kind, KINDS, place="new", code="E-CLI-NAME")
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


def _cell(name: str, kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": source.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
