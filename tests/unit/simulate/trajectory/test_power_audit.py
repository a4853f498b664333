"""The power audit of a run."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import SimulationError
from polhode.simulate import Trajectory


def damped_arm() -> ph.Equations:
    s = ph.System("damped arm", gravity=(0, 0, "-9.81"))
    upper = s.body("upper", 2, com=(0.5, 0, 0), inertia=(1, 1, 1))
    lower = s.body("lower", 1, com=(0.5, 0, 0), inertia=(1, 1, 1))
    s.joint("shoulder", s.ground, upper, ph.Revolute("y"))
    elbow = s.joint("elbow", upper, lower, ph.Revolute("y"), at=(1, 0, 0))
    s.joint_force(elbow, -elbow.u[0], name="friction")
    s.force(lower, (ph.sin(s.time), 0, 0), at=(1, 0, 0), name="wind")
    return s.derive()


@pytest.fixture(scope="module")
def run() -> Trajectory:
    return damped_arm().simulate(2, start={"elbow": 1.0}, tau=lambda t, q, u: [np.cos(t), 0.0], audit=True)


def test_a_good_run_balances_in_every_part(run: Trajectory) -> None:
    audit = run.power_audit()
    assert audit.residual < 1e-7 and audit["joint 'elbow'"].residual < 1e-13
    assert audit["body 'lower'"].residual < 1e-13
    assert {part.name for part in audit.parts} >= {"the run", "the whole mechanism", "body 'upper'", "joint 'shoulder'"}
    assert (audit.ports["load friction"] <= 0).all() and "largest gap" in str(audit)


def test_long_steps_are_told_of() -> None:
    with pytest.raises(SimulationError, match=r"the power audit fails: at t = .* s the run takes in .* J") as told:
        damped_arm().simulate(2, start={"elbow": 1.0}, method="euler", step=0.01, audit=True)
    assert "smaller tolerances or steps" in str(told.value) and isinstance(told.value.trajectory, Trajectory)
    damped_arm().simulate(2, start={"elbow": 1.0}, method="euler", step=0.01, audit=0.5)


def stiff_block() -> ph.Equations:
    s = ph.System("block")
    slide = s.joint("z", s.ground, s.body("block", 40), ph.Prismatic("z"))
    s.joint_spring(slide, 200000, damping=2000)
    s.joint_force(slide, 4000)
    return s.derive()


def test_samples_that_are_too_few_are_told_of_and_not_held_against_the_run() -> None:
    with pytest.warns(UserWarning, match="too few samples to decide"):
        made = stiff_block().simulate(2, audit=True)
    assert any("Try rate=1600" in notice for notice in made.notices)
    audit = made.power_audit()
    assert audit["the run"].residual < 1e-9 < 1e-2 < audit.quadrature and "too few samples" in str(audit)
    assert audit.notices(0.5) == ()


def test_a_stiff_run_is_judged_by_enough_samples_and_fails_by_long_steps() -> None:
    audit = stiff_block().simulate(2, audit=True, rate=1600).power_audit()
    assert audit.quadrature < 1e-6 and audit.notices() == ()
    with pytest.raises(SimulationError, match="the run takes in"):
        stiff_block().simulate(2, audit=True, method="euler", step=1 / 1600, rate=1600)
    with pytest.raises(SimulationError, match=r"smaller tolerances or steps, and more samples, rate="):
        stiff_block().simulate(2, audit=True, method="euler", step=0.005)


def test_efforts_that_were_not_those_of_the_run_are_told_of(run: Trajectory) -> None:
    wrong = dataclasses.replace(run, tau=np.zeros_like(run.tau))
    refused("the run takes in", lambda: wrong.power_audit().check(), SimulationError)


def test_a_joint_whose_accelerations_are_wrong_is_named(run: Trajectory, monkeypatch: pytest.MonkeyPatch) -> None:
    from polhode.compiled.reactions import motion
    from polhode.simulate.trajectory import power_audit

    def careless(*given: Any, **more: Any) -> tuple[np.ndarray, np.ndarray]:
        udot, multipliers = motion(*given, **more)
        return udot * np.array([1.0, 1.01]), multipliers

    monkeypatch.setattr(power_audit, "motion", careless)
    found = run.power_audit()
    assert found["joint 'elbow'"].residual > 1e-4
    assert found["body 'lower'"].residual < 1e-13  # whatever the motion, the powers of a body balance
    refused("power audit fails", found.check, SimulationError)


def test_a_constraint_that_is_not_kept_is_named_and_what_rests_on_its_constraints_is_no_fault() -> None:
    s = ph.System("slotted", gravity=(0, 0, -10))
    one = s.body("one", 1, com=(1, 0, 0), inertia=(1, 1, 1))
    two = s.body("two", 1, com=(1, 0, 0), inertia=(1, 1, 1))
    a = s.joint("a", s.ground, one, ph.Revolute("y"))
    b = s.joint("b", s.ground, two, ph.Revolute("y"), at=(0, 1, 0))
    s.constrain(a.q[0] - 2 * b.q[0], "gear")
    t, functions = np.linspace(0, 1, 5), s.derive().compile()
    kept = Trajectory(t, np.zeros((5, 2)), np.tile([2.0, 1.0], (5, 1)), ("a", "b"), ("a", "b"), functions=functions)
    broken = dataclasses.replace(kept, u=np.tile([2.0, 1.5], (5, 1)))
    assert kept.power_audit(tau=0)["constraint 'gear'"].residual < 1e-12
    assert broken.power_audit(tau=0)["constraint 'gear'"].residual > 1e-2
    assert "constraint 'gear'" in [part.name for part in broken.power_audit(tau=0).parts[:2]]
    worst = broken.power_audit(tau=0)["constraint 'gear'"]
    assert worst.port.startswith("joint ") and "its largest port is joint" in str(worst)
    s = ph.System("resting", gravity=(0, 0, -10))
    one = s.body("one", 1, com=(1, 0, 0), inertia=(1, 1, 1))
    a = s.joint("a", s.ground, one, ph.Universal("y", "z"))
    s.constrain(a.q[0], "stop")
    t = np.linspace(0, 1, 5)
    rest = Trajectory(t, np.zeros((5, 2)), np.full((5, 2), 1e-13), tuple(s.derive().coordinates),
                      tuple(s.derive().speeds), functions=s.derive().compile())  # fmt: skip
    rest.power_audit(tau=0).check()
