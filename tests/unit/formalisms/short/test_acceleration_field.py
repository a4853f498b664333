"""The acceleration field carried over a joint is the one that α̂ + ω̂ ω̂ gives."""

from __future__ import annotations

import pytest

from polhode.expr import Vector, symbols
from polhode.formalisms.short.acceleration_field import field_from_column
from polhode.geometry import about
from polhode.geometry.inertia import acceleration_matrix


@pytest.mark.parametrize("wanted", [set(), {0, 1, 2}], ids=["alpha is not wanted", "alpha is wanted"])
@pytest.mark.parametrize("weights", [(1, 2, 3), (3, 2, 1)])
@pytest.mark.parametrize("k", range(3))
def test_the_column_along_the_axis_gives_the_whole_field(k: int, weights: tuple[int, ...], wanted: set[int]) -> None:
    w_parent, alpha_parent = Vector(symbols("wx wy wz")), Vector(symbols("ax ay az"))
    angle, rate, rate_of_rate = symbols("q u v")
    axis = Vector([int(i == k) for i in range(3)])
    R = about(axis, angle)
    nu = axis * rate
    w_in = R.T @ w_parent
    w, alpha = w_in + nu, R.T @ alpha_parent + axis * rate_of_rate + w_in.cross(nu)
    column = R.T @ (acceleration_matrix(w_parent, alpha_parent) @ axis)
    W, found = field_from_column(k, w, column, alpha[k], weights, wanted)
    assert list(W.entries()) == list(acceleration_matrix(w, alpha).entries())
    assert list(found) == list(alpha)
