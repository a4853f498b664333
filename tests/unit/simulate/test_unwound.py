"""Rotors that are not named start where their gears are not wound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.formats import dumps_yaml


def arm(count: int = 2) -> ph.System:
    s = ph.System("arm")
    link: Any = s.ground
    n = s.parameter("n", 50)
    for i in range(1, count + 1):
        body = s.body(f"b{i}", 1, (1, 0, 0), (0.1, 0.1, 0.1))
        s.joint(f"j{i}", link, body, ph.Revolute("y"), at=(1, 0, 0))
        s.motor(f"j{i}", n if i == 1 else -20, inertia=1e-3, stiffness=1000)
        link = body
    return s


def start_of(equations: ph.Equations, **given: Any) -> dict[str, float]:
    run = equations.simulate(0, **given)
    return dict(zip([*run.coordinates, *(f"{u}'" for u in run.speeds)], [*run.q[0], *run.u[0]], strict=True))


def test_a_rotor_starts_with_its_link_unless_it_is_named() -> None:
    equations = arm().derive()
    both = start_of(equations, start={"j1": 0.1, "j2": 0.2}, speeds={"j2": 3.0})
    assert (both["j1 rotor"], both["j2 rotor"]) == pytest.approx((5.0, -4.0))
    assert (both["j1 rotor'"], both["j2 rotor'"]) == pytest.approx((0.0, -60.0))
    own = start_of(equations, start={"j1": 0.1, "j1 rotor": 1.0}, speeds={"j1": 1.0, "j1 rotor": 2.0})
    assert (own["j1 rotor"], own["j1 rotor'"], own["j2 rotor"]) == (1.0, 2.0, 0.0)
    assert not any(start_of(equations).values())
    assert start_of(equations, start=([1, 0, 0, 0], [0, 0, 0, 0]))["j1 rotor"] == 0.0, "an array names them all"


def test_a_pose_and_the_values_of_parameters_count() -> None:
    s = arm()
    s.pose("up", {"j1": 0.1})
    equations = s.derive()
    assert start_of(equations, start="up")["j1 rotor"] == pytest.approx(5.0)
    assert start_of(equations, start="up", parameters={"n": 30})["j1 rotor"] == pytest.approx(3.0)


def test_every_member_of_a_batch_starts_unwound() -> None:
    equations = arm().derive()
    runs = equations.simulate(0.01, start={"j1": np.array([0.1, 0.2])}, parameters={"n": np.array([10.0, 30.0])})
    assert runs["j1 rotor"][:, 0] == pytest.approx([1.0, 6.0])


def test_a_stepper_starts_unwound() -> None:
    equations = arm().derive()
    stepper = equations.stepper(dt=1e-3, start={"j1": 0.1}, parameters={"n": 30})
    assert dict(zip(equations.coordinates, stepper.q, strict=True))["j1 rotor"] == pytest.approx(3.0)
    many = equations.stepper(dt=1e-3, start={"j1": 0.1}, parameters={"n": np.array([10.0, 30.0])}, batch=2)
    rotor = equations.coordinates.index("j1 rotor")
    assert many.q[:, rotor] == pytest.approx([1.0, 3.0])
    many.reset({"j1": 0.2}, members=[1])
    assert many.q[:, rotor] == pytest.approx([1.0, 6.0])


def test_a_model_file_starts_as_the_system_does(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(dumps_yaml(arm()), encoding="utf-8")
    for _ in range(2):  # derived, and from what was stored
        assert start_of(ph.load(path).derive(), start={"j1": 0.1})["j1 rotor"] == pytest.approx(5.0)


def test_rotors_follow_links_that_assembly_moves() -> None:
    s = arm()
    s.constrain(s.joints["j2"].q[0] - 2 * s.joints["j1"].q[0], "held")
    begin = start_of(s.derive(), start={"j1": 0.1}, speeds={"j1": 1.0})
    assert (begin["j2"], begin["j2 rotor"], begin["j1 rotor"]) == pytest.approx((0.2, -4.0, 5.0))
    assert (begin["j2'"], begin["j2 rotor'"], begin["j1 rotor'"]) == pytest.approx((2.0, -40.0, 50.0))


def test_a_rotor_that_a_constraint_moves_is_left_to_it() -> None:
    s = arm(1)
    s.constrain(s.rotors["j1 rotor"].q[0] - 7, "brake")
    assert start_of(s.derive(), start={"j1": 0.1})["j1 rotor"] == pytest.approx(7.0)


def test_derivatives_of_a_run_know_that_rotors_start_with_their_links() -> None:
    s = arm(1)
    equations = s.derive()
    made = equations.sensitivities(0.02, [s.joints["j1"].q[0], "n"], start={"j1": 0.1}, samples=2)

    def end(angle: float = 0.1, n: float = 50) -> float:
        run = equations.simulate(0.02, start={"j1": angle}, parameters={"n": n}, samples=2, rtol=1e-11, atol=1e-13)
        return float(run["j1 rotor"][-1])

    assert made["j1 rotor", "j1"][-1] == pytest.approx((end(0.1001) - end(0.0999)) / 2e-4, rel=1e-6)
    assert made["j1 rotor", "n"][-1] == pytest.approx((end(n=50.01) - end(n=49.99)) / 2e-2, rel=1e-6)
