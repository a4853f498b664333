"""Bodies that could be, nearest to what was measured."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.dynamics.regressor import MOMENTS, StandardParameter
from polhode.expr import as_expr
from polhode.identification.consistent_bodies import (
    consistent_parameters,
    is_consistent,
    made_consistent,
    moments_of_pseudo,
    pseudo_inertia,
)

BODY = [2.0, 0.2, 0.0, 0.4, 0.3, 0.4, 0.2, 0.0, -0.02, 0.0]
LISTED = [StandardParameter(kind, "link", as_expr(0)) for kind in MOMENTS]
LISTED.append(StandardParameter("viscous", "joint", as_expr(0)))


def test_what_is_possible_is_kept_to_the_digit() -> None:
    values = np.array([*BODY, 0.7])
    found, misfit = consistent_parameters(LISTED, [None] * 11, np.eye(11), values, 1e-8 * np.eye(11))
    np.testing.assert_allclose(list(found.values()), values, atol=1e-6)
    assert misfit < 0.1 and list(found) == [each.name for each in LISTED]


def test_what_is_impossible_is_brought_to_the_nearest_possible() -> None:
    wrong = np.array([*BODY, -0.01])
    wrong[5] = -0.1  # a negative moment of inertia
    found, misfit = consistent_parameters(LISTED, [*BODY, 0.5], np.eye(11), wrong, np.eye(11) * 1e-4)
    moments = np.array(list(found.values()))
    assert is_consistent(moments[:10]) and 0 < moments[10] < 1e-3
    assert 5 < misfit < 60


def test_where_data_say_nothing_the_model_stays() -> None:
    """One combination alone was measured: the mass; the mass centre stays where the model has it."""
    K = np.eye(11)[:1]
    found, _ = consistent_parameters(LISTED, [*BODY, 0.5], K, np.array([4.0]), np.array([[1e-6]]))
    assert abs(found["m_link"] - 4) < 1e-3 and abs(found["viscous_joint"] - 0.5) < 1e-9
    assert abs(found["mcx_link"] / found["m_link"] - 0.1) < 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_a_cloud_of_points_is_consistent_and_its_moments_are_those_of_a_body(seed: int) -> None:
    rng = np.random.default_rng(seed)
    r, dm = rng.normal(size=(6, 3)), rng.uniform(0.1, 1, 6)
    inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(dm, r, strict=True))
    moments = np.array([dm.sum(), *(dm @ r), *np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]])
    points = np.column_stack([r, np.ones(6)])
    np.testing.assert_allclose(pseudo_inertia(moments), (points.T * dm) @ points, atol=1e-12)
    np.testing.assert_allclose(moments_of_pseudo(pseudo_inertia(moments)), moments)
    assert is_consistent(moments) and made_consistent(moments) is moments


def test_what_no_body_has_is_told_and_made_one() -> None:
    point = np.array([2.0, 0, 0, 2.0, 2.0, 2.0, 0, 0, 0, 0])  # a point mass, without extent
    flat = np.array([1.0, 0, 0, 0, 1, 1, 3, 0, 0, 0])  # moments that break the triangle inequality
    for moments in (point, flat, np.zeros(10)):
        assert not is_consistent(moments) and is_consistent(made_consistent(moments))
    np.testing.assert_allclose(made_consistent(point)[:4], point[:4])
