r"""LaTeX of every example and of all samples, compiled by pdflatex.

    python -m tests.trials.typeset [--out FOLDER] [WORD …]

Each example runs to its end; what a notebook would show of the variables that it leaves (expressions, vectors,
matrices, equations, laws, proofs), with M and f of equations in full, is set as one document, a sample likewise.
Wrong are documents that TeX refuses, and cells that are wider than the text by more than six tenths (large matrices).
Needs texlive-latex-base. With --out the documents are kept there as PDF.
"""

import argparse
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polhode as ph

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MODELS = sorted((ROOT / "models").glob("*.yaml"))
WIDTH = 600  # points of the text, at a size of ten
_HEAD = r"""\documentclass{article}
\usepackage{amsmath}
\usepackage[paperwidth=700pt, paperheight=2000pt, textwidth=%dpt, top=20pt]{geometry}
\pagestyle{empty}
\setcounter{MaxMatrixCols}{60}
\begin{document}\noindent
"""


def cells_of(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names and the LaTeX of what a notebook would show of values."""
    for name, value in values.items():
        if isinstance(value, type) or not type(value).__module__.startswith("polhode") or name.startswith("_"):
            continue
        shows = getattr(value, "_repr_mimebundle_", None)
        made = shows().get("text/latex") if shows else value._repr_latex_() if hasattr(value, "_repr_latex_") else None
        if made:
            yield name, made


def whole_results(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names and the LaTeX of results of equations, however long they are."""
    for name, value in values.items():
        if isinstance(value, ph.Equations):
            for result in ("mass_matrix", "forcing"):
                yield f"{name}.{result}", f"${value.latex(result)}$"


def values_of(path: Path, out: Path) -> Mapping[str, Any]:
    """The variables that an example leaves; of a model file its equations."""
    if path.suffix == ".yaml":
        system = ph.load(path)
        return {"system": system, "equations": system.derive()}
    sys.argv = [str(path), str(out)]
    return runpy.run_path(str(path), run_name="__main__")


def write(path: Path, out: Path) -> None:
    """Write the document of an example: cells first, then results in full in a box that may be wide."""
    values = values_of(path, out)
    text = [_HEAD % WIDTH]
    text += [f"\\par\\message{{[cell {name}]}}{made}\n" for name, made in cells_of(values)]
    text += [f"\\par\\setbox0\\hbox{{{made}}}\n" for _, made in whole_results(values)]
    (out / f"{path.stem}.tex").write_text("".join([*text, "\\end{document}\n"]), encoding="utf-8")


def compiled(source: Path) -> list[str]:
    """Errors of TeX, and the cells that are too wide."""
    told = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", source.name],
        cwd=source.parent, capture_output=True, encoding="utf-8", errors="replace",
    ).stdout.replace("\n", " ")  # fmt: skip
    found = re.findall(r"! .{,200}", told)
    cell = ""
    for mark in re.finditer(r"\[cell (\S+)\]|Overfull \\hbox \((\d+)\.\d+pt too wide\)", told):
        cell = mark[1] or cell
        if mark[2] and int(mark[2]) > 0.6 * WIDTH:
            found.append(f"{cell}: {mark[2]} points too wide")
    return found


def main() -> int:
    read = argparse.ArgumentParser(description="Compile the LaTeX of examples and samples.")
    read.add_argument("words", nargs="*", help="only those with one of these in their names")
    read.add_argument("--out", type=Path)
    read.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    given = read.parse_args()
    if given.write:
        write(given.write, given.out)
        return 0
    wrong = 0
    paths = [path for path in (*MODELS, *EXAMPLES) if not given.words or any(word in path.stem for word in given.words)]
    with TemporaryDirectory() as folder:
        out = given.out or Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        for path in paths:
            command = [sys.executable, "-m", "tests.trials.typeset", "--write", str(path), "--out", str(out)]
            ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            faults = compiled(out / f"{path.stem}.tex") if not ended.returncode else [ended.stderr[-300:]]
            wrong += bool(faults)
            print(path.stem, *(faults or ["compiles"]), sep="\n  " if faults else " ", flush=True)
    print(f"{len(paths)} documents, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
