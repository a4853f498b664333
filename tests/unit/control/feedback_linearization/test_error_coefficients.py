"""The linear equations that errors obey: by poles, by gains, and what cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.control.feedback_linearization.error_coefficients import error_coefficients
from polhode.expr import evaluate


def numbers(made: Any) -> list[list[float]]:
    known = {each.symbol: float(each.value) for each in made.parameters.values()}
    return [evaluate(row, known) for row in made.coefficients]


@pytest.mark.parametrize("poles", [[-1, -2, -3.5], [-1, -2 + 3j, -2 - 3j], [-0.25, -0.25, -8]])
def test_coefficients_have_the_poles_as_roots(poles: list[complex]) -> None:
    ((k0, k1, k2),) = numbers(error_coefficients(["x"], [3], poles=poles))
    assert np.allclose(np.sort_complex(np.roots([1, k2, k1, k0])), np.sort_complex(np.array(poles, complex)))


def test_one_pole_serves_all_outputs_and_is_one_parameter() -> None:
    made = error_coefficients(["x", "y"], [4, 2], poles=-3)
    assert [*made.parameters] == ["lambda"]
    assert numbers(made) == [[81, 108, 54, 12], [9, 6]]


def test_each_output_may_have_its_own() -> None:
    made = error_coefficients(["x", "y"], [2, 1], poles={"x": [-1, -2], "y": -4})
    assert {name: float(each.value or 0) for name, each in made.parameters.items()} == {
        "k0_x": 2.0, "k1_x": 3.0, "lambda_y": 4.0,
    }  # fmt: skip
    assert numbers(error_coefficients(["x"], [2], gains=[6, 5])) == [[6, 5]]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"poles": -1, "gains": [1, 2]}, "both given"),
        ({"poles": 3}, "errors would not decay: a pole is at 3"),
        ({"poles": [-1, 2]}, "a pole is at 2"),
        ({"poles": [-1]}, "1 poles are given, and the output has relative degree 2"),
        ({"poles": [-1 + 1j, -1]}, "without its conjugate"),
        ({"gains": [1, -1]}, "errors would not decay"),
        ({"gains": [1, 2, 3]}, "3 gains are given"),
        ({"gains": 3}, "list of gains"),
        ({"gains": ["fast", 1]}, "'fast' is not a number"),
        ({"poles": {"y": -1}}, "no output 'y'"),
        ({"poles": {}}, "nothing is said of 'x'"),
        ({"poles": "fast"}, "fast"),
    ],
)
def test_what_cannot_be_gets_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ph.PolhodeError, match=sentence):
        error_coefficients(["x"], [2], **options)
