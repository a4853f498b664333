"""What is exact and what is rounded."""

from fractions import Fraction

import numpy as np
import pytest

from polhode.expr import Matrix, Vector, symbol
from polhode.geometry.rotations.values import is_rounded


@pytest.mark.parametrize("value", [np.eye(3), [[0.5, 0], [0, 1]], (1, np.float64(2)), 0.5, [1, 2], Vector([1, 0.5])])
def test_arrays_floats_and_lists_of_numbers_are_rounded(value: object) -> None:
    assert is_rounded(value)


@pytest.mark.parametrize("value", [Matrix([[1, 0], [0, 1]]), (Fraction(1, 2), 3), [symbol("q"), 0.5]])
def test_expressions_fractions_and_vectors_of_whole_numbers_are_exact(value: object) -> None:
    assert not is_rounded(value)
