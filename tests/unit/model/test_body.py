"""What a body may be given as: numbers as text, an inertia about any point, and what is said of one that cannot be."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.formats import dumps_yaml, loads_yaml


@pytest.mark.parametrize(
    ("text", "value"), [("-0.5", Fraction(-1, 2)), ("1/3", Fraction(1, 3)), ("2e-3", Fraction(1, 500)), (" 7 ", 7)]
)
def test_a_number_may_be_given_as_text_and_is_exact(text: str, value: Fraction) -> None:
    s = ph.System("s", gravity=(0, 0, text))
    body = s.body("b", mass="2", com=(0, 0, text), inertia=("1", "1", "1/2"))
    s.parameter("w", text)
    joint = s.joint("j", s.ground, body, ph.Screw("z", pitch=text), at=(text, 0, 0))
    s.joint_spring(joint, stiffness=text)
    assert body.com[2] == value and body.mass == 2 and body.inertia[2, 2] == Fraction(1, 2)
    assert s.gravity[2] == value and s.parameters["w"].value == value
    assert joint.in_parent.p[0] == value and joint.type.stages[0].H[5, 0] == value


def machine(number: Callable[[str], Any]) -> ph.System:
    """A mechanism in which every kind of number is given by `number`."""
    n = number
    s = ph.System("machine", gravity=(0, n("0.5"), n("-9.81")))
    s.parameter("l", n("1.02"))
    s.input("F", n("1/4"))
    shape = ph.Shape("box", (n("0.1"), n("0.2"), 1), (0, 0, n("-0.5")), ("z", n("0.1")))
    arm = s.body("arm", n("1.5"), (0, 0, n("-0.5")), [[n("2"), 0, 0], [0, n("2"), 0], [0, 0, n("1")]], shape)
    hand = s.body("hand", n("2"), inertia=ph.cylinder(n("2"), n("0.1"), n("1/3")))
    wheel = s.body("wheel", 1, inertia=ph.disc(1, n("0.3"), "y"))
    s.joint("shoulder", s.ground, arm, ph.Revolute((0, n("3/5"), n("4/5"))), at=(n("1/7"), 0, 0))
    s.joint("wrist", arm, hand, ph.Screw("z", n("0.02")), rotation=("x", n("0.3")), child_at=(0, n("0.1"), 0))
    s.joint("roll", hand, wheel, ph.JointMap([[0], [n("2")], [0], [0], [0], [n("0.1")]]))
    s.couple("wrist", "shoulder", multiplier=n("-1/2"), offset=n("0.1"))
    s.frame("tip", hand, at=(0, 0, n("0.7")), rotation=[("y", n("0.2"))])
    s.force("tip", (n("1"), 0, 0), at=(0, n("0.1"), 0))
    s.torque(hand, (0, 0, n("0.3")))
    s.spring(s.ground, "tip", n("100"), length=n("0.4"), damping=n("2"), at_a=(n("1"), 0, 0))
    s.damper(s.ground, wheel, n("3"), at_a=(0, n("2"), 0))
    s.joint_force("roll", n("0.7"))
    s.joint_spring("roll", n("5"), rest=n("0.1"), damping=n("0.2"))
    s.roll_wheel("rim", wheel, n("0.3"), centre=(0, 0, n("0.01")))
    s.pose("start", {"roll": n("0.5")}, {"roll": n("-1")})
    return s


def test_texts_are_numbers_where_they_are_given_alone() -> None:
    assert dumps_yaml(machine(str)) == dumps_yaml(machine(Fraction))
    refused("out of the range of a double", lambda: ph.System("s").parameter("w", "1e999999999"))
    x = ph.symbol("x")
    assert x != "x" and ph.symbol("2") != "2" and x - x != "0"
    refused("", lambda: x + "1", TypeError)


@pytest.mark.parametrize("text", ["l", "2*l", "1,5", "nan", "inf", "0x10", "1/0", "1/2/3", "", "pi"])
def test_a_text_that_spells_no_number_is_refused(text: str) -> None:
    for attempt in (
        lambda s: s.body("b", com=(0, 0, text)),
        lambda s: s.parameter("w", text),
        lambda s: setattr(s, "gravity", (0, 0, text)),
    ):
        with pytest.raises(ph.PolhodeError, match="is not a number"):
            attempt(ph.System("s"))


def test_an_inertia_about_another_point_is_shifted_to_the_mass_centre() -> None:
    s = ph.System("s")
    m, l, I = s.parameter("m"), s.parameter("l"), s.parameter("I")
    bar = s.body("bar", m, com=(0, 0, -l / 2), inertia=(m * l**2 / 3, m * l**2 / 3, 0), about=(0, 0, 0))
    assert bar.inertia == ph.rod(m, l)
    skew = s.body("skew", 2, com=(1, 2, 3), inertia=(40, 40, 40, -4, -6, "-12"), about=(0, 0, 0))
    assert skew.inertia == ph.Matrix([[14, 0, 0], [0, 20, 0], [0, 0, 30]])
    pendulum = s.body("pendulum", m, com=(0, 0, -l), inertia=(I, I, 0), about=(0, 0, 0))
    s.joint("hinge", s.ground, pendulum, ph.Revolute("y"))
    for name in ("bar", "skew"):
        s.joint(name, s.ground, name, "fixed")
    assert s.derive().mass_matrix == ph.Matrix([[I]])  # about the hinge it is what was given


def test_inertias_about_a_point_in_files_and_their_order() -> None:
    text = "polhode: 1\nbodies: {bar: {mass: 3, com: [0, 0, -0.5], inertia: [1, 1, 0], about: [0, 0, 0]}}\n"
    joint = "joints: {hinge: {parent: ground, child: bar, type: revolute, axis: y}}\n"
    assert loads_yaml(text + joint).bodies["bar"].inertia == ph.rod(3, 1)
    with pytest.raises(ph.PolhodeError, match=r"about which point.*\n.*E-MODELFILE-MISSING"):
        loads_yaml(text.replace("inertia: [1, 1, 0], ", "") + joint)
    order = "xx, yy, zz, xy, xz, yz"
    assert order in " ".join((ph.System.body.__doc__ or "").split())
    for wrong in ((1, 2, 3, 4), (1, 1, 1, 0, 0, 2)):
        with pytest.raises(ph.PolhodeError, match=f"{order} .SymPy's is xx, yy, zz, xy, yz, zx, URDF's xx, xy, xz"):
            ph.System("s").body("b", 1, inertia=wrong)


@pytest.mark.parametrize("given", [(0, 0.35, 0), (1, 1, 5), (0.066, 0.086, 0.0125), (1, 2, 4, 0.2, -0.1, 0.3)])
def test_the_nearest_possible_inertia_is_possible_and_no_other_is_nearer(given: tuple[float, ...]) -> None:
    message = refused("nearest possible inertia is", lambda: ph.System("s").body("b", 1, inertia=given))
    entries = dict(re.findall(r"\b([xyz]{2}) (-?[0-9.e-]+)[,.]", message.split("nearest")[1]))
    hint = [float(entries.get(name, "0").rstrip(".")) for name in ("xx", "yy", "zz", "xy", "xz", "yz")]
    ph.System("s").body("b", 1, inertia=hint)
    xx, yy, zz, xy, xz, yz = (*given, 0, 0, 0)[:6]
    wanted = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    xx, yy, zz, xy, xz, yz = hint
    made = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    rng = np.random.default_rng(1)
    for _ in range(2000):  # inertias of other bodies nearby: tr(J) 1 - J with J ≥ 0
        L = np.linalg.cholesky(np.trace(made) / 2 * np.eye(3) - made + 1e-9 * np.eye(3))
        L = L + 0.05 * rng.standard_normal((3, 3))
        other = np.trace(L @ L.T) * np.eye(3) - L @ L.T
        assert np.linalg.norm(other - wanted) > np.linalg.norm(made - wanted) - 1e-7
