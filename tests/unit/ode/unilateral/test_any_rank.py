"""Linear equations of any rank, against NumPy's pseudoinverse and the group inverse."""

import numpy as np
import pytest

from polhode.ode.unilateral.forces import AnyRankMemory


def _solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    memory = AnyRankMemory(len(b) + 3)  # and memory is larger than the matrix
    memory.record.size, memory.record.blocks = len(b), (len(b) + 3) // 4
    entries = memory.arrays["matrix"]
    entries[:] = 0.0
    for i, line in enumerate(A):
        entries[4 * memory.record.blocks * i :][: len(b)] = line
    return memory.solve(b)


@pytest.mark.parametrize("size", [1, 4, 7, 20])
def test_a_regular_matrix_gives_the_solution(size: int) -> None:
    """Also one that is not symmetric, and after a larger one."""
    rng = np.random.default_rng(size)
    A, b = rng.normal(size=(size, size)) + 3 * np.eye(size), rng.normal(size=size)
    np.testing.assert_allclose(_solved(A, b), np.linalg.solve(A, b), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("size", "rank"), [(2, 1), (6, 3), (12, 11), (20, 8)])
def test_a_symmetric_singular_matrix_gives_the_least_solution(size: int, rank: int) -> None:
    """Of equations that contradict each other by 1e-9."""
    rng = np.random.default_rng(size)
    J = rng.normal(size=(size, rank))
    A = J @ J.T
    b = A @ rng.normal(size=size) + 1e-9 * rng.normal(size=size)
    np.testing.assert_allclose(_solved(A, b), np.linalg.pinv(A, rcond=1e-9) @ b, rtol=0, atol=1e-7)


@pytest.mark.parametrize(("size", "rank"), [(5, 2), (9, 8)])
def test_a_singular_matrix_without_symmetry_gives_the_group_inverse(size: int, rank: int) -> None:
    """A# = P (Q P)⁻² Q of A = P Q."""
    rng = np.random.default_rng(rank)
    P = rng.normal(size=(size, rank))
    Q = P.T + 0.1 * rng.normal(size=(rank, size))
    inner, b = np.linalg.inv(Q @ P), P @ rng.normal(size=rank)
    np.testing.assert_allclose(_solved(P @ Q, b), P @ inner @ inner @ Q @ b, rtol=0, atol=1e-6)


def test_the_solution_varies_smoothly_where_a_row_becomes_dependent() -> None:
    """From a pseudoinverse to an inverse: no step of singular values makes it jump."""
    b = np.array([1.0, 1.0 + 1e-9])
    steps = np.geomspace(1e-14, 1e-2, 481)
    found = np.array([_solved(np.array([[1.0, 1.0], [1.0, 1.0 + eps]]), b) for eps in steps])
    assert np.abs(np.diff(found, axis=0)).max() < 0.03
    np.testing.assert_allclose(found[0], 0.5, atol=1e-6)
    np.testing.assert_allclose(found[300:, 1], 1e-9 / steps[300:], atol=5e-3)  # from 3e-7 on
