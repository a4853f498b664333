"""Runs with constraints stay in native code, past singular poses too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import four_bar, n_four_bar
from polhode.simulate.integrators import native
from polhode.surface.equations import Equations

FLAT = {"crank 0": np.pi / 2, "crank 1": np.pi / 2, "coupler 0": -np.pi / 2}


def kite(rocker: float) -> Equations:
    """A four-bar that folds, or nearly so."""
    return four_bar(crank=1, coupler=2, rocker=rocker, base=1).derive()


def light_tip() -> Equations:
    """A four-bar with a flexible coupler: in the metric of the masses lengths of its rows change by a factor of 20."""
    s = ph.System("light tip", gravity=(0, 0, -10))
    s.joint("crank", s.ground, s.body("crank", 1, ("0.15", 0, 0), ("0.01", "0.02", "0.02")), ph.Revolute("y"))
    rod = s.beam("rod", length=1, mass="0.01", EI=40, modes=1)
    s.joint("pin", "crank", rod, ph.Revolute("y"), at=("0.3", 0, 0))
    s.joint("tip", rod.at(1), s.body("tip", "0.001"), "fixed")
    s.joint("rocker", s.ground, s.body("rocker", 2, ("0.3", 0, 0), ("0.01",) * 3), ph.Revolute("y"), at=(1, 0, 0))
    s.close("loop", "tip", "rocker", ph.Revolute("y"), at_b=("0.5", 0, 0))
    return s.derive()


def closed_by_angles() -> Equations:
    """A pendulum closed by a joint with coordinates of its own."""
    s = ph.System("closed by angles", gravity=(0, 0, -10))
    s.joint("arm", s.ground, s.body("arm", 1, (1, 0, 0), (1, 1, 1)), ph.Revolute("y"))
    s.joint("ball", "arm", s.body("rod", 1, (1, 0, 0), (1, 1, 1)), ph.Spherical(), at=(2, 0, 0))
    s.close("guide", s.ground, "rod", ph.Compound(ph.Prismatic("x"), ph.Revolute("y")), at_b=(2, 0, 0))
    return s.derive()


RUNS: dict[str, tuple[Any, dict[str, Any]]] = {
    "a loop": (lambda: four_bar().derive(), {"start": {"crank": 0.3}, "speeds": {"crank": 1}}),
    "flat poses": (lambda: n_four_bar(2).derive(), {"speeds": {"crank 0": 1.0}}),
    "a start at rest at a flat pose": (lambda: n_four_bar(1).derive(), {"start": FLAT}),
    "a pose that is nearly folded": (lambda: kite(2 + 1e-7), {"start": {"crank": 0.7}, "speeds": {"crank": 2}}),
    "a light tip": (light_tip, {"start": {"crank": 1.0}, "duration": 0.02}),
    "coordinates of a closing joint": (closed_by_angles, {"duration": 1}),
    "dependent coordinates": (lambda: four_bar().derive(independent=["crank"]), {"start": {"crank": 0.3}}),
}


@pytest.mark.parametrize("name", RUNS)
def test_python_projects_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A projection that went wrong in native code would be made good by Python, slowly and without a word."""

    def helped(self: native.Integration, reason: object) -> None:
        raise AssertionError(f"native code needed help: {reason!r}")

    monkeypatch.setattr(native.Integration, "_project", helped)
    derived, options = RUNS[name]
    run = derived().simulate(**{"duration": 3, **options})
    assert run.is_whole
    assert run.info["evaluations"] < 200 * run.info["steps"], "poses are sought now and then, not at each state"
    assert max(run.drift.position, run.drift.velocity) < 1e-11
    assert run.energy_drift < 1e-8


def test_a_linkage_that_nearly_folds_turns_where_one_that_folds_goes_through() -> None:
    """Links that are off by 1e-9 do not meet; whichever is longer, the motion is nearly the same."""
    options = {"start": {"crank": 0.7}, "speeds": {"crank": 2}, "samples": 5}
    through, longer, shorter = (kite(2 + off).simulate(4, **options)["crank"][-1] for off in (0.0, 1e-9, -1e-9))
    assert longer == pytest.approx(shorter, abs=1e-3)
    assert abs(through - longer) > 1


@pytest.mark.parametrize("angle", [0.9, 1.3, 1.5, 1.6])
def test_events_near_flat_poses_have_the_times_of_a_pendulum(angle: float) -> None:
    """All bars of a parallelogram turn with θ̈ = c sin θ: the time to an angle is a quadrature."""
    e = n_four_bar(1).derive()
    (found,) = e.simulate(0.9, speeds={"crank 0": 0.8}, events=[e.q[0] - angle]).events
    c = 9.81 * (2 / 2 + 1) / (2 / 3 + 1)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    turned = angle * (1 + nodes) / 2
    time = float(np.sum(weights / np.sqrt(0.8**2 + 2 * c * (1 - np.cos(turned)))) * angle / 2)
    assert found == pytest.approx([time], abs=1e-8)
