"""Springs, dampers and forces along lines: what they do, and which way is positive."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.formats import loads_yaml


def bead() -> tuple[ph.System, ph.Joint]:
    s = ph.System("bead on a rail")
    return s, s.joint("x", s.ground, s.body("bead", mass=1), ph.Prismatic("x"))


def test_a_damper_is_a_spring_without_stiffness_as_in_a_model_file() -> None:
    s, _ = bead()
    s.damper(s.ground, "bead", "2.5", at_a=(0, 0, 1), name="shock")
    assert float(s.derive().compile().forward_dynamics([2.0], [3.0], [0.0])[0]) == pytest.approx(-2.5 * 3 * 4 / 5)
    read = loads_yaml(
        "polhode: 1\nbodies: {bead: {mass: 1}}\n"
        "joints: {x: {parent: ground, child: bead, type: prismatic, axis: x}}\n"
        "loads: [{type: damper, name: shock, a: ground, b: bead, damping: 2.5, at_a: [0, 0, 1]}]\n"
    )
    assert read.loads == s.loads


def test_a_damper_takes_power_whichever_way_the_points_move() -> None:
    s, _ = bead()
    s.damper(s.ground, "bead", 3, at_a=(-1, 0, 0))
    f = s.derive().compile()
    assert [float(f.forward_dynamics([0.0], [v], [0.0])[0]) for v in (2.0, -2.0)] == pytest.approx([-6, 6])


@pytest.mark.parametrize(("force", "way"), [(5, -1), (-5, 1)])
def test_a_positive_line_force_pulls_and_a_negative_one_pushes(force: int, way: int) -> None:
    s, _ = bead()
    s.line_force(s.ground, "bead", lambda length, rate: force)
    f = s.derive().compile()
    assert float(f.forward_dynamics([1.0], [0.0], [0.0])[0]) == pytest.approx(5 * way)
    assert float(f.forward_dynamics([-1.0], [0.0], [0.0])[0]) == pytest.approx(-5 * way)


def test_the_sign_of_a_line_force_is_said_in_its_docstring() -> None:
    for method in (ph.System.line_force, ph.System.spring):
        said = " ".join((method.__doc__ or "").split())
        assert "pulls" in said and "pushes them apart" in said.replace("pushes the points", "pushes them")
