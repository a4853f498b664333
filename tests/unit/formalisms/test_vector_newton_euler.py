"""Newton-Euler in vector-parameters: the same equations for any joint, and a sentence at a half turn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.seeds import seeds

import polhode as ph
from polhode.expr import Vector
from polhode.formalisms.vector_newton_euler import VectorLink, in_vector_parameters
from polhode.kinematics.tree import build_tree
from polhode.model.samples.random_system import random_system


def test_any_joint_gives_the_equations_of_newton_and_euler() -> None:
    for seed in seeds(12, of=100):
        system = random_system(seed, bodies=(1, 4), max_speeds=6)
        assert system.derive("vector_newton_euler").agrees_with(system.derive("newton_euler")), f"seed {seed}"


def test_a_vector_is_turned_as_by_the_rotation_of_c() -> None:
    s = ph.System("ball")
    s.joint("j", s.ground, s.body("b", 1), ph.Revolute("z"))
    (link,) = in_vector_parameters(build_tree(s.model())).links
    assert isinstance(link, VectorLink)
    c, p = np.array([0.3, -0.7, 1.1]), np.array([2.0, 0.4, -0.5])
    size = np.linalg.norm(c)
    R = Rotation.from_rotvec(2 * np.arctan(size) * c / size).as_matrix()
    turned = VectorLink(**{**{name: getattr(link, name) for name in link.__dataclass_fields__}, "c": Vector(c)})
    np.testing.assert_allclose(turned.inward(Vector(p)), R @ p, atol=1e-14)
    np.testing.assert_allclose(turned.outward(Vector(p)), R.T @ p, atol=1e-14)


def test_axes_are_those_of_the_ground_where_nothing_has_turned_also_behind_half_turns() -> None:
    s = ph.System("flipped")
    s.joint("a", s.ground, s.body("upper", 1, (0, 0, 1)), ph.Revolute("x"), rotation=("y", ph.pi))
    s.joint(
        "b", "upper", s.body("lower", 2, (1, 0, 0), (1, 2, 3)), ph.Revolute("z"), at=(0, 1, 0), rotation=("x", ph.pi)
    )
    assert s.derive("vector_newton_euler").agrees_with(s.derive("newton_euler"))
    first, second = in_vector_parameters(build_tree(s.model())).links
    assert first.H[0].angular == Vector([-1, 0, 0]) and second.H[0].angular == Vector([0, 0, 1])


@pytest.mark.parametrize("bodies", [0, 1])
def test_no_joint_and_one_weld(bodies: int) -> None:
    s = ph.System("empty")
    for _ in range(bodies):
        s.joint("weld", s.ground, s.body("stone", 1), ph.Fixed())
    assert len(s.derive("vector_newton_euler").inverse_dynamics) == 0


def test_a_run_from_half_a_turn_says_so() -> None:
    s = ph.System("arm")
    s.joint("j1", s.ground, s.body("a", 1, (1, "0.2", 0), (1, 2, 2)), ph.Revolute("y"))
    s.joint("j2", "a", s.body("b", 2, ("0.3", 0, 1), (1, 1, "1.5")), ph.Revolute("x"), at=(1, 0, "0.5"))
    with pytest.raises(ph.PolhodeError, match=r"'j1' has turned by π, where the formalism 'vector_newton_euler'"):
        s.derive("vector_newton_euler").simulate(1, start={"j1": np.pi})
