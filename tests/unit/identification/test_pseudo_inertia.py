"""Moments that some distribution of mass has."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.identification.pseudo_inertia import is_consistent, made_consistent, moments_of_pseudo, pseudo_inertia


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
