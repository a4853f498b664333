"""A program of its own: in a process that has imported what programs import, and has run nothing."""

import multiprocessing
import os
import pkgutil
import runpy
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from multiprocessing.context import BaseContext
from pathlib import Path

import polhode

#: What takes a second to import, in every program anew, beside the package itself.
OTHERS = (
    "llvmlite.binding", "matplotlib.backends.backend_agg", "matplotlib.figure", "PIL.PngImagePlugin", "rich.table",
    "scipy.integrate", "scipy.optimize", "scipy.special",
)  # fmt: skip
PATIENCE = 300.0


@dataclass(frozen=True)
class Ended:
    """How a program ended: its exit code, what it printed and what it complained of."""

    code: int | None
    said: str
    complained: str


def run_script(script: Path, *arguments: str, place: Path, **surroundings: str) -> Ended:
    """How a script ends that is started in a place."""
    return _run(_script, (str(script), *arguments), place, surroundings)


def run_command(*arguments: str, place: Path, **surroundings: str) -> Ended:
    """How the command `polhode` ends that is given in a place."""
    return _run(_command, ("polhode", *arguments), place, surroundings)


def _run(work: Callable[[], None], words: tuple[str, ...], place: Path, surroundings: Mapping[str, str]) -> Ended:
    said, complained = (place.with_name(f"{place.name}.{stream}") for stream in ("said", "complained"))
    environment = os.environ | surroundings
    process = _context().Process(target=_begin, args=(work, words, place, said, complained, environment))
    process.start()
    process.join(PATIENCE)
    if process.exitcode is None:
        process.kill()
        process.join()
    return Ended(process.exitcode, *(stream.read_text(encoding="utf-8") for stream in (said, complained)))


@cache
def _context() -> BaseContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    package = (each.name for each in pkgutil.walk_packages(polhode.__path__, "polhode."))
    context.set_forkserver_preload([__name__, *OTHERS, *(name for name in package if not name.endswith("__main__"))])
    return context


def _begin(
    work: Callable[[], None],
    words: tuple[str, ...],
    place: Path,
    said: Path,
    complained: Path,
    environment: Mapping[str, str],
) -> None:
    for stream, path in ((sys.stdout, said), (sys.stderr, complained)):
        written = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(written, stream.fileno())
        os.close(written)
        stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr] # these streams are text files
    os.environ.clear()
    os.environ.update(environment)
    for display in ("DISPLAY", "WAYLAND_DISPLAY"):
        os.environ.pop(display, None)
    os.chdir(place)
    sys.argv = [*words]
    work()


def _script() -> None:
    sys.path.insert(0, str(Path(sys.argv[0]).parent))
    runpy.run_path(sys.argv[0], run_name="__main__")


def _command() -> None:
    from polhode.cli.app import main

    main()
