"""Mechanisms with contacts, stops and dry friction: formalisms and methods agree, loops stay closed."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.contact.scenes import EXACT, STICK, dry, impacts, modes, stop

import polhode as ph


def double_pendulum() -> ph.System:
    """Its tip hits the ground, its joints have dry friction and stops."""
    s = ph.System("double pendulum")
    a, b = (s.body(name, 1, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1)) for name in ("upper", "lower"))
    s.joint("shoulder", s.ground, a, ph.Revolute("y"))
    s.joint("elbow", a, b, ph.Revolute("y"), at=(0, 0, -1))
    floor = s.surface("floor", s.ground, ph.Shape.plane(), at=(0, 0, -1.7))
    s.contact("tip", s.point(b, (0, 0, -1)), floor, friction=0.3, restitution=0.4)
    dry(s, "bearing", "shoulder", coulomb=0.3)
    stop(s, "stops", "elbow", lower=-1, upper=1, restitution=0.5)
    return s


@cache
def reference() -> Any:
    return double_pendulum().derive().simulate(4, start={"shoulder": 1.2}, samples=41, **EXACT)


@pytest.mark.parametrize(
    ("formalism", "method"),
    [("kane", "auto"), ("hamel", "auto"), ("routh", "auto"), ("kane", "Radau"), ("kane", "RK45")],
)
def test_formalisms_and_methods_agree(formalism: str, method: str) -> None:
    e = double_pendulum().derive(formalism)
    tolerance = {"rtol": 1e-9, "atol": 1e-9} if method == "RK45" else EXACT
    run = e.simulate(4, start={"shoulder": 1.2}, samples=41, method=method, **tolerance)
    times, judge = impacts(run), impacts(reference())
    assert times[:12] == pytest.approx(judge[:12], abs=1e-6 if method == "RK45" else 1e-9)
    assert run.q[-1] == pytest.approx(reference().q[-1], abs=1e-5 if method == "RK45" else 1e-8)
    assert not run.u[-1].any()


def slider_crank() -> ph.System:
    """Its slider has dry friction, and comes to rest for a moment at dead centres, where it stops nothing."""
    s = ph.System("slider crank")
    crank, rod = (s.body(name, 1, com=(x, 0, 0), inertia=(0.01,) * 3) for name, x in (("crank", 0.1), ("rod", 0.25)))
    slider = s.body("slider", 2)
    s.joint("turn", s.ground, crank, ph.Revolute("-y"))
    s.joint("pin", crank, rod, ph.Revolute("-y"), at=(0.2, 0, 0))
    s.joint("slide", s.ground, slider, ph.Prismatic("x"))
    s.close("end", rod, slider, ph.Revolute("-y"), at_a=(0.5, 0, 0))
    dry(s, "guide", "slide", coulomb=2, static=3)
    return s


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_friction_on_a_dependent_slide_takes_its_work_past_a_dead_centre(constraints: Any) -> None:
    run = slider_crank().derive(constraints=constraints).simulate(0.6, start={"turn": 1.0}, samples=6001, **EXACT)
    slide = run["slide"]
    lost = run.energy.total[0] - run.energy.total[-1]
    assert slide[-1] < slide.max() - 0.05  # it turns back
    assert lost == pytest.approx(2 * np.abs(np.diff(slide)).sum(), abs=1e-6)


def test_a_slider_crank_with_a_stop_and_dry_friction_keeps_its_loop_closed() -> None:
    s = slider_crank()
    stop(s, "end stop", "turn", lower=-1, restitution=0.5)
    run = s.derive().simulate(4, start={"turn": 1.0}, samples=201, rtol=1e-10, atol=1e-11)
    end = 0.2 * np.sin(run["turn"]) + 0.5 * np.sin(run["turn"] + run["pin"])
    along = 0.2 * np.cos(run["turn"]) + 0.5 * np.cos(run["turn"] + run["pin"]) - run["slide"]
    assert abs(np.concatenate([end, along])).max() < 1e-9
    assert np.diff(run.energy.total).max() < 1e-9
    assert modes(run)[1][-1][0] == STICK
    assert not run.u[-1].any()
    first = impacts(run)[0]
    before, after = run.u[abs(run.t - first) < 1e-9, 0]
    assert after == pytest.approx(-0.5 * before, abs=1e-9)


@pytest.mark.parametrize("friction", [0.1, 0.10003, 0.10004, 0.3])
def test_a_point_slides_over_the_edge_of_a_box(friction: float) -> None:
    s = ph.System("edge")
    body = s.body("body", 1)
    s.joint("x", s.ground, s.body("slide", 0), ph.Prismatic("x"))
    s.joint("z", "slide", body, ph.Prismatic("z"))
    s.contact("foot", body, s.surface("box", s.ground, ph.Shape.box(1, 1, 1)), friction=friction)
    run = s.derive().simulate(0.5, start={"z": 0.5}, speeds={"x": 2}, rtol=1e-12, atol=1e-12)
    slow = friction * 9.81
    edge = (2 - np.sqrt(4 - slow)) / slow
    speed, fall = 2 - slow * edge, 0.5 - edge
    assert run.q[-1] == pytest.approx([0.5 + speed * fall, 0.5 - 9.81 / 2 * fall**2], abs=1e-9)


def _ball(s: ph.System, carrier: Any, e: float, **given: Any) -> None:
    s.joint("z", carrier, s.body("ball", 2), ph.Prismatic("z"))
    s.contact("hit", "ball", s.surface("top", **given), friction=0.3, restitution=e)


def _on_a_shaker(s: ph.System) -> None:
    table = s.body("table", 1)
    s.prescribe(s.joint("shaker", s.ground, table, ph.Prismatic("z")), 0.1 * ph.sin(7 * s.time))
    s.joint("x", s.ground, s.body("slide", 0), ph.Prismatic("x"))
    _ball(s, "slide", 0.5, body=table, shape=ph.Shape.plane())


def _on_a_lift(s: ph.System) -> None:
    """Its impacts act on the drive of the lift."""
    lift = s.body("lift", 1)
    s.joint("lift", s.ground, lift, ph.Prismatic("z"), at=(0, 0, 0.1 * ph.sin(7 * s.time)))
    s.joint("x", lift, s.body("slide", 0), ph.Prismatic("x"))
    _ball(s, "slide", 0.5, body=s.ground, shape=ph.Shape.plane())
    s.prescribe("x", 0.3 * s.time**2)


def _in_a_guide_that_moves(s: ph.System) -> None:
    """A constraint in time moves x, and an inclined floor acts along x too."""
    x = s.joint("x", s.ground, s.body("slide", 1), ph.Prismatic("x")).q[0]
    s.constrain("guide", x - 0.1 * ph.sin(7 * s.time))
    _ball(s, "slide", 0.5, body=s.ground, shape=ph.Shape.plane(), rotation=("y", 0.3))


def _on_ice(s: ph.System) -> None:
    """No power flows."""
    s.joint("x", s.ground, s.body("slide", 1), ph.Prismatic("x"))
    s.joint("z", "slide", s.body("ball", 2), ph.Prismatic("z"))
    s.contact("hit", "ball", s.surface("top", s.ground, ph.Shape.plane(), rotation=("y", 0.3)), restitution=0.7)


@pytest.mark.parametrize("scene", [_on_a_shaker, _on_a_lift, _in_a_guide_that_moves, _on_ice])
def test_energy_is_balanced_while_drives_and_constraints_carry_contact_forces(scene: Any) -> None:
    s = ph.System("audited")
    scene(s)
    run = s.derive().simulate(3, start={"z": 0.5}, samples=1501, **EXACT)
    audit = run.power_audit()
    assert len(impacts(run)) > 2
    assert audit.residual < 1e-9
    for name in s.prescribed:
        rate = {"x": 0.6 * run.t, "shaker": 0.7 * np.cos(7 * run.t)}[name]
        assert audit.ports[f"drive {name}"] == pytest.approx(run.driving_force(name) * rate, abs=1e-9)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_accelerations_along_a_run_are_with_contact_forces(constraints: Any) -> None:
    s = slider_crank()
    run = s.derive(constraints=constraints).simulate(0.4, start={"turn": 1.0}, samples=4001, **EXACT)
    slider = run.values(s.bodies["slider"].centre.acceleration() & s.ground.x)[0]
    assert slider[1:-1] == pytest.approx(np.diff(run["slide"], 2) / 1e-8, abs=1e-3 * abs(slider).max())


def test_forces_of_a_box_that_slides_and_spins_do_the_work_that_its_energy_loses() -> None:
    """Of four corners that slide the normal forces are not unique, and those reported are those of the motion."""
    s = ph.System("box")
    body = s.body("box", 1, inertia=(0.01,) * 3)
    s.joint("f", s.ground, body, ph.Free())
    skin = s.surface("skin", body, ph.Shape.box(0.4, 0.4, 0.2))
    s.contact("sole", skin, s.surface("floor", s.ground, ph.Shape.plane()), friction=0.4)
    e, given = s.derive(), {"start": {"f_z": 0.1}, "speeds": {"f_vx": 1.5, "f_vy": 0.5, "f_wz": 2}}
    run = e.simulate(1, samples=2001, **given)
    audit = run.power_audit()
    assert audit.residual < 1e-9
    assert audit.notices() == ()
    assert any("what slips moves otherwise by others" in notice for notice in run.notices)
    along = e.simulate(0.1, start=given["start"], speeds={"f_vx": 1})
    (notice,) = along.notices  # of feet that slide alike only the forces are not unique
    assert "are not unique: the least" in notice
    assert "too few samples" in e.simulate(1, samples=6, **given).power_audit().notices()[0]


def test_efforts_that_are_held_leave_the_audit_right() -> None:
    s = ph.System("held")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    s.friction("x", 5, static=6)
    tau = {"x": ph.held(lambda t, q, u: 40 * (1 - q[0]) - 10 * u[0], every=0.1)}
    audit = s.derive().simulate(2, tau=tau, samples=2001).power_audit()
    assert audit.residual < 1e-9


def test_a_drive_carries_dry_friction_of_its_joint_and_of_what_follows() -> None:
    """Of a prescribed motion friction changes nothing but the force that drives it: μ sign(v), Stribeck's near rest."""
    s = ph.System("driven")
    for name in ("x", "y"):
        s.joint(name, s.ground, s.body(name, 2), ph.Prismatic(name))
    s.couple("y", "x", 3)
    s.joint("z", "x", s.body("load", 1), ph.Prismatic("z"))
    s.stop("z", 0)
    s.friction("x", coulomb=5, static=6, stribeck=0.5)
    s.friction("y", coulomb=0.2)
    s.prescribe("x", 2 * ph.sin(s.time))
    run = s.derive().simulate(3, samples=3001)
    v = 2 * np.cos(run.t)
    friction = (5 + np.exp(-((v / 0.5) ** 2)) + 3 * 0.2) * np.sign(v)
    assert run.driving_force("x") == pytest.approx((3 + 2 * 9) * -2 * np.sin(run.t) + friction, abs=1e-9)
    assert run.power_audit().residual < 1e-9


