"""Dimensions: unlike units are refused where they are stated, and nothing else is."""

from collections.abc import Callable
from typing import Any

import pytest

import polhode as ph
from polhode.model.dimensions import Dimensions


def cart() -> tuple[ph.System, dict[str, Any]]:
    s = ph.System("cart")
    p = {name: s.parameter(name, unit=unit) for name, unit in (
        ("l", "ft"), ("m", "g"), ("k", "kN/m"), ("c", "N s/m"), ("J", "kg m²"), ("g", "m/s²"), ("a", "deg"),
        ("T", "N m"), ("w", "rpm"), ("free", ""), ("E", "J"),
    )}  # fmt: skip
    p["push"], p["i"] = s.input("push", unit="N"), s.state("i", unit="A")
    p["rail"] = s.joint("x", s.ground, s.body("cart", p["m"]), "prismatic")
    p["hinge"] = s.joint("th", "cart", s.body("bob", 1, (0, 0, p["l"])), "revolute")
    p["x"], p["v"], p["th"], p["om"] = p["rail"].q[0], p["rail"].u[0], p["hinge"].q[0], p["hinge"].u[0]
    return s, p


REFUSED: list[tuple[Callable[[ph.System, Any], object], str]] = [
    (lambda s, p: s.joint_force("x", p["l"] + p["m"]), r"l is in m and m in kg: they cannot be added"),
    (lambda s, p: s.joint_force("x", p["push"] - p["k"]), r"push is in N and k in N/m"),
    (lambda s, p: s.joint_force("x", p["push"] - p["k"] * p["v"]), r"push is in N and k\*x' in "),
    (lambda s, p: s.joint_force("x", p["k"]), r"the effort k is in N/m, not in N\."),
    (lambda s, p: s.joint_force("th", p["push"]), r"the effort push is in N, not in N·m"),
    (lambda s, p: s.body("b", p["l"]), r"body 'b': the mass l is in m, not in kg"),
    (lambda s, p: s.body("b", 1, (0, p["m"], 0)), r"body 'b': the com m is in kg, not in m"),
    (lambda s, p: s.body("b", 1, inertia=(p["m"], 1, 1)), r"body 'b': the inertia m is in kg, not in kg·m²"),
    (lambda s, p: s.frame("f", "bob", (p["a"], 0, 0)), r"frame 'f': the position a is in 1, not in m"),
    (lambda s, p: s.frame("f", "bob", rotation=("z", p["l"])), r"frame 'f': (sin|cos) of l, which is in m"),
    (lambda s, p: s.joint("j", "bob", s.body("b", 1), at=(0, 0, p["k"])), r"joint 'j': the position k is in N/m"),
    (lambda s, p: s.joint("j", "bob", s.body("b", 1), "revolute", limits=(-p["l"], p["l"])), r"limit -l is in m"),
    (lambda s, p: s.spring(s.ground, "bob", p["c"]), r"the stiffness c is in N·s/m, not in N/m"),
    (lambda s, p: s.joint_spring("th", p["k"]), r"the stiffness k is in N/m, not in N·m/rad"),
    (lambda s, p: s.potential(p["m"] * p["g"]), r"the energy m\*g is in N, not in J"),
    (lambda s, p: s.potential(ph.exp(p["l"])), r"exp of l, which is in m"),
    (lambda s, p: s.force("bob", (p["T"], 0, 0)), r"the vector T is in N·m, not in N"),
    (lambda s, p: s.torque("bob", (0, 0, p["push"])), r"the vector push is in N, not in N·m"),
    (lambda s, p: s.prescribe("x", p["a"] * s.time), r"prescribed motion of 'x': the motion a\*t is in s, not in m"),
    (lambda s, p: s.couple("th", "x", p["l"]), r"coupling of 'th': the multiplier l is in m, not in rad/m"),
    (lambda s, p: s.constrain(p["x"] - p["l"] * p["c"], "tie"), r"x is in m and c\*l in "),
    (lambda s, p: s.roll_ball("ball", "bob", p["m"]), r"the radius m is in kg, not in m"),
    (lambda s, p: s.state_rate("i", p["i"] * p["l"]), r"state 'i': the rate l\*i is in m·A, not in s\^-1·A"),
    (lambda s, p: s.motor("th", 2, inertia=p["m"]), r"the inertia m is in kg, not in kg·m²"),
    (lambda s, p: setattr(s, "gravity", (0, 0, p["l"])), r"the gravity l is in m, not in m/s²"),
    (lambda s, p: s.line_force(s.ground, "bob", lambda length, rate: p["c"] * length), r"in .*, not in N"),
    (lambda s, p: s.joint_force("x", ph.sqrt(p["k"] / p["m"])), r"is in 1/s, not in N"),
]  # fmt: skip


