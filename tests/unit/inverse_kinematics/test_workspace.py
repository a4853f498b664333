"""Workspaces: points within limits, their boundary, and distances to them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.inverse_kinematics.workspace import plot_workspace


def ring(**kind: Any) -> ph.Equations:
    """Two links of two metres and one: the tip covers a ring with radii 1 and 3."""
    s = ph.System("arm")
    s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z", **kind))
    s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("z", **kind), at=(2, 0, 0))
    s.frame("tip", "fore", (1, 0, 0))
    return s.derive()


@pytest.mark.parametrize("storage", ["angles", "vector"])
def test_the_boundary_of_a_ring_are_its_two_circles(storage: str) -> None:
    space = ring(storage=storage).workspace("tip", samples=3000)
    radii = np.linalg.norm(space.boundary, axis=1)
    inner = radii < 2
    assert inner.any() and (~inner).any()
    assert_allclose(radii[inner], 1, atol=1e-7)
    assert_allclose(radii[~inner], 3, atol=1e-7)
    for circle, widest in ((space.boundary[inner], 0.7), (space.boundary[~inner], 0.2)):  # points all around
        angles = np.sort(np.arctan2(circle[:, 1], circle[:, 0]))
        assert np.diff(angles, append=angles[0] + 2 * np.pi).max() < widest
    assert space.axes.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert_allclose(space.extent, [[-3, -3, 0], [3, 3, 0]], atol=0.02)


def test_distances_and_seeds_of_a_workspace_and_points_belong_to_their_coordinates_and_keep_the_limits() -> None:
    space = ring().workspace("tip", samples=2000)
    gaps = space.distance([(2, 0, 0), (0, 4, 0), (0, 0.25, 0), (2, 0, 1)])
    assert_allclose(gaps, [0, 1, 0.75, 1], atol=1e-6)
    assert space.distance((0, 0, 0)).shape == (1,)
    one, again, other = (ring().workspace("tip", samples=200, seed=seed) for seed in (1, 1, 2))
    assert (one.points == again.points).all() and (one.boundary == again.boundary).all()
    assert (one.points != other.points).any()
    s = ph.System("crane")
    reach = s.parameter("reach", 2)
    s.joint("turn", s.ground, s.body("mast"), ph.Revolute("z"), limits=(0, 1))
    s.joint("boom", "mast", s.body("boom", 1), ph.Prismatic("x"), limits=(1, reach))
    s.joint("hook", "boom", s.body("load", 1), ph.Prismatic("z"), limits=(-1, 0))
    e = s.derive()
    space = e.workspace("load", samples=4000)
    radii, angles = np.hypot(*space.points.T[:2]), np.arctan2(space.points[:, 1], space.points[:, 0])
    assert radii.min() >= 1 and radii.max() <= 2 and angles.min() >= 0 and angles.max() <= 1
    assert_allclose(e.compile().pose("load", space.q)[0], space.points, atol=1e-12)
    on = space.boundary_q
    at_an_end = np.isclose(on, [0, 1, -1], atol=1e-7) | np.isclose(on, [1, 2, 0], atol=1e-7)
    assert at_an_end.any(axis=1).all() and len(on) > 50
    wider = e.workspace("load", samples=4000, parameters={"reach": 3})
    assert np.hypot(*wider.points.T[:2]).max() > 2.5


def test_limits_of_a_follower_hold_its_leader_and_either_serves() -> None:
    s = ph.System("pair")
    s.joint("lead", s.ground, s.body("a", 1), ph.Prismatic("x"), limits=(-9, 9))
    s.joint("follow", "a", s.body("b", 1), ph.Prismatic("x"), limits=(-1, 3))
    s.couple("follow", "lead", -2, 1)
    space = s.derive().workspace("b", samples=500)
    assert_allclose([space.q.min(), space.q.max()], [-1, 1], atol=0.02)
    assert space.axes.shape == (1, 3)
    assert_allclose(np.sort(space.boundary[:, 0]), [0, 2], atol=1e-6)
    s = ph.System("rack")
    s.joint("wheel", s.ground, s.body("a", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("rack", "a", s.body("b", 1), ph.Prismatic("x"))
    s.couple("rack", "wheel", 0.5)
    with pytest.raises(ph.PolhodeError, match="'wheel' slides without limits"):
        s.derive().workspace("b")


def test_joints_beside_the_way_to_the_frame_do_not_matter_and_a_screw_within_its_limits_has_a_workspace() -> None:
    s = ph.System("two arms")
    s.joint("left", s.ground, s.body("l", 1), ph.Revolute("z"))
    s.joint("right", s.ground, s.body("r", 1), ph.Free())
    s.frame("tip", "l", (1, 0, 0))
    space = s.derive().workspace("tip", samples=200)
    assert_allclose(np.linalg.norm(space.points, axis=1), 1)
    s = ph.System("press")
    s.joint("j", s.ground, s.body("ram", 1), ph.Screw("z", 0.1), limits=(0, 20))
    low, high = s.derive().workspace("ram", samples=500).extent[:, 2]
    assert_allclose([low, high], [0, 2], atol=1e-6)


def test_a_workspace_that_moves_in_time_is_refused_and_one_that_is_held_is_not() -> None:
    s = ph.System("arm")
    s.joint("q1", s.ground, s.body("upper", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("z"), at=(2, 0, 0))
    s.frame("tip", "fore", (1, 0, 0))
    s.prescribe("q1", ph.sin(s.time))
    with pytest.raises(ph.PolhodeError, match="'tip' depends on time"):
        s.derive().workspace("tip")
    held = ph.System("arm")
    held.joint("q1", held.ground, held.body("upper", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    held.joint("q2", "upper", held.body("fore", 1), ph.Revolute("z"), at=(2, 0, 0))
    held.prescribe("q1", 0)
    held.frame("tip", "fore", (1, 0, 0))
    assert_allclose(held.derive().workspace("tip", samples=500).extent, [[1, -1, 0], [3, 1, 0]], atol=0.01)


def refused(kind: Any, **options: Any) -> str:
    s = ph.System("arm")
    limits = options.pop("limits", None)
    s.joint("j", s.ground, s.body("link", 1, (1, 0, 0), (1, 1, 1)), kind, limits=limits)
    with pytest.raises(ph.PolhodeError) as found:
        s.derive().workspace("link", **options)
    return str(found.value)


def test_what_has_no_workspace_is_refused_with_a_sentence() -> None:
    assert "'j' slides without limits" in refused(ph.Prismatic("z"))
    assert "'j' slides without limits" in refused(ph.Prismatic("z"), limits=(0, None))
    assert "'j' slides without limits" in refused(ph.Screw("z", 0.1))
    assert "each coordinate of which moves by itself" in refused(ph.Spherical())
    assert "is not a hundred samples or more" in refused(ph.Revolute("z"), samples=3)
    assert "is not a hundred samples or more" in refused(ph.Revolute("z"), samples="many")
    s = ph.System("pair")
    s.joint("lead", s.ground, s.body("a", 1), ph.Prismatic("x"), limits=(5, 9))
    s.joint("follow", "a", s.body("b", 1), ph.Prismatic("x"), limits=(-1, 1))
    s.couple("follow", "lead")
    with pytest.raises(ph.PolhodeError, match="leave no place for the coordinate 'lead'"):
        s.derive().workspace("b")
    s = ph.System("loop")
    s.joint("a", s.ground, s.body("bar", 1, (1, 0, 0)), ph.Revolute("z"))
    s.close(s.ground, "bar", joint="spherical", at_a=(1, 0, 0), at_b=(1, 0, 0))
    with pytest.raises(ph.PolhodeError, match="with constraints"):
        s.derive().workspace("bar")
    with pytest.raises(ph.PolhodeError, match="an array of points"):
        ring().workspace("tip", samples=200).distance("here")  # type: ignore[arg-type]


CLOUD = np.random.default_rng(0).normal(size=(200, 3))


def test_workspaces_are_drawn_and_saved(tmp_path: Path) -> None:
    figure = plot_workspace(CLOUD, CLOUD[:9], np.zeros(3), np.eye(3), title="reach of $x_1$")
    assert [(axes.get_xlabel(), axes.get_ylabel()) for axes in figure.axes] == [
        ("x, m", "y, m"), ("x, m", "z, m"), ("y, m", "z, m"),
    ]  # fmt: skip
    slanted = np.array([[0.6, 0.8, 0], [0, 0, 1]])
    figure = plot_workspace(CLOUD @ slanted.T @ slanted, CLOUD[:9], np.zeros(3), slanted)
    (axes,) = figure.axes
    assert axes.get_xlabel() == "axis 1, m" and axes.get_ylabel() == "z, m" and len(axes.lines) == 2
    line = np.array([[1.0, 0, 0]])
    assert len(plot_workspace(CLOUD @ line.T @ line, CLOUD[:2], np.zeros(3), line).axes) == 1
    assert len(plot_workspace(np.zeros((5, 3)), np.zeros((0, 3)), np.zeros(3), np.zeros((0, 3))).axes) == 0
    with pytest.raises(ph.PolhodeError, match="nothing to plot"):
        plot_workspace(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(3), np.eye(3))
    s = ph.System("arm")
    s.joint("q1", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("z"))
    s.frame("tip", "link", (1, 0, 0))
    s.derive().workspace("tip", samples=200).plot(tmp_path / "reach.png")
    assert (tmp_path / "reach.png").stat().st_size > 1000
