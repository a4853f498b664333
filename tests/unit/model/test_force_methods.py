"""Loads in the vector language: forces along arrows, at points, along lines, by a field."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import FormatError, ModelError, PolhodeError
from polhode.expr import Expr, Vector, as_expr, cos, free_symbols, jacobian, same, sin
from polhode.formalisms.registry import names
from polhode.formats import dumps_yaml, loads_yaml
from polhode.kinematics.vectors.scene import TIME
from polhode.model.forces import Force, LineForce, Torque

FORMALISMS, EVERY = names(), names(historical=True)


def arm(gravity: Any = (0, 0, "-9.81")) -> ph.System:
    """Three links, the last one on a slide, with symbolic masses."""
    s = ph.System("arm", gravity=gravity)
    l, m = s.parameter("l"), s.parameter("m")
    upper = s.body("upper", mass=m, com=(0, 0, l / 2), inertia=ph.rod(m, l))
    lower = s.body("lower", mass=m, com=(0, 0, l / 2), inertia=ph.rod(m, l))
    hand = s.body("hand", mass=1, com=(0.1, 0, 0), inertia=ph.sphere(1, 0.1))
    s.joint("shoulder", s.ground, upper, ph.Revolute("y"))
    s.joint("elbow", upper, lower, ph.Revolute("x"), at=(0, 0, l))
    s.joint("slide", lower, hand, ph.Prismatic("z"), at=(0, 0, l))
    return s


def efforts(equations: ph.Equations, power: Any) -> list[Expr]:
    """The generalized forces of a power that is linear in the speeds: ∂P/∂u."""
    return list(jacobian([as_expr(power)], list(equations.u))[0])


def added(with_load: ph.Equations, without: ph.Equations) -> list[Expr]:
    """The generalized forces that a load adds: bias is what M u̇ lacks to τ."""
    return [b - a for a, b in zip(with_load.bias, without.bias, strict=True)]


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_a_force_along_an_arrow_does_its_power_at_its_point(formalism: str) -> None:
    s, plain = arm(), arm()
    F = 2 * s.ground.x + s.input("push") * s.bodies["upper"].z - s.bodies["hand"].y
    P = s.bodies["hand"].point((0, 0.2, 0.3))
    s.force("hand", F, at=P)
    s.torque(s.bodies["lower"], 7 * s.bodies["hand"].x)
    power = (F & P.velocity()) + 7 * (s.bodies["hand"].x & s.bodies["lower"].angular_velocity())
    made = s.derive(formalism)
    assert same(added(made, plain.derive(formalism)), efforts(made, power))


def test_an_arrow_in_one_frame_is_kept_there_and_a_mixed_one_in_the_ground() -> None:
    s = arm()
    hand = s.bodies["hand"]
    s.force(hand, 3 * hand.x + hand.y)
    s.force(hand.origin, hand.x + s.ground.z)
    s.torque(hand, hand.x, frame="lower")
    own, mixed, asked = s.loads
    assert isinstance(own, Force) and isinstance(mixed, Force)
    assert isinstance(asked, Torque) and (own.frame, mixed.frame, asked.frame) == ("hand", "ground", "lower")
    assert own.vector == (3, 1, 0)


def test_a_force_in_the_body_itself_brings_no_angle_into_its_wrench() -> None:
    from polhode.dynamics.loads import Loads
    from polhode.kinematics.tree import build_tree

    s = arm()
    s.force("hand", (1, 2, 3), at=(0, 1, 0), frame="hand")
    s.force("hand", (1, 2, 3), frame="upper")
    torque, force = Loads(s, build_tree(s)).wrenches()[-1]
    assert {x.name for x in free_symbols([*map(as_expr, torque), *map(as_expr, force)])} == {"elbow"}


@pytest.mark.parametrize("formalism", EVERY)
def test_gravity_may_depend_on_parameters_inputs_and_time(formalism: str) -> None:
    """With gravity g(t), the weight of each body is a force m g(t) at its mass centre."""
    s, weightless = ph.System("lift", gravity=(0, 0, 0)), ph.System("lift", gravity=(0, 0, 0))
    for system in (s, weightless):
        g, lift = system.parameter("g"), system.input("lift")
        pull = Vector([g * sin(system.time), lift, -g])
        for name, parent, axis in (("A", "ground", "x"), ("B", "A", "y")):
            system.body(name, mass=2, com=(0, 1, 0.5), inertia=(1, 1, 1))
            system.joint(name, parent, name, ph.Revolute(axis), at=(0, 0, 1))
        if system is s:
            system.gravity = pull
        else:
            for body in ("A", "B"):
                system.force(body, pull * 2, at=(0, 1, 0.5))
    assert s.derive(formalism).agrees_with(weightless.derive("poincare"))
    assert s.derive(formalism).agrees_with(s.derive("poincare"))


def test_gravity_may_be_an_arrow_of_the_ground_but_not_of_a_moving_body() -> None:
    s = arm()
    g = s.parameter("g")
    s.gravity = -g * s.ground.z
    assert s.gravity == (0, 0, -g)
    with pytest.raises(ModelError, match="gravity cannot depend on the coordinate 'shoulder'") as caught:
        s.gravity = s.bodies["upper"].z
    assert "gravity_field" in caught.value.problems[0].cure
    with pytest.raises(ModelError, match="gravity has 3 components"):
        s.gravity = (0, 0)
    assert s.gravity == (0, 0, -g)


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_a_uniform_field_is_gravity(formalism: str) -> None:
    s, fallen = arm(), arm(gravity=(0, 0, 0))
    fallen.gravity_field(lambda position: (0, 0, -9.81))
    assert s.derive("poincare").agrees_with(fallen.derive(formalism))


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_a_field_with_a_potential_does_the_work_of_that_potential(formalism: str) -> None:
    """g = -k r is the gradient of -k r²/2: forces and potential energy give the same equations."""
    one, two = arm(gravity=(0, 0, 0)), arm(gravity=(0, 0, 0))
    for system in (one, two):
        late = system.body("late", mass=3, com=(0.2, 0, 0), inertia=(1, 1, 1))
        if system is one:
            one.gravity_field(lambda r: -4 * r)  # before the last body is joined
        system.joint("late", "hand", late, ph.Revolute("z"), at=(0, 0.5, 0))
    made = two.derive(formalism)
    for body in two.bodies.values():
        if body.mass:
            r = body.centre.position()
            two.potential(4 * body.mass * (r & r) / 2)
    assert one.derive(formalism).agrees_with(two.derive("poincare")) and not one.derive(formalism).agrees_with(made)
    assert one.derive().potential_energy == two.derive().potential_energy


def distance(r: Vector) -> Any:
    return ph.sqrt(r.dot(r))


def oblate(r: Vector) -> list[Any]:
    """The acceleration of an oblate planet: -∂/∂r of -1/|r| + (3 z²/|r|² - 1)/(200 |r|³)."""
    d = distance(r)
    flat = [(as_expr(k) / d**5 - 15 * r[2] ** 2 / d**7) / 200 for k in (3, 3, 9)]
    return [-x / d**3 - x * more for x, more in zip(r, flat, strict=True)]


def far(x: float, y: float, z: float) -> float:
    return float(np.linalg.norm([x, y, z]))


#: Fields with the potential that is found, or given, per kilogram at (x, y, z), in numbers.
FIELDS: dict[str, tuple[dict[str, Any], Callable[[float, float, float], float] | None]] = {
    "planet": ({"law": lambda r: r * (-2 / distance(r) ** 3)}, lambda *at: -2 / far(*at)),
    "oblate": (
        {"law": oblate},
        lambda *at: -1 / far(*at) + (3 * at[2] ** 2 / far(*at) ** 2 - 1) / (200 * far(*at) ** 3),
    ),
    "well and weight": ({"law": lambda r: -3 * r + Vector([0, 0, -9])}, lambda *at: 1.5 * far(*at) ** 2 + 9 * at[2]),
    "given": ({"potential": lambda r: ph.log(r.dot(r))}, lambda *at: 2 * np.log(far(*at))),
    "both": ({"law": lambda r: -2 * r, "potential": lambda r: r.dot(r)}, lambda *at: far(*at) ** 2),
    "whirl": ({"law": lambda r: (-r[1], r[0], 0)}, None),
}


def flying(**field: Any) -> ph.System:
    s = ph.System("probe", gravity=(0, 0, 0))
    six = ph.Compound(*map(ph.Prismatic, "xyz"), *map(ph.Revolute, "zx"))
    body = s.body("probe", 3, com=(0.1, 0.2, 0), inertia=(1, 2, 3))
    s.joint("way", s.ground, body, six, coordinates=["x", "y", "z", "yaw", "roll"])
    s.gravity_field(**field)
    return s


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_stores_energy_if_it_has_a_potential(name: str) -> None:
    given, potential = FIELDS[name]
    system = flying(name=name, **given)
    e = system.derive()
    run = e.simulate(3, start={"x": 1, "z": 0.1, "y'": 1.3, "yaw'": 0.4}, audit=True)
    if potential is None:
        assert e.potential_energy == 0 and f"load {name}" in e.power().ports
    else:
        centre = np.array(
            [run.values(entry)[0] for entry in system.bodies["probe"].centre.position().components("ground")]
        )
        assert run.energy.potential == pytest.approx([3 * potential(*at) for at in centre.T], rel=1e-9, abs=1e-12)
        assert run.energy_drift < 1e-8 and f"load {name}" not in e.power().ports
    assert system.compare(["newton_euler", "kane"], run=False, functions=()).agree
    again = loads_yaml(dumps_yaml(system)).derive()
    assert again.agrees_with(e) and again.potential_energy == e.potential_energy


def test_the_power_of_a_field_that_moves_is_the_explicit_rate_of_its_potential() -> None:
    s = flying(potential=lambda r: -1 / distance(r - Vector([2 * ph.cos(TIME), 2 * ph.sin(TIME), 0])), name="moon")
    run = s.derive().simulate(2, start={"x": 0.5}, audit=True)
    assert run.energy_drift > 1e-3 and set(s.derive().power().ports) >= {"load moon"}
    assert s.compare(run=False, functions=()).agree


@pytest.mark.parametrize(
    ("field", "sentence"),
    [
        ({"law": lambda r: -4 * r, "potential": lambda r: 3 * r.dot(r)}, "not the downward slope"),
        ({}, "a field needs a law"),
        ({"potential": lambda r: r}, "no number or expression"),
    ],
)
def test_a_field_that_is_none_is_refused(field: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PolhodeError, match=sentence):
        flying(**field)


def test_uniform_fields_and_springs_between_points() -> None:
    one, two = arm(), arm()
    one.spring("upper", "hand", 3, 1, 2, at_a=(0, 1, 0), at_b=(1, 0, 0))
    two.spring(two.bodies["upper"].point((0, 1, 0)), "hand", 3, 1, 2, at_b=two.bodies["hand"].point((1, 0, 0)))
    assert one.loads == two.loads
    s = arm()
    s.prescribe("elbow", sin(s.time))
    hand = s.bodies["hand"]
    s.force(hand, hand.y, at=hand.point(2 * hand.x))
    assert s.derive("newton_euler").agrees_with(s.derive("poincare"))


def elsewhere() -> ph.System:
    s = ph.System("elsewhere")
    s.joint("q", s.ground, s.body("hand", mass=1), ph.Revolute("x"))
    s.joint("r", s.ground, s.body("foot", mass=1), ph.Revolute("x"))
    return s


MISTAKES: dict[str, tuple[Callable[[ph.System], object], str]] = {
    "body of another system": (
        lambda s: s.force(elsewhere().bodies["hand"], (0, 0, 1)),
        "force: the body 'hand' is not in the system 'arm'",
    ),
    "body that is nowhere": (
        lambda s: s.force(elsewhere().bodies["foot"], (0, 0, 1), name="kick"),
        "force 'kick': there is no body 'foot'",
    ),
    "axes of another system": (
        lambda s: s.torque("hand", (0, 0, 1), frame=elsewhere().bodies["hand"]),
        "torque: the body 'hand' is not in the system 'arm'",
    ),
    "arrow of another system": (
        lambda s: s.force("hand", elsewhere().ground.x),
        "force: the arrow is of system 'elsewhere', not of 'arm'",
    ),
    "point of another system": (
        lambda s: s.force("hand", s.ground.x, at=elsewhere().bodies["hand"].origin),
        "force: the point is of system 'elsewhere', not of 'arm'",
    ),
    "point of another body": (
        lambda s: s.force("hand", s.ground.x, at=s.bodies["lower"].centre),
        "force: the point is on body 'lower', not on 'hand'",
    ),
    "both ends on one body": (
        lambda s: s.line_force(s.bodies["hand"].origin, "hand", lambda length, rate: 1),
        "line force: both ends are on body 'hand'",
    ),
    "law with a direction": (
        lambda s: s.line_force("ground", "hand", lambda length, rate: s.ground.x, name="rope"),
        "line force 'rope': the law gives n_x, which is no number or expression",
    ),
    "field in the plane": (
        lambda s: s.gravity_field(lambda r: (r[0], r[1])),
        "gravity field: a vector has 3 components, not 2",
    ),
    "field that is no function": (
        lambda s: s.gravity_field((0, 0, -9.81)),
        r"(?s)is not a function of 1 argument.*lambda x: \(0, 0, 0\)",
    ),
    "potential that is a vector": (
        lambda s: s.gravity_field(potential=lambda r: r),
        "(?s)which is no number or expression.*Give the potential alone",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_one_sentence_and_adds_nothing(mistake: tuple[Callable[[ph.System], object], str]) -> None:
    act, sentence = mistake
    system = arm()
    with pytest.raises(PolhodeError, match=sentence) as caught:
        act(system)
    assert caught.value.problems[0].code.startswith("E-")
    assert not system.loads


def test_what_a_model_file_cannot_hold_is_refused_when_it_is_written() -> None:
    from polhode.formats import dumps_yaml

    class Rope(LineForce):
        kind = "rope"

    s = arm()
    s.apply(Rope, a="ground", b="hand", tension=lambda length, rate: length, name="rope")
    refused("rope 'rope': model files have no load of type 'rope'", lambda: dumps_yaml(s), FormatError)


def test_laws_of_lines_and_fields_go_into_a_model_file_and_come_back() -> None:
    from polhode.formats import dumps_yaml, loads_yaml

    s = arm()
    k, x = s.parameter("length"), s.input("x")
    s.line_force("ground", "hand", lambda length, rate: k * length**2 - rate * s.joints["slide"].q[0], name="rope")
    s.gravity_field(lambda r: -r * (x * k))
    assert loads_yaml(dumps_yaml(s)).loads == s.loads


def test_a_system_made_of_a_model_has_arrows_of_its_own() -> None:
    s = arm()
    copy = ph.System.of(s.model())
    refused("is of system", lambda: copy.force("hand", s.bodies["hand"].x), ModelError)
    copy.force("hand", copy.bodies["hand"].x, at=copy.bodies["hand"].centre)
    assert not s.loads
    assert len(copy.loads) == 1
    frame = copy.frame("tool", "hand", at=(0, 0, 1))
    angle = s.joints["elbow"].q[0]
    assert (copy.bodies["upper"].y & copy.bodies["lower"].y) == cos(angle) and (frame.x & copy.bodies["hand"].x) == 1
