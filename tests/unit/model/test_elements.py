"""Couplings that count angles from the ground; springs, dampers and forces along lines, and which way is positive."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.formats import dumps_yaml, loads_yaml
from polhode.geometry import rotation
from polhode.model.forces import FORCES
from polhode.model.forces.protocol import ForceElement, Mechanism, PrimitiveLoad, given


def chain(absolute: bool) -> ph.System:
    s = ph.System("chain")
    s.body("upper", 2, (0, 0, "-0.5"), ph.rod(2, 1))
    s.body("lower", 3, (0, 0, "-0.7"), ph.rod(3, Fraction(7, 5)))
    s.joint("a", s.ground, "upper", ph.Revolute("y"))
    if not absolute:
        s.joint("b", "upper", "lower", ph.Revolute("y"), at=(0, 0, -1))
        return s
    s.joint("back", "upper", s.body("level"), ph.Revolute("y"), at=(0, 0, -1))
    s.couple("back", "a", multiplier=-1)
    s.joint("b", "level", "lower", ph.Revolute("y"))
    return s


def test_absolute_angles_give_the_relative_ones_equations_in_other_coordinates() -> None:
    mine, usual = chain(True).derive(), chain(False).derive()
    one, two = mine.compile(), usual.compile()
    udot = one.forward_dynamics([0.3, 1.1], [0.4, -0.2], [0.5, 0.7])
    # q_b = θ_b - θ_a; the efforts on absolute angles are τ_a - τ_b and τ_b of the relative ones
    back = two.forward_dynamics([0.3, 1.1 - 0.3], [0.4, -0.2 - 0.4], [0.5 + 0.7, 0.7])
    assert abs(udot[0] - back[0]) < 1e-12 and abs(udot[1] - (back[0] + back[1])) < 1e-12
    assert mine.coordinates == ["a", "b"] and "a - b" in repr(ph.normal(mine.mass_matrix)).replace("b - a", "a - b")


def bead() -> tuple[ph.System, ph.Joint]:
    s = ph.System("bead on a rail")
    return s, s.joint("x", s.ground, s.body("bead", mass=1), ph.Prismatic("x"))


def test_a_damper_is_a_spring_without_stiffness_and_line_forces_pull_when_positive() -> None:
    s, _ = bead()
    s.damper(s.ground, "bead", "2.5", at_a=(0, 0, 1), name="shock")
    assert float(s.derive().compile().forward_dynamics([2.0], [3.0], [0.0])[0]) == pytest.approx(-2.5 * 3 * 4 / 5)
    read = loads_yaml(
        "polhode: 1\nbodies: {bead: {mass: 1}}\n"
        "joints: {x: {parent: ground, child: bead, type: prismatic, axis: x}}\n"
        "loads: [{type: damper, name: shock, a: ground, b: bead, damping: 2.5, at_a: [0, 0, 1]}]\n"
    )
    assert read.loads == s.loads
    s, _ = bead()
    s.damper(s.ground, "bead", 3, at_a=(-1, 0, 0))
    f = s.derive().compile()
    assert [float(f.forward_dynamics([0.0], [v], [0.0])[0]) for v in (2.0, -2.0)] == pytest.approx([-6, 6])
    for method in (ph.System.line_force, ph.System.spring):
        said = " ".join((method.__doc__ or "").split())
        assert "pulls" in said and "pushes them apart" in said.replace("pushes the points", "pushes them")
    s, joint = bead()
    with pytest.raises(ModelError, match="spring 'odd': a potential cannot depend on the coordinate 'x'") as caught:
        s.spring(s.ground, "bead", 1 + joint.q[0] ** 2, name="odd")
    assert "line_force" in caught.value.problems[0].cure


@pytest.mark.parametrize(("force", "way"), [(5, -1), (-5, 1)])
def test_a_positive_line_force_pulls_and_a_negative_one_pushes(force: int, way: int) -> None:
    s, _ = bead()
    s.line_force(s.ground, "bead", lambda length, rate: force)
    f = s.derive().compile()
    assert float(f.forward_dynamics([1.0], [0.0], [0.0])[0]) == pytest.approx(5 * way)
    assert float(f.forward_dynamics([-1.0], [0.0], [0.0])[0]) == pytest.approx(-5 * way)


@dataclass(frozen=True, kw_only=True)
class Everything(ForceElement):
    """Something of every kind that a field can be."""

    kind = "everything"

    axis: ph.Vector = given("axis", "z")
    rotation: ph.Matrix = given("rotation", None)
    axes: tuple[ph.Vector, ...] = given("axis", many=True)
    pair: tuple[Any, ...] = given("number", count=2)
    times: int = given("count", 3)
    slips: bool = given("flag", False)
    side: str = given("word", "left", choices=("left", "right"))
    title_of_it: str = given("name", "it")
    spot: ph.Vector = given("point", (0, 0, 0))
    arrow: ph.Vector = given("vector", (0, 0, 0))
    seen_from: str = given("frame", "ground")

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return ()


def test_fields_of_every_kind_are_read_and_go_into_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORCES, "everything", Everything)
    s, _ = bead()
    s.apply(
        Everything, axis=(0, 2, 0), rotation=[("x", 0.5)], axes=["x", "-y"], pair=[1, "2.5"], times=2, slips=True,
        side="right", title_of_it="a name", spot=(1, 2, 3), arrow=3 * s.bodies["bead"].x, seen_from=s.bodies["bead"],
    )  # fmt: skip
    (made,) = s.loads
    assert isinstance(made, Everything) and (made.axis, made.rotation) == (ph.Vector([0, 1, 0]), rotation(("x", 0.5)))
    assert made.axes == (ph.Vector([1, 0, 0]), ph.Vector([0, -1, 0]))
    assert (made.pair, made.arrow, made.seen_from) == ((1, 2.5), ph.Vector([3, 0, 0]), "bead")
    assert loads_yaml(dumps_yaml(s)).loads == s.loads
    for wrong in ({"side": "middle"}, {"slips": "yes"}, {"axis": 5}, {"times": -1}, {"axes": 5}, {"title_of_it": ""}):
        with pytest.raises(ph.PolhodeError, match=r"everything|axis|needs a name"):
            s.apply(Everything, **{"axes": ["x"], "pair": [1, 2], **wrong})
