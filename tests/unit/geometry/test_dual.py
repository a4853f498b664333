"""Dual numbers over every kind of scalar: the rules of a ring, and functions with their derivatives."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import polhode as ph
from polhode import Dual, Matrix, Vector
from polhode.errors import PolhodeError
from polhode.expr import latex, symbols
from polhode.geometry.dual import dual, dual_part, real_part

theta, d, phi, e = symbols("theta d phi e")
KINDS = {
    "expressions": (Dual(theta, d), Dual(phi, e), Dual(d, theta)),
    "fractions": (Dual(Fraction(1, 3), 2), Dual(Fraction(2, 5), Fraction(1, 7)), Dual(3, -4)),
    "whole numbers": (Dual(2, 3), Dual(5, -1), Dual(-7, 2)),
}


@pytest.mark.parametrize("three", KINDS.values(), ids=KINDS)
def test_dual_numbers_are_a_ring_in_which_mu_squared_is_zero(three: tuple[Dual, Dual, Dual]) -> None:
    a, b, c = three
    assert a + b == b + a and a * b == b * a
    assert a * (b + c) == a * b + a * c
    assert (a * b) * c == a * (b * c)
    assert a - a == 0 and not a - a
    assert a / b * b == a and 1 / a * a == 1
    assert a**3 == a * a * a and a**-2 == 1 / (a * a) and a**0 == 1
    assert Dual(0, 1) ** 2 == 0
    assert 2 - a == -(a - 2) and +a == a
    assert hash(Dual(a.real)) == hash(a.real)


def test_quotients_of_whole_numbers_are_exact() -> None:
    assert Dual(1, 2) / Dual(3, 1) == Dual(Fraction(1, 3), Fraction(5, 9))


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "sqrt"])
def test_functions_carry_their_derivatives(name: str) -> None:
    function = getattr(ph, name)
    found = function(Dual(theta, d))
    assert found.real == function(theta)
    assert found.dual == d * function(theta).diff(theta)


def test_addition_theorems_hold_for_dual_angles() -> None:
    a, b = Dual(theta, d), Dual(phi, e)
    assert ph.sin(a + b) == ph.sin(a) * ph.cos(b) + ph.cos(a) * ph.sin(b)
    assert ph.tan(a) == ph.sin(a) / ph.cos(a)
    assert ph.sqrt(a) * ph.sqrt(a) == a


def test_arrays_are_numbers_one_for_each_entry() -> None:
    angles, shifts = np.linspace(0.1, 1, 5), np.linspace(1, 2, 5)
    found = dual(angles, shifts)
    assert found.sin().dual == pytest.approx(shifts * np.cos(angles))
    assert np.ones(5) * found == found
    assert (found * found / found).dual == pytest.approx(shifts)
    assert (found / 2).sqrt().real == pytest.approx(np.sqrt(angles / 2))
    with pytest.raises(PolhodeError, match="reciprocal"):
        _ = 1 / dual(np.zeros(3), 1.0)


def test_floats_and_expressions_mix() -> None:
    assert Dual(theta, 1) + 0.5 == Dual(theta + Fraction(1, 2), 1)
    assert theta * Dual(2, d) == Dual(2 * theta, d * theta)
    assert 0.5 * Dual(2.0, 4.0) == Dual(1.0, 2.0)


def test_vectors_and_matrices_are_those_of_any_number() -> None:
    line = dual((0, 0, 1), (2, 0, 0))
    assert isinstance(line, Vector) and isinstance(line[0], Dual)
    assert real_part(line) == (0, 0, 1) and dual_part(line) == (2, 0, 0)
    square = dual([[1, 0], [0, 1]], [[0, theta], [d, 0]])
    assert isinstance(square, Matrix) and (square @ square) == dual([[1, 0], [0, 1]], [[0, 2 * theta], [2 * d, 0]])
    assert dual_part(Vector([1, Dual(2, 3)])) == (0, 3)
    assert dual(5) == 5 and dual(Vector([1, 2])) == Vector([1, 2])


def test_a_dual_number_is_written_by_its_parts() -> None:
    assert repr(Dual(theta, d)) == "theta + μ*(d)"
    assert (repr(Dual(theta)), repr(Dual(0, d)), repr(Dual(0))) == ("theta", "μ*(d)", "0")
    assert latex(Dual(theta, d)) == r"\theta + \mu \left(d\right)"
    assert Dual(theta, d)._repr_latex_() == r"$\theta + \mu \left(d\right)$"
    assert Dual(theta, d).map(lambda part: 2 * part) == 2 * Dual(theta, d)


def test_what_has_no_reciprocal_or_root_is_refused_in_a_sentence() -> None:
    with pytest.raises(PolhodeError, match="without a real part has no reciprocal"):
        _ = 1 / Dual(0, theta)
    with pytest.raises(PolhodeError, match="without a real part has no reciprocal"):
        Dual(0.0, 1.0).sqrt()


@pytest.mark.parametrize("parts", [((1, 2, 3), (1, 2)), ([[1, 0], [0, 1]], [[1]]), ((1, 2, 3), 5)])
def test_parts_of_different_shapes_are_refused(parts: tuple[object, object]) -> None:
    with pytest.raises(PolhodeError):
        dual(*parts)


def test_a_dual_number_does_not_mix_with_what_is_none() -> None:
    for wrong in ("x", [1], (1, 2)):
        with pytest.raises(TypeError):
            _ = Dual(1, 2) + wrong
        with pytest.raises(TypeError):
            _ = wrong - Dual(1, 2)
    with pytest.raises(TypeError):
        _ = Dual(1, 2) ** 0.5
    assert Dual(1, 2) != "x"


@pytest.mark.parametrize("wrong", [None, "x", True, {}, 1j, ["a", 1, 2], np.array(["a"]), Dual(1, 2)])
def test_what_is_no_number_is_refused(wrong: object) -> None:
    with pytest.raises(PolhodeError, match="is not a number"):
        dual(wrong)
