"""Where discs begin on their curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph


def disc_on(curve: Any, **how: Any) -> ph.System:
    s = ph.System("disc", gravity=(0, 0, "-9.81"))
    disc = s.body("disc", 2, inertia=(1, 1, 1))
    way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("move", s.ground, disc, way, coordinates=["x", "z", "turn"], speeds=["vx", "vz", "w"])
    s.roll_disc("tyre", disc, 0.25, curve, **how)
    return s


def test_a_place_says_where_the_disc_is() -> None:
    made = disc_on(lambda s: (3 * ph.sin(s), 3 * ph.cos(s))).derive()
    q = made.assemble({"tyre place": 0.7}).q
    assert q == pytest.approx([3.25 * np.sin(0.7), 3.25 * np.cos(0.7), 0, 0.7], abs=1e-11)


def test_a_place_says_it_on_a_moved_and_turned_rail_too() -> None:
    made = disc_on(lambda s: (s, s**2), at=(1, 0, 2), rotation=("y", ph.pi / 2)).derive()
    x, z, _, place = made.assemble({"tyre place": 0.3}).q
    long = np.hypot(1, 0.6)
    assert place == pytest.approx(0.3, abs=1e-11)
    assert [x, z] == pytest.approx([1 + 0.09 + 0.25 / long, 2 - 0.3 + 0.25 * 0.6 / long], abs=1e-11)


def test_a_disc_far_along_a_road_touches_it_there() -> None:
    made = disc_on(lambda x: ph.sin(3 * x) / 10).derive()
    q = made.assemble({"x": 500.0}).q
    assert q[0] == 500.0
    assert abs(q[3] - 500.0) < 0.1
    assert np.hypot(q[0] - q[3], q[1] - np.sin(3 * q[3]) / 10) == pytest.approx(0.25, abs=1e-9)


def test_a_pose_may_name_a_place() -> None:
    s = disc_on(lambda x: x**2 / 4)
    s.pose("up", {"tyre place": 1.5})
    assert s.derive().simulate(0, start="up")["tyre place"][0] == pytest.approx(1.5, abs=1e-11)


def test_small_motions_at_the_bottom_have_the_frequency_of_the_bend() -> None:
    """ω² = g κ_c/(1 + I/m r²), κ_c = κ/(1 - r κ) the bend of the centre's path."""
    s = disc_on(lambda x: 3 * x**2 / 10)
    linear = s.derive(independent=["w"], near={"z": 0.25}).linearize({"z": 0.25})
    bend = 0.6 / (1 - 0.25 * 0.6)
    assert max(linear.eigenvalues().imag) == pytest.approx(np.sqrt(9.81 * bend / (1 + 1 / (2 * 0.25**2))), rel=1e-12)
