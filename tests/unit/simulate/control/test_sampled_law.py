"""A sampled loop that is unstable ends after a few samples, with a sentence; one that is stable is left alone."""

import numpy as np
import pytest
from tests.controlled_arms import arm, slider

from polhode.control import ComputedTorque
from polhode.errors import SimulationError
from polhode.simulate import Trajectory
from polhode.simulate.control.sampled_law import growth_of, unstable_loop

WANTED = {"shoulder": 0.1, "elbow": 0.1}
UNSTABLE = "the sampled loop is unstable: its controls grow by a factor"


@pytest.mark.parametrize(("kp", "kd"), [(1e6, 2e3), (1e4, 300), (3e4, 100)])
def test_an_arm_whose_gains_are_too_high_for_its_samples_ends_early(kp: float, kd: float) -> None:
    e = arm().derive()
    with pytest.raises(SimulationError, match=UNSTABLE) as caught:
        e.simulate(3, sample_time=0.01, controller=ComputedTorque(e, kp=kp, kd=kd), reference=WANTED)
    assert "lower the gains" in str(caught.value)
    reached = caught.value.trajectory
    assert isinstance(reached, Trajectory) and reached.status == "diverged" and 0.02 <= reached.t[-1] < 1.0
    assert reached.controller is not None and growth_of(reached.controller.controls) > 1.1


def test_loops_are_unstable_by_their_samples_and_stable_with_faster_ones() -> None:
    e = arm().derive()
    run = e.simulate(0.2, sample_time=1e-4, controller=ComputedTorque(e, kp=1e4, kd=200), reference=WANTED)
    assert run.status == "done" and np.allclose(run.q[-1], 0.1, atol=1e-6)
    e = slider().derive()
    with pytest.raises(SimulationError, match=UNSTABLE):
        e.simulate(3, sample_time=0.01, controller=ComputedTorque(e, kp=1e6, kd=2e3), reference={"x": 0.1})


def test_fast_motion_alone_is_no_instability() -> None:
    start = np.zeros(1), np.zeros(1)
    constant = np.full((9, 1), 5.0)
    assert unstable_loop(constant, start, 1.0, {"v": 1e9}, 0.01) is None
    assert unstable_loop(np.array([[1.0], [9.0]]), start, 1.0, {"v": 1e9}, 0.01) is None  # too few samples
    assert growth_of(np.zeros((4, 1))) == 1.0
