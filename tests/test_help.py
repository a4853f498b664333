"""What help, completion and type checkers find of the public surface: every option of a call, public names alone."""

import inspect
import os
import pickle
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
from docs.website import public

import polhode as ph
from polhode.calls import OPTIONS
from polhode.compiled.functions import Functions
from polhode.formats import load_mjcf, load_sdf, load_urdf
from polhode.formats.options import ReaderOptions
from polhode.model.joints import JOINTS
from polhode.model.joints.protocol import JointOptions

ROOT = Path(__file__).parents[1]
#: Their keywords are the fields of a class that a user may have written.
OF_ANY_KIND = {"polhode.System.apply", "polhode.System.constraint", "polhode.System.equip"}


def callables() -> Iterator[tuple[str, Callable[..., Any], type | None]]:
    """Public functions, classes and methods, by their paths, and the classes of methods."""
    for page in public.PAGES:
        for path in page.names():
            thing = public.thing_at(path)
            if not inspect.isclass(thing):
                yield from [(path, thing, None)] if callable(thing) else []
                continue
            for name, member in public.members(thing):
                if not isinstance(member, property | cached_property):
                    yield f"{path}.{name}", member, thing


def test_every_option_of_a_public_call_is_in_its_signature() -> None:
    kinds = {path: {each.kind for each in inspect.signature(call).parameters.values()} for path, call, _ in callables()}
    assert len(kinds) > 300
    assert {path for path, found in kinds.items() if inspect.Parameter.VAR_KEYWORD in found} == OF_ANY_KIND


def test_options_are_those_that_a_type_checker_knows() -> None:
    """The keywords of the reader, with their defaults, are the keys of the TypedDict of the same name."""
    from polhode.calls import _options_at

    found = re.compile(r"class (\w+Options)\([\w, ]+, total=False\)")
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    homes = {name: path for path, text in sources.items() for name in found.findall(text)}
    assert set(homes) == set(OPTIONS)
    for name, path in homes.items():
        module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        typed = getattr(import_module(module), name)
        assert set(_options_at(OPTIONS[name])) == typed.__optional_keys__, name
    assert set(JointOptions.__annotations__) == {field.name for kind in JOINTS.values() for field in kind.fields}
    taken = [each for read in (load_urdf, load_sdf, load_mjcf) for each in inspect.signature(read).parameters.values()]
    assert set(ReaderOptions.__annotations__) == {each.name for each in taken if each.kind is each.KEYWORD_ONLY}


@pytest.mark.trial
def test_a_type_checker_finds_a_misspelt_keyword_of_every_public_function(tmp_path: Path) -> None:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    paths = [
        path
        for path, call, _ in callables()
        if path not in OF_ANY_KIND and any(each.kind in named for each in inspect.signature(call).parameters.values())
    ]
    lines = [f"import {module}" for module in sorted({"polhode", *map(owner_of, paths)})]
    expected = dict(enumerate(paths, start=len(lines) + 1))
    program = tmp_path / "misspelt.py"
    program.write_text("\n".join([*lines, *(f"{path}(misspelt_keyword=1)" for path in paths), ""]), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", ROOT / ".mypy_cache", program]
    surroundings = os.environ | {"MYPYPATH": str(ROOT / "src")}
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=surroundings, check=False)
    errors = re.findall(r"misspelt\.py:(\d+): error: (.*)", run.stdout)
    found = {int(line) for line, text in errors if "misspelt_keyword" in text or "No overload variant" in text}
    assert len(expected) > 300
    assert [path for line, path in expected.items() if line not in found] == [], run.stdout[-2000:]


def owner_of(path: str) -> str:
    """The module that a path begins with."""
    return ".".join(part for part in path.split(".")[:-1] if part.islower() or "_" in part) or "polhode"


@pytest.mark.parametrize(("call", "shown"), [
    (ph.Equations.simulate, ["method: 'str' = 'auto'", "rtol: 'float | None' = None", "until: 'Any' = None"]),
    (ph.System.joint, ["limits: 'Any' = None", "pitch: 'number' = 0", "axis: 'axis' = <by type>"]),
    (ph.System.motor, ["stiffness: 'number' = None", "coupling: 'word' = 'full'"]),
    (ph.Equations.periodic_orbit, ["rtol: 'float | None' = 1e-11"]),
    (Functions.mass_matrix, ["t: 'ArrayLike' = 0.0", "parameters: "]),
])  # fmt: skip
def test_help_shows_options_with_kinds_and_defaults(call: Callable[..., Any], shown: list[str]) -> None:
    text = pydoc.render_doc(call, renderer=pydoc.plaintext)
    assert [each for each in shown if each not in text] == []


def words_for(call: Callable[..., Any], owner: type | None) -> set[str]:
    """The words of a docstring, of its class and the bases of that, and of the public calls that it refers to."""
    bases = owner.__mro__ if owner else ()
    texts = [inspect.getdoc(call) or "", *(vars(base).get("__doc__") or "" for base in bases)]
    for name in re.findall(r"`(?:\w+\.)*(\w+)`", texts[0]):
        texts += [inspect.getdoc(getattr(kind, name, None)) or "" for kind in (ph, ph.Equations, ph.System, owner)]
    return {word for text in texts for word in re.findall(r"\w+", text)}


def test_every_parameter_is_named_where_its_call_is_described() -> None:
    unnamed = {
        path: names
        for path, call, owner in callables()
        if (names := {*inspect.signature(call).parameters} - {"self", "cls"} - words_for(call, owner))
    }
    assert unnamed == {}


def test_dir_shows_public_names_alone() -> None:
    public_names = {name for name in dir(ph) if not name.startswith("__")}
    assert public_names == set(ph.__all__)
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*.py")]
    named = {name for page in pages for name in re.findall(r"polhode(?:\.\w+)+", page.read_text(encoding="utf-8"))}
    rooms = [each.name for each in walk_packages(ph.__path__, "polhode.") if each.ispkg and each.name in named]
    listed = [room for room in map(import_module, rooms) if hasattr(room, "__all__")]
    assert {"polhode.control", "polhode.planning", "polhode.simulate"} <= {room.__name__ for room in listed}
    for room in listed:
        assert dir(room) == sorted(room.__all__), room.__name__


def test_public_functions_are_pickled_by_name() -> None:
    for call in (ph.box, ph.load, ph.symbol, ph.Revolute, ph.random_system, ph.planning.quintic):
        assert pickle.loads(pickle.dumps(call)) is call
