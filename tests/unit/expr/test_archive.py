"""What is stored comes back as the same object, and what is not an archive is refused."""

import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polhode.errors import PolhodeError
from polhode.expr import Vector, pi, sin, sqrt, symbol, symbols, unit_symbols
from polhode.expr.archive import dump, load

a, b = symbols("a b")


@given(seed=st.integers(0, 2**32))
@settings(max_examples=40)
def test_a_round_trip_gives_the_same_objects(seed: int, grow: Any) -> None:
    roots = [grow(seed, True), grow(seed + 1, True), grow(seed, False)]
    back = load(dump(roots))
    assert all(new is old for new, old in zip(back, roots, strict=True)) and dump(back) == dump(roots)


def test_objects_kinds_and_names_come_back_and_shared_parts_once() -> None:
    quaternion = unit_symbols(["w", "x", "y", "z"], "quaternion")
    odd = symbol('"]}\n', "speed")
    roots = [*quaternion, odd, pi * sqrt(a), sin(a / 3)]
    assert all(new is old for new, old in zip(load(dump(roots)), roots, strict=True))
    root = sin(a * b) / (a + b)
    assert pickle.loads(pickle.dumps(root)) is root
    assert pickle.loads(pickle.dumps(Vector([root, a]))) == Vector([root, a])
    root = a
    for _ in range(60):
        root = root * root + b
    assert len(json.loads(dump([root]))["nodes"]) < 200


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", "nonsense", '{"polhode": 2, "nodes": [], "roots": []}',
        '{"polhode": 1, "nodes": [["system", 0]], "roots": [0]}',
        '{"polhode": 1, "nodes": [["add", 0, 1]], "roots": [0]}',
        '{"polhode": 1, "nodes": [["number", "one"]], "roots": [0]}',
        '{"polhode": 1, "nodes": [["number", "1"], ["sin", 0, 0]], "roots": [1]}',
        '{"polhode": 1, "nodes": [["number", "1"]], "roots": [7]}',
        '{"polhode": 1, "nodes": [["symbol", "k", "a", ["b"]]], "roots": [0]}',
    ],
)  # fmt: skip
def test_what_is_no_archive_is_refused(text: str) -> None:
    with pytest.raises(PolhodeError, match="archive"):
        load(text)
