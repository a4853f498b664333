"""A frame follows a path: its errors, its posture, and where it cannot."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.planar_arm import planar_arm
from tests.refusals import refused

import polhode as ph
from polhode.control import OperationalSpace
from polhode.expr import rank
from polhode.simulate.trajectory.channels import channels_of


def hand() -> ph.Equations:
    """Three slides that carry a ball joint."""
    s = ph.System("six")
    carrier: Any = s.ground
    for axis in "xyz":
        body = s.body(f"slide {axis}", 1)
        s.joint(axis, carrier, body, ph.Prismatic(axis))
        carrier = body
    s.joint("ball", carrier, s.body("hand", s.parameter("m", 2), com=(1, 0, 0), inertia=(1, 2, 3)), ph.Spherical("321"))
    return s.derive()


def wrist(orientation: Any) -> OperationalSpace:
    return OperationalSpace(hand(), "hand", kp=9, kd=6, orientation=orientation)


def test_errors_of_a_frame_obey_linear_equations() -> None:
    c = OperationalSpace(planar_arm().derive(), "hand", kp=[9, 4], kd=6, axes="xy")
    assert c.error_dynamics.proved and c.lyapunov.proved
    assert not OperationalSpace(planar_arm().derive(), "hand", kp=9, kd=6, axes="xy", damping=0.1).error_dynamics.proved


@pytest.mark.parametrize("orientation", [[("x", "0.3")], "reference"])
def test_an_orientation_is_kept_or_follows_a_reference(orientation: Any) -> None:
    c = wrist(orientation)
    assert c.error_dynamics.proved and len(c.law.reference) == (7 if orientation == "reference" else 3)


def test_a_posture_does_not_move_the_frame_and_forces_feel_its_mass() -> None:
    e = planar_arm(3).derive()
    given: dict[str, Any] = {"kp": 9, "kd": 6, "axes": "xy", "posture_kd": 2}
    for more in ({}, {"posture_kp": 5, "posture": {"q2": 1}}):
        c = OperationalSpace(e, "hand", **given, **more)
        assert c.error_dynamics.proved and c.lyapunov.proved
    assert [(r.name, r.default) for r in c.law.reference[2:]] == [("q1", 0), ("q2", 1), ("q3", 0)]
    # J M⁻¹ Jᵀ Λ = 1: the entries that the law names are those of the inverse of what the frame feels.
    c = OperationalSpace(planar_arm().derive(), "hand", kp=9, kd=6, axes="xy")
    A = [value for step, value in c.written.steps.items() if step.name.startswith("A_")]
    e, J = c.equations, c.equations.jacobian("hand")[3:5]
    M = e.inverse_mass_matrix
    whole = ph.Matrix(J) @ M @ ph.Matrix(J).T
    assert ph.expr.same(A, [whole[0][0], whole[0][1], whole[1][1]]) and rank(whole) == 2


def test_damping_keeps_efforts_finite_where_the_arm_is_stretched() -> None:
    e = planar_arm().derive()
    stretched = dict.fromkeys(e.q, 1e-4) | dict.fromkeys(e.u, 0.1)
    sizes = []
    for damping in (0, 0.1):
        law = OperationalSpace(e, "hand", kp=9, kd=6, axes="xy", damping=damping).nominal_law
        at: dict[Any, float] = stretched | {p.symbol: float(p.value or 0) for p in law.parameters.values()}
        at |= {x: 0.5 for r in law.reference for x in r.symbols}
        sizes.append(np.abs(ph.expr.evaluate(list(law.controls.values()), at)).max())
    assert sizes[0] > 1e4 and sizes[1] < 100


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda e: OperationalSpace(e, "hnd", 1, 2), "no body or frame 'hnd'"),
    (lambda e: OperationalSpace(e, 5, 1, 2), "no body or frame"),
    (lambda e: OperationalSpace(e, "hand", 1, 2), "cannot be moved along z beside x and y"),
    (lambda e: OperationalSpace(e, "hand", 1, 2, axes="xw"), "does not name axes"),
    (lambda e: OperationalSpace(e, "hand", 1, 2, axes="x"), "leaves 1 of the 2 freedoms"),
    (lambda e: OperationalSpace(e, "hand", None, 2, axes="xy"), "no kp is given"),
    (lambda e: OperationalSpace(e, "hand", 1, 2, axes="xy", damping=-1), "the damping -1 is negative"),
    (lambda e: OperationalSpace(e, "hand", 1, 2, axes="xy", orientation="up"), "orientation 'up' is not known"),
    (lambda e: OperationalSpace(e, "hand", 1, 2, axes="xy", orientation=[("z", 1)]), "cannot be moved along"),
    (
        lambda e: OperationalSpace(e, "hand", 1, 2, axes="x", posture_kd=1, posture_kp=1, posture={"q": 1}),
        "no coordinate 'q'",
    ),
    (lambda e: OperationalSpace(e, "hand", 1, 2, axes="xy", inputs=["q1"]), "underactuated"),
])  # fmt: skip
def test_wrong_calls_get_a_sentence(make: Callable[[Any], Any], sentence: str) -> None:
    refused(sentence, lambda: make(planar_arm().derive()))


def test_a_kept_orientation_has_a_lyapunov_function_and_one_that_follows_has_none_here() -> None:
    assert wrist([("x", "0.3")]).lyapunov.proved
    refused("no Lyapunov function of OperationalSpace", lambda: wrist("reference").lyapunov)


@pytest.mark.parametrize("orientation", [[("x", "0.3")], "reference"])
def test_a_run_has_the_errors_of_the_orientation_and_the_units_of_the_position(orientation: Any) -> None:
    e = hand()
    c = OperationalSpace(e, "hand", kp=9, kd=6, orientation=orientation)
    turned = {"e0": float(np.cos(0.15)), "e1": float(np.sin(0.15)), "e2": 0.0, "e3": 0.0}
    wanted = {"x": 0.1, "y": 0.0, "z": 0.2} | (turned if orientation == "reference" else {})
    run = e.simulate(0.5, controller=c, reference=wanted, samples=3)
    errors = run.tracking_error
    assert {"x", "y", "z", "turn x", "turn y", "turn z"} <= {*errors}
    first = run.values(*e.pose("hand").R.entries())
    R = np.array([each[0] for each in first]).reshape(3, 3)
    angle = np.array([[1, 0, 0], [0, np.cos(0.3), -np.sin(0.3)], [0, np.sin(0.3), np.cos(0.3)]])
    lacking = sum(np.cross(own, other) for own, other in zip(R.T, angle.T, strict=True)) / 2
    assert np.allclose([errors[f"turn {axis}"][0] for axis in "xyz"], lacking, atol=1e-12)
    channels, _ = channels_of(run, ["references", "errors"], [])
    units = {each.name: each.unit for each in channels}
    assert units["ref_x"] == "m" and units["e_z"] == "m" and units["e_turn x"] == ""
