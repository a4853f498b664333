"""Joints that follow others or are driven, by projection of the equations in which all joints are free."""

from __future__ import annotations

import pytest

import polhode as ph


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


@pytest.mark.parametrize("formalism", ["uicker_kahn", "hollerbach_4x4", "hollerbach_3x3", "silver"])
@pytest.mark.parametrize("driven", [False, True])
def test_historical_formalisms_take_followers_and_drives(formalism: str, driven: bool) -> None:
    s = gripper(driven)
    assert s.derive(formalism).agrees_with(s.derive("newton_euler"))
