"""Contacts, stops and friction that cannot be: a sentence each, with what to do."""

import ast
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.contact.scenes import dry, stop

import polhode as ph


class Ball:
    """A free ball of radius 1/10 above a floor."""

    def __init__(self, radius: Any = "1/10") -> None:
        self.s = s = ph.System("ball")
        self.body = s.body("ball", 1, inertia=ph.sphere(1, "1/10"))
        s.joint("f", s.ground, self.body, ph.Free())
        self.floor = s.surface("floor", s.ground, ph.Shape.plane())
        size = s.parameter(radius, 0.1) if radius == "r" else radius
        self.skin = s.surface("skin", self.body, ph.Shape.sphere(size))

    def contact(self, a: Any = None, b: Any = None, **laws: Any) -> "Ball":
        self.s.contact("touch", self.skin if a is None else a, self.floor if b is None else b, **laws)
        return self

    def stopped(self) -> "Ball":
        stop(self.s, "end", "f", index=6, lower=-1)
        return self

    def brushed(self) -> "Ball":
        self.s.friction("f", 1, index=3, bristle=(1e3, 10), name="rub")
        return self

    def posed(self) -> "Ball":
        self.s.pose("up", {"f_z": 1})
        return self

    def run(self, z: float, **options: Any) -> Any:
        return self.s.derive().simulate(1, start={"f_z": z}, **options)


