"""A joint of any kind closes a loop, by coordinates of its own where its conditions cannot be said without them."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.seeds import in_turn

import polhode as ph
from polhode.constraints import constraints_of
from polhode.constraints.wrenches import constraint_wrenches
from polhode.expr import as_expr, directional, evaluate, free_symbols, same
from polhode.formalisms.registry import names
from polhode.kinematics.motion import flow, link_jacobian
from polhode.kinematics.tree import build_tree
from polhode.model.constraints import closure
from polhode.model.joints import JointType

TENTH, HALF = Fraction(1, 10), Fraction(1, 2)
JOINTS: dict[str, JointType] = {
    "two turns and a slide": ph.Compound(ph.Revolute("z"), ph.Revolute("x"), ph.Prismatic("y")),
    "ball that slides": ph.Compound(ph.Spherical(), ph.Prismatic("y")),
    "slide with three angles": ph.Compound(ph.Prismatic("x"), ph.Spherical("123")),
    "screw, slide and turn": ph.Compound(ph.Screw("z", TENTH), ph.Prismatic("x"), ph.Revolute("y")),
    "building block": ph.BuildingBlock("xy", (3, 1)),
    "crooked universal": ph.Universal("x", (Fraction(3, 5), Fraction(4, 5), 0)),
    "two axes without the third": ph.JointMap([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]]),
    "map, outermost first": ph.JointMap([[0, 1], [0, 0], [1, 0], [0, 0], [0, 0], [TENTH, 0]], (1, 1)),
}


def crank_and_rocker(kind: JointType, drive: bool = False, in_tree: bool = False) -> ph.System:
    """A crank, a rod on a ball joint, and a rocker; rod and rocker are joined by what is to be tried."""
    s = ph.System("crank and rocker", gravity=(0, 0, "-9.81"))
    crank = s.body("crank", 1, (TENTH, 0, 0), (1, 1, 1))
    rod = s.body("rod", 1, (3 * TENTH, 0, 0), (1, 2, 3))
    rocker = s.body("rocker", 1, (2 * TENTH, 0, 0), (1, 1, 2))
    s.joint("turn", s.ground, crank, ph.Revolute("z"))
    s.joint("ball", crank, rod, ph.Spherical(), at=(2 * TENTH, 0, 0))
    at_rod, at_rocker, foot = (6 * TENTH, 0, 0), (0, 4 * TENTH, 0), (6 * TENTH, TENTH, 0)
    if in_tree:
        s.joint("pin", rod, rocker, kind, at=at_rod, child_at=at_rocker)
        s.close("rock", s.ground, rocker, ph.Revolute("x"), at_a=foot)
    else:
        s.joint("rock", s.ground, rocker, ph.Revolute("x"), at=foot)
        s.close("pin", rod, rocker, kind, at_a=at_rod, at_b=at_rocker)
    if drive:
        s.prescribe("rock", ph.sin(2 * s.time) / 3)
    return s


def constraints_in(equations: ph.Equations) -> Any:
    assert equations.constraints is not None
    return equations.constraints


@pytest.mark.parametrize(("kind", "drive"), [*((kind, False) for kind in JOINTS), ("ball that slides", True)])
def test_every_formalism_agrees_with_multipliers_and_embedded(kind: str, drive: bool) -> None:
    system = crank_and_rocker(JOINTS[kind], drive)
    judge = system.derive("poincare")
    constraints = constraints_in(judge)
    assert constraints.tree.auxiliary
    movable = len(constraints.generic_rows) < len(judge.u)
    beside = in_turn(names(), 2, [*JOINTS].index(kind) + drive)
    for formalism in beside:
        assert system.derive(formalism).agrees_with(judge), formalism
    if movable:
        for formalism in beside:
            assert system.derive(formalism, constraints="embedded").agrees_with(judge), formalism


@pytest.mark.parametrize("kind", JOINTS)
def test_definitions_change_with_no_motion_and_masses_do_not_know_auxiliary_coordinates(kind: str) -> None:
    equations = crank_and_rocker(JOINTS[kind], drive=True).derive("composite_body")
    constraints, tree = constraints_in(equations), equations.tree
    along = flow(tree, equations.system.time)
    assert len(constraints.definitions) == sum(each.ways.shape[1] for each in tree.auxiliary)
    assert not any(directional(list(constraints.definitions.values()), along))
    own = {*tree.q[tree.auxiliary_coordinates]}
    assert own and not own & {*free_symbols([*equations.mass_matrix.entries(), *equations.bias])}
    assert tree.kinematic_left_inverse() @ tree.kinematic_matrix() == ph.Matrix.identity(len(tree.u))
    rates = [directional([row.value], along)[0] for row in constraints.rows if row.value is not None]
    assert same(rates, [row.rate for row in constraints.rows if row.is_position])


@pytest.mark.parametrize("kind", JOINTS)
def test_its_wrench_does_the_work_of_the_multipliers(kind: str) -> None:
    system = crank_and_rocker(JOINTS[kind])
    constraints = constraints_of(system, build_tree(system))
    wrenches, efforts = constraint_wrenches(system, constraints, constraints.multipliers)
    for place, (n, f) in enumerate(wrenches):
        for speed, w, v in link_jacobian(constraints.tree, place):
            efforts[speed] = as_expr(efforts[speed] + w.dot(n) + v.dot(f))
    assert same(efforts, constraints.A.T @ constraints.multipliers)


def by_own_coordinates(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    """Take the general way also where a joint's conditions can be said directly; keep what comes of it apart."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(store))
    monkeypatch.setattr(closure, "_of_stage", lambda stage: None)
    monkeypatch.setattr(closure, "_of_universal", lambda stages: None)


