"""`polhode new`: a commented model file and a notebook to start from; `polhode schema`: its JSON Schema."""

from __future__ import annotations

import json as plain_json
import re
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import PolhodeError, check_known
from ..files.writing import replace_file
from ..terminal import output
from ..terminal.options import Json, Out

#: What can be started from: the model files in `starts`, where the notebooks are as Markdown.
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
            message = "there is such a file already, and it is left as it is."
            raise PolhodeError(message, str(path), "Move it away, or name another folder with --out.", "E-FILE-WRITE")
    output.create_folder(out)
    replace_file(model, _start(f"{kind}.yaml").encode("utf-8"))
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
    """A notebook, in the form of Jupyter's format 4.5: a cell for each code block of a start, and for the text between.

    Lagrange's derivation has its own; the others describe, derive, simulate and look.
    """
    text = _start("lagrange.md" if kind == "lagrange" else "usual.md").replace("KIND", kind)
    cells: list[dict[str, Any]] = []
    for k, part in enumerate(re.split(r"```python\n(.*?)```", text, flags=re.DOTALL)):
        cell: dict[str, Any] = {"execution_count": None, "outputs": []} if k % 2 else {}
        cell |= {"cell_type": "code" if k % 2 else "markdown", "id": f"{kind}-{len(cells)}", "metadata": {}}
        cells += [cell | {"source": part.strip().splitlines(keepends=True)}] if part.strip() else []
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _start(name: str) -> str:
    return resources.files(__package__).joinpath("starts", name).read_text(encoding="utf-8")
