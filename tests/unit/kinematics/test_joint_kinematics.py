"""X, Γ and H of joints by one call: what may be given, and that they belong to one motion."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from tests.refusals import refused

import polhode as ph
from polhode.expr import Matrix, Vector, as_expr, directional, evaluate, same, skew, symbols, unit_symbols
from polhode.model.samples.random_system import random_system

l, k = symbols("l k")
UNIT = unit_symbols(["a", "b", "c"])


def moves_as_it_says(made: ph.JointKinematics) -> bool:
    """Whether X⁻¹ Ẋ, with q̇ = Γ u, is the twist H u; (11a), (34)."""
    rates = dict(zip(made.q, made.coordinate_rates, strict=True))
    R_dot = Matrix([directional([as_expr(entry) for entry in row], rates) for row in made.X.R])
    p_dot = Vector(directional([as_expr(entry) for entry in made.X.p], rates))
    w, v = made.velocity[:3], made.velocity[3:]
    return same((made.X.R.T @ R_dot).entries(), skew(w).entries()) and same(made.X.R.T @ p_dot, v)


@pytest.mark.parametrize("H", [
    [[0], [0], [l], [0], [k], [0]], [[l * x] for x in UNIT] + [[k], [0], [1]],
    [[l, 0, 0], [0, k, 0], [0, 0, 2 * l], [0, 0, 0], [0, 0, 0], [0, 0, 0]],
    [[0, 0], [l, 0], [0, k], [0, 0], [0, 0], [0, 0]],
], ids=["hinge", "any direction", "ball", "nonholonomic"])  # fmt: skip
def test_axes_of_symbolic_length_are_exact(H: Any) -> None:
    made = ph.joint_kinematics(H)
    assert moves_as_it_says(made) and Matrix.identity(3) == made.X.R.T @ made.X.R


def test_an_axis_of_any_symbols_has_its_length_as_a_root() -> None:
    a, b, c = symbols("a b c")
    made = ph.joint_kinematics((a, b, c, 1, k, -2))
    values = {a: 0.3, b: -1.2, c: 0.7, k: 0.4, made.q[0]: 0.9}
    found = np.reshape(evaluate([as_expr(x) for x in made.X.matrix().entries()], values), (4, 4))
    hat = np.array([[0, -0.7, -1.2, 1], [0.7, 0, -0.3, 0.4], [1.2, 0.3, 0, -2], [0, 0, 0, 0]])
    np.testing.assert_allclose(found, expm(0.9 * hat), atol=1e-14)
    assert made.gamma == Matrix([[1]])


def test_a_model_refuses_such_a_root_in_a_sentence_and_takes_what_is_exact() -> None:
    a, b = symbols("a b")
    refused(r"axis \(a, b, 0\) of a joint map has no exact length", lambda: ph.JointMap([[a], [b], [0], [0], [0], [0]]))
    assert ph.JointMap([[0], [0], [l], [0], [0], [0]]).is_holonomic


def test_a_hinge_whose_axis_is_long_turns_as_much_faster() -> None:
    s = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    n = s.parameter("n", 2)
    body = s.body("bob", 1, (1, 0, 0), inertia=(1, 1, 1))
    s.joint("j", s.ground, body, ph.JointMap([[0], [n], [0], [0], [0], [0]]))
    e = s.derive("newton_euler")
    assert e.mass_matrix == Matrix([[2 * n**2]])  # T = ½ 2 (n u)²
    assert e.bias[0] == -n * as_expr("9.81") * ph.cos(n * e.q[0])
    assert s.compare(("newton_euler", "poincare"), run=False, functions=()).agree


def test_joints_of_a_system_and_given_names_and_expressions_and_equations_have_joints_in_what_they_follow() -> None:
    s = random_system(3)
    for joint in s.joints.values():
        made = ph.joint_kinematics(joint)
        assert (made.q, made.u) == (joint.q, joint.u)
    made = ph.joint_kinematics(ph.Revolute("z"), coordinates=[2 * l], speeds=["w"])
    assert ph.rotation(("z", 2 * l)) == made.X.R and [u.name for u in made.u] == ["w"]
    ball = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    with pytest.raises(ph.PolhodeError, match="the name 'a' stands for several coordinates"):
        ph.joint_kinematics(ball, coordinates=["a", "a", "b"])
    refused("a coordinate has no name", lambda: ph.joint_kinematics(ball, coordinates=["", "b", "c"]))
    s = ph.System("geared", gravity=(0, 0, 0))
    s.joint("first", s.ground, s.body("a", 1, (1, 0, 0)), ph.Revolute("z"), speeds=["w"])
    s.joint("second", "a", s.body("b", 1, (1, 0, 0)), ph.Revolute("z"), at=(1, 0, 0))
    s.joint("driven", "b", s.body("c", 1, (1, 0, 0)), ph.Prismatic("x"))
    s.joint("weld", "c", s.body("d", 1))
    s.couple("second", "first", multiplier=3)
    s.prescribe("driven", s.time**2)
    e = s.derive()
    (q,), (w,) = e.q, e.u
    assert ph.rotation(("z", 3 * q)) == e.joint_poses["second"].R
    assert e.joint_kinematics("second").velocity[2] == 3 * w and list(e.joint_poses["driven"].p) == [s.time**2, 0, 0]
    assert e.joint_kinematics("driven").velocity[3] == 2 * s.time and e.joint_poses["weld"] == ph.Pose.identity()
    place, turn = e.compile().evaluate(ph.JointPoseOf("second"), [0.2])
    np.testing.assert_allclose(turn[0], [np.cos(0.6), -np.sin(0.6), 0], atol=1e-15)
    assert place.tolist() == [0, 0, 0]
    refused("there is no joint 'frist'", lambda: e.joint_kinematics("frist"))


@pytest.mark.parametrize(
    ("joint", "options", "said"),
    [
        ("hinge", {}, "'hinge' is not a joint or a joint map"),
        (5, {}, "5 is not a joint or a joint map"),
        ([1, 2], {}, "a joint map has 6 rows"),
        ([[1, 0], [0, 1]], {}, "a joint map has 6 rows"),
        ([(0, 0, 1, 0, 0, 0)] * 2, {}, "a joint map has 6 rows and 1 to 6 columns, not 2×6"),
        ([[1, 1]] * 6, {}, "the columns of the joint map are not independent"),
        ([["x"]] * 6, {}, "'x' is not a number or an expression"),
        ((0, 0, 1, 0, 0, 0), {"groups": (2,)}, "do not add up"),
        (ph.Revolute("z"), {"groups": (1,)}, "a revolute joint has its groups already"),
        ([[[1]] * 6], {"groups": (1,)}, "a list of maps has its groups already"),
        (ph.Revolute("z"), {"coordinates": "q"}, "'q' is not a list of coordinates"),
        (ph.Revolute("z"), {"coordinates": ["a", "b"]}, "the joint has 1 coordinates, not 2"),
        (ph.Revolute("z"), {"speeds": []}, "the joint has 1 speeds, not 0"),
    ],
)  # fmt: skip
def test_what_is_none_is_refused_in_a_sentence(joint: Any, options: dict[str, Sequence[Any]], said: str) -> None:
    refused(said, lambda: ph.joint_kinematics(joint, **options))