@pytest.mark.parametrize("legs", [3, 4])
def test_planar_legs_with_dry_friction_land_and_come_to_rest(legs: int) -> None:
    """Feet of legs that all move in parallel planes depend on each other, and slip at speeds that nearly vanish."""
    s, tau = ph.System("table"), {}
    top, floor = s.body("top", 10, inertia=(1, 1, 1)), s.surface("floor", s.ground, ph.Shape.plane())
    s.joint("f", s.ground, top, ph.Free())
    for k in range(legs):
        upper, lower = (
            s.body(f"{name} {k}", 1, (0, 0, -0.1), inertia=(0.01, 0.01, 0.001)) for name in ("upper", "lower")
        )
        turn = 0.3 + 2 * np.pi * k / legs
        joints = (
            s.joint(f"h{k}", top, upper, ph.Revolute("y"), at=(0.3 * np.cos(turn), 0.2 * np.sin(turn), 0)),
            s.joint(f"k{k}", upper, lower, ph.Revolute("y"), at=(0, 0, -0.2)),
        )
        for joint, angle in zip(joints, (0.9, -1.8), strict=True):
            s.friction(joint, 0.2)
            tau[joint.name] = -100 * (joint.q[0] - angle) - 3 * joint.u[0]
        s.contact(f"foot {k}", lower.point((0, 0, -0.2)), floor, friction=0.8)
    start = {f"{joint}{k}": angle for k in range(legs) for joint, angle in (("h", 0.9), ("k", -1.8))}
    run = s.derive().simulate(1, start={**start, "f_z": 0.4 * np.cos(0.9) + 0.05}, tau=tau, samples=401)
    feet = [run.contact(f"foot {k}") for k in range(legs)]
    assert all(foot.gap.min() > -1e-9 for foot in feet)
    assert (np.abs(run.u[-1]) == 0).all()
    assert len(run.contact_events) < 400  # 13,000 with directions that are held
    slides = [(foot, k) for foot in feet for k in np.flatnonzero(foot.mode == "slip")]
    assert len(slides) > 100
    for foot, k in slides:
        assert np.linalg.norm(foot.tangential[k]) == pytest.approx(0.8 * foot.normal[k], rel=1e-9)
    assert sum(foot.normal[-1] for foot in feet) == pytest.approx((10 + 2 * legs) * 9.81, rel=1e-9)
    assert run.power_audit().residual < 1e-8


