"""The page of Mladenova's equations: each is listed with a test that is there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mladenova.md").read_text(encoding="utf-8")
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


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_test_that_is_named_is_there(path: str, name: str) -> None:
    assert name in names_in(path)
