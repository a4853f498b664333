"""States between samples: as exact as cubics with exact rates are, also where what drives the run jumps."""

import pickle
from dataclasses import replace
from typing import Any

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
    assert run.at(fine.t).x == pytest.approx(fine.x, abs=1e-13)
    then = replace(run, interpolant=None).at(fine.t)
    assert then.info["between_samples"] == HERMITE
    assert np.abs(then.q - fine.q).max() < 1e-7 and np.abs(then.u - fine.u).max() < 1e-6
    assert then.tau is not None and fine.tau is not None and (then.tau == fine.tau).all()


def test_runs_with_constraints_are_known_between_samples() -> None:
    equations = four_bar().derive()
    law = {"crank": "sin(5*t)"}
    options = {"start": {"crank": 0.3}, "rtol": 1e-11, "atol": 1e-11}
    run, fine = (equations.simulate(1, tau=law, samples=count, **options) for count in (401, 801))
    assert run.at(fine.t).compare(fine).largest < 1e-6


def test_an_interpolant_is_used_where_there_is_one_and_told_and_a_quaternion_keeps_its_length_between_samples() -> None:
    run = replace(pendulum().simulate(1), interpolant=lambda t: np.stack([np.sin(t), np.cos(t)], axis=1))
    then = run.at([0.2])
    assert then.q[0, 0] == np.sin(0.2) and then.info["between_samples"] == OWN
    loose = Trajectory(run.t, run.q, run.u, run.coordinates, run.speeds)
    assert loose.at([0.25]).info["between_samples"] == AKIMA
    s = ph.System("top")
    s.joint("tip", s.ground, s.body("top", 1, (0, 0, 0.1), (0.02, 0.02, 0.01)), ph.Spherical())
    run = s.derive().simulate(1, speeds={"tip_wz": 10.0, "tip_wx": 1.0}, samples=101)
    run = replace(run, interpolant=None)
    flipped = replace(run, q=run.q * np.where(np.arange(101) % 2, -1.0, 1.0)[:, None])
    then = flipped.at(np.linspace(0, 1, 37))
    assert then.info["between_samples"] == HERMITE
    np.testing.assert_allclose(np.linalg.norm(then.q, axis=1), 1.0, rtol=1e-14)
    assert np.abs(np.abs(then.q) - np.abs(run.at(then.t).q)).max() < 1e-12


def test_times_outside_are_refused_and_a_run_driven_by_a_table_is_known_between_its_samples() -> None:
    with pytest.raises(ph.PolhodeError, match=r"from 0 to 1 s, not from 1\.5"):
        pendulum().simulate(1).at(1.5)
    e = pendulum()
    table = ph.sampled(np.linspace(0, 10, 21), np.sin(np.linspace(0, 10, 21)))
    given: dict[str, Any] = {"start": {"hinge": 1.0}, "tau": [table(e.system.time)], "method": "DOP853"}
    times = np.linspace(0, 10, 64)
    then = e.simulate(10, samples=11, **given).at(times)
    assert then.info["between_samples"] == OWN and np.array_equal(then.x, e.simulate(10, samples=times, **given).x)


def test_cubics_through_samples_that_are_too_few_are_warned_of() -> None:
    """A run that was pickled has no steps to be taken once more."""
    run = pendulum().simulate(10, start={"hinge": 1.0}, samples=11)
    sent, times = pickle.loads(pickle.dumps(run)), np.linspace(0.1, 9.9, 31)
    with pytest.warns(UserWarning, match="off by about"):
        then = sent.at(times)
    off = np.abs(then.x - run.at(times).x).max()
    stated = float(then.info["between_samples"].rpartition(" ")[2])
    assert 0.1 < off / stated < 10 and off > 1e-2
    fine = pickle.loads(pickle.dumps(pendulum().simulate(10, start={"hinge": 1.0}, samples=2001)))
    assert fine.at(times).info["between_samples"] == HERMITE
