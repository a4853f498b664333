"""Lines and motions in dual numbers, in expressions and in batches."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from tests.refusals import refused

from polhode import Dual, Matrix, Pose, Vector
from polhode.errors import PolhodeError
from polhode.expr import pi, same, symbols, tan
from polhode.geometry import about, rotation
from polhode.geometry.dual import dual
from polhode.geometry.dual_motion import angle_between, dual_orthogonal, line_through, pose_of, vector_parameter_of
from polhode.geometry.rotations.vector_parameter import composed, from_vector_parameter

q, x, y, z = symbols("q x y z")


def test_poses_and_turns_about_lines_are_dual_matrices_and_batches_of_motions_are_composed_by_the_same_law() -> None:
    X = Pose(rotation(("z", q), ("x", x)), Vector([x, y, z]))
    back = pose_of(dual_orthogonal(X))
    assert same(back.R.entries(), X.R.entries()) and same(back.p, X.p)
    line = line_through((2, 0, 5), (0, 0, 1))
    made = pose_of(about(line, Dual(q, z)))
    assert same(made.point((2, 0, 0)), (2, 0, z)) and same(made.R.entries(), rotation(("z", q)).entries())
    rng = np.random.default_rng(2)
    a, b = (Vector([Dual(*rng.normal(size=(2, 7))) for _ in range(3)]) for _ in range(2))
    one, other, both = (from_vector_parameter(c) for c in (a, b, composed(a, b)))
    gap = (one @ other) - both
    assert max(np.abs([entry.real, entry.dual]).max() for entry in gap.entries()) < 1e-10
    back = vector_parameter_of(one)
    assert max(np.abs((u - v).dual).max() for u, v in zip(back, a, strict=True)) < 1e-10


def test_angles_between_lines_hold_their_distance_and_half_turns_have_no_vector_parameter() -> None:
    first = line_through((0, 0, 0), (0, 0, 1))
    found = angle_between(first, line_through((0, 0.5, 3), (np.sin(0.3), 0, np.cos(0.3))))
    assert (found.real, found.dual) == pytest.approx((0.3, 0.5))
    found = angle_between(first, line_through((0, -0.5, 3), (np.sin(0.3), 0, np.cos(0.3))))
    assert (found.real, found.dual) == pytest.approx((0.3, -0.5))
    first = line_through((0, 0, 0), (0, 0, 1))
    for direction, angle in (((0, 0, 1.0), 0), ((0, 0, -1.0), np.pi)):
        found = angle_between(first, line_through((3.0, 4.0, 7.0), direction))
        assert (found.real, found.dual) == pytest.approx((angle, 5))
    exact = angle_between(dual((0, 0, 1)), line_through((3 * x, 4 * x, z), (0, 0, 1)))
    assert float(exact.dual.subs({x: 1})) == 5
    refused("half turn has no vector-parameter", lambda: vector_parameter_of(rotation(("z", pi))))
    quarter = (Dual(0), Dual(0), Dual(tan(pi / 4), x))
    refused("without a real part", lambda: composed(quarter, quarter))
    assert vector_parameter_of(Matrix.identity(3)) == (0, 0, 0)
    for axis in AXES:
        unit = (np.array(axis, float) / np.linalg.norm(axis)).tolist()
        for angle in (np.pi, -np.pi, 3 * np.pi, Dual(np.pi, 0.3), Dual(np.array([1.0, np.pi]), 0.0)):
            with pytest.raises(PolhodeError, match="half turn has no vector-parameter"):
                vector_parameter_of(about(line_through((0, 0, 0), unit) if isinstance(angle, Dual) else unit, angle))


def exact_turn(angle: Any, axis: Any) -> Any:
    """The rotation matrix about an axis and its vector-parameter, with 60 digits."""
    with mp.workdps(60):
        n = mp.matrix(axis) / mp.norm(mp.matrix(axis))
        hat = mp.matrix([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
        return mp.eye(3) + mp.sin(angle) * hat + (1 - mp.cos(angle)) * hat * hat, n * mp.tan(angle / 2)


def floats(matrix: Any) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in matrix.tolist()])


AXES = ((2, -6, 3), (1, 0, 0), (0, -1, 0), (0, 0, 1), (1, 1, 0), (-3, 2, 1), (1e-3, 1, 1))


@pytest.mark.parametrize("axis", AXES)
def test_vector_parameters_keep_their_digits_up_to_a_half_turn(axis: tuple[float, ...]) -> None:
    """To 1e-15/(π - θ), what the nine rounded entries hold, at angles to π - 1e-12; (66)."""
    for gap in (*10.0 ** np.arange(0.0, -13.0, -1.0), -1e-6, 3.0):
        with mp.workdps(60):
            R, c = exact_turn(mp.pi - mp.mpf(gap), axis)
        wanted = np.array([float(x) for x in c])
        found = np.array(vector_parameter_of(Matrix(floats(R).tolist())), float)
        error = np.linalg.norm(found - wanted) / np.linalg.norm(wanted)
        assert error < 1e-15 / min(1, abs(gap)), gap
        assert np.linalg.norm(np.cross(found, wanted)) < 1e-14 * np.linalg.norm(found) * np.linalg.norm(wanted)


@pytest.mark.parametrize("axis", AXES)
def test_dual_vector_parameters_near_a_half_turn_are_derivatives(axis: tuple[float, ...]) -> None:
    """ĉ of R + μ R' is c + μ c', with c' by differences of 60 digits along a turn about an axis that moves too."""
    with mp.workdps(60):
        for gap in (1.0, 1e-3, 1e-6, 1e-9, 1e-12):
            small = mp.mpf(gap) * mp.mpf("1e-20")
            angle, aside = mp.pi - mp.mpf(gap), mp.matrix([mp.mpf("0.3"), -1, 2])
            moved = [exact_turn(angle + s * mp.mpf("0.7"), mp.matrix(axis) + s * aside) for s in (-small, 0, small)]
            slopes = [(ahead - back) / (2 * small) for ahead, back in zip(moved[2], moved[0], strict=True)]
            O = dual(Matrix(floats(moved[1][0]).tolist()), Matrix(floats(slopes[0]).tolist()))
            found = np.array([entry.dual for entry in vector_parameter_of(O)])
            wanted = np.array([float(x) for x in slopes[1]])
            assert np.linalg.norm(found - wanted) < 1e-14 / gap * np.linalg.norm(wanted), gap


def test_a_batch_of_dual_motions_has_the_vector_parameters_of_each() -> None:
    angles = np.pi - np.array([2.0, 1e-3, 1e-6, -1e-6, 1e-9, 0.5])
    line = line_through((1.0, 2.0, -1.0), np.array((2.0, -6.0, 3.0)) / 7)
    batch = vector_parameter_of(about(line, Dual(angles, 0.2 + angles)))
    for k, angle in enumerate(angles):
        alone = vector_parameter_of(about(line, Dual(float(angle), 0.2 + float(angle))))
        for one, many in zip(alone, batch, strict=True):
            assert (many.real[k], many.dual[k]) == pytest.approx((one.real, one.dual), rel=1e-5)
