"""The page of Mladenova's equations: each is listed with calls that run, and a test that is there."""

import ast
import doctest
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mladenova.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"(?m)^## ", PAGE)[1:]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


@cache
def names_in(path: str) -> set[str]:
    return {node.name for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))) if hasattr(node, "name")}


def test_every_equation_has_a_line() -> None:
    listed: set[int] = set()
    for first in re.findall(r"(?m)^\| ([^|]*) \|", PAGE):
        for low, high in re.findall(r"\((\d+)\)(?:–\((\d+)\))?", first):
            listed |= {*range(int(low), int(high or low) + 1)}
    assert {*range(1, 398)} <= listed


@cache
def names_on_the_page() -> dict[str, Any]:
    """What the sessions at the heads of all sections define."""
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(PAGE):
        exec(example.source, names)
    return names


@pytest.mark.parametrize("section", SECTIONS, ids=[section.split()[0] for section in SECTIONS])
def test_every_line_has_a_call_that_runs(section: str) -> None:
    rows = re.findall(r"(?m)^\| (?!equation)(.*) \|$", section)
    assert rows
    for equation, _, calls, _ in (row.split(" | ") for row in rows):
        found = re.findall(r"`([^`]+)`", calls)
        assert found, equation
        for call in found:
            assert eval(call, names_on_the_page()) is not None or call.startswith("print("), f"{equation}: {call}"


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_test_that_is_named_is_there(path: str, name: str) -> None:
    assert name in names_in(path)
