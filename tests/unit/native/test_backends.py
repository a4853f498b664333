"""Which way many states are computed: by cost, the same whenever it is asked."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.codegen.ir.program import Array, Outline
from polhode.model.samples import n_four_bar, six_degree_of_freedom_arm
from polhode.native.backends import are_lanes_faster


@pytest.mark.parametrize(
    ("length", "numbers", "is_packed", "faster"),
    [
        # measured on two cores with AVX2: lanes over one by one
        (352, 24, False, True),  # UR5, accelerations: 0.45
        (98, 42, False, False),  # its mass matrix: 1.03
        (137, 138, False, False),  # its poses: 1.43
        (329, 56, False, True),  # Panda, mass matrix: 0.73
        (618, 343, True, False),  # ANYmal, mass matrix: 2.21
        (2287, 73, True, True),  # its accelerations: 0.71
        (17488, 1027, True, False),  # their derivatives: 1.53
        (6998, 153, True, True),  # Talos, accelerations: 0.62
    ],
)
def test_lanes_are_taken_where_they_are_faster(length: int, numbers: int, is_packed: bool, faster: bool) -> None:
    outline = Outline("f", (Array("q", numbers - 1),), 0, (("y", (1,)),), 0, length)
    assert are_lanes_faster(outline, is_packed) is faster


def test_the_choice_is_stored_with_the_code() -> None:
    functions = six_degree_of_freedom_arm().derive().compile()
    fresh, stored = functions.native("forward_dynamics"), six_degree_of_freedom_arm().derive().compile()
    assert fresh.native.in_lanes is stored.native("forward_dynamics").native.in_lanes is True
    poses = n_four_bar(2).derive().compile().native("poses")
    assert poses.native.in_lanes is False
    q = np.random.default_rng(0).normal(size=(300, 5))
    assert np.array_equal(poses(q)[0][7], poses(q[7])[0]), "one by one, a state has the bits that it has alone"
