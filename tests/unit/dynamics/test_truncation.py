import pytest
from tests.refusals import refused

import polhode as ph
from polhode.dynamics.variations import Variations
from polhode.expr import Matrix, Vector, as_expr, jacobian, same, substitute, symbols


def cart() -> ph.System:
    """A pendulum on a cart."""
    s = ph.System("cart")
    s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    s.joint("swing", "cart", s.body("bob", 2, (0, 0, -1)), ph.Revolute("y"))
    return s


def test_a_mass_matrix_loses_first_order_terms_in_the_columns_of_small_accelerations_alone() -> None:
    s = ph.System("whirl", gravity=(0, 0, 0))
    s.joint("turn", s.ground, s.body("arm", inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("slide", "arm", s.body("bead", 2), ph.Prismatic("x"), at=(0, 3, 0))
    s.joint("swing", "bead", s.body("bob", 1, (1, 0, 0)), ph.Revolute("z"))
    made = s.derive(small=["swing"])
    whole = s.derive().mass_matrix
    swing = made.q[2]
    assert not same(whole.entries(), made.mass_matrix.entries())
    assert made.mass_matrix[1, 2] == 0  # sin(swing) times the swing's acceleration
    assert made.mass_matrix[2, 1] == -swing and same(made.mass_matrix @ made.forward_dynamics + made.bias, made.tau)


def test_small_joints_parameters_and_inputs() -> None:
    made = cart().derive(small=["swing"])
    known = dict(zip(made.udot, made.forward_dynamics, strict=True))
    assert same(substitute(made.inverse_dynamics, known), made.tau)
    s = cart()
    s.joint("second", "bob", s.body("last", 1, (0, 0, -1)), ph.Revolute("y"), at=(0, 0, -1), small=True)
    assert s.derive().agrees_with(s.derive(small=["second"])) and s.derive(small=[]).record.small is None
    assert not s.derive(small=["swing"]).agrees_with(s.derive())
    assert s.derive(small=[s.joints["swing"]]).agrees_with(s.derive(small=[s.joints["swing"].q[0]]))
    s = ph.System("rotor", gravity=(0, 0, 0))
    offset, push = s.parameter("offset"), s.input("push")
    s.joint("shaft", s.ground, s.body("rotor", 1, (offset, 0, 0), inertia=(1, 1, 2)), ph.Revolute("z"))
    s.joint_force("shaft", push * offset + push)
    assert s.derive(small=["offset"]).mass_matrix[0][0] == 2 and s.derive(small=["offset", "push"]).bias[0] == -push


def test_a_small_turn_of_a_free_body_makes_the_speeds_small_that_it_begins_with() -> None:
    s = ph.System("ship")
    free = ph.Free(storage="321")
    s.joint("sea", s.ground, s.body("ship", 1, inertia=(1, 2, 3)), free, coordinates=["yaw", "pitch", "roll", *"xyz"],
            speeds=["wx", "wy", "wz", "vx", "vy", "vz"])  # fmt: skip
    small = s.derive(small=["pitch", "roll", "z"]).record.small
    assert small is not None and len(small.speeds) == 3


@pytest.mark.parametrize(("small", "sentence"), [
    (["swng"], "there is no coordinate, joint, parameter, input or state 'swng'"),
    (["ball"], "is of a quaternion, which is \\(1, 0, 0, 0\\) and not small"),
    (["weld"], "joint 'weld' does not move"), (["driven"], "the coordinate 'driven' is no unknown"),
    (["glide_x"], "move 'glide_a' as well|move 'glide_y' as well"),
])  # fmt: skip
def test_what_cannot_be_small_is_told(small: list[str], sentence: str) -> None:
    s = cart()
    s.joint("ball", s.ground, s.body("ball", 1, inertia=(1, 1, 1)), ph.Spherical())
    s.joint("weld", "ball", s.body("lump", 1), "fixed")
    s.joint("driven", s.ground, s.body("crank", 1), ph.Prismatic("y"))
    s.prescribe("driven", s.time)
    s.joint("glide", s.ground, s.body("puck", 1, inertia=(1, 1, 1)), ph.Planar("z"))
    refused(sentence, lambda: s.derive(small=small))


def test_a_force_that_has_no_slope_is_named() -> None:
    s = cart()
    swing = s.joints["swing"]
    s.joint_force(swing, ph.absolute(swing.q[0]), name="stop")
    refused(r"joint force .*'stop': abs\(swing\) has no slope", lambda: s.derive(small=["swing"]).bias)
    s = cart()
    swing = s.joints["swing"]
    s.joint_force(swing, 1 / swing.q[0], name="pole")
    refused(r"'pole': 1/swing divides by swing, which vanishes", lambda: s.derive(small=["swing"]).bias)


def test_constraints_are_truncated_where_they_are_embedded() -> None:
    s = ph.System("tied", gravity=(0, 0, -1))
    s.joint("x", s.ground, s.body("slide"), ph.Prismatic("x"))
    s.joint("z", "slide", s.body("bob", 1), ph.Prismatic("z"))
    x, z = (s.joints[name].q[0] for name in "xz")
    s.constrain("rope", x**2 + z**2 - 4)
    refused("kept by multipliers are not truncated", lambda: s.derive(small=["x"]))
    made = s.derive(constraints="embedded", independent=["x"], small=["x"])
    assert made.forward_dynamics[0] == made.tau[0] - (made.tau[1] - 1) * x / z  # x / z: a pendulum below, z = -2
    assert made.coordinate_rates[1] == 0
    refused("the force of a constraint is that of the whole equations", lambda: made.multipliers)


def test_rates_vary_as_their_derivatives_say_though_the_mass_matrix_is_not_symmetric() -> None:
    s = cart()
    s.joint("last", "bob", s.body("end", 1, (0, 0, -1)), ph.Revolute("y"), at=(0, 0, -1))
    made = s.derive(small=["swing"])
    M = made.mass_matrix
    assert not same(M.entries(), M.T.entries())
    varied = Variations(made.record)
    slopes = jacobian(list(made.state_rates), varied.x)
    assert same(varied.jacobian().entries(), slopes.entries())
    weights = [*symbols("a b c d e f")]
    assert same(varied.pulled_back(weights, varied.x), slopes.T @ Vector(weights))
    by_q, _, by_tau = made.forward_dynamics_derivatives
    assert same(by_q.entries(), jacobian(list(made.forward_dynamics), list(made.q)).entries())
    assert same((M @ by_tau).entries(), Matrix.identity(3).entries())


def test_small_motions_about_a_state_beside_home_and_what_only_the_whole_equations_tell_says_so() -> None:
    made = cart().derive(small=["swing"])
    at = made.linearize({"swing": "1/10"})
    assert same(at.second_order.M.entries(), substitute(made.mass_matrix.entries(), {made.q[1]: as_expr("1/10")}))
    assert same(
        at.second_order.M @ at.accelerations,
        substitute(-made.bias, {made.q[1]: as_expr("1/10"), **dict.fromkeys(made.u, 0)}),
    )
    made = cart().derive(small=["swing"])
    for ask in (made.power, lambda: made.velocity_terms):
        with pytest.raises(ph.PolhodeError, match="truncated in small variables"):
            ask()