@pytest.mark.parametrize(("act", "said"), REFUSED)
def test_unlike_units_are_refused(act: Callable[[ph.System, Any], object], said: str) -> None:
    s, p = cart()
    before = s.model()
    with pytest.raises(ph.PolhodeError, match=said) as caught:
        act(s, p)
    assert caught.value.problems[0].code.startswith("E-UNIT-")
    assert [*before.loads] == [*s.loads] and [*before.constraints] == [*s.constraints]


ACCEPTED: list[Callable[[ph.System, Any], object]] = [
    lambda s, p: s.joint_force("x", p["push"] - p["k"] * (p["x"] - p["l"]) - p["c"] * p["v"]),
    lambda s, p: s.joint_force("x", -100 * p["x"] - 2 * p["v"] + ph.sin(s.time) + p["push"]),
    lambda s, p: s.joint_force("th", p["T"] * ph.cos(p["th"] - p["a"]) - 9.81 * p["m"] * p["l"] * ph.sin(p["th"])),
    lambda s, p: s.joint_force("x", p["free"] * p["k"] + p["push"]),
    lambda s, p: s.body("b", p["m"], (0, 0, p["l"] / 2), ph.rod(p["m"], p["l"])),
    lambda s, p: s.body("b", 2, (0, 0, p["l"] + 0.3), ph.sphere(2, p["l"])),
    lambda s, p: s.joint_spring("th", p["T"], p["a"]),
    lambda s, p: s.spring(s.ground, "bob", p["k"], p["l"], p["c"], at_b=(p["l"], 0, 0)),
    lambda s, p: s.potential(p["k"] * p["x"] ** 2 / 2 + p["m"] * p["g"] * p["l"] * (1 - ph.cos(p["th"]))),
    lambda s, p: s.prescribe("x", p["l"] * ph.sin(p["w"] * s.time)),
    lambda s, p: s.prescribe("x", s.time),
    lambda s, p: s.couple("x", "th", p["l"], p["l"]),
    lambda s, p: s.constrain(p["x"] - p["l"] * ph.sin(p["th"]), "tie"),
    lambda s, p: s.state_rate("i", (p["push"] - 3 * p["i"]) / 4),
    lambda s, p: s.joint_force("x", p["k"] * abs(p["l"]) * ph.atan2(p["x"], p["l"]) + ph.sqrt(p["push"] ** 2)),
    lambda s, p: setattr(s, "gravity", (0, 0, -p["g"])),
    lambda s, p: s.motor("th", 5, inertia=p["J"], stiffness=p["T"]),
]


@pytest.mark.parametrize("act", ACCEPTED)
def test_like_units_and_what_has_none_are_taken(act: Callable[[ph.System, Any], object]) -> None:
    act(*cart())


def test_like_units_are_taken_and_a_refused_record_leaves_nothing() -> None:
    s, p = cart()
    with pytest.raises(ph.PolhodeError, match="state 'z'"):
        s.state("z", rate=lambda z: p["k"] * z, unit="A")
    z = s.state("z", rate=1, unit="m")
    s.joint_force("x", p["k"] * z)
    s, p = cart()
    s.motor("th", 1, inertia=1, resistance=1, constant=1, inductance=1)
    s.motor("x", 1, inertia=p["J"], resistance=2, constant=1)
    assert [*s.states] == ["i", "th current"] and s.inputs["th voltage"].unit == "V"


def test_each_node_is_looked_at_once_however_deep() -> None:
    s, p = cart()
    deep = p["push"]
    for _ in range(20_000):
        deep = deep + p["k"] * (p["x"] + deep / p["k"])
    known = Dimensions(s.model())
    found = known.of(deep)
    assert found.stated and found.dimension == known.of(p["push"]).dimension
    count = len(known.known)
    known.of(deep + p["push"])
    assert len(known.known) == count + 1
