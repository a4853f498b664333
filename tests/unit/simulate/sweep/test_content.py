"""Content as text: the same content is the same text, in every process; what cannot be told is not guessed."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.simulate import crossing
from polhode.simulate.sweep.content import Unknowable, content_of


def level(run: Any, height: float = 1.0) -> float:
    return height


def beyond(height: float) -> Any:
    return lambda run: run.q[-1, 0] > height


def test_different_content_is_different_text() -> None:
    x, y = ph.symbol("x"), ph.symbol("y")
    values: list[Any] = [
        None, True, 1, 1.5, "1", [1, 2], [[1], 2], {"a": 1}, {"a": 2}, x, x + y, crossing(x), crossing(x, 1),
        np.array([1.0, 2.0]), np.array([[1.0, 2.0]]), np.array([1, 2]), level, partial(level, height=2),
        beyond(1), beyond(2),
    ]  # fmt: skip
    texts = [content_of(value) for value in values]
    assert len({*texts}) == len(values)
    assert texts == [content_of(value) for value in values]
    assert content_of({"a": 1, "b": 2}) == content_of({"b": 2, "a": 1})
    assert content_of(beyond(1)) == content_of(beyond(1))
    assert content_of(np.float64(0.1)) == content_of(0.1)


def test_another_process_tells_the_same() -> None:
    script = (
        "import polhode as ph; from polhode.simulate.sweep.content import content_of as c; x = ph.symbol('x')\n"
        "print(c({'until': ph.cos(x) - 0.5, 'rtol': 1e-9, 'hold': ['a']}))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    x = ph.symbol("x")
    assert run.stdout.strip() == content_of({"until": ph.cos(x) - 0.5, "rtol": 1e-9, "hold": ["a"]})


def test_what_cannot_be_known_again_is_not_guessed() -> None:
    class Callable:
        def __call__(self, run: Any) -> float:
            return 1.0

    typed: dict[str, Any] = {"__name__": "typed"}
    made = type(level)(level.__code__, typed, "level")
    made.__module__ = "typed"
    for value in (Callable(), made, object()):
        with pytest.raises(Unknowable):
            content_of(value)