WRONG: dict[str, Callable[[Ball], Any]] = {
    r"friction -0.1 is negative.*≥ 0": lambda m: m.contact(friction=-0.1),
    r"static friction 0.4 is below that in motion": lambda m: m.contact(friction=0.5, static=0.4),
    r"restitution 1.1 is not between 0 and 1": lambda m: m.contact(restitution=1.1),
    r"restitution -0.1 is not between 0 and 1": lambda m: m.contact(restitution=-0.1),
    r"speed stribeck -0.1 is negative": lambda m: m.contact(stribeck=-0.1),
    r"nan is not a finite number": lambda m: m.contact(friction=float("nan")),
    r"body 'ball' cannot touch itself": lambda m: m.contact(m.s.point(m.body, (0, 0, 1)), m.skin),
    r"there is no body 'nobody'": lambda m: m.s.surface("x", "nobody", ph.Shape.plane()),
    r"there is no surface 'flor'.*'floor'": lambda m: m.contact(b="flor"),
    r"'ball' is no surface.\s+Add it: system.surface": lambda m: m.contact(m.body, m.body),
    r"'ball' is no surface.\s+Swap both: 'floor' is second": lambda m: m.contact(m.floor, m.body),
    r"there is no joint 'ball'": lambda m: m.s.friction(m.body, 1),
    r"there is no body 'f'": lambda m: m.s.surface("x", m.s.joints["f"], ph.Shape.plane()),
    r"mapping, such as \{\"toe\": \"stick\"\}": lambda m: m.contact().s.with_contacts(["touch"]),
    r"'sin\(x\)' is not a height.\s+Give a function, as lambda x: ": lambda m: ph.Shape.curve("sin(x)"),
    r"is not a height.\s+Give a function, as lambda x, y: ": lambda m: ph.Shape.heights(np.zeros((2, 2))),
    r"friction mu is in kg, not a plain number": lambda m: m.contact(friction=m.s.parameter("mu", 1, unit="kg")),
    r"damping d is in kg, not in s/m": lambda m: m.contact(stiffness=1e4, damping=m.s.parameter("d", 1, unit="kg")),
    r"stiffness k is in N, not in N/m": lambda m: m.contact(stiffness=m.s.parameter("k", 1, unit="N"), law="linear"),
    r"restitution e is in m/s, not a plain": lambda m: m.contact(restitution=m.s.parameter("e", 1, unit="m/s")),
    r"static mu is in m, not a plain number": lambda m: m.contact(
        stiffness=1e4, friction=0.1, static=m.s.parameter("mu", 1, unit="m")
    ),
    r"no contact of a plane and a plane.*point on plane": lambda m: m.contact(
        m.s.surface("p", m.body, ph.Shape.plane())
    ),
    r"already a constraint of this name": lambda m: m.contact().contact(),
    r"already a compliant contact of this name": lambda m: m.contact(stiffness=1e4).contact(stiffness=1e4),
    r"constraint 'touch': there is already": lambda m: m.contact(stiffness=1e4).contact(),
    r"restitution 2 is not between 0 and 1": lambda m: stop(m.s, "end", "f", index=6, lower=0, restitution=2),
    r"need a lower or an upper bound": lambda m: stop(m.s, "end", "f", index=6),
    r"lower stop 1 is not below the upper one 0": lambda m: stop(m.s, "end", "f", index=6, lower=1, upper=0),
    r"friction -1 is negative": lambda m: dry(m.s, "rub", "f", index=3, coulomb=-1),
    r"static friction 1/2 is below that in motion": lambda m: dry(m.s, "rub", "f", index=3, coulomb=1, static=0.5),
    r"'touch' overlaps by 0\.05.*\{'f_z': 0\.1\}": lambda m: m.contact().run(0.05),
    r"stribeck is that at which static friction falls": lambda m: m.contact(stribeck=0.1),
    r"exponent -1 is not positive": lambda m: m.contact(stiffness=1e4, exponent=-1),
    r"damping -5 is negative": lambda m: m.contact(stiffness=1e4, damping=-5),
    r"compliant stop.*damping -5 is negative": lambda m: m.s.stop("f", 0, index=6, stiffness=1, damping=-5),
    r"friction 'f friction 3'.*damping -10 is neg": lambda m: m.s.friction("f", 1, index=3, bristle=(1, -10)),
    r"the joint has 6 speeds, and none is chosen.*index=0 to 5": lambda m: m.s.friction("f", 1),
    r"the joint has 7 coordinates, and none is chosen": lambda m: m.s.stop("f", 0, 1),
    r"neither dry friction nor a viscous one": lambda m: m.s.friction("f", index=3),
    r"'f_e0' is a part of an orientation.*storage=": lambda m: m.s.stop("f", -0.5, 0.5, index=0),
    r"its radius 0 is not positive.*> 0": lambda m: m.s.surface("x", m.body, ph.Shape.sphere(0)),
    r"its radius -0.1 is not positive": lambda m: Ball("r").contact().run(0.2, parameters={"r": -0.1}),
    r"a jump where sign": lambda m: m.s.surface("x", m.body, ph.Shape.curve(lambda x: ph.sign(x) / 5)),
    r"a corner where abs": lambda m: m.s.surface("x", m.body, ph.Shape.heights(lambda x, y: ph.sin(x) + abs(y))),
    r"already a body, frame or surface": lambda m: m.s.surface("ball", m.body, ph.Shape.sphere(1)),
    r"'skin' is not of the system 'ball'": lambda m: m.contact(Ball().skin),
    r"the point has its own place": lambda m: m.contact(m.body.point((0, 0, 1)), at=(0, 0, 5)),
    r"no law of impact 'hertz'.*moreau, newton, poisson": lambda m: m.contact().run(0.1, impacts="hertz"),
    r"no contacts and stops with impacts.*Leave out": lambda m: m.run(0.1, impacts="newton"),
    r"reaction 'touch': 'touch' is no joint or.*run.contact": lambda m: m.contact().run(0.1).reaction("touch"),
    r"no contact 'nix'.*Give names or": lambda m: m.contact().run(0.1).plot(channels=["gap(nix)"]),
    r"with_contacts\({\"touch\": \"stick\"}\) has this": lambda m: m.stopped().contact().s.derive().linearize(),
    r"a mode: system.with_contacts\({}\) has none": lambda m: m.stopped().s.derive().linearize(),
    r"there is no contact 'tuch'.*'touch'": lambda m: m.contact().run(0.1).contact("tuch"),
    r"'rub': it is a force": lambda m: m.brushed().run(0.2).contact("rub"),
    r"a run without a duration has no modes": lambda m: m.contact().s.derive().simulate(0).contact("touch"),
    r"start=\{'f_z': 0.1\}. Poses of the model are start='up'": lambda m: m.contact().posed().run(0.05),
    r"run has no contacts": lambda m: m.run(0.1).contact("touch"),
    r"scipy.LSODA does not step": lambda m: m.contact().run(0.1, method="scipy.LSODA"),
    r"taylor does not step": lambda m: m.contact().run(0.1, method="taylor"),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_cannot_be_is_refused_with_a_sentence(message: str) -> None:
    with pytest.raises(ph.PolhodeError, match=f"(?s){message}"):
        WRONG[message](Ball())


def test_two_compliant_stops_of_one_name_are_refused() -> None:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("b", 1), ph.Prismatic("x"))
    s.stop("x", -1, 1, stiffness=100)
    with pytest.raises(ph.PolhodeError, match="compliant stop 'x stop': there is already a compliant stop"):
        s.stop("x", -1, 1, stiffness=100)
    s.stop("x", -2, 2, stiffness=100, name="outer")


