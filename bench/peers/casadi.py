"""C that CasADi wrote of Pinocchio's algorithms, kept once traced and compiled."""

import re
from pathlib import Path

from polhode import Equations

from ..build import compile_with, key_of, loop, run, stored
from ..mechanisms import Robot
from ..tree import plain_tree
from .pinocchio import as_lines

_FLAGS = ("-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC")


def traced(name: str, command: list[str], version: str, mechanism: str) -> tuple[Path, Path]:
    """Source and library of what a tracer writes of a mechanism, its numbers as constants."""
    stem = f"{name}-{key_of(version, mechanism, *_FLAGS)}".replace(" ", "-")
    source = stored(f"{stem}.c", lambda path: _write(path, run(command, input=mechanism)))

    def build(path: Path) -> None:
        compile_with("gcc", [*_FLAGS, str(source), "-o", str(path), "-lm"])

    return source, stored(f"{stem}.so", build)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def of_pinocchio(robot: Robot, equations: Equations) -> tuple[Path, Path]:
    """Source and library of Pinocchio's RNEA and ABA of a robot."""
    program, tree = loop("casadi_trace"), as_lines(plain_tree(equations.system))
    return traced(f"pinocchio-{robot.name}", [str(program)], program.name, tree)


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
