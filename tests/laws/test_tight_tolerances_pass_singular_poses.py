"""Where linkages lie flat for a moment, a run goes on as elsewhere, however tight its tolerances.

The whole trial, six hundred runs, is `python -m tests.trials.singular_poses`.
"""

import numpy as np
import pytest
from tests.seeds import TRIAL
from tests.trials.singular_poses import faults, passed

import polhode as ph
from polhode.model.samples import four_bar, n_four_bar

#: Runs that once took thousands of steps, or lost energy, where a step fell on a flat pose.
ONCE_STUCK = [(1, 1.0, 1e-12), (1, 1.23636, 1e-13), (2, 1.23636, 1e-12)]
MORE_ONCE_STUCK = [
    (1, 1.337838, 1e-12), (1, 2.425676, 1e-12), (1, 4.601351, 1e-12), (1, 2.581081, 1e-13), (2, 1.0, 1e-12),
    (2, 2.736486, 1e-12), (2, 1.23636, 1e-13), (10, 1.0, 1e-12), (10, 1.23636, 1e-13),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("windows", "speed", "tolerance"), [*ONCE_STUCK, *(MORE_ONCE_STUCK if TRIAL else ())])
def test_four_bars_pass_flat_poses_at_tight_tolerances(windows: int, speed: float, tolerance: float) -> None:
    loose = passed(windows, speed, 1e-9)
    tight = passed(windows, speed, tolerance, most_steps=16 * loose.steps)
    assert not list(faults([loose, tight]))


def test_a_motion_through_flat_poses_is_that_of_a_pendulum() -> None:
    """All bars of a parallelogram turn with θ̈ = c sin θ, also where it lies flat."""
    run = n_four_bar(2).derive().simulate(1, speeds={"crank 0": 1.23636}, rtol=1e-12, atol=1e-12, samples=401)
    c = 9.81 * (3 / 2 + 2) / (3 / 3 + 2)
    speed = np.sqrt(1.23636**2 + 2 * c * (1 - np.cos(run["crank 0"])))
    assert np.abs(run.speed("crank 0") / speed - 1).max() < 1e-10
    assert (np.diff(np.sign(np.cos(run["crank 0"]))) != 0).sum() >= 1, "it lies flat at least once"
    for name, sign in (("crank 1", 1), ("crank 2", 1), ("coupler 0", -1), ("coupler 1", -1)):
        assert np.abs(run[name] - sign * run["crank 0"]).max() < 1e-12
        assert np.abs(run.speed(name) - sign * run.speed("crank 0")).max() < 1e-10


def parallelogram_on_a_cart() -> ph.System:
    system = ph.System("parallelogram on a cart", gravity=(0, 0, "-9.81"))
    cart = system.body("cart", 2)
    system.joint("slide", system.ground, cart, ph.Prismatic("x"))
    cranks = [system.body(f"crank {k}", 1, (0, 0, 0.5), (1, 1, 1)) for k in range(2)]
    for k, crank in enumerate(cranks):
        system.joint(f"crank {k}", cart, crank, ph.Revolute("y"), at=(k, 0, 0))
    coupler = system.body("coupler", 1, (0.5, 0, 0), (1, 1, 1))
    system.joint("coupler", cranks[0], coupler, ph.Revolute("y"), at=(0, 0, 1))
    system.close("loop", coupler, cranks[1], "revolute", at_a=(1, 0, 0), at_b=(0, 0, 1), axis="y")
    return system


def test_a_mechanism_with_more_freedoms_passes_flat_poses_too() -> None:
    run = parallelogram_on_a_cart().derive().simulate(
        3, speeds={"crank 0": 1.4, "slide": 0.3}, rtol=1e-12, atol=1e-12, max_steps=2000
    )  # fmt: skip
    assert np.ptp(run["crank 0"]) > np.pi and run.energy_drift < 1e-10
    _, momentum = run.momentum
    assert np.ptp(momentum[:, 0]) < 1e-9, "nothing pushes along the rail"


def test_a_kite_passes_its_folded_pose() -> None:
    """There the motion is less smooth than a parallelogram's, and polynomials over long ways go astray."""
    run = four_bar(crank=1, coupler=2, rocker=2, base=1).derive().simulate(
        2, start={"crank": 0.7}, speeds={"crank": 2}, rtol=1e-11, atol=1e-11, max_steps=2000
    )  # fmt: skip
    assert run.energy_drift < 1e-9 and max(run.drift.position, run.drift.velocity) < 1e-9