#: By parameters: value, contact laws with this parameter as "p", and what the message has.
AT_VALUES = {
    "friction": (-0.3, {"friction": "p"}, "friction -0.3 is negative"),
    "static": (0.1, {"friction": 0.2, "static": "p"}, "static friction 0.1 is below that in motion"),
    "restitution": (2, {"restitution": "p"}, "restitution 2 is not between 0 and 1"),
    "stribeck": (-1, {"static": 1, "stribeck": "p"}, "speed stribeck -1 is negative"),
    "compliant friction": (-0.3, {"stiffness": 1e4, "friction": "p"}, "friction -0.3 is negative"),
    "stiffness": (0, {"stiffness": "p"}, "stiffness 0 is not positive"),
    "damping": (-1, {"stiffness": 1e4, "damping": "p"}, "damping -1 is negative"),
    "transition speed": (-0.01, {"stiffness": 1e4, "transition_speed": "p"}, "transition_speed -0.01 is not positive"),
    "bristle": (0, {"stiffness": 1e4, "friction": 1, "bristle": ("p", 1)}, "stiffness of bristles 0 is not positive"),
}


@pytest.mark.parametrize("name", AT_VALUES)
def test_what_cannot_be_by_the_value_of_a_parameter_is_refused_with_the_same_sentence(name: str) -> None:
    value, laws, message = AT_VALUES[name]
    m = Ball()
    p = m.s.parameter("p", 0.5)
    m.contact(**{law: tuple(p if x == "p" else x for x in v) if isinstance(v, tuple) else p if v == "p" else v
                 for law, v in laws.items()})  # fmt: skip
    with pytest.raises(ph.PolhodeError, match=message):
        m.run(0.2, parameters={"p": value})
    batch = m.run(0.2, parameters={"p": [0.6, value]})
    assert batch.status[0] == "done"
    assert message in batch.messages[1]


@pytest.mark.parametrize("laws", [{"restitution": 0.5}, {"stiffness": 100}])
def test_stops_whose_bounds_are_swapped_by_a_parameter_are_refused(laws: dict[str, Any]) -> None:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("b", 1), ph.Prismatic("x"))
    s.stop("x", s.parameter("low", -1), 1, **laws)
    with pytest.raises(ph.PolhodeError, match=r"the lower stop 2 is not below the upper one 1"):
        s.derive().simulate(1, parameters={"low": 2})