DIRECT: dict[str, tuple[JointType, JointType]] = {
    "cylindrical": (ph.Spherical(), ph.Cylindrical("z")),
    "universal": (ph.Spherical(), ph.Universal("x", "z")),
    "screw": (ph.Free(), ph.Screw("z", TENTH)),
}


@pytest.mark.parametrize("kind", DIRECT)
def test_conditions_by_own_coordinates_are_those_that_can_be_said_directly(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, closer = DIRECT[kind]

    def made() -> ph.Equations:
        s = ph.System("two bars", gravity=(0, "1.5", "-9.81"))
        for name, inertia in (("a", (1, 2, 2)), ("b", (2, 3, 1))):
            s.body(name, 2, (Fraction(1, 5), TENTH, 0), inertia)
        s.joint("one", s.ground, "a", first)
        s.joint("two", s.ground, "b", ph.Spherical(), at=(Fraction(1, 2), 0, 0))
        s.close("tie", "a", "b", closer, at_a=(Fraction(1, 2), Fraction(1, 5), 0), at_b=(0, Fraction(1, 5), 0))
        return s.derive("newton_euler")

    direct = made()
    begin = direct.assemble(speeds={"two_wx": 0.7, "two_wz": 0.4})
    moved = direct.simulate(0.4, start=begin.q, speeds=begin.u)
    q, u = moved.q[-1], moved.u[-1]
    straight = direct.compile().forward_dynamics(q, u)
    by_own_coordinates(monkeypatch, tmp_path)
    own = made()
    size = len(direct.q)
    found = own.assemble(dict(zip(direct.coordinates, q, strict=True)), dict(zip(direct.speeds, u, strict=True)))
    assert found.freedom.degrees == begin.freedom.degrees and np.allclose(found.q[:size], q, atol=1e-10)
    assert np.allclose(found.u, u, atol=1e-10)
    assert np.allclose(own.compile().forward_dynamics(found.q, found.u), straight, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", [
    "screw, slide and turn",
    *(pytest.param(kind, marks=pytest.mark.trial) for kind in ("two turns and a slide", "ball that slides")),
])  # fmt: skip
def test_a_loop_moves_alike_wherever_it_is_cut(kind: str) -> None:
    cut_here = crank_and_rocker(JOINTS[kind]).derive()
    cut_there = crank_and_rocker(JOINTS[kind], in_tree=True).derive()
    begin = cut_here.assemble({"turn": 0.3}, {"turn": 2.0})
    run = cut_here.simulate(1, start=begin.q, speeds=begin.u)
    assert run.drift.position < 1e-9 and run.drift.velocity < 1e-9 and run.energy_drift < 1e-7

    values = dict(zip(cut_here.coordinates, begin.q, strict=True))
    start = {name: values[name.replace("pin_", "pin ")] for name in cut_there.coordinates}
    rates = dict(zip(cut_here.q, cut_here.compile().coordinate_rates(begin.q, begin.u), strict=True))
    speeds = dict(zip(cut_here.speeds, begin.u, strict=True))
    (closing_joint,) = cut_here.tree.auxiliary
    known = {**dict(zip(cut_here.q, begin.q, strict=True)), **dict(zip(cut_here.u, begin.u, strict=True))}
    own = iter(evaluate(list(closing_joint.speeds), known))
    speeds = {name: next(own) if name.startswith("pin_") else speeds[name] for name in cut_there.speeds}
    assert np.allclose([rates[q] for q in closing_joint.symbols], evaluate(list(closing_joint.rates), known))

    other = cut_there.assemble(start, speeds)
    assert np.allclose(other.q, [*start.values()], atol=1e-10)
    assert np.allclose(other.u, [*speeds.values()], atol=1e-10)
    shared = [name for name in cut_here.speeds if name in cut_there.speeds]
    here, there = (
        dict(zip(made.speeds, made.compile().forward_dynamics(at.q, at.u), strict=True))
        for made, at in ((cut_here, begin), (cut_there, other))
    )
    assert np.allclose([here[name] for name in shared], [there[name] for name in shared], atol=1e-9)
    beside = cut_there.simulate(1, start=other.q, speeds=other.u)
    for name in cut_there.coordinates:
        twin = cut_here.coordinates.index(name.replace("pin_", "pin "))
        assert np.allclose(run.q[-1, twin], beside.q[-1, cut_there.coordinates.index(name)], atol=1e-6), name


