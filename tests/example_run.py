"""An example as a program of its own: in a process that has imported what examples import, and has run nothing."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
from pathlib import Path

#: What takes a second to import, in every example anew.
IMPORTED = [
    "tests.example_run", "llvmlite.binding", "matplotlib.backends.backend_agg", "matplotlib.figure", "scipy.integrate",
    "scipy.optimize", "polhode.compiled.functions", "polhode.simulate.run", "polhode.surface.equations",
    "polhode.surface.system", "polhode.view.page", "polhode.view.plot",
]  # fmt: skip
PATIENCE = 300.0


def run(example: Path, out: Path, place: Path) -> tuple[int | None, str, str]:
    """How an example ends that is started in a place, what it prints, and what it complains of."""
    if "forkserver" in multiprocessing.get_all_start_methods():
        context: multiprocessing.context.BaseContext = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(IMPORTED)
    else:
        context = multiprocessing.get_context("spawn")
    said, complained = (place.with_name(name) for name in ("said.txt", "complained.txt"))
    process = context.Process(target=_go, args=(str(example), str(out), str(place), str(said), str(complained)))
    process.start()
    process.join(PATIENCE)
    if process.exitcode is None:
        process.kill()
        process.join()
    return process.exitcode, said.read_text(encoding="utf-8"), complained.read_text(encoding="utf-8")


def _go(example: str, out: str, place: str, said: str, complained: str) -> None:
    for stream, name in ((sys.stdout, said), (sys.stderr, complained)):
        written = os.open(name, os.O_WRONLY | os.O_CREAT)
        os.dup2(written, stream.fileno())
        os.close(written)
        stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr] # these streams are text files
    for display in ("DISPLAY", "WAYLAND_DISPLAY"):
        os.environ.pop(display, None)
    os.chdir(place)
    sys.argv = [example, out]
    runpy.run_path(example, run_name="__main__")