@pytest.mark.parametrize("heavy", [1e8, 1e10])
def test_forces_of_masses_that_differ_by_too_much_are_refused(heavy: float) -> None:
    s = ph.System("tower")
    s.joint("low", s.ground, s.body("a", 1), ph.Prismatic("z"))
    s.joint("high", s.ground, s.body("b", heavy), ph.Prismatic("z"))
    s.contact("under", s.bodies["a"], s.surface("floor", s.ground, ph.Shape.plane()))
    s.contact("over", s.bodies["b"], s.surface("top", s.bodies["a"], ph.Shape.plane(), at=(0, 0, 0.1)))
    with pytest.raises(
        ph.PolhodeError, match=r"(?s)contact forces leave .* of the accelerations.*less than a factor of 1e7"
    ):
        s.derive().simulate(1, start={"high": 0.1})


def test_a_gap_that_never_changes_is_refused() -> None:
    s = ph.System("rail")
    block = s.body("block", 1)
    s.joint("x", s.ground, block, ph.Prismatic("x"))
    s.contact("touch", block, s.surface("floor", s.ground, ph.Shape.plane()), friction=0.5)
    with pytest.raises(ph.PolhodeError, match="gap never changes"):
        s.derive().simulate(1)


def test_the_nearest_start_of_a_tilted_box_and_at_a_stop_can_be_started_from() -> None:
    for system, start in (
        (tilted_box(), {"f_z": 0.05, "f_e0": np.cos(0.2), "f_e1": np.sin(0.2)}),
        (pad(), {"z": 0.05}),
    ):
        equations = system.derive()
        with pytest.raises(ph.PolhodeError, match="overlaps by") as refused:
            equations.simulate(0.01, start=start)
        found = ast.literal_eval(str(refused.value).split("start=")[1].split("}")[0] + "}")
        run = equations.simulate(0.01, start={**start, **found})
        name = next(iter(system.contacts))
        assert -1e-9 < run.contact(name).gap[0].min() < 1e-9


def tilted_box() -> ph.System:
    s = ph.System("box")
    box = s.body("box", 1, inertia=ph.box(1, 0.4, 0.3, 0.2))
    s.joint("f", s.ground, box, ph.Free())
    hull = s.surface("hull", box, ph.Shape.box(0.4, 0.3, 0.2))
    s.contact("feet", hull, s.surface("floor", s.ground, ph.Shape.plane()))
    return s


def pad() -> ph.System:
    """A foot over a floor on a spring travel, at whose lower stop it starts."""
    s = ph.System("pad")
    foot, sole = s.body("foot", 1), s.body("sole", 0.1)
    s.joint("z", s.ground, foot, ph.Prismatic("z"))
    s.contact("heel", sole.point((0, 0, -0.1)), s.surface("floor", s.ground, ph.Shape.plane()))
    s.joint("travel", foot, sole, ph.Prismatic("z"), limits=(0, 0.02), stop=0.3)
    return s


def test_gaps_of_boxes_are_infinite_where_a_part_is_beside_its_face_and_the_least_is_the_distance() -> None:
    s = ph.System("plank over a beam")
    plank = s.body("plank", 1, inertia=(0.01, 0.01, 0.01))
    s.joint("f", s.ground, plank, ph.Free())
    beam = s.surface("beam", s.ground, ph.Shape.box(0.1, 1, 0.1))
    s.contact("cross", s.surface("hull", plank, ph.Shape.box(0.4, 0.1, 0.1)), beam)
    run = s.derive().simulate(0.1, start={"f_z": 0.5})
    assert np.allclose(run.contact("cross").gap.min(axis=1), run["f_z"] - 0.1, atol=1e-9)


def test_what_has_only_vertices_is_warned_of_on_a_bump_and_not_in_a_valley() -> None:
    for height, count in ((lambda x: ph.exp(-x * x), 1), (lambda x: x * x, 0)):
        s = tilted_box()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            s.contact("touch", "hull", s.surface("road", s.ground, ph.Shape.curve(height)))
        assert len(warned) == count
    assert not _bend_warnings(ph.Shape.ellipsoid(0.1, 0.1, 0.1), lambda s: ph.Shape.curve(ph.sin), "only the")


