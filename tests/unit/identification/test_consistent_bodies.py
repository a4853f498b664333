"""Bodies that could be, nearest to what was measured."""

from __future__ import annotations

import numpy as np

from polhode.dynamics.regressor import MOMENTS, StandardParameter
from polhode.expr import as_expr
from polhode.identification.consistent_bodies import consistent_parameters
from polhode.identification.pseudo_inertia import is_consistent

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
