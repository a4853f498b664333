"""Names that docstrings and messages mention exist: of `ph`, of modules, of classes, and words in backticks."""

import ast
import keyword
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import polhode as ph
from polhode.simulate.trajectory.trajectory import Trajectory

SOURCE = Path(ph.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
ROOMS = sorted(path.name for path in SOURCE.iterdir() if path.is_dir() and (path / "__init__.py").is_file())
#: What messages call the objects that a user has.
OBJECTS = {"system": ph.System("any"), "equations": ph.Equations, "run": Trajectory}
#: Where `run` is another record: that of native code.
OTHER_RUNS = ("codegen", "ode")
#: How names of files end.
ENDINGS = {"yaml", "ipynb", "md", "html", "json", "py", "svg", "SVG", "csv", "npz"}
#: Words in backticks that are names elsewhere: of other languages, other libraries, files and examples.
ELSEWHERE = {
    "inline", "sympify", "sympy.sympify", "locals", "concurrent.futures", "tabular", "forcerange", "ctrlrange",
    "actuatorfrcrange", "ida", "andrews", "RadialArm", "tau_theta", "f_D01", "u_star", "call0", "call1", "call3",
}  # fmt: skip


@cache
def read() -> tuple[list[tuple[Path, int, str]], set[str]]:
    """Every string of the source with its file and line, without examples, which are run; and every name in it."""
    strings, names = [], {*ROOMS, *(path.stem for path in FILES), *(path.parent.name for path in FILES)}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = re.sub(r"(?m)^ *(>>>|\.\.\.) .*$", "", node.value)
                strings.append((path.relative_to(SOURCE), node.lineno, text))
            else:
                words = (getattr(node, field, None) for field in ("name", "arg", "id", "attr"))
                names |= {word for word in words if isinstance(word, str)}
    return strings, names


@cache
def identifiers() -> set[str]:
    """Every name in the source, and every word of a string outside of its backticks, such as a native function's."""
    strings, names = read()
    return names.union(*(re.findall(r"[A-Za-z_]\w*", re.sub(r"`[^`]*`", " ", text)) for _, _, text in strings))


def exists(root: Any, names: list[str]) -> bool:
    """Whether attributes, fields or modules lead from a module or a class along the names."""
    for name in names:
        if not hasattr(root, name):
            if isinstance(root, ModuleType):
                return find_spec(f"{root.__name__}.{name}") is not None
            return name in getattr(root, "__dataclass_fields__", {}) or name in getattr(root, "__annotations__", {})
        root = getattr(root, name)
        if not isinstance(root, type | ModuleType):
            return True  # of what a function or a property returns nothing is known
    return True


def mentions(pattern: str) -> Iterator[tuple[str, list[str], str]]:
    for path, line, text in read()[0]:
        for match in re.finditer(pattern, text):
            names = match["names"].strip(".").split(".")
            if names[-1] not in ENDINGS:
                yield f"{path}:{line}", names, match[0]


NAMES = r"(?P<names>(?:\.[A-Za-z_]\w*)+)"


def test_names_of_the_package_exist() -> None:
    missing = [f"{at} {said}" for at, names, said in mentions(rf"(?<![\w./])ph{NAMES}") if not exists(ph, names)]
    assert not missing, "\n".join(missing)


def test_modules_and_what_is_in_them_exist() -> None:
    whole = mentions(rf"(?<![\w./])polhode{NAMES}")
    missing = [f"{at} {said}" for at, names, said in whole if not exists(ph, names)]
    rooms = mentions(rf"(?<![\w./])(?P<names>(?:{'|'.join(ROOMS)})(?:[./][a-z_]\w*)+)(?![\w(])")
    for at, names, said in rooms:
        parts = [part for name in names for part in name.split("/")]
        missing += [] if exists(ph, parts) else [f"{at} {said}"]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("name", OBJECTS)
def test_methods_of_what_a_user_has_exist(name: str) -> None:
    said = mentions(rf"(?<![\w.>/]){name}{NAMES}")
    missing = [
        f"{at} {text}"
        for at, names, text in said
        if not exists(OBJECTS[name], names) and not (name == "run" and at.startswith(OTHER_RUNS))
    ]
    assert not missing, "\n".join(missing)


def test_words_in_backticks_are_names() -> None:
    missing = []
    for at, names, said in mentions(r"`(?P<names>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\([^`]*\))?`"):
        known = ".".join(names) in ELSEWHERE or keyword.iskeyword(names[0])
        missing += [] if known or identifiers().issuperset(names) else [f"{at} {said}"]
    assert not missing, "\n".join(missing)