def test_a_joint_that_cannot_turn_about_a_third_axis_does_not_as_a_closing_one_either() -> None:
    def made(in_tree: bool) -> ph.System:
        s = ph.System("bent bar", gravity=(1, 2, "-9.81"))
        s.body("near", 1, (HALF, 0, TENTH), (1, 2, 2))
        s.body("far", 2, (0, HALF, 0), (2, 1, 2))
        two_axes, end = JOINTS["two axes without the third"], (1, 1, 0)
        if in_tree:
            s.joint("pin", s.ground, "near", two_axes)
            s.joint("knee", "near", "far", ph.Spherical(), at=(1, 0, 0))
            s.close("foot", s.ground, "far", ph.Spherical(), at_a=end, at_b=(0, 1, 0))
        else:
            s.joint("foot", s.ground, "far", ph.Spherical(), at=end, child_at=(0, 1, 0))
            s.joint("knee", "far", "near", ph.Spherical(), child_at=(1, 0, 0))
            s.close("pin", s.ground, "near", two_axes)
        return s

    w1, w2, spin = 0.8, -0.5, 0.3  # near turns by (w1, w2, 0), far by (w2, spin, 0)
    knee = {"knee_wx": w2 - w1, "knee_wy": spin - w2}
    there = made(True).derive().simulate(0.3, speeds={"pin_1": w1, "pin_2": w2, "knee_wz": 0, **knee})
    foot = {"foot_wx": w2, "foot_wy": spin, "foot_wz": 0}
    foot |= {name: -value for name, value in {**knee, "knee_wz": 0}.items()}
    here = made(False).derive().simulate(0.3, speeds=foot)
    assert here.drift.velocity < 1e-12
    for run in (here, there):  # w2 is a speed that the singular pose allows, and that no motion has from there
        assert any("no motion leaves the singular pose" in notice for notice in run.notices)
        assert run.energy_drift < 1e-7
    for one, other in zip(here.poses(), there.poses(), strict=True):
        assert np.allclose(one, other, atol=1e-8)
    assert np.abs(here.pose("near")[1][-1] - np.eye(3)).max() > 0.1, "it has moved"


def test_embedded_and_with_multipliers_runs_go_the_same_way() -> None:
    system = crank_and_rocker(JOINTS["two turns and a slide"], drive=True)
    equations = system.derive()
    begin = equations.assemble({"turn": 0.3}, {"turn": 2.0})
    run = equations.simulate(1, start=begin.q, speeds=begin.u)
    near = dict(zip(equations.coordinates, begin.q, strict=True))
    fewer = system.derive(independent=["turn"], near=near)
    beside = fewer.simulate(1, start=near, speeds={"turn": 2.0})
    assert run.drift.position < 1e-9
    assert beside.drift.position < 1e-9 and np.allclose(run.q[-1], beside.q[-1], atol=1e-6)


def test_a_run_audits_its_powers_and_tells_its_reaction() -> None:
    equations = crank_and_rocker(JOINTS["ball that slides"]).derive()
    run = equations.simulate(0.5, start={"turn": 0.3}, speeds={"turn": 2.0}, audit=True)
    _, torque, force = run.reaction("pin", frame="rocker")
    assert np.abs(force).max() > 1e-3
    assert np.allclose(force[:, 1], 0, atol=1e-9)  # nothing along the slide
    to_ball = -run.q[:, [equations.coordinates.index("pin 2")]] * [0, 1, 0]
    assert np.allclose(torque, np.cross(to_ball, force), atol=1e-9)  # and no torque about the ball
