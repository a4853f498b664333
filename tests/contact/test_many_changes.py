"""Contacts that change often, several at one time, or without moving anything: runs end, and obey mechanics."""

import numpy as np
import pytest
from scipy.optimize import nnls
from tests.trials.contact_drops import SCENES, judged

import polhode as ph
from polhode.ode.unilateral.forces import ConeMemory
from polhode.ode.unilateral.memory import UnilateralMemory
from polhode.ode.unilateral.transitions import Transitions

CASES = {
    "capsules": (1, 9, 18), "ball and box": (6, 18), "planar boxes": (2, 5, 16, 18), "dominoes": (0, 1, 4),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_drops_end_without_gain_of_energy_and_without_overlap(name):
    equations = SCENES[name].equations()
    assert {seed: judged(SCENES[name], equations, seed)[0] for seed in CASES[name]} == dict.fromkeys(
        CASES[name], "done"
    )


def test_a_ball_that_slips_off_a_capsule_flies():
    s = ph.System("ball on a capsule")
    ball = s.body("b", 1, inertia=ph.sphere(1, 0.1))
    s.joint("f", s.ground, ball, ph.Free())
    log = s.surface("o", s.ground, ph.Shape.capsule(0.2, 1))
    s.contact("c", s.surface("k", ball, ph.Shape.sphere(0.1)), log, friction=0.6, restitution=0.3)
    equations = s.derive()
    for seed in (12, 19):
        rng = np.random.default_rng(seed)
        start = {"f_z": 1.2, "f_x": rng.normal() * 0.05, "f_y": rng.normal() * 0.05}
        run = equations.simulate(1, start=start, speeds={"f_wx": rng.normal() * 9}, samples=401)
        event, after = run.contact_events[-1], run.t > run.contact_events[-1].t
        assert event.what == "opens"
        assert (run.contact("c").gap[after][1:] > 0).all()
        assert np.abs(np.diff(run["f_z"][after][1:], 2) + 9.81 / 400**2).max() < 1e-8


@pytest.mark.parametrize("seed", [2, 12])
def test_a_box_with_much_static_friction_rocks_to_rest(seed):
    s = ph.System("box")
    box = s.body("b", 1.5, inertia=ph.box(1.5, 0.3, 0.2, 0.1))
    s.joint("f", s.ground, box, ph.Free())
    laws = {"friction": s.parameter("mu", 0.3), "static": 1.2, "stribeck": 0.02, "restitution": s.parameter("e", 0.3)}
    s.contact("c", s.surface("k", box, ph.Shape.box(0.3, 0.2, 0.1)), s.surface("o", s.ground, ph.Shape.plane()), **laws)
    rng = np.random.default_rng(seed)
    parameters = {"mu": rng.uniform(0, 1), "e": rng.uniform(0, 0.9)}
    q, u = rng.standard_normal(4), rng.standard_normal(6) * 3
    equations = s.derive()
    start = dict(zip(["f_e0", "f_e1", "f_e2", "f_e3", "f_z"], [*(q / np.linalg.norm(q)), 0.5], strict=True))
    speeds = dict(zip([str(x) for x in equations.u], u, strict=True))
    run = equations.simulate(6, start=start, speeds=speeds, parameters=parameters, samples=10)
    assert (run.u[-1] == 0).all() and run.contact("c").gap[-1].min() > -1e-12


def test_edges_of_boxes_that_are_alike_to_rounding_are_searched_with_few_evaluations():
    s = ph.System("boxes")
    floor, skins, start, rng = s.surface("floor", s.ground, ph.Shape.plane()), [], {}, np.random.default_rng(2)
    for i in range(2):
        box = s.body(f"b{i}", 1, inertia=ph.box(1, 0.3, 0.2, 0.1))
        s.joint(f"j{i}", s.ground, box, ph.Free())
        skins.append(s.surface(f"s{i}", box, ph.Shape.box(0.3, 0.2, 0.1)))
        s.contact(f"f{i}", skins[i], floor, friction=0.4, restitution=0.3)
        q = rng.standard_normal(4)
        start |= {f"j{i}_e{k}": x for k, x in enumerate(q / np.linalg.norm(q))}
        start |= {f"j{i}_z": 0.3 + 0.45 * i, f"j{i}_x": 0.05 * rng.normal(), f"j{i}_y": 0.05 * rng.normal()}
    s.contact("c", skins[0], skins[1], friction=0.4, restitution=0.3)
    run = s.derive().simulate(3, start=start, samples=10)
    assert run.info["evaluations"] < 500 * run.info["steps"]  # 8,000 a step, where they alternate
    assert (run.u[-1] == 0).all()


def test_a_bead_in_a_slot_without_clearance_changes_no_modes():
    s = ph.System("slot")
    slider = s.body("bx", 0)
    s.joint("x", s.ground, slider, ph.Prismatic("x"), speeds=["vx"])
    bead = s.body("b", 1)
    s.joint("z", slider, bead, ph.Prismatic("z"), speeds=["vz"])
    for name, radius in (("in", -1), ("out", 1)):
        s.contact(name, bead, s.surface(f"{name} side", s.ground, ph.Shape.sphere(radius)), friction=0.15)
    run = s.derive().simulate(3, start={"z": -1}, speeds={"vx": 7}, samples=301)
    assert len(run.contact_events) < 20
    assert np.abs(np.hypot(run["x"], run["z"]) - 1).max() < 1e-9


def landing(legs: int, axes: str, first: float, c: float, cs: float) -> ph.System:
    """A trunk of 7 kg on legs whose joints turn about these axes, with dry friction in each, and feet with 6/10."""
    s = ph.System("landing")
    trunk, floor = s.body("trunk", 7, inertia=(0.02, 0.1, 0.1)), s.surface("floor", s.ground, ph.Shape.plane())
    s.joint("f", s.ground, trunk, ph.Free())
    for k in range(legs):
        turn = first + 2 * np.pi * k / legs
        carrier, at = trunk, (0.28 * np.cos(turn), 0.15 * np.sin(turn), 0)
        for i, axis in enumerate(axes):
            length = 0.21 if axis == "y" else 0
            body = s.body(f"l{i} {k}", 0.7, com=(0, 0, -length / 2), inertia=(0.002, 0.002, 0.001))
            s.friction(s.joint(f"j{i} {k}", carrier, body, ph.Revolute(axis), at=at), c, static=cs)
            carrier, at = body, (0, 0, -length)
        s.contact(f"foot {k}", carrier.point(at), floor, friction=0.6)
    return s


def test_a_slow_slip_on_legs_that_stick_is_not_stiff():
    """Its direction has turned since the last change: lags by that of then would take half as many steps more."""
    angles = (0.7, -1.4, 0.9)
    s = landing(3, "yyy", 0.3, 0.5, 0.75)
    joints = [joint for name, joint in s.joints.items() if name != "f"]
    tau = {j.name: 300 * (angles[i % 3] - j.q[0]) - j.u[0] / 2 for i, j in enumerate(joints)}
    start = {j.name: angles[i % 3] for i, j in enumerate(joints)}
    height = 0.21 * np.cos(np.cumsum(angles)).sum()
    run = s.derive().simulate(0.91, start={**start, "f_z": height + 0.07062050180857168}, tau=tau, samples=401)
    assert run.info["steps"] < 5000
    assert run.power_audit().residual < 1e-8
    assert min(run.contact(f"foot {k}").gap.min() for k in range(3)) > -1e-9


def test_a_level_robot_whose_feet_depend_on_each_other_lands_alike_on_both_sides():
    """Its 12 joints turn about parallel axes, and stick and slip in pairs: nothing moves it sideways."""
    angles = (0.7, -1.4, 0.9)
    s = landing(4, "yyy", np.pi / 4, 2, 3)
    joints = [joint for name, joint in s.joints.items() if name != "f"]
    tau = {j.name: 60 * (angles[i % 3] - j.q[0]) - j.u[0] / 10 for i, j in enumerate(joints)}
    start = {j.name: angles[i % 3] for i, j in enumerate(joints)}
    run = s.derive().simulate(1, start={**start, "f_z": 0.21 * np.cos(np.cumsum(angles)).sum() + 0.0706}, tau=tau)
    assert (run.u[-1] == 0).all()
    assert np.abs(run.q[:, [1, 3, 5]]).max() < 1e-9  # roll, yaw and y
    assert len(run.contact_events) < 150
    assert sum(run.contact(f"foot {k}").normal[-1] for k in range(4)) == pytest.approx(15.4 * 9.81, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_rows_that_depend_on_each_other_and_have_drifted_are_solved_as_independent_ones(seed):
    """Four feet of a table without friction: by Gauss' principle its accelerations are a + Wᵀ λ with λ ≥ 0."""
    rng = np.random.default_rng(seed)
    rows = np.array([[1, x, y] for x in (-1, 1) for y in (-1, 1)])
    load = np.array([-5, *rng.uniform(-6, 6, 2)])
    forces, _ = nnls(rows.T, -load)
    problem = ConeMemory([(1, 0)] * 4)
    problem.matrix[:], problem.friction[:] = rows @ rows.T, 0
    problem.free[:] = rows @ load + 1e-8 * np.array([1, -1, -1, 1])  # of no motion
    transitions = Transitions(UnilateralMemory([(1, 0)] * 4, 3, 3, 6))
    transitions.memory.reduced = problem
    assert transitions._solve_dependent()
    assert problem.velocity == pytest.approx(rows @ (load + rows.T @ forces), abs=1e-6)
    assert (problem.force >= 0).all()