def _bend_warnings(shape: Any, surface: Any, words: str = "curves upwards", **options: Any) -> list[str]:
    """Warnings of a contact of a shape with a surface, in a system with the parameter R = 1."""
    s = ph.System("bowl")
    s.parameter("R", 1)
    body = s.body("body", 1, inertia=(1, 1, 1))
    s.joint("f", s.ground, body, ph.Free())
    skin = s.surface("skin", body, shape(s) if callable(shape) else shape)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        s.contact("touch", skin, s.surface("bowl", s.ground, surface(s)), **options)
    return [str(each.message) for each in warned if words in str(each.message)]


_PARABOLA = lambda s: ph.Shape.curve(lambda x: 1.5 * (x - 7) ** 2)  # noqa: E731  1/κ = 1/3 at its lowest point
_SADDLE = lambda s: ph.Shape.heights(lambda x, y: x * y)  # noqa: E731  κ = ±1 along both diagonals


@pytest.mark.parametrize(("shape", "surface", "sentence"), [
    (ph.Shape.sphere(0.34), _PARABOLA, "x = 7 m 'bowl' curves upwards with a radius of 0.3333 m, below 0.34 m"),
    (ph.Shape.sphere(0.333), _PARABOLA, ""),
    (ph.Shape.capsule(0.34, 1), _PARABOLA, "the end of a capsule touches"),
    (ph.Shape.ellipsoid(0.3, 0.32, 0.3), _PARABOLA, "below 0.3413 m: an ellipsoid where it is flattest"),
    (ph.Shape.sphere(1.01), _SADDLE, "x = 0 m, y = 0 m 'bowl' curves upwards with a radius of 1 m"),
    (ph.Shape.sphere(0.99), _SADDLE, ""),
    (ph.Shape.box(9, 9, 9), _PARABOLA, ""),
    (ph.Shape.disc(0.34), _PARABOLA, "the rim of a disc"),
    (ph.Shape.cylinder(0.33, 2), _PARABOLA, ""),
])  # fmt: skip
def test_a_ball_on_what_bends_more_sharply_is_warned_of(shape: Any, surface: Any, sentence: str) -> None:
    for options in ({}, {"stiffness": 100}):
        found = _bend_warnings(shape, surface, **options)
        assert len(found) == bool(sentence) and all(sentence in each for each in found)


def test_a_bend_at_a_knot_of_a_table_and_by_a_parameter_is_found() -> None:
    """A natural cubic spline bends most at a knot; its second derivatives M there solve a tridiagonal system."""
    x, z = np.array([0.0, 40.0, 40.01, 40.02, 100.0]), np.array([0.0, 0.0, -1e-4, 0.0, 0.0])
    h, rises = np.diff(x), np.diff(z) / np.diff(x)
    M = np.linalg.solve(np.diag(2 * (h[:-1] + h[1:])) + np.diag(h[1:-1], 1) + np.diag(h[1:-1], -1), 6 * np.diff(rises))
    slope = rises[1] + h[1] * (M[0] + 2 * M[1]) / 6
    radius = (1 + slope**2) ** 1.5 / M[1]
    road = ph.table(x, z, name="road", kind="cubic", outside="line")
    (found,) = _bend_warnings(ph.Shape.sphere(0.5), lambda s: ph.Shape.curve(lambda x: 3 + road(x + 60)))
    assert f"x = -19.99 m 'bowl' curves upwards with a radius of {radius:.4g} m" in found
    by_parameter = lambda s: ph.Shape.curve(lambda x: s.parameters["R"].symbol * x * x)  # noqa: E731
    assert _bend_warnings(ph.Shape.sphere(0.6), by_parameter) and not _bend_warnings(ph.Shape.sphere(0.4), by_parameter)


def test_what_is_exported_without_contact_forces_is_warned_of(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="forward_dynamics: without the forces of contacts"):
        Ball().contact().s.derive().export("c", tmp_path)
    with pytest.warns(UserWarning, match="contact_rates: the rows of contacts; .* not written for numpy"):
        Ball().contact().s.derive().export("numpy", tmp_path, of="contact_rates")
