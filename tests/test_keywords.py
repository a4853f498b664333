"""Signatures carry their keywords: a type checker finds a misspelt one wherever users give them."""

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from docs.website import public

from polhode.formats import load_mjcf, load_sdf, load_urdf
from polhode.formats.options import ReaderOptions
from polhode.model.joints import JOINTS
from polhode.model.joints.protocol import JointOptions

ROOT = Path(__file__).parents[1]
MISSPELT = "misspelt_keyword"
#: Their keywords are the fields of a class that a user may have written; they are checked when they are called.
OF_ANY_KIND = {"polhode.System.apply", "polhode.System.constraint", "polhode.System.equip"}


def callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Public functions, classes and methods, by their paths; classes that others make are not called by users."""
    for page in public.PAGES:
        for path in page.names():
            thing = public.thing_at(path)
            if not inspect.isclass(thing):
                yield from [(path, thing)] if callable(thing) else []
                continue
            if path.count(".") == 1:
                yield path, thing
            for name, member in public.members(thing):
                if not isinstance(member, property | cached_property):
                    yield f"{path}.{name}", member


def open_keywords(function: Callable[..., Any]) -> str:
    """What is said of keywords beyond those that are listed; nothing where there are none."""
    found = [each for each in inspect.signature(function).parameters.values() if each.kind is each.VAR_KEYWORD]
    return str(found[0].annotation) if found else ""


def takes_keywords(function: Callable[..., Any]) -> bool:
    kinds = {each.kind for each in inspect.signature(function).parameters.values()}
    named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD
    return any(kind in kinds for kind in named)


def test_no_public_function_takes_any_keyword() -> None:
    found = {path for path, function in callables() if open_keywords(function) in {"Any", "object"}}
    assert found == OF_ANY_KIND


def test_options_of_joints_and_readers_are_those_that_there_are() -> None:
    assert set(JointOptions.__annotations__) == {field.name for kind in JOINTS.values() for field in kind.fields}
    readers = (load_urdf, load_sdf, load_mjcf)
    taken = [each for read in readers for each in inspect.signature(read).parameters.values()]
    named = {each.name for each in taken if each.kind is each.KEYWORD_ONLY}
    assert set(ReaderOptions.__annotations__) == named


def calls() -> dict[int, str]:
    """A program's lines that each give a misspelt keyword, by their numbers, and what they call."""
    made: dict[int, str] = {}
    for path, function in callables():
        if path not in OF_ANY_KIND and takes_keywords(function):
            made[len(made) + 1] = path
    return made


@pytest.mark.slow
def test_a_type_checker_finds_a_misspelt_keyword_of_every_public_function(tmp_path: Path) -> None:
    paths = list(dict.fromkeys(path for path in calls().values()))
    modules = sorted({owner(path) for path in paths} | {"polhode"})
    lines = [*(f"import {module}" for module in modules)]
    expected = {}
    for path in paths:
        lines.append(f"{path}({MISSPELT}=1)")
        expected[len(lines)] = path
    program = tmp_path / "misspelt.py"
    program.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [
        sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(ROOT / ".mypy_cache"), str(program),
    ]  # fmt: skip
    surroundings = os.environ | {"MYPYPATH": str(ROOT / "src")}
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=surroundings, check=False)
    found = {
        int(number)
        for number, told in re.findall(r"misspelt\.py:(\d+): error: (.*)", run.stdout)
        if MISSPELT in told or "No overload variant" in told
    }
    assert len(expected) > 300
    assert [path for line, path in expected.items() if line not in found] == [], run.stdout[-2000:]


def owner(path: str) -> str:
    """The module that a path begins with."""
    parts = path.split(".")
    return ".".join(part for part in parts[:-1] if part.islower() or "_" in part) or "polhode"
