"""F32: constraints that are redundant, contradictory, locking or impossible are told in sentences that name them."""

import sys

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import PolhodeError, SimulationError
from polhode.model.samples import four_bar, n_four_bar
from polhode.simulate import Trajectory


def two_sliders() -> ph.System:
    s = ph.System("sliders", gravity=(0, 0, 0))
    for name in ("a", "b"):
        s.joint(name, s.ground, s.body(name, 1), ph.Prismatic("x"))
    return s


def test_f32_constraints_that_repeat_or_contradict_others_are_named() -> None:
    s = two_sliders()
    a, b = (s.joints[name].q[0] for name in "ab")
    s.constrain(a - b, "tie")
    s.constrain(2 * a - 2 * b, "same tie again")
    run = s.derive().simulate(1, speeds={"a": 1.0})
    (told,) = (notice for notice in run.notices if "redundant" in notice)
    assert "'tie'" in told and "'same tie again'" in told and "of least size" in told
    assert run["b"][-1] == pytest.approx(1.0)
    tie, again = run.multipliers.values()
    assert np.abs(2 * tie - again).max() < 1e-12, "shared in the proportion of least size"
    s = two_sliders()
    a = s.joints["a"].q[0]
    s.constrain(a - s.time, "slow")
    s.constrain(a - 2 * s.time, "fast")
    with pytest.raises(PolhodeError, match=r"no speeds keep all constraints: '(slow|fast)' contradicts '") as e:
        s.derive().simulate(1)
    assert "'slow'" in str(e.value) and "'fast'" in str(e.value) and e.value.problems[0].code == "E-CONSTRAINT-FAILED"


def test_f32_locked_mechanisms_and_those_that_cannot_be_assembled_are_described() -> None:
    s = two_sliders()
    a, b = (s.joints[name].q[0] for name in "ab")
    s.constrain(a - b, "tie")
    s.constrain(a + b - 2, "bolt")
    equations = s.derive()
    run = equations.simulate(1, tau={"a": 5.0})
    assert any("locked: 'tie' and 'bolt' leave no degree of freedom" in notice for notice in run.notices)
    assert np.abs(run.q - 1).max() < 1e-12
    with pytest.raises(PolhodeError, match="locked: 'tie' and 'bolt' leave no degree") as e:
        equations.simulate(1, speeds={"a": 1.0})
    assert "'a'" in str(e.value) and e.value.problems[0].code == "E-CONSTRAINT-FAILED"
    with pytest.raises(PolhodeError, match="cannot be assembled") as e:
        four_bar(crank=1, coupler=1, rocker=1, base=5).derive().simulate(1)
    message = str(e.value)
    assert "'pin " in message and "crank = " in message
    assert e.value.problems[0].code == "E-CONSTRAINT-FAILED"
    with pytest.raises(PolhodeError, match="with 'crank' and 'rocker' held"):
        four_bar().derive().assemble({"crank": 0.0, "rocker": 2.0}, hold=["crank", "rocker"])


def test_f32_only_coordinates_are_held_and_changed_values_are_warned_of() -> None:
    refused("there is no coordinate 'krank'", lambda: four_bar().derive().assemble({"crank": 0.3}, hold=["krank"]))
    with pytest.warns(UserWarning, match="'crank' from 0.3 to"):
        four_bar().derive().simulate(0.01, start={"crank": 0.3, "coupler": 1.2})
    with pytest.warns(UserWarning, match="given speeds"):
        n_four_bar(1).derive().simulate(0.01, speeds={"crank 0": 1.0, "crank 1": -1.0})


def test_f32_a_motion_that_leaves_the_reach_of_a_linkage_stops_with_the_constraint_named() -> None:
    s = two_sliders()
    a, b = (s.joints[name].q[0] for name in "ab")
    s.constrain(a**2 + b**2 - 1, "circle")
    s.constrain(a - s.time, "motor")
    with pytest.raises(SimulationError) as e:
        s.derive().simulate(2, start={"a": 0.0, "b": 1.0}, rtol=1e-4, atol=1e-4, max_steps=800)
    run = e.value.trajectory
    assert isinstance(run, Trajectory) and 0.9 < run.t[-1] <= 1.0 + 1e-6 and np.isfinite(run.q).all()
    assert "'circle'" in str(e.value) or "'motor'" in str(e.value)


def slider_by_its_crank(radius: object = 1) -> ph.System:
    """A crank moves a slider: x = r cos(crank)."""
    s = ph.System("slider-crank")
    crank = s.joint("crank", s.ground, s.body("crank", 1, com=(1, 0, 0)), ph.Revolute("y"))
    slide = s.joint("x", s.ground, s.body("slider", 1), ph.Prismatic("x"))
    length = s.parameter("r") if radius is None else radius
    s.constrain(slide.q[0] - length * ph.cos(crank.q[0]), "rod")
    s.pose("dead", {"crank": 0, "x": 1})
    return s


@pytest.mark.parametrize(("near", "told"), [("dead", "the pose 'dead'"), ({"crank": 0.0}, "the pose that was given")])
def test_speeds_that_do_not_determine_the_others_at_the_pose_given_are_refused(near: object, told: str) -> None:
    with pytest.raises(PolhodeError, match=f"speeds x do not determine the others at {told}") as e:
        slider_by_its_crank().derive(independent=["x"], near=near)
    assert (e.value.problems[0].cure, e.value.problems[0].code) == ("Choose crank there, say.", "E-CONSTRAINT-SINGULAR")


def test_f32_speeds_must_determine_the_others_at_the_pose() -> None:
    s = slider_by_its_crank()
    assert s.derive(independent=["x"], near={"crank": 1.0}).speeds == ["x"]
    assert s.derive(independent=["crank"], near="dead").speeds == ["crank"]
    unsized = slider_by_its_crank(None)
    assert unsized.derive(independent=["x"], near="dead").speeds == ["x"], "no numbers, no verdict"
    s = two_sliders()
    a, b = (s.joints[name].q[0] for name in "ab")
    s.constrain(a**2 - b**2, "fork")
    with pytest.raises(PolhodeError, match="speeds a do not determine") as e:
        s.derive(independent=["a"], near={"a": 0.0, "b": 0.0})
    assert "name another pose" in e.value.problems[0].cure


def test_ida_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sksundae", None)
    refused(r"polhode\[sundials\]", lambda: four_bar().derive().simulate(1, start={"crank": 0.3}, method="ida"))
