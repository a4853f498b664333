"""What a search knows of coordinates: where they may be, where it begins, which speeds are free at a limit."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.inverse_kinematics.pose_search import Coordinates, Search, coordinates_of


def two_joints() -> Coordinates:
    s = ph.System("arm")
    s.joint("a", s.ground, s.body("upper", 1), ph.Revolute("z"), limits=(-1, 2))
    s.joint("b", "upper", s.body("fore", 1), ph.Revolute("z"), at=(1, 0, 0), limits=(None, 0.5))
    s.joint("x", "fore", s.body("slide", 1), ph.Prismatic("x"))
    return coordinates_of(s.derive().record, True, {})


def test_limits_angles_and_speeds_are_read() -> None:
    known = two_joints()
    assert known.lower.tolist() == [-1, -np.inf, -np.inf]
    assert known.upper.tolist() == [2, 0.5, np.inf]
    assert known.turns.tolist() == [True, True, False]
    assert known.middle[0] == 0.5
    assert np.isnan(known.middle[1:]).all()


def test_a_speed_is_free_unless_it_presses_against_a_limit() -> None:
    known = two_joints()
    q = np.array([[-1, 0.5, 0], [-1, 0.5, 0], [0, 0, 0], [2, 0, 0]], dtype=float)
    slope = np.array([[-1, 1, 1], [1, -1, 1], [-1, 1, 1], [1, 1, 1]], dtype=float)
    assert known.free(q, slope).tolist() == [[0, 0, 1], [1, 1, 1], [1, 1, 1], [0, 1, 1]]


def test_places_to_begin_are_within_limits() -> None:
    known = two_joints()
    places = known.random(np.full((500, 3), 7.0), np.random.default_rng(0))
    assert (places >= known.lower).all()
    assert (places <= known.upper).all()
    assert abs(places[:, 2] - 7).max() <= 1


def test_a_search_slides_along_a_limit_without_beginning_again() -> None:
    """x + y = 1 from the origin: the shortest way has both at one half, but x ends at 0.2."""
    free_ones = []

    def step(q, target, damping, free, wish):  # type: ignore[no-untyped-def] # as a compiled step is
        free_ones.append(free.copy())
        e = 1 - q.sum(axis=1)
        y = e / (free.sum(axis=1) + 1e-12)
        return e**2, free * y[:, None], np.repeat(e[:, None], 2, axis=1)

    ends = np.array([-np.inf, -np.inf]), np.array([0.2, np.inf])
    known = Coordinates(*ends, np.array([0, 1]), np.array([False, False]), (), 2)
    found = Search(step, known, restarts=0)(np.zeros((1, 2)), np.zeros((1, 12)))
    assert np.allclose(found.q[0], [0.2, 0.8])
    assert found.left[0] < 1e-10
    assert any((free == [[0, 1]]).all() for free in free_ones)
