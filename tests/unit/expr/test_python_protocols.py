"""Expressions answer Python and NumPy as far as they can, and say what to use instead where they cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import polhode as ph
from polhode.errors import PolhodeError

Q, U = ph.symbols("q u")


def test_the_functions_of_numpy_are_ours() -> None:
    assert abs(Q) == np.abs(Q) == ph.absolute(Q)
    for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "sign", "floor"):
        assert getattr(np, name)(Q) == getattr(ph, name)(Q)
    assert np.arctan2(Q, 2.5) == ph.atan2(Q, "2.5") and np.maximum(0, Q) == ph.maximum(0, Q)
    assert np.add(1, Q) == Q + 1 and np.square(Q) == Q**2 and np.negative(Q) == -Q


@pytest.mark.parametrize("number", [np.float64(0.1), np.float32(0.1), np.int64(3), np.array(0.1)])
def test_scalars_of_numpy_are_exact_numbers_on_either_side(number: Any) -> None:
    exact = 3 if number == 3 else 0.1
    assert number * Q == Q * number == exact * Q
    assert number + Q == exact + Q and number - Q == exact - Q and number / Q == exact / Q
    assert (number == Q) is False and (number != Q) is True


def test_an_array_equals_no_expression_and_takes_part_in_none() -> None:
    assert (np.array([1.0, 2.0]) == Q) is False
    for wrong in (lambda: np.array([1.0, 2.0]) * Q, lambda: Q * np.array([1.0, 2.0]), lambda: np.add.reduce(Q)):
        with pytest.raises(TypeError):
            wrong()


def test_numbers_compare_and_expressions_say_what_to_use() -> None:
    two = Q - Q + 2
    assert two < 3 and two >= 2 and not two > 2.5 and np.float64(1) < two
    questions: list[Callable[[], Any]] = [
        lambda: max(U, 0), lambda: min(0, U), lambda: U > 0, lambda: U >= 0, lambda: np.float64(1) > Q, lambda: Q < U,
    ]  # fmt: skip
    for ask in questions:
        with pytest.raises(PolhodeError, match=r"(?s)when numbers are known.*ph\.maximum.*E-EXPR-040") as caught:
            ask()
        assert isinstance(caught.value, TypeError)
    with pytest.raises(PolhodeError, match=r"(?s)numpy\.arcsinh takes numbers.*ph\.absolute.*E-EXPR-041"):
        np.arcsinh(Q)
    with pytest.raises(TypeError, match="not supported"):
        U < "a"  # noqa: B015


@pytest.mark.parametrize(
    ("given", "cure"),
    [
        (sympy.Symbol("x") ** 2, r"ph\.from_sympy"),
        (-5 * (Q,), r"joint\.q\[0\]"),
        (2 * (Q,), r"joint\.q\[0\]"),
        ("90 deg", "radians"),
        ("90°", "radians"),
        ("3 kg", "in SI units"),
    ],
)
def test_what_is_no_expression_is_refused_with_its_cure(given: object, cure: str) -> None:
    s = ph.System("hinge")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    with pytest.raises(PolhodeError, match=f"(?s)is not a number or an expression.*{cure}"):
        s.joint_force(hinge, given)


def test_a_vector_of_two_components_is_refused_with_its_cure() -> None:
    with pytest.raises(PolhodeError, match=r"(?s)a vector has 3 components, not 2.*Give x, y and z"):
        ph.System("plane").body("bob", 1, (0, 1))
