"""Curves that are followed: a circle, and normal forms of branch points."""

import numpy as np
import pytest

from polhode.equilibria.continuation import Curve, Floats, branch_point, other_direction


def circle(x: Floats) -> tuple[Floats, Floats]:
    return np.array([x @ x - 1.0]), 2.0 * x[None, :]


def crossing(bend: float) -> object:
    """y (p - y (1 + bend y)) = 0 turned by a linear map, so that no branch is straight along an axis."""
    turn = np.array([[0.8, 0.6], [-0.6, 0.8]])

    def function(x: Floats) -> tuple[Floats, Floats]:
        y, p = turn @ x
        rows = np.array([y * (p - y - bend * y * y)])
        return rows, np.array([[p - 2 * y - 3 * bend * y * y, y]]) @ turn

    return function


def test_a_circle_is_followed_around() -> None:
    curve = Curve(circle, np.array([1.0, 0.0]), np.array([0.0, 1.0]), 0.2)
    points = [curve.advance() for _ in range(40)]
    turned = np.unwrap([np.arctan2(point.x[1], point.x[0]) for point in points])
    assert turned[-1] > 2 * np.pi and (np.diff(turned) > 0).all()
    assert max(abs(point.x @ point.x - 1) for point in points) < 1e-13


@pytest.mark.parametrize("bend", [0.0, 0.7])
def test_a_branch_point_is_found_to_rounding_and_left_by_the_other_branch(bend: float) -> None:
    function = crossing(bend)
    x, w = branch_point(function, np.array([0.05, -0.03]))
    assert np.abs(x).max() < 1e-12
    turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
    trivial, leaving = turn.T @ [0.0, 1.0], turn.T @ [1.0, 1.0] / np.sqrt(2)
    assert abs(other_direction(function, x, w, trivial) @ leaving) == pytest.approx(1, abs=1e-6)
    assert abs(other_direction(function, x, w, leaving) @ trivial) == pytest.approx(1, abs=1e-6)


def test_branches_that_touch_are_not_told_apart() -> None:
    def touching(x: Floats) -> tuple[Floats, Floats]:
        return np.array([x[0] ** 2 - x[1] ** 4]), np.array([[2 * x[0], -4 * x[1] ** 3]])

    assert other_direction(touching, np.zeros(2), np.ones(1), np.array([0.0, 1.0])) is None
