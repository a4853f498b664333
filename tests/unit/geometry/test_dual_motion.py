"""Lines and motions in dual numbers, in expressions and in batches."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import Dual, Matrix, Pose, Vector
from polhode.errors import PolhodeError
from polhode.expr import pi, same, symbols, tan
from polhode.geometry import about, rotation
from polhode.geometry.dual import dual
from polhode.geometry.dual_motion import angle_between, dual_orthogonal, line_through, pose_of, vector_parameter_of
from polhode.geometry.rotations.vector_parameter import composed, from_vector_parameter

q, x, y, z = symbols("q x y z")


def test_a_pose_and_its_dual_matrix_are_the_same() -> None:
    X = Pose(rotation(("z", q), ("x", x)), Vector([x, y, z]))
    back = pose_of(dual_orthogonal(X))
    assert same(back.R.entries(), X.R.entries()) and same(back.p, X.p)


def test_a_turn_about_a_line_by_a_dual_angle_is_a_screw_motion() -> None:
    line = line_through((2, 0, 5), (0, 0, 1))
    made = pose_of(about(line, Dual(q, z)))
    assert same(made.point((2, 0, 0)), (2, 0, z))
    assert same(made.R.entries(), rotation(("z", q)).entries())


def test_batches_of_motions_are_composed_by_the_same_law() -> None:
    rng = np.random.default_rng(2)
    a, b = (Vector([Dual(*rng.normal(size=(2, 7))) for _ in range(3)]) for _ in range(2))
    one, other, both = (from_vector_parameter(c) for c in (a, b, composed(a, b)))
    gap = (one @ other) - both
    assert max(np.abs([entry.real, entry.dual]).max() for entry in gap.entries()) < 1e-10
    back = vector_parameter_of(one)
    assert max(np.abs((u - v).dual).max() for u, v in zip(back, a, strict=True)) < 1e-10


def test_the_angle_between_lines_holds_their_distance_with_its_sign() -> None:
    first = line_through((0, 0, 0), (0, 0, 1))
    found = angle_between(first, line_through((0, 0.5, 3), (np.sin(0.3), 0, np.cos(0.3))))
    assert (found.real, found.dual) == pytest.approx((0.3, 0.5))
    found = angle_between(first, line_through((0, -0.5, 3), (np.sin(0.3), 0, np.cos(0.3))))
    assert (found.real, found.dual) == pytest.approx((0.3, -0.5))


def test_parallel_lines_have_a_distance() -> None:
    first = line_through((0, 0, 0), (0, 0, 1))
    for direction, angle in (((0, 0, 1.0), 0), ((0, 0, -1.0), np.pi)):
        found = angle_between(first, line_through((3.0, 4.0, 7.0), direction))
        assert (found.real, found.dual) == pytest.approx((angle, 5))
    exact = angle_between(dual((0, 0, 1)), line_through((3 * x, 4 * x, z), (0, 0, 1)))
    assert float(exact.dual.subs({x: 1})) == 5


def test_half_turns_have_no_vector_parameter() -> None:
    with pytest.raises(PolhodeError, match="half turn has no vector-parameter"):
        vector_parameter_of(rotation(("z", pi)))
    quarter = (Dual(0), Dual(0), Dual(tan(pi / 4), x))
    with pytest.raises(PolhodeError, match="without a real part"):
        composed(quarter, quarter)
    assert vector_parameter_of(Matrix.identity(3)) == (0, 0, 0)
