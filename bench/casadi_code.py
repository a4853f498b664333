"""Pinocchio's algorithms as C that CasADi wrote: traced once for a tree, compiled, and kept."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from polhode.errors import PolhodeError

from .native_build import compile_with, kept, key_of
from .plain_tree import PlainTree, as_lines

_FLAGS = ("-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC")


@dataclass(frozen=True)
class Traced:
    """Generated C and the library made of it."""

    source: Path
    library: Path

    def operations(self, functions: Sequence[str]) -> dict[str, int]:
        """How many operations each function has."""
        text = self.source.read_text(encoding="utf-8")
        return {what: operations_of(what, text) for what in functions}


def traced(tracer: Path, name: str, tree: PlainTree, say: Callable[[str], None]) -> Traced:
    """The inverse and forward dynamics of a tree, its numbers as constants."""
    lines = as_lines(tree)
    stem = f"casadi-{name}-{key_of(tracer.name, lines, *_FLAGS)}"

    def trace(path: Path) -> None:
        given = path.with_suffix(".txt")
        given.write_text(lines, encoding="utf-8")
        run = subprocess.run([str(tracer), str(given)], capture_output=True, text=True, check=False)
        given.unlink()
        if run.returncode:
            said = run.stderr.strip()[:300]
            raise PolhodeError(f"{tracer.name} ended with {run.returncode}: {said}", place=name, code="E-BENCH-002")
        path.write_text(run.stdout, encoding="utf-8")

    def build(path: Path) -> None:
        compile_with("gcc", [*_FLAGS, str(source), "-o", str(path), "-lm"], f"casadi-{name}", say)

    source = kept(f"{stem}.c", trace)
    return Traced(source, kept(f"{stem}.so", build))


def operations_of(what: str, source: str) -> int:
    """The operations of a function in generated C, whose every line is one; reading and writing is none.

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
    return len(re.findall(r"^ +a\d+ ?=.*\(", body.partition("return 0;")[0], flags=re.MULTILINE))
