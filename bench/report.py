"""What a run leaves behind: JSON, a Markdown page and a picture."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from .plot import draw
from .table import Row, as_markdown

_METHOD = """\
Everything on this page was measured in one run of `python -m bench` on the machine below, ours and the peers by turns,
on one core. Each figure is the least seen; a ratio says how many times longer the peer takes.

- **derive**: processor time from a built `System` to the graph, every mass, centre, inertia, offset and gravity a
  symbol, under names never used before. SymPy's arm is checked to be the same mechanism. The cold start is in a fresh
  process without any cache; its time on the wall is in the note.
- **speed**: time of one call in one and the same C++ loop over 64 random states, nothing subtracted, each result
  overwriting the last, parameters baked in; the best round counts, for ours and for theirs. Pinocchio is header-only,
  `g++ -O3 -march=native -DNDEBUG`, `aba` with `Convention::WORLD` and `crba` with `Convention::LOCAL` (the faster
  ones), on the same tree; values agree to 1e-9 relative. Ours writes the whole mass matrix, `crba` its upper triangle.
  In lanes, several states are computed at once and all results are kept. MuJoCo's `mj_forward` has contacts and
  constraints off.
- **simulate**: a double pendulum with the same step, both recording every state; the motions agree to 1e-7 over one
  second.
"""


def page(rows: Sequence[Row], machine: Mapping[str, str]) -> str:
    """The run as a Markdown page."""
    sections = list(dict.fromkeys(row.section for row in rows))
    parts = ["# Benchmarks", _METHOD.rstrip()]
    for section in sections:
        parts += [f"## {section}", as_markdown([row for row in rows if row.section == section])]
    parts += ["## Machine", "\n".join(f"- {name}: {value}" for name, value in machine.items())]
    return "\n\n".join(parts) + "\n"


def write(rows: Sequence[Row], machine: Mapping[str, str], folder: Path, docs: Path | None = None) -> list[Path]:
    """Write everything into a folder, and the page into the documentation too where that is given."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {"machine": dict(machine), "rows": [row.as_json() for row in rows]}
    texts = {
        folder / "bench.json": json.dumps(record, indent=2) + "\n",
        folder / "bench.md": page(rows, machine),
    }
    if docs is not None:
        texts[docs / "benchmarks.md"] = page(rows, machine)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    picture = folder / "bench.png"
    return [*texts, picture] if draw(rows, picture) else [*texts]
