"""Measured data: what is refused in which words, differences, and the filter."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.identification.measured_data import measured

T = np.linspace(0, 2, 401)
Q = np.column_stack([np.sin(3 * T), np.cos(2 * T)])
GOOD = {"t": T, "q": Q, "tau": np.zeros_like(Q)}


@cache
def arm() -> ph.Equations:
    s = ph.System("arm")
    s.joint("a", s.ground, s.body("upper", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("b", "upper", s.body("fore", 1, inertia=(1, 1, 1)), ph.Revolute("z"), at=(1, 0, 0))
    return s.derive()


def holed() -> np.ndarray:
    table = Q.copy()
    table[17, 1] = np.nan
    return table


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"tau": None}, {}, "the data have no tau"),
        ({"torque": Q}, {}, "there is no kind of data 'torque'"),
        ({"q": Q[:, :1]}, {}, r"q is an array \(401, 1\), but a sample has 2 numbers"),
        ({"t": Q}, {}, "but a sample has one number"),
        ({"tau": Q[:-2]}, {}, "t has 401, q has 401, tau has 399"),
        ({"tau": holed()}, {}, "tau of 'b' is nan in sample 17"),
        ({"q": "all of it"}, {}, "is not an array of numbers"),
        ({"t": None}, {}, "without the times t the data lack u and udot"),
        ({"t": T**2}, {}, "at even steps"),
        ({}, {"cutoff": 150}, "not between 0 and half the rate of sampling, 100 Hz"),
        ({}, {"decimate": 0}, "decimate: 0 is not a whole number, 1 or more"),
        ({}, {"decimate": 1000}, "401 samples are too few"),
    ],
)
def test_bad_data_are_told_in_one_sentence(change: dict[str, Any], options: dict[str, Any], said: str) -> None:
    with pytest.raises(PolhodeError, match=said):
        measured(arm().record, GOOD | change, **options)


def test_no_data_are_none() -> None:
    with pytest.raises(PolhodeError, match="there are no data"):
        measured(arm().record, [])


def test_speeds_that_are_no_rates_must_be_measured() -> None:
    s = ph.System("ball")
    s.joint("a", s.ground, s.body("ball", 1), ph.Spherical())
    with pytest.raises(PolhodeError, match="not the rates of its coordinates"):
        measured(s.derive().record, {"t": T, "q": np.tile([1.0, 0, 0, 0], (401, 1)), "tau": np.zeros((401, 3))})


def test_differences_give_speeds_and_accelerations() -> None:
    (made,) = measured(arm().record, GOOD)
    np.testing.assert_allclose(made.u[:, 0][made.kept], 3 * np.cos(3 * T)[made.kept], atol=1e-3)
    np.testing.assert_allclose(made.udot[:, 0][made.kept], -9 * np.sin(3 * T)[made.kept], atol=1e-2)


def test_the_filter_shifts_nothing_and_takes_noise_away() -> None:
    noisy = Q + np.random.default_rng(0).normal(size=Q.shape) * 1e-3
    (made,) = measured(arm().record, GOOD | {"q": noisy, "tau": noisy}, cutoff=6)
    exact = -9 * np.sin(3 * T)[made.kept]
    assert np.abs(made.udot[:, 0][made.kept] - exact).max() < 0.8
    assert len(made.reduced(made.tau)) < 30 and np.abs(made.reduced(made.tau) - Q[made.kept]).max() < 2e-3


def test_what_was_measured_is_taken_as_it_is_and_runs_are_data() -> None:
    (made,) = measured(arm().record, {"q": Q, "u": Q, "udot": 2 * Q, "tau": Q})
    np.testing.assert_array_equal(made.reduced(made.udot), 2 * Q)
    run = arm().simulate(1.0, start={"a": 0.1}, tau=[1.0, 2.0], samples=101)
    (made,) = measured(arm().record, run)
    assert made.tau.shape == (101, 2) and made.tau[0].tolist() == [1.0, 2.0]
