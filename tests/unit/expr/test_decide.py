"""Rank, independence and zero, decided by fingerprint."""

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from polhode.expr import Matrix, cos, independent_columns, is_zero, rank, same, sin, symbols

q, a, b = symbols("q a b")


def test_ranks_of_rotations_projections_and_products() -> None:
    c, s = cos(q), sin(q)
    assert rank([[c, -s], [s, c]]) == 2 and rank([[c * c, c * s], [c * s, s * s]]) == 1
    assert rank([[1 - c * c - s * s, 0], [0, 0]]) == 0 and rank([]) == 0
    matrix = [[0, a, 2 * a, b], [0, 1, 2, sin(q)]]
    assert independent_columns(matrix) == [1, 3]


@given(seed=st.integers(0, 2**32), inner=st.integers(1, 3))
@settings(max_examples=20)
def test_a_product_of_thin_factors_has_the_rank_of_the_waist(seed: int, inner: int, grow: Any) -> None:
    left = Matrix([[grow(seed + 10 * i + j, False) + a**i * b**j for j in range(inner)] for i in range(4)])
    right = Matrix([[grow(seed + 99 + 10 * i + j, False) + b**i * a**j for j in range(5)] for i in range(inner)])
    assert rank(left @ right) == inner


def test_functions_are_compared_entry_by_entry_in_any_order() -> None:
    assert same([a * (b + 1), 0], [a * b + a, 0]) and not same([a, b], [b, a]) and not same([a], [a, a])
    terms = [a**i * sin(q) ** (7 - i) for i in range(8)]
    shuffled = random.Random(5).sample(terms, len(terms))
    assert is_zero(sum(terms) - sum(shuffled)) and not is_zero(sum(terms) - sum(shuffled[1:]))
