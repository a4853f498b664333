"""A chart holds what can be read off it together: one unit, like magnitudes."""

from __future__ import annotations

import numpy as np

from polhode.view.charts import MOST, SHARE, charts_of
from polhode.view.scene import Channel

TIME = np.linspace(0, 5, 301)


def wave(name: str, size: float, unit: str = "rad", about: float = 0.0, rate: float = 3.0) -> Channel:
    return Channel(name, unit, about + size * np.sin(rate * TIME))


def test_a_lean_is_not_a_flat_line_under_a_wheels_spin():
    spin = Channel("spin", "rad", -15 * TIME)
    channels = [spin, wave("lean", 0.06), wave("steer", 0.05), wave("pitch", 0.0005)]
    assert charts_of(channels) == [[1, 2], [3], [0]], "what runs on comes last"


def test_units_are_never_mixed():
    channels = [wave("x", 1, "m"), wave("q", 1), wave("y", 1, "m"), wave("e", 1, "J")]
    assert charts_of(channels) == [[0, 2], [1], [3]]


def test_every_line_that_moves_covers_its_share_of_its_chart():
    generator = np.random.default_rng(1)
    channels = [
        wave(
            f"c{k}", 10 ** generator.uniform(-4, 3), about=10 ** generator.uniform(-4, 3), rate=generator.uniform(1, 9)
        )
        for k in range(40)
    ]
    charts = charts_of(channels)
    assert sorted(k for chart in charts for k in chart) == list(range(40))
    for chart in charts:
        assert len(chart) <= MOST
        values = np.array([channels[k].values for k in chart])
        width = values.max() - values.min()
        moving = [np.ptp(each) for each in values if np.ptp(each) > 1e-4 * np.abs(each).max()]
        assert all(own >= SHARE * width * (1 - 1e-12) for own in moving)


def test_a_constant_goes_where_it_flattens_nothing():
    total, far = Channel("total", "J", np.full(301, 1.5)), Channel("far", "J", np.full(301, 900.0))
    charts = charts_of([wave("kinetic", 1, "J", 1.0), total, far])
    assert charts == [[0, 1], [2]]


def test_rounding_is_no_motion():
    noise = Channel("noise", "m", 1e-14 * np.sin(TIME))
    assert charts_of([wave("x", 1, "m"), noise]) == [[0, 1]]


def test_angles_that_are_all_rounding_are_steady():
    joints = [Channel(f"q{k}", "rad", 1e-15 * (k + 1) * np.sin(TIME)) for k in range(3)]
    assert charts_of([*joints, wave("x", 1, "m")]) == [[3], [0, 1, 2]]


def test_a_run_beside_does_not_tear_a_chart_apart():
    energy = Channel("total", "J", np.full(301, 1.0), [np.full(301, 1.1)])
    assert charts_of([wave("kinetic", 1, "J", 1.0), energy]) == [[0, 1]]


def test_what_has_no_value_is_drawn_too():
    assert charts_of([Channel("gap", "m", np.full(301, np.nan)), wave("x", 1, "m")]) == [[0, 1]]
    assert charts_of([]) == []
