"""Springs in joints: on what an angle or a length is, never on a part of an orientation."""

from __future__ import annotations

from typing import Any

import pytest

import polhode as ph
from polhode.errors import ModelError


@pytest.mark.parametrize(
    ("kind", "index"),
    [(ph.Spherical(), 0), (ph.Spherical(storage="vector"), 2), (ph.Free(), 3), (ph.Free(storage="vector"), 0)],
)
def test_a_spring_on_one_part_of_an_orientation_is_refused(kind: Any, index: int) -> None:
    s = ph.System("top")
    joint = s.joint("pivot", s.ground, s.body("top", 1, (0, 0, 1), (1, 1, 1)), kind)
    with pytest.raises(ModelError, match=f"'{joint.q[index].name}' is a part of an orientation"):
        s.joint_spring(joint, 5, index=index)


def test_a_spring_acts_on_an_angle_a_length_and_a_damper_on_a_speed() -> None:
    s = ph.System("parts", gravity=(0, 0, 0))
    cross = s.joint("cross", s.ground, s.body("a", 1, (0, 0, 1), (1, 1, 1)), ph.Universal("x", "y", storage="vector"))
    loose = s.joint("loose", s.ground, s.body("b", 1, (0, 0, 1), (1, 1, 1)), ph.Free())
    ball = s.joint("ball", s.ground, s.body("c", 1, (0, 0, 1), (1, 1, 1)), ph.Spherical(storage="vector"))
    s.joint_spring(cross, 2, index=1)
    s.joint_spring(loose, 4, index=5)
    s.joint_spring(ball, 0, damping=3, index=2)
    e = s.derive()
    assert e.potential_energy == (2 * ph.atan(cross.q[1])) ** 2 + 2 * loose.q[5] ** 2
