"""The benchmark bicycle's weave and capsize speeds by continuation; Meijaard, Papadopoulos, Ruina and Schwab (2007)."""

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle


@pytest.fixture(scope="module")
def bicycle() -> tuple[ph.Equations, Any]:
    system = whipple_bicycle()
    ride = system.derive("composite_body", independent=INDEPENDENT)
    straight = upright(system)
    height = straight.pop("z")  # where the branch begins; in a turn the hub comes down
    return ride, ride.branch("v", (3, 7), given=straight, start={"z": height})


def test_weave_is_a_hopf_point_and_capsize_a_branch_point_at_the_published_speeds(
    bicycle: tuple[ph.Equations, Any],
) -> None:
    weave, capsize = bicycle[1].special
    assert (weave.kind, capsize.kind) == ("Hopf point", "branch point")
    assert weave.value == pytest.approx(4.29238253634111, abs=1e-12)
    assert capsize.value == pytest.approx(6.02426201538837, abs=1e-12)
    assert [told for told, _, _ in bicycle[1].pieces] == ["unstable", "stable", "unstable"]


def test_from_capsize_a_branch_of_steady_turns_leaves(bicycle: tuple[ph.Equations, Any]) -> None:
    ride, branch = bicycle
    (turns,) = branch.others
    at = max(turns, key=lambda each: each["lean"])
    assert at["lean"] > 0.3 and "yaw" in at.moving
    run = ride.simulate(0.3, start=at, rtol=1e-10, atol=1e-10)
    assert np.abs(run["lean"] - at["lean"]).max() < 1e-6 and abs(run["yaw"][-1]) > 0.2
    assert np.abs(np.diff(run["yaw"]) - np.diff(run["yaw"]).mean()).max() < 1e-6
