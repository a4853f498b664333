"""Rotation matrices that other tools give in rounded numbers are taken for the exact rotation nearest to them."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.refusals import refused

import polhode as ph


def placed(R: object) -> ph.Matrix:
    s = ph.System("s")
    return s.frame("f", s.ground, rotation=R).pose.R


def floats(R: ph.Matrix) -> np.ndarray:
    return np.array([[float(entry) for entry in row] for row in R])


def exactly_orthogonal(R: ph.Matrix) -> bool:
    return ph.Matrix.identity(3) == R @ R.T and R[0].dot(R[1].cross(R[2])) == 1


@pytest.mark.parametrize("seed", range(8))
def test_a_matrix_of_doubles_becomes_an_exact_rotation_without_a_word(seed: int) -> None:
    given = Rotation.random(random_state=seed).as_matrix()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        R = placed(given)
    assert exactly_orthogonal(R) and np.abs(floats(R) - given).max() < 1e-15


def test_right_angles_and_single_turns_keep_their_zeros() -> None:
    given = Rotation.from_euler("z", 90, degrees=True).as_matrix()
    assert given[0, 0] != 0 and placed(given) == ph.rotation(("z", ph.pi / 2))
    R = placed(Rotation.from_euler("x", 0.3).as_matrix())
    assert R[0] == (1, 0, 0) and R[1, 0] == 0 == R[2, 0] and exactly_orthogonal(R)


def test_a_rounded_matrix_is_replaced_by_the_nearest_rotation_and_the_change_is_told() -> None:
    exact = Rotation.from_rotvec([0.4, -1.2, 0.3]).as_matrix()
    given = np.round(exact, 7)
    with pytest.warns(
        UserWarning, match=r"frame 'f' rotation: .* nearest one is used, which differs by .*e-0[78]"
    ) as told:
        R = placed(given)
    assert told[0].filename == __file__
    U, _, V = np.linalg.svd(given)
    assert exactly_orthogonal(R) and np.abs(floats(R) - U @ V).max() < 1e-14


@pytest.mark.parametrize("given", [
    np.round(Rotation.from_euler("z", 0.3).as_matrix(), 4), -np.eye(3), np.diag([1, 1, -1.0]), 2 * np.eye(3),
], ids=["too coarse", "a point reflection", "a mirror", "a stretch"])  # fmt: skip
def test_what_is_no_rotation_is_refused(given: np.ndarray) -> None:
    refused(r"not orthogonal with determinant 1.*\n.*turns", lambda: placed(given))


def test_scipys_rotations_are_taken_as_their_matrices() -> None:
    turn = Rotation.from_rotvec((0.1, 0.2, 0.3))
    assert np.abs(floats(placed(turn)) - turn.as_matrix()).max() < 1e-15
    assert np.abs(ph.Rotation.from_matrix(turn).matrix - turn.as_matrix()).max() < 1e-15
    assert ph.Rotation.from_matrix(ph.Rotation.identity()).equals(ph.Rotation.identity())
    refused("frame 'f' rotation: a batch of SciPy's rotations", lambda: placed(Rotation.random(4, random_state=1)))
