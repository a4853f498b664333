"""The motion as a page, in a file or in a cell."""

from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.show import cell
from polhode.show.animation import Animation, moving_arrows, moving_axes, page_of
from polhode.show.scene import drawn_motion, with_axes, with_traces
from polhode.simulate.trajectory.trajectory import Trajectory


def ball() -> Trajectory:
    s = ph.System("ball")
    s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"))
    return s.derive().simulate(1, samples=5)


def test_with_a_path_it_is_written_and_without_one_shown(tmp_path: Path) -> None:
    run = ball()
    shown = run.animate(notes="It falls.")
    assert isinstance(shown, Animation) and "srcdoc" in shown._repr_html_()
    written, again = run.animate(tmp_path / "ball.html", notes="It falls."), shown.save(tmp_path / "again.html")
    assert written.read_text(encoding="utf-8") == shown.page == again.read_text(encoding="utf-8")
    assert "save(" in repr(shown)


def test_trajectories_show_motions_or_numbers_alone(monkeypatch, tmp_path: Path) -> None:
    loaded = Trajectory.load(ball().save(tmp_path / "run.npz"))
    assert "<iframe" not in loaded._repr_html_() and "<table" in loaded._repr_html_()
    run = ball()
    assert "<iframe" in run._repr_html_()
    monkeypatch.setattr(cell, "_LARGEST_PAGE", 1_000)
    assert "<iframe" not in run._repr_html_() and "more than the 1,000" in run._repr_html_()


@pytest.mark.parametrize("name", ["run.gif", "run.mp4", "run.png"])
def test_a_page_is_not_written_under_the_name_of_another_kind(tmp_path, name):
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    refused("E-PICTURE-UNSUPPORTED", lambda: s.derive().simulate(0.1).animate(tmp_path / name))
    assert not (tmp_path / name).exists()


