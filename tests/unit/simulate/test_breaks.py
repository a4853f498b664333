"""Breaks are where steps end: knots that differ by rounding are one, and a time before each is before all of them."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.simulate.breaks import breaks_at, tables_of_time


def test_knots_that_differ_by_rounding_are_one_break() -> None:
    sums, products = np.cumsum(np.full(9, 0.1)), np.arange(1, 10) * 0.1
    assert (sums != products).any()
    made = breaks_at([sums, products, np.array([-1.0, 0.0, 1.5])], 1.0)
    assert len(made) == 9
    assert (made.before < np.minimum(sums, products)).all()
    assert (made.times >= np.maximum(sums, products)).all()
    np.testing.assert_allclose(made.before, made.times, rtol=1e-14)


def test_a_break_at_the_end_is_at_the_end() -> None:
    assert breaks_at([np.array([0.5, np.nextafter(1.0, 2.0)])], 1.0).times.tolist() == [0.5, 1.0]
    assert len(breaks_at([], 1.0)) == 0


def test_tables_of_the_time_itself_are_found_and_no_others() -> None:
    t, x = ph.symbol("t"), ph.symbol("x")
    step = ph.sampled([0, 1], [2, 3], "held")
    assert [table.points.kind for table in tables_of_time([2 * step(t) + x], t)] == ["held"]
    assert not list(tables_of_time([step(x), step(2 * t)], t))
