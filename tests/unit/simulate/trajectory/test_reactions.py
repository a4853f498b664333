"""What joints and constraints carried along a run."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import evaluate
from polhode.simulate import Trajectory
from polhode.simulate.contact.results import Forces
from polhode.simulate.trajectory.reactions import contact_of


def crane() -> ph.System:
    """A driven slide, a pendulum on it and a weight welded to that."""
    s = ph.System("crane", gravity=(0, 0, "-9.81"))
    m = s.parameter("m", 2)
    cart = s.body("cart", 5)
    rope = s.body("rope", m, com=(0, 0, -1), inertia=(1, 1, 1))
    s.joint("slide", s.ground, cart, ph.Prismatic("x"))
    s.joint("hook", cart, rope, ph.Revolute("y"))
    s.joint("clamp", rope, s.body("load", 3), at=(0, 0, -2))
    s.prescribe("slide", ph.sin(2 * s.time))
    return s


@pytest.fixture(scope="module")
def run() -> Trajectory:
    return crane().derive().simulate(2, start={"hook": 0.5}, samples=41, tau=lambda t, q, u: [-u[0]])


def test_reactions_along_a_run_are_the_exact_ones_at_its_samples(run: Trajectory) -> None:
    equations = run.equations
    time, torque, force = run.reaction("hook", at="load", frame="ground")
    exact = equations.reaction("hook", at="load", frame="ground")
    assert torque.shape == force.shape == (41, 3)
    assert run.tau is not None
    for k in (0, 17, 40):
        values = {equations.q[0]: run.q[k, 0], equations.u[0]: run.u[k, 0], equations.tau[0]: run.tau[k, 0]}
        values |= {equations.system.time: time[k], equations.system.parameters["m"].symbol: 2.0}
        assert evaluate([*exact.torque, *exact.force], values) == pytest.approx([*torque[k], *force[k]], rel=1e-12)


def test_reactions_of_other_parameters_and_of_a_given_motion(run: Trajectory) -> None:
    heavy = run.of(run.equations, {"m": 20})
    assert heavy.tau is not None
    assert np.abs(heavy.reaction("hook").force[0]).max() > 2 * np.abs(run.reaction("hook").force[0]).max()
    f = crane().derive().compile(cache=False)
    _, force = f.reaction("clamp", [0.0], [0.0], udot=[0.5], frame="ground")
    assert force == pytest.approx([3 * -2 * 0.5, 0, 3 * 9.81])


def test_reactions_are_columns_of_the_text_and_panels_of_the_plot(run: Trajectory, tmp_path: Path) -> None:
    run.to_csv(tmp_path / "run.csv", reactions=["hook"])
    header, first = (tmp_path / "run.csv").read_text().splitlines()[:2]
    assert header.endswith("torque.hook.z [N·m],force.hook.x [N],force.hook.y [N],force.hook.z [N]")
    assert float(first.split(",")[-1]) == run.reaction("hook").force[0, 2]
    again = Trajectory.from_csv(tmp_path / "run.csv", run.equations)
    assert again.coordinates == ("hook",) and (again.q == run.q).all()
    titles = [axes.get_title(loc="left") for axes in run.plot(reactions=["hook"]).axes]
    assert any(title.startswith("Force of hook  (N)") for title in titles)
    assert again.reaction("hook").force == pytest.approx(run.reaction("hook").force)
    bare = replace(again, tau=None)
    refused("does not hold the efforts", lambda: bare.reaction("hook"))
    assert bare.reaction("hook", tau=run.tau).force == pytest.approx(run.reaction("hook").force)


def test_wrong_names_are_told_with_what_is_near(run: Trajectory) -> None:
    refused(r"no joint or constraint 'hok'(.|\n)*Did you mean 'hook'", lambda: run.reaction("hok"))
    refused(r"no body or frame 'crt'(.|\n)*Did you mean 'cart'", lambda: run.reaction("hook", at="crt"))
    refused(r"no prescribed coordinate 'slid'(.|\n)*Did you mean 'slide'", lambda: run.driving_force("slid"))


def test_names_may_hold_the_words_between_names() -> None:
    s = ph.System("odd", gravity=(0, 0, -10))
    arm = s.body("arm at rest", 2, com=(1, 0, 0), inertia=(1, 1, 1))
    s.joint("pin in wall", s.ground, arm, ph.Revolute("y"))
    f = s.derive().compile(cache=False)
    asked = {"at": "arm at rest", "frame": "ground", "on": "ground"}
    assert f.reaction("pin in wall", [0.0], [0.0], [20.0], **asked)[1] == pytest.approx([0, 0, -(20 - 2 * 40 / 3)])


def four_bar(constraints: str = "multipliers") -> ph.Equations:
    s = ph.System("four-bar", gravity=(0, 0, "-9.81"))
    crank = s.body("crank", 1, com=(1, 0, 0), inertia=(1, 1, 1))
    rod = s.body("rod", 2, com=(1, 0, 0), inertia=(1, 2, 2))
    rocker = s.body("rocker", 1, com=(1, 0, 0), inertia=(1, 1, 1))
    s.joint("a", s.ground, crank, ph.Revolute("y"))
    s.joint("b", crank, rod, ph.Revolute("y"), at=(2, 0, 0))
    s.joint("d", rod, rocker, ph.Revolute("y"), at=(3, 0, 0))
    s.close("c", s.ground, rocker, ph.Revolute("y"), at_a=(3, 0, 0), at_b=(2, 0, 0))
    return s.derive(constraints=constraints)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_a_closing_joint_carries_what_its_multipliers_say(constraints: str) -> None:
    equations = four_bar(constraints)
    q, u = [0.3, 0.7, 0.4], [0.2, -0.1, 0.3][: len(equations.u)]
    torque, force = equations.compile(cache=False).reaction("c", q, u)
    exact = equations.reaction("c")
    values = dict(zip([*equations.q, *equations.u], [*q, *u], strict=True)) | dict.fromkeys(equations.tau, 0.0)
    assert evaluate([*exact.torque, *exact.force], values) == pytest.approx([*torque, *force], rel=1e-9)


def test_reactions_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ph.PolhodeError, match="multipliers of the constraints must be given"):
        four_bar().compile(cache=False).reaction("a", [0.3, 0.7, 0.4], [0.0] * 3, udot=[0.0] * 3)
    refused("system 'crane' has no constraints", lambda: crane().derive().operations("constraint_balance"))
    s = crane()
    s.constrain(s.joints["hook"].q[0] - ph.sin(s.time), "tilt")
    refused(r"condition 'tilt' acts on no body(.|\n)*multipliers", lambda: s.derive().reaction("tilt"))


def test_functions_of_reactions_are_exported_under_names_that_compilers_take(tmp_path: Path) -> None:
    equations = crane().derive()
    written = equations.export("c", tmp_path, of=[ph.ReactionOf("hook"), ph.DrivingForceOf("slide")], prefix="")
    assert {"reaction_hook.c", "driving_force_slide.c"} <= {path.name for path in written}
    record = json.loads((tmp_path / "reaction_hook.json").read_text())
    assert [array["name"] for array in record["arrays"]] == ["q", "u", "accelerations", "t"]


def test_functions_whose_names_compilers_cannot_tell_apart_are_not_written(tmp_path: Path) -> None:
    s = crane()
    s.joint("clamp b", "rope", s.body("x", 1))
    (header,) = [
        path for path in s.derive().export("c", tmp_path, of=ph.ReactionOf("clamp b"), prefix="") if path.suffix == ".h"
    ]
    twin = header.stem.removeprefix("reaction_")
    s.joint(twin, "rope", s.body("y", 1))
    with pytest.raises(ph.PolhodeError, match="two functions would be written"):
        s.derive().export("c", tmp_path, of=[ph.ReactionOf("clamp b"), ph.ReactionOf(twin)])


TIMES = np.linspace(0.0, 1.0, 6)


def forces(*normal: float) -> np.ndarray:
    return np.column_stack([np.full(6, 3.0), np.full(6, 4.0), normal])


def test_a_contact_has_its_pulls_its_friction_and_any_normal() -> None:
    found = contact_of(TIMES, forces(5, -1, -2, 5, 5, -3))
    assert np.allclose(found.pulls, [(0.2, 0.4), (1.0, 1.0)]) and "pulls with up to 3 N" in str(found)
    found = contact_of(TIMES, forces(5, 10, 20, 0, -1, 50))
    assert np.allclose(found.friction[[0, 1, 2, 5]], [1, 0.5, 0.25, 0.1])
    assert np.isnan(found.friction[[3, 4]]).all() and "friction of 1" in str(found)
    found = contact_of(TIMES, forces(0, 0, 0, 0, 0, 0), normal=(0, 7, 0))
    assert np.allclose(found.normal, 4) and np.allclose(found.friction, 0.75)
    assert not found.pulls and str(found).startswith("pushes with 4 to 4 N")


@pytest.mark.parametrize("normal", [(0, 0, 0), (0, float("nan"), 1), "up"])
def test_a_normal_without_direction_is_refused(normal: object) -> None:
    refused("normal", lambda: contact_of(TIMES, forces(1, 1, 1, 1, 1, 1), normal))  # type: ignore[arg-type]


def test_a_bead_thrown_over_a_hump_would_leave_it() -> None:
    """On the parabola z = -x²/2 a bead with v² > g leaves at the top: the wire must pull."""
    s = ph.System("bead", gravity=(0, 0, -1))
    s.joint(
        "move", s.ground, s.body("bead", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")), coordinates=["x", "z"]
    )
    s.roll_disc("wire", "bead", 0, lambda x: -(x**2) / 2, slips=True)
    equations = s.derive()
    for speed, pulls in ((0.9, False), (1.1, True)):
        run = equations.simulate(0.1, start={"x'": speed})
        assert bool(run.reaction("wire").contact().pulls) == pulls


def test_contact_forces_act_on_what_a_joint_carries() -> None:
    """Newton's and Euler's equations of the lower link of a double pendulum whose tip slides and sticks on a floor."""
    s = ph.System("double pendulum")
    upper, lower = (s.body(name, 1, (0, 0, -0.5), (0.1,) * 3) for name in ("upper", "lower"))
    s.joint("shoulder", s.ground, upper, ph.Revolute("y"))
    s.joint("elbow", upper, lower, ph.Revolute("y"), at=(0, 0, -1))
    floor = s.surface("floor", s.ground, ph.Shape.plane(), at=(0, 0, -1.7))
    s.contact("tip", s.point(lower, (0, 0, -1)), floor, friction=0.3)
    s.friction("shoulder", coulomb=0.3)
    s.stop("elbow", -1, 1)
    run = s.derive().simulate(1, start={"shoulder": 1.2}, rtol=1e-10, atol=1e-10)
    tip, elbow = run.contact("tip"), run.reaction("elbow", frame="ground")
    assert {*tip.mode} == {"open", "slip", "stick"}
    udot = Forces(run, run.info["contacts"]).accelerations

    def acceleration(angle: Any, speed: Any, rate: Any, length: float) -> Any:
        x, z = np.sin(angle), np.cos(angle)
        return -length * np.stack([z * rate - x * speed**2, 0 * angle, -x * rate - z * speed**2], axis=1)

    (a, b), (w, v), (alpha, beta) = (each.T for each in (run.q, run.u, udot))
    centre = acceleration(a, w, alpha, 1.0) + acceleration(a + b, w + v, alpha + beta, 0.5)
    touch = np.stack([tip.tangential[:, 0], 0 * tip.normal, tip.normal], axis=1)
    assert np.abs(elbow.force + touch + [0, 0, -9.81] - centre).max() < 1e-12
    arm = 0.5 * np.stack([np.sin(a + b), 0 * a, np.cos(a + b)], axis=1)
    torque = elbow.torque + np.cross(arm, elbow.force - touch)
    assert np.abs(torque[:, 1] - 0.1 * (alpha + beta)).max() < 1e-12
    assert np.abs(run.reaction("shoulder").torque[w < -1e-3, 1] - 0.3).max() < 1e-12  # dry friction is in its joint
    weight = run.reaction("shoulder", frame="ground").force + touch + [0, 0, -2 * 9.81]
    assert np.abs(weight - centre - acceleration(a, w, alpha, 0.5)).max() < 1e-12
    refused("this run has no history of its contacts", lambda: replace(run, info={}).reaction("elbow"))


def test_driving_forces_hold_what_contacts_push() -> None:
    """A plate that is moved up at a constant rate carries a block; a closed loop beside it changes nothing."""
    s = ph.System("lift")
    plate, block = s.body("plate", 2), s.body("block", 3)
    s.joint("rise", s.ground, plate, ph.Prismatic("z"))
    s.joint("fall", s.ground, block, ph.Prismatic("z"))
    s.prescribe("rise", s.time / 10)
    s.contact("load", block, s.surface("top", plate, ph.Shape.plane()))
    run = s.derive().simulate(1, samples=3)
    assert run.driving_force("rise") == pytest.approx([5 * 9.81] * 3)
    assert run.reaction("rise").force[:, 2] == pytest.approx([5 * 9.81] * 3)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_contacts_and_loops_act_together(constraints: str) -> None:
    """A beam on two pivots, one of them on a pivoted link of a loop, is held by its stop: moments about the pin."""
    s = ph.System("beam", gravity=(0, 0, -10))
    beam, strut = s.body("beam", 4, (1, 0, 0), (0, 1, 1)), s.body("strut", 0.5, (0.5, 0, 0), (0, 0.1, 0.1))
    s.joint("pin", s.ground, beam, ph.Revolute("-y"))
    s.joint("hinge", beam, strut, ph.Revolute("-y"), at=(1, 0, 0))
    s.joint("slide", s.ground, s.body("shoe", 1), ph.Prismatic("x"), at=(2, 0, 0))
    s.close("eye", strut, s.bodies["shoe"], ph.Revolute("-y"), at_a=(1, 0, 0))
    s.contact("rest", beam.point((0.5, 0, 0)), s.surface("floor", s.ground, ph.Shape.plane()))
    run = s.derive(constraints=constraints).simulate(0.1, samples=2)
    pushed = run.contact("rest").normal[-1]
    forces = [run.reaction(name, frame="ground").force[-1] for name in ("pin", "hinge", "eye")]
    assert forces[0][2] + pushed - 40 - forces[1][2] == pytest.approx(0, abs=1e-9)
    assert 0.5 * pushed - 40 - forces[1][2] == pytest.approx(0, abs=1e-9)
    assert run.power_audit().residual < 1e-12
