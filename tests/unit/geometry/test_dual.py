"""Dual numbers over every kind of scalar: the rules of a ring, and functions with their derivatives."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode import Dual, Matrix, Vector
from polhode.expr import as_expr, evaluate, latex, symbols
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
    assert a + b == b + a and a * b == b * a and a * (b + c) == a * b + a * c and (a * b) * c == a * (b * c)
    assert a - a == 0 and not a - a and a / b * b == a and 1 / a * a == 1
    assert a**3 == a * a * a and a**-2 == 1 / (a * a) and a**0 == 1
    assert Dual(0, 1) ** 2 == 0
    assert 2 - a == -(a - 2) and +a == a and hash(Dual(a.real)) == hash(a.real)


def test_quotients_are_exact_and_exponents_may_be_dual() -> None:
    assert Dual(1, 2) / Dual(3, 1) == Dual(Fraction(1, 3), Fraction(5, 9))
    assert 2.0 ** Dual(0.3, 1.0) == Dual(2**0.3, 2**0.3 * np.log(2))
    found = Dual(0.3, 1.0) ** Dual(0.7, 2.0)
    assert found.dual == pytest.approx(0.3**0.7 * (0.7 / 0.3 + 2 * np.log(0.3)))
    assert (theta ** Dual(phi, e)).dual == e * (theta**phi).diff(phi)
    found = ph.atan2(Dual(0.3, 1.0), 2)
    assert isinstance(found.real, float) and isinstance(found.dual, float)
    refused("is not a number", lambda: ph.atan2(Dual(0.3, 1.0), "x"))
    assert Dual(theta, 1) + 0.5 == Dual(theta + Fraction(1, 2), 1)
    assert theta * Dual(2, d) == Dual(2 * theta, d * theta) and 0.5 * Dual(2.0, 4.0) == Dual(1.0, 2.0)


OF_ONE = (
    "sin", "cos", "tan", "sqrt", "exp", "log", "asin", "acos", "atan", "sinh", "cosh", "tanh", "absolute", "sign",
    "floor",
)  # fmt: skip
OF_TWO = ("atan2", "minimum", "maximum")
POWERS = (2, -3, 0, 0.5, Fraction(-3, 2), Fraction(1, 3), 3.7)


@pytest.mark.parametrize("name", OF_ONE)
def test_functions_carry_their_derivatives(name: str) -> None:
    function = getattr(ph, name)
    found = function(Dual(theta, d))
    assert found.real == function(theta) and found.dual == d * function(theta).diff(theta)


@pytest.mark.parametrize("name", OF_TWO)
def test_functions_of_two_carry_their_derivatives(name: str) -> None:
    function = getattr(ph, name)
    slopes = [function(theta, phi).diff(x) for x in (theta, phi)]
    assert function(Dual(theta, d), Dual(phi, e)) == Dual(function(theta, phi), d * slopes[0] + e * slopes[1])
    assert function(theta, Dual(phi, e)).dual == e * slopes[1] and function(Dual(theta, d), phi).dual == d * slopes[0]


@pytest.mark.parametrize("exponent", POWERS, ids=str)
def test_powers_carry_their_derivatives(exponent: float | Fraction) -> None:
    found, slope = Dual(theta, d) ** exponent, (theta**exponent).diff(theta)
    assert found.real == theta**exponent
    one, two = evaluate(map(as_expr, (found.dual, d * slope)), {theta: 0.3, d: 2.0})
    assert one == pytest.approx(two)
    for base in (0.3, np.array([0.3, 2.0])):
        found = Dual(base, 2.0) ** exponent
        assert found.real == pytest.approx(base ** float(exponent))
        assert found.dual == pytest.approx(2 * float(exponent) * base ** (float(exponent) - 1))


@pytest.mark.parametrize("name", [*OF_ONE, *OF_TWO])
def test_functions_of_floats_and_arrays_are_those_of_symbols(name: str) -> None:
    function, numbers = getattr(ph, name), {theta: 0.3, d: 2.0, phi: 0.7, e: -1.5}
    two = name in OF_TWO
    exact = function(Dual(theta, d), Dual(phi, e)) if two else function(Dual(theta, d))
    wanted = evaluate(map(as_expr, (exact.real, exact.dual)), numbers)
    for a, b in ((0.3, 0.7), (np.array([0.3, 0.3]), np.array([0.7, 0.7])), (0.3, np.array([0.7]))):
        found = function(Dual(a, 2.0), Dual(b, -1.5)) if two else function(Dual(a, 2.0))
        assert np.ravel(found.real) == pytest.approx(np.full(np.size(found.real), wanted[0]))
        assert np.ravel(found.dual) == pytest.approx(np.full(np.size(found.dual), wanted[1]))


def test_dual_angles_add_and_numbers_are_written_by_their_parts_and_arrays_are_numbers_one_for_each_entry() -> None:
    a, b = Dual(theta, d), Dual(phi, e)
    assert ph.sin(a + b) == ph.sin(a) * ph.cos(b) + ph.cos(a) * ph.sin(b)
    assert ph.tan(a) == ph.sin(a) / ph.cos(a) and ph.sqrt(a) * ph.sqrt(a) == a
    assert repr(Dual(theta, d)) == "theta + μ*(d)"
    assert (repr(Dual(theta)), repr(Dual(0, d)), repr(Dual(0))) == ("theta", "μ*(d)", "0")
    assert latex(Dual(theta, d)) == r"\theta + \mu \left(d\right)"
    assert Dual(theta, d)._repr_latex_() == r"$\theta + \mu \left(d\right)$"
    assert Dual(theta, d).map(lambda part: 2 * part) == 2 * Dual(theta, d)
    angles, shifts = np.linspace(0.1, 1, 5), np.linspace(1, 2, 5)
    found = dual(angles, shifts)
    assert found.sin().dual == pytest.approx(shifts * np.cos(angles)) and np.ones(5) * found == found
    assert (found * found / found).dual == pytest.approx(shifts)
    assert (found / 2).sqrt().real == pytest.approx(np.sqrt(angles / 2))
    refused("reciprocal", lambda: 1 / dual(np.zeros(3), 1.0))


def test_vectors_and_matrices_are_those_of_any_number() -> None:
    line = dual((0, 0, 1), (2, 0, 0))
    assert isinstance(line, Vector) and isinstance(line[0], Dual)
    assert real_part(line) == (0, 0, 1) and dual_part(line) == (2, 0, 0)
    square = dual([[1, 0], [0, 1]], [[0, theta], [d, 0]])
    assert isinstance(square, Matrix) and (square @ square) == dual([[1, 0], [0, 1]], [[0, 2 * theta], [2 * d, 0]])
    assert dual_part(Vector([1, Dual(2, 3)])) == (0, 3) and dual(5) == 5 and dual(Vector([1, 2])) == Vector([1, 2])


def test_functions_without_derivatives_or_reciprocals_are_refused() -> None:
    refused("without a real part has no reciprocal", lambda: 1 / Dual(0, theta))
    assert ph.asin(Dual(1.0)).real == pytest.approx(np.pi / 2) and Dual(0.0).sqrt() == 0 and abs(Dual(0.0)) == 0
    assert Dual(0.0, 1.0) ** 1.5 == 0


SINGULAR = {
    "sqrt": lambda: Dual(0.0, 1.0).sqrt(),
    "asin": lambda: ph.asin(Dual(1.0, 1.0)),
    "acos of an array": lambda: ph.acos(Dual(np.array([0.5, -1.0]), 1.0)),
    "abs": lambda: abs(Dual(0, theta)),
    "abs of a symbol": lambda: ph.absolute(Dual(theta - theta, d)),
    "atan2": lambda: ph.atan2(Dual(0.0, 1.0), 0.0),
    "max": lambda: ph.maximum(Dual(1.0, 1.0), Dual(1.0, 2.0)),
    "pow": lambda: Dual(0.0, 1.0) ** 0.5,
}


@pytest.mark.parametrize("singular", SINGULAR.values(), ids=SINGULAR)
def test_a_function_without_a_derivative_is_refused_in_a_sentence(singular: Callable[[], Dual]) -> None:
    refused("has no derivative at", singular)


@pytest.mark.parametrize("beyond", [
    lambda: ph.log(Dual(-1.0, 1.0)), lambda: ph.acos(Dual(np.array([0.5, 2.0]), 1.0)), lambda: ph.exp(Dual(1e6, 1.0)),
    lambda: Dual(-1.0, 1.0) ** 0.5, lambda: ph.log(Dual(0, 1)),
])  # fmt: skip
def test_a_function_that_is_not_real_there_is_refused_in_a_sentence(beyond: Callable[[], Dual]) -> None:
    refused("is not a finite real number", beyond)


@pytest.mark.parametrize("parts", [((1, 2, 3), (1, 2)), ([[1, 0], [0, 1]], [[1]]), ((1, 2, 3), 5)])
def test_parts_of_different_shapes_are_refused(parts: tuple[object, object]) -> None:
    refused("", lambda: dual(*parts))


def test_a_dual_number_does_not_mix_with_what_is_none() -> None:
    for wrong in ("x", [1], (1, 2)):
        with pytest.raises(TypeError):
            _ = Dual(1, 2) + wrong
        with pytest.raises(TypeError):
            _ = wrong - Dual(1, 2)
    for wrong in ("x", None):
        with pytest.raises(TypeError):
            _ = Dual(1, 2) ** wrong
        with pytest.raises(TypeError):
            _ = wrong ** Dual(1, 2)
    assert Dual(1, 2) != "x"


@pytest.mark.parametrize("wrong", [None, "x", True, {}, 1j, ["a", 1, 2], np.array(["a"]), Dual(1, 2)])
def test_what_is_no_number_is_refused(wrong: object) -> None:
    refused("is not a number", lambda: dual(wrong))
