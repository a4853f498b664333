"""Surfaces, contacts, stops and dry friction in model files."""

import warnings

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.formats import dumps_yaml, loads_yaml, schema

FEET = """
parameters: {r: 0.1}
bodies: {foot: {mass: 1, inertia: [1, 1, 1]}}
joints: {flight: {parent: ground, child: foot, type: free}}
surfaces:
  floor: {body: ground, shape: {type: plane}}
  heel: {body: foot, shape: {type: sphere, radius: r}}
contacts:
  touch: {a: heel, b: floor, friction: 0.5}
"""


def everything() -> ph.System:
    s = ph.System("all")
    mu, r = s.parameter("mu", 0.5), s.parameter("r", 0.1)
    a, b = (s.body(name, 1, inertia=(1, 1, 1)) for name in "AB")
    s.joint("fa", s.ground, a, ph.Free())
    s.joint("fb", s.ground, b, ph.Revolute("y"), limits=(-1, 1))
    s.frame("tool", a, (0, 0, 1))
    s.surface("floor", s.ground, ph.Shape.plane("x"), at=(0, 0, -1))
    s.surface("skin", a, ph.Shape.sphere(r), rotation=("z", 0.3))
    s.surface("bowl", s.ground, ph.Shape.sphere(-3))
    s.surface("pin", "tool", ph.Shape.capsule(r, 1))
    s.surface("block", b, ph.Shape.box(1, 2, 3))
    s.surface("egg", b, ph.Shape.ellipsoid(1, 2, r))
    s.surface("plate", b, ph.Shape.disc(1))
    s.surface("drum", b, ph.Shape.cylinder(1, r))
    s.surface(
        "road",
        s.ground,
        ph.Shape.curve(ph.table([0, 1, 2, 3], [0, 1, 0, 1], kind="cubic", outside="line", name="bumps")),
    )
    s.surface("hills", s.ground, ph.Shape.heights(lambda x, y: ph.sin(x) * r + y))
    s.contact("c1", "skin", "floor", friction=mu, static=2 * mu, stribeck=0.1, restitution=0.2)
    s.contact("c2", a.point((0, 0, -1)), "block")
    s.contact("c3", "plate", "floor")
    s.contact("c4", "pin", "hills")
    s.contact("c5", "skin", "road", friction=mu)
    s.contact("c6", "skin", "bowl", stiffness=1e4, damping=0.1, friction=0.3, law="linear")
    s.stop("fb", restitution=0.3)
    s.stop("fb", -2, 2, stiffness=100, damping=3, name="soft")
    s.friction("fb", 1, static=2, viscous=0.3)
    return s


def test_a_file_has_all_that_touches_and_sticks():
    system = everything()
    text = dumps_yaml(system)
    again = loads_yaml(text)
    assert again.model() == system.model()
    assert dumps_yaml(again) == text
    assert {"surfaces", "contacts", "stops", "friction"} <= schema()["properties"].keys()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("body: foot, shape", "body: fot, shape", "there is no body 'fot'"),
        ("b: floor", "b: flor", "there is no surface 'flor'"),
        ("friction: 0.5", "friction: -0.5", "the friction -1/2 is negative"),
        ("friction: 0.5", "friction: 0.5, static: 0.1", "below that in motion"),
        ("friction: 0.5", "restitution: 1.5", "not between 0 and 1"),
        ("friction: 0.5", "stiffness: 1e4", "(?s)no such key.*`loads`, of `type: compliant_contact`"),
        ("type: plane", "type: heights, height: t", "(?s)nothing called 't'.*Known: x, y"),
        ("body: ground, shape", "body: foot, shape", "body 'foot' cannot touch itself"),
        ("type: plane", "type: hollow, radius: x", "nothing called 'x'"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(old: str, new: str, message: str):
    with pytest.raises(PolhodeError, match=message):
        loads_yaml(FEET.replace(old, new))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert loads_yaml(FEET).contacts["touch"].a.name == "heel"


def test_stops_of_joints_friction_and_normals_of_planes_are_those_of_python():
    text = """
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  h: {parent: ground, child: a, type: revolute, axis: y, limits: [[-1, 1]], stop: 0.3}
  g: {parent: a, child: b, type: revolute, axis: y, limits: [[-1, 1]], stop: {stiffness: 50, damping: 2}}
surfaces: {wall: {body: ground, shape: {type: plane, normal: [0, 3, 4]}}}
friction: {dry: {joint: h, coulomb: 2, viscous: 0.1}, soft: {joint: g, coulomb: 1, bristle: [1e4, 10]}}
"""
    s = ph.System("system")
    a, b = (s.body(name, 1, inertia=(1, 1, 1)) for name in "ab")
    s.joint("h", s.ground, a, ph.Revolute("y"), limits=(-1, 1), stop=0.3)
    s.joint("g", a, b, ph.Revolute("y"), limits=(-1, 1), stop={"stiffness": 50, "damping": 2})
    s.surface("wall", s.ground, ph.Shape.plane((0, 3, 4)))
    s.friction("h", 2, viscous=0.1, name="dry")
    s.friction("g", 1, bristle=(1e4, 10), name="soft")
    assert loads_yaml(text).model() == s.model()
    bounds = {word: loads_yaml(text.replace("stop: 0.3", f"stop: {word}")).contacts for word in ("true", "0", "false")}
    assert bounds["true"]["h stop"] == bounds["0"]["h stop"] and "h stop" not in bounds["false"]
    with pytest.raises(PolhodeError, match="a normal or a rotation"):
        loads_yaml(text.replace("normal:", "rotation: [z, 1], normal:"))


@pytest.mark.parametrize(
    ("old", "new"), [("{type: plane}", "{type: plane, normal: w}"), ("body: ground, shape", "body: nobody, shape")]
)
def test_a_wrong_surface_is_one_problem(old: str, new: str):
    with pytest.raises(PolhodeError) as caught:
        loads_yaml(FLOOR.replace(old, new))
    assert len(caught.value.problems) == 1


FLOOR = """
bodies: {b: {mass: 1}}
joints: {z: {parent: ground, child: b, type: prismatic, axis: z}}
surfaces:
  floor: {body: ground, shape: {type: plane}}
contacts: {touch: {a: b, b: floor}}
"""
