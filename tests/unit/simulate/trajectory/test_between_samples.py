"""States between samples: as exact as cubics with exact rates are, also where what drives the run jumps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import four_bar
from polhode.simulate import Trajectory
from polhode.simulate.trajectory.between_samples import AKIMA, HERMITE, OWN


def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    return s.derive()


def test_coordinates_and_speeds_are_of_fourth_order_between_samples_across_jumps_too() -> None:
    step = ph.sampled([0, 0.313, 0.787], [2, -3, 1], "held")
    run, fine = (
        pendulum().simulate(1, tau={"hinge": step}, rtol=1e-12, atol=1e-12, samples=samples) for samples in (51, 1001)
    )
    then = run.at(fine.t)
    assert then.info["between_samples"] == HERMITE
    assert np.abs(then.q - fine.q).max() < 1e-7
    assert np.abs(then.u - fine.u).max() < 1e-6
    assert then.tau is not None and fine.tau is not None
    assert (then.tau == fine.tau).all()


def test_runs_with_constraints_are_known_between_samples() -> None:
    equations = four_bar().derive()
    law = {"crank": "sin(5*t)"}
    options = {"start": {"crank": 0.3}, "rtol": 1e-11, "atol": 1e-11}
    run, fine = (equations.simulate(1, tau=law, samples=count, **options) for count in (401, 801))
    assert run.at(fine.t).compare(fine).largest < 1e-6


def test_an_interpolant_is_used_where_there_is_one_and_told() -> None:
    run = replace(pendulum().simulate(1), interpolant=lambda t: np.stack([np.sin(t), np.cos(t)], axis=1))
    then = run.at([0.2])
    assert then.q[0, 0] == np.sin(0.2)
    assert then.info["between_samples"] == OWN
    loose = Trajectory(run.t, run.q, run.u, run.coordinates, run.speeds)
    assert loose.at([0.25]).info["between_samples"] == AKIMA


def test_a_quaternion_keeps_its_length_between_samples() -> None:
    s = ph.System("top")
    s.joint("tip", s.ground, s.body("top", 1, (0, 0, 0.1), (0.02, 0.02, 0.01)), ph.Spherical())
    run = s.derive().simulate(1, speeds={"tip_wz": 10.0, "tip_wx": 1.0}, samples=101)
    run = replace(run, interpolant=None)
    flipped = replace(run, q=run.q * np.where(np.arange(101) % 2, -1.0, 1.0)[:, None])
    then = flipped.at(np.linspace(0, 1, 37))
    assert then.info["between_samples"] == HERMITE
    np.testing.assert_allclose(np.linalg.norm(then.q, axis=1), 1.0, rtol=1e-14)
    assert np.abs(np.abs(then.q) - np.abs(run.at(then.t).q)).max() < 1e-12


def test_times_outside_are_refused() -> None:
    with pytest.raises(ph.PolhodeError, match=r"from 0 to 1 s, not from 1\.5"):
        pendulum().simulate(1).at(1.5)
