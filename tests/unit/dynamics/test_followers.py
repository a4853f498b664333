"""Joints that follow others or are driven, by projection of the equations in which all joints are free."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.dynamics.followers import projected
from polhode.expr import same
from polhode.formalisms import newton_euler
from polhode.kinematics.tree import build_tree


def gripper(driven: bool) -> ph.System:
    s = ph.System("gripper")
    r = s.parameter("r", -2)
    s.joint("wrist", s.ground, s.body("palm", 1, ("0.1", 0, "0.2"), (1, 2, 3)), ph.Revolute("x"))
    s.joint("left", "palm", s.body("one", 1, (0, "0.1", 0), (1, 1, 1)), ph.Revolute("y"), at=("0.1", 0, 0))
    s.joint("right", "palm", s.body("two", 2, (0, "0.2", 0), (1, 2, 1)), ph.Prismatic("z"), at=(0, "0.1", 0))
    s.joint_spring("right", 5, damping=2)
    s.couple("right", "left", r, "0.3")
    if driven:
        s.prescribe("wrist", ph.sin(3 * s.time))
    return s


@pytest.mark.parametrize("driven", [False, True])
def test_the_projection_is_what_recursions_with_shared_speeds_give(driven: bool) -> None:
    system = gripper(driven).model()
    tree, free = build_tree(system), build_tree(system, prescribed=False)
    made = projected(system, tree, free, newton_euler.recipe(system, free))
    direct = newton_euler.recipe(system, tree)
    rates = ph.symbols([f"a{k}" for k in range(len(tree.u))])
    assert same(made.mass_matrix().entries(), direct.mass_matrix().entries())
    assert same(made.inverse(rates), direct.inverse(rates))
    assert made.bias is not None and same(made.bias(), direct.inverse([0] * len(tree.u)))


@pytest.mark.parametrize("formalism", ["uicker_kahn", "hollerbach_4x4", "hollerbach_3x3", "silver"])
@pytest.mark.parametrize("driven", [False, True])
def test_historical_formalisms_take_followers_and_drives(formalism: str, driven: bool) -> None:
    s = gripper(driven)
    assert s.derive(formalism).agrees_with(s.derive("newton_euler"))