@pytest.fixture(scope="module")
def system():
    s = ph.System("swing")
    arm = s.body("arm", 2, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    s.joint("hinge", s.ground, arm, ph.Revolute("y"))
    s.frame("tip", arm, at=(0, 0, -2))
    s.force(arm, (3, 0, 0), at=(0, 0, -1), name="push")
    return s


@pytest.fixture(scope="module")
def run(system):
    return system.derive().simulate(1, start={"hinge": 0.5}, samples=21)


def vectors(run, wanted):
    """The arrows by name: where they start, and the direction and relative size that they show."""
    made = moving_arrows(run, wanted)
    return {line.name: (line.ends[:, 0], line.ends[:, 1] - line.ends[:, 0]) for line in made}


def test_a_reaction_stands_at_its_joint_along_its_force(run):
    ((start, shown),) = vectors(run, "reactions").values()
    force = run.reaction("hinge", frame="ground").force
    assert np.allclose(start, 0)
    assert np.allclose(np.cross(shown, force), 0, atol=1e-9)
    scale = np.linalg.norm(shown, axis=1) / np.linalg.norm(force, axis=1)
    assert np.allclose(scale, scale[0]), "one scale for all times"


def test_a_force_stands_where_it_acts(run):
    ((start, shown),) = vectors(run, ["forces"]).values()
    position, rotation = run.pose("arm")
    assert np.allclose(start, position + rotation @ [0, 0, -1])
    assert np.allclose(shown / np.linalg.norm(shown, axis=1)[:, None], [1, 0, 0])
    assert vectors(run, "push").keys() == vectors(run, "forces").keys()


def test_angular_velocity_and_momentum(run):
    ((_, spin),) = vectors(run, ["angular velocity"]).values()
    moving = run.u[:, 0] != 0
    assert np.allclose(spin[moving][:, [0, 2]], 0)
    assert np.array_equal(np.sign(spin[moving, 1]), np.sign(run.u[moving, 0]))
    made = vectors(run, "momentum")
    about_origin, linear = run.momentum
    start, shown = made["angular momentum about the mass centre"]
    spin_momentum = about_origin - np.cross(start, linear)
    moving = np.isfinite(shown[:, 1])
    assert np.allclose(np.cross(shown, spin_momentum)[moving], 0, atol=1e-12)


def test_a_body_at_rest_has_no_arrow(run):
    made = moving_arrows(run, "angular velocity")
    assert np.isnan(made[0].ends[0]).all(), "it starts at rest"
    assert made[0].arrow and "rad/s" in made[0].told


def test_axes_and_paths_are_on_the_bodies_they_belong_to(system, run):
    scene, _ = drawn_motion(run)
    arm = next(body for body in with_axes(run, scene, ["tip"]).bodies if body.name == "arm")
    (axes,) = [shape for shape in arm.shapes if shape.kind == "frame"]
    assert axes.position == (0, 0, -2)
    point = system.bodies["arm"].point((0, 0, -1.5))
    traces = with_traces(run, scene, ["tip", point, ("arm", (1, 0, 0)), "arm"]).traces
    assert [trace.point for trace in traces] == [(0, 0, -2), (0, 0, -1.5), (1, 0, 0), (0, 0, 0)]
    assert {scene.bodies[trace.body].name for trace in traces} == {"arm"}
    assert [each.name for each in with_traces(run, scene, {"end": "tip"}).traces] == ["end"]


def test_floors_are_drawn_for_what_falls(run) -> None:
    assert drawn_motion(run)[0].floor
    s = ph.System("stone", gravity=(0, 0, 0))
    s.joint("flight", s.ground, s.body("stone", 1, inertia=(1, 1, 1)), ph.Free())
    assert not drawn_motion(s.derive().simulate(0))[0].floor


@pytest.mark.parametrize(("option", "says"), [
    ({"arrows": "forcs"}, "arrows: there is no arrow 'forcs'"), ({"arrows": 5}, "arrows: 5 is not a list of arrows"),
    ({"arrows": [5]}, "is not a list of arrows"), ({"traces": ["tp"]}, "traces: there is no body or frame 'tp'"),
    ({"traces": 5}, "traces: 5 is not a list of points"), ({"traces": [("arm", 5)]}, "is not a point"),
    ({"traces": [("arm", (1, 2))]}, "point must have shape"),
    ({"frames": ["tp"]}, "frames: there is no body or frame 'tp'"),
    ({"frames": 5}, "frames: 5 is not True or a list of frames"), ({"ghosts": 5}, "ghosts: 5 is not a list of runs"),
    ({"ghosts": ["x"]}, "ghosts: 'x' is not a trajectory"),
    ({"equations": "no"}, "equations: 'no' is not True or False"), ({"notes": 5}, "notes: 5 is not text"),
])  # fmt: skip
def test_a_wrong_option_is_refused_in_a_sentence(run, option, says):
    assert says in refused("", lambda: run.animate(**option))


def test_ghosts_and_equations_are_in_the_page(system, run):
    other = system.derive().simulate(1, start={"hinge": 0.6}, samples=21)
    text = page_of(run, ghosts={"from 0.6": other})
    assert '"ghosts":["from 0.6"]' in text and "<math" in text and "Equation of motion, joint hinge" in text
    assert "<math" not in page_of(run, equations=False)


def two_links() -> ph.System:
    s = ph.System("two links", gravity=(0, "-9.81", 0))
    first, second = (s.body(name, 1, (1, 0, 0)) for name in ("first", "second"))
    s.joint("a", s.ground, first, ph.Revolute("z"))
    s.joint("b", first, second, ph.Screw("z", "0.2"), at=(2, 0, 0))
    return s


def test_an_axis_goes_through_the_points_that_move_along_it() -> None:
    run = two_links().derive().simulate(1, start={"a": 0.3}, samples=11)
    scene, _ = drawn_motion(run)
    first, second = moving_axes(run, True, scene)
    assert (first.name, second.name) == ("screw axis of first", "screw axis of second")
    assert np.isnan(first.ends[0]).all(), "at rest there is none"
    assert first.ends[1:, :, :2] == pytest.approx(0, abs=1e-12)
    rates = run.u.sum(1)[5:-1], run.u[5:-1, 0]
    q = run.q[5:-1, 0]
    elbow = 2 * np.stack([np.cos(q), np.sin(q)], axis=1)
    velocity = 2 * rates[1][:, None] * np.stack([-np.sin(q), np.cos(q)], axis=1)
    arm = second.ends[5:-1, 0, :2] - elbow
    assert velocity + rates[0][:, None] * np.stack([-arm[:, 1], arm[:, 0]], axis=1) == pytest.approx(0, abs=1e-9)


def test_axes_are_named_and_in_the_page(tmp_path) -> None:
    run = two_links().derive().simulate(0.5, start={"a": 0.3}, samples=5)
    scene, _ = drawn_motion(run)
    (only,) = moving_axes(run, "second", scene)
    number = [body.name for body in scene.bodies].index("second")
    assert only.color == scene.bodies[number].color(number)
    assert moving_axes(run, False, scene) == [] and len(moving_axes(run, ["first", "second"], scene)) == 2
    run = two_links().derive().simulate(0.1, samples=3)
    refused("there is no body 'secnd'", lambda: run.animate(tmp_path / "run.html", screw_axes=["secnd"]))
    refused("5 is not True or a list of bodies", lambda: run.animate(tmp_path / "run.html", screw_axes=5))
    assert not list(tmp_path.iterdir())
    run = two_links().derive().simulate(0.5, start={"a": 0.3}, samples=5)
    text = run.animate(tmp_path / "run.html", screw_axes=True).read_text(encoding="utf-8")
    assert "screw axis of second" in text


def test_a_body_that_only_slides_or_turns_far_away_has_no_axis_drawn() -> None:
    s = ph.System("slider")
    s.joint("rail", s.ground, s.body("block", 1, inertia=(1, 1, 1)), ph.Compound(ph.Prismatic("x"), ph.Revolute("y")))
    run = s.derive().simulate(1, speeds=[1, 0], samples=5)
    scene, _ = drawn_motion(run)
    (line,) = moving_axes(run, True, scene)
    assert np.isnan(line.ends).all()
    fast = s.derive().simulate(1, speeds=[1000, 1], samples=5)
    assert np.isnan(moving_axes(fast, True, scene)[0].ends).all()


def test_a_short_equation_of_motion_is_on_the_page() -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    text = s.derive().simulate(1, samples=3).animate().page
    assert "Equation of motion, joint hinge" in text and "too long to be read" not in text