def test_signs_and_kinks_of_contact_geometry_end_no_steps_under_a_control_law():
    """Those of the law do: a lift by min and max is as one without, and takes as few evaluations."""
    s = ph.System("press")
    plate = s.body("plate", 1, inertia=ph.box(1, 0.2, 0.2, 0.02))
    s.joint("lift", s.ground, plate, ph.Prismatic("z"))
    cube = s.body("cube", 0.5, inertia=ph.box(0.5, 0.1, 0.1, 0.1))
    s.joint("free", s.ground, cube, ph.Free())
    skin = s.surface("skin", cube, ph.Shape.box(0.1, 0.1, 0.1))
    s.contact("stand", skin, s.surface("floor", s.ground, ph.Shape.plane()), friction=0.5)
    s.contact("press", s.surface("foot", plate, ph.Shape.box(0.2, 0.2, 0.02)), skin, friction=0.5)
    equations, u = s.derive(), s.joints["lift"].u[0]
    start = {"lift": 0.13, "free_z": 0.05}
    runs = [
        equations.simulate(0.4, start=start, tau={"lift": 9.81 - 5 - 30 * u + extra})
        for extra in (0, ph.minimum(ph.maximum(s.time - 1, 0), 1))
    ]
    assert runs[1].x[-1] == pytest.approx(runs[0].x[-1], abs=1e-9)
    assert max(run.info["evaluations"] for run in runs) < 5000
    assert runs[0].contact("press").normal[-1].sum() == pytest.approx(5)
