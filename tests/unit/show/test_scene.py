"""What bodies look like when nobody has said."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.model.records import GROUND
from polhode.model.samples import six_degree_of_freedom_arm
from polhode.show.scene import Painter, drawn_motion, quaternions_of, with_axes, with_traces
from polhode.view.scene import SceneBody


def scene_of(equations, parameters, reach=None, looks=None):
    return Painter(equations.system, parameters, reach or {}, looks).scene(equations.system.name)


def drawn(system: ph.System, **parameters: float) -> dict[str, SceneBody]:
    return {body.name: body for body in scene_of(system.derive().record, parameters).bodies}


def two_links() -> ph.System:
    s = ph.System("two links", gravity=(0, -9.81, 0))
    l = s.parameter("l", 2)
    first = s.body("first", 1, (l / 2, 0, 0))
    second = s.body("second", 1, (l / 2, 0, 0))
    s.joint("a", s.ground, first, ph.Revolute("z"))
    s.joint("b", first, second, ph.Revolute("z"), at=(l, 0, 0))
    return s


def test_links_boxes_rods_and_own_shapes_are_drawn() -> None:
    capsule = next(piece for piece in drawn(two_links())["first"].shapes if piece.kind == "capsule")
    assert capsule.size[1] == pytest.approx(2.0)
    half = Rotation.from_quat(np.roll(np.asarray(capsule.rotation), -1)).apply([0, 0, capsule.size[1] / 2])
    assert np.abs(half) == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert capsule.position == pytest.approx([1.0, 0.0, 0.0])
    small, large = (drawn(two_links(), l=l)["first"].shapes[0] for l in (1.0, 10.0))
    assert large.size[0] == pytest.approx(10 * small.size[0])
    s = ph.System("brick")
    s.joint("air", s.ground, s.body("brick", 3, inertia=ph.box(3, 1, 2, 4)), ph.Free())
    (piece,) = drawn(s)["brick"].shapes
    assert piece.kind == "box" and sorted(piece.size) == pytest.approx([1, 2, 4])
    s = ph.System("rod")
    s.joint("hinge", s.ground, s.body("rod", 1, (0, 0, -1), ph.rod(1, 2)), ph.Revolute("y"))
    assert [piece.kind for piece in drawn(s)["rod"].shapes] == ["capsule", "sphere"]
    pieces = drawn(six_degree_of_freedom_arm(), l1=5.0)["upper arm"].shapes
    assert pieces[0].kind == "capsule" and pieces[0].size[1] == 5.0


def test_a_link_is_drawn_to_where_its_loop_closes_and_up_is_against_gravity_and_free_bodies_have_no_base() -> None:
    s = two_links()
    third = s.body("third", 1)
    s.joint("c", s.ground, third, ph.Revolute("z"), at=(3, 0, 0))
    s.close("pin", "second", third, ph.Revolute("z"), at_a=(2, 0, 0), at_b=(0, 3, 0))
    s.close("rest", s.ground, third, ph.Planar("z"), at_a=(0, 5, 0))
    made = drawn(s)
    capsule = next(piece for piece in made["third"].shapes if piece.kind == "capsule")
    assert capsule.position == pytest.approx([0.0, 1.5, 0.0])
    assert made["third"].tracer == pytest.approx([0.0, 3.0, 0.0])
    assert [piece.position for piece in made[GROUND].shapes] == [(0, 0, 0), (3, 0, 0), (0, 5, 0)]
    assert scene_of(two_links().derive().record, {}).up == pytest.approx([0, 1, 0])
    s = ph.System("stone")
    s.joint("air", s.ground, s.body("stone", 1, inertia=(1, 1, 1)), ph.Free())
    assert drawn(s)[GROUND].shapes == ()
    matrices = Rotation.random(20, random_state=1).as_matrix().reshape(4, 5, 3, 3)
    made = quaternions_of(matrices)
    again = Rotation.from_quat(made[..., [1, 2, 3, 0]].reshape(-1, 4)).as_matrix()
    assert np.abs(again.reshape(4, 5, 3, 3) - matrices).max() < 1e-12


def test_what_rolls_rolls_on_the_ground_that_is_drawn_and_what_glides_glides_at_the_height_of_the_origin() -> None:
    s = ph.System("wheel", gravity=(0, 0, "9.81"))  # z points down
    r = s.parameter("r", 0.3)
    wheel = s.body("wheel", 1, inertia=ph.disc(1, r, "y"))
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("plane", s.ground, wheel, plane)
    assert scene_of(s.derive().record, {}).ground is None
    s.roll_wheel("contact", wheel, r, "y", at=(0, 0, r), rotation=("x", ph.pi))
    scene = scene_of(s.derive().record, {"r": 0.5})
    assert scene.ground == pytest.approx(-0.5)  # along what is up
    assert scene.bodies[0].shapes == ()
    s = ph.System("sleigh")
    body = s.body("sleigh", 1, com=(1, 0, 0), inertia=(1, 1, 1))
    s.joint("ice", s.ground, body, ph.Planar())
    s.knife_edge("runner", body)
    assert scene_of(s.derive().record, {}).ground == 0.0


def test_a_curve_is_drawn_as_far_as_its_disc_comes() -> None:
    s = ph.System("bead")
    s.joint("move", s.ground, s.body("bead", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")))
    s.roll_disc("wire", "bead", 0, lambda x: x**2, slips=True, at=(0, 0, 5))
    ground = scene_of(s.derive().record, {}, {"wire place": (-1.0, 1.0)}).bodies[0]
    places = np.array([piece.position for piece in ground.shapes])
    assert places[:, 2] - 5 == pytest.approx(places[:, 0] ** 2, abs=1e-2) and 1.0 < places[:, 0].max() < 1.3


def test_a_decoupled_rotor_is_not_drawn_where_it_is_not() -> None:
    """It turns against the ground in the equations alone; what it weighs is drawn on its carrier."""
    shown = {}
    for coupling in ("full", "reduced"):
        s = two_links()
        joint = next(name for name, each in s.joints.items() if each.parent != GROUND and len(each.u) == 1)
        s.motor(joint, 10, inertia=(1, 1, 1), mass=1, coupling=coupling)
        shown[coupling] = drawn(s)
        rotor = f"{joint} rotor"
    assert shown["full"][rotor].shapes and not shown["reduced"][rotor].shapes
    assert shown["reduced"][f"{rotor} mass"].shapes
    assert len(shown["reduced"][GROUND].shapes) == len(shown["full"][GROUND].shapes)


def test_what_time_places_is_drawn_where_it_is_and_not_on_the_body_where_it_was() -> None:
    s = ph.System("crane", gravity=(0, 0, -10))
    jib, load = s.body("jib", 1, (1, 0, 0)), s.body("load", 1, (0, 0, -1))
    s.joint("turn", s.ground, jib, ph.Revolute("z"))
    s.joint("swing", jib, load, ph.Revolute("y"), at=(2 + s.time, 0, 0))
    s.frame("trolley", jib, at=(2 + s.time, 0, 0), rotation=("z", s.time))
    s.spring("trolley", load, 3, at_b=(0, 0, -1))
    run = s.derive().simulate(1, start={"swing": 0.3}, speeds={"turn": 1}, samples=5)
    scene, motion = drawn_motion(run)
    at = [body.name for body in scene.bodies].index("trolley")
    position, rotation = run.pose("trolley")
    assert motion.positions[:, at] == pytest.approx(position)
    assert np.abs((motion.quaternions[:, at] * quaternions_of(rotation)).sum(1)) == pytest.approx(1)
    assert scene.lines == ()  # an end that moves on its body is not drawn as if it stayed
    pieces = {body.name: [shape.kind for shape in body.shapes] for body in scene.bodies}
    assert "cylinder" in pieces["load"]  # the hinge, on the body where it stays
    traced = with_traces(run, with_axes(run, scene, ["trolley"]), ["trolley"])
    assert [shape.kind for shape in traced.bodies[at].shapes] == ["frame"]
    assert [trace.body for trace in traced.traces] == [at]
    with pytest.raises(ph.PolhodeError, match="moves on it in time"):
        with_traces(run, scene, [jib.point((s.time, 0, 0))])


def test_each_bar_of_a_flexible_body_is_drawn_where_it_is_bent_and_a_beam_of_several_segments_is_one_line() -> None:
    s = ph.System("frame", gravity=(0, 0, 0))
    bars = [(1, (-1, y, 0), (1, y, 0)) for y in (-0.5, 0.5)]
    frame = s.flexible_body("frame", shapes=[lambda x, y, z: (0, 0, x**2)], material=bars, stiffness=[10])
    s.joint("wall", s.ground, frame, "fixed")
    run = s.derive().simulate(0, start={"frame_1": 0.25})
    _, motion = drawn_motion(run)
    ends = np.array([line.ends[0] for line in motion.lines]).reshape(-1, 3)
    assert {round(float(y), 9) for y in ends[:, 1]} == {-0.5, 0.5} and np.allclose(ends[:, 2], 0.25 * ends[:, 0] ** 2)
    s = ph.System("boom", gravity=(0, 0, 0))
    boom = s.beam("boom", length=2, mass=1, EI=10, modes=1)
    s.joint("wall", s.ground, boom, "fixed")
    s.force(boom.at(1), (0, 0, 1))
    _, motion = drawn_motion(s.derive().simulate(0))
    starts, stops = (np.array([line.ends[0][k][0] for line in motion.lines]) for k in (0, 1))
    assert np.allclose(starts[1:], stops[:-1]) and (starts[0], stops[-1]) == (0, 2)


def test_the_page_lists_what_is_drawn_and_not_the_parts_of_a_flexible_body() -> None:
    s = ph.System("arm")
    boom = s.beam("boom", length=2, mass=1, EI=10, modes=1)
    s.joint("root", s.ground, boom, "fixed")
    s.joint("tip", boom.at(2), s.body("load", 1, (0, 0, -1)), ph.Revolute("y"))
    s.frame("eye", boom.at(1, static=False))
    scene, motion = drawn_motion(s.derive().simulate(0))
    assert [body.name for body in scene.bodies if body.listed] == ["ground", "boom", "boom at 2", "load"]
    assert all(body.listed or not body.shapes for body in scene.bodies)
    colors = {body.name: body.color(k) for k, body in enumerate(scene.bodies)}
    assert {line.color for line in motion.lines} == {colors["boom"]}
