"""Equations of motion as C that CasADi wrote: traced once for a mechanism, compiled, and kept."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from polhode.errors import PolhodeError

from . import casadi_adam
from .native_build import casadi_trace, compile_with, kept, key_of

_FLAGS = ("-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC")


@dataclass(frozen=True)
class Tracer:
    """A program that reads a mechanism and writes C, and a text that changes when the program does."""

    name: str
    command: tuple[str, ...]
    version: str

    def trace(self, mechanism: str) -> str:
        """The C source for a mechanism."""
        run = subprocess.run(self.command, input=mechanism, capture_output=True, text=True, check=False)
        if run.returncode:
            said = run.stderr.strip()[-300:]
            raise PolhodeError(f"the tracer '{self.name}' ended with {run.returncode}: {said}", code="E-BENCH-009")
        return run.stdout


@dataclass(frozen=True)
class Traced:
    """Generated C and the library made of it."""

    source: Path
    library: Path

    def operations(self, functions: Sequence[str]) -> dict[str, int]:
        """How many operations each function has."""
        text = self.source.read_text(encoding="utf-8")
        return {what: operations_of(what, text) for what in functions}


def pinocchio_tracer(say: Callable[[str], None]) -> Tracer:
    """Pinocchio's RNEA and ABA, of a tree as `as_lines` writes it."""
    program = casadi_trace().build(say)
    return Tracer("pinocchio", (str(program),), program.name)


def adam_tracer() -> Tracer:
    """The articulated-body algorithm of adam-robotics, of what `casadi_adam` reads."""
    try:
        versions = [metadata.version(package) for package in ("adam-robotics", "casadi", "liecasadi")]
    except metadata.PackageNotFoundError as missing:
        raise PolhodeError(
            f"adam-robotics is not measured: there is no {missing.name}.",
            cure="Install it: pip install 'adam-robotics[casadi]'.",
            code="E-BENCH-010",
        ) from missing
    source = Path(casadi_adam.__file__).read_text(encoding="utf-8")
    return Tracer("adam", (sys.executable, "-m", casadi_adam.__name__), "\n".join([source, *versions]))


def traced(tracer: Tracer, name: str, mechanism: str, say: Callable[[str], None]) -> Traced:
    """The functions of a mechanism, its numbers as constants."""
    label = f"{tracer.name}-{name}".replace(" ", "-")
    stem = f"{label}-{key_of(tracer.version, mechanism, *_FLAGS)}"

    def write(path: Path) -> None:
        path.write_text(tracer.trace(mechanism), encoding="utf-8")

    def build(path: Path) -> None:
        compile_with("gcc", [*_FLAGS, str(source), "-o", str(path), "-lm"], label, say)

    source = kept(f"{stem}.c", write)
    return Traced(source, kept(f"{stem}.so", build))


def operations_of(what: str, source: str) -> int:
    """The operations of a function in generated C, where each is a line; reading and writing are none.

    >>> operations_of("f", '''
    ... /* f:(i0)->(o0) */
    ...   a0=arg[0]? arg[0][0] : 0;
    ...   a1=sin(a0);
    ...   a1=(a1*a0);
    ...   if (res[0]!=0) res[0][0]=a1;
    ...   return 0;
    ... ''')
    2
    """
    _, _, body = source.partition(f"/* {what}:(")
    return len(re.findall(r"^ +a\d+=.*\(", body.partition("return 0;")[0], flags=re.MULTILINE))
