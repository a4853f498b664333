import numpy as np

import polhode as ph
from polhode.model.samples import elastic_arm
from polhode.model.samples.underactuated import car_with_trailers, cart_pole, quadrotor


def chain(masses: int, gap: int | None = None) -> ph.System:
    """Carts on springs, one behind the other, but for a gap."""
    s = ph.System("carts", gravity=(0, 0, 0))
    before = None
    for i in range(masses):
        cart = s.joint(f"c{i}", s.ground, s.body(f"b{i}", 1 + i), ph.Prismatic("x"))
        if before is not None and i != gap:
            force = 5 * (before.q[0] - cart.q[0])
            s.joint_force(cart, force)
            s.joint_force(before, -force)
        before = cart
    return s


def test_inputs_reach_chains_and_drifts_reach_one_way() -> None:
    whole = chain(4).derive().accessibility(["c0"])
    assert whole and whole.is_strong and whole.growth == tuple(range(1, 9))
    broken = chain(4, gap=2).derive().accessibility(["c0"])
    assert broken.dimension == 4 and not broken
    assert str(broken) == "not accessible: brackets span 4 of 8 directions; not those of c2, c3, c2', c3'."
    equations = chain(4, gap=3).derive()
    A, B = equations.linearize().with_ports(["c0"]).numbers("A"), equations.linearize().with_ports(["c0"]).numbers("B")
    blocks = np.hstack([np.linalg.matrix_power(A, k) @ B for k in range(8)])
    assert equations.accessibility(["c0"], at={}).at == np.linalg.matrix_rank(blocks) == 6
    s = ph.System("clock", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("b", 1), ph.Prismatic("x"))
    s.state("clock", 1)
    found = s.derive().accessibility(["x"])
    assert found and not found.is_strong
    assert str(found) == "accessible, but not strongly: one of 3 directions is reached by the drift alone."


def test_balls_with_two_torques_keep_their_spin_and_six_motors_move_an_arm() -> None:
    s = ph.System("top")
    s.joint("b", s.ground, s.body("x", 1, com=(0, 0, -1), inertia=(1, 1, 1)), ph.Spherical())
    found = s.derive().accessibility(["b_wx", "b_wy"])
    assert (found.size, found.dimension, found.unreached) == (6, 5, ("b_wz",))
    found = elastic_arm(coupling="reduced").derive().accessibility()
    assert found.growth == (6, 12, 18, 24) and found.is_strong
    found = car_with_trailers(5).derive().accessibility()
    assert found.growth == (4, 5, 6, 7, 8, 9, 10, 11)


def test_at_a_state_deeper_brackets_are_taken() -> None:
    """F. Jean (1996): where a trailer is at a right angle to the one before, the degree of nonholonomy is larger."""
    equations = car_with_trailers(1).derive()
    assert equations.accessibility(at={"hitch 1": ph.pi / 2}).at == 7
    pushed = ph.System("pushed sideways", gravity=(0, 0, 0))
    body = pushed.body("b", 1, inertia=(1, 1, 1))
    pushed.joint("p", pushed.ground, body, ph.Planar())
    pushed.force(body, (0, pushed.input("f"), 0), at=(-1, 0, 0), frame=body)
    assert pushed.derive().accessibility(at={}).at == 6


def test_controls_are_all_efforts_and_a_state_may_be_given() -> None:
    s = ph.System("pendulum")
    s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    assert s.derive().accessibility(at={}).at == 2
    assert str(cart_pole().derive().accessibility(at={"theta": 0.3})).endswith("at the given state too.")


def planar_body() -> ph.System:
    """A body in a plane without friction, pushed behind its mass centre along and across."""
    s = ph.System("planar body", gravity=(0, 0, 0))
    m, J, h = (s.parameter(name, 1) for name in ("m", "J", "h"))
    body = s.body("b", m, inertia=(J, J, J))
    s.joint("p", s.ground, body, ph.Planar())
    s.force(body, (s.input("along"), s.input("across"), 0), at=(-h, 0, 0), frame=body)
    return s


def test_linear_equations_and_brackets_decide_controllability() -> None:
    found = cart_pole().derive().controllability()
    assert found.verdict is True and found.test == "linear" and found.linear_rank == 4
    found = chain(3, gap=2).derive().controllability(["c0"])
    assert found.verdict is False and found.test == "accessible"
    assert "span 4 of 6 directions, not those of c2, c2'" in str(found)
    # J.-P. Laumond (1991): n trailers; the linear equations alone do not tell.
    found = car_with_trailers(5).derive().controllability()
    assert found.verdict is True and found.test == "Chow" and found.linear_rank < found.size == 11


def test_a_planar_body_is_controllable_by_sussmanns_theorem() -> None:
    """A. D. Lewis and R. M. Murray, *Configuration controllability of simple mechanical control systems* (1997)."""
    equations = planar_body().derive()
    both = equations.controllability()
    assert both.verdict is True and both.test == "Sussmann"
    assert equations.controllability(["along"]).verdict is False


def test_equilibria_with_held_inputs_are_decided_and_bad_brackets_are_not() -> None:
    """With the force across alone it is accessible, but not controllable in small time: the test must not say it is."""
    found = planar_body().derive().controllability(["across"])
    assert found.verdict is None and "bad bracket of degree 3" in str(found) and not found
    found = car_with_trailers(1).derive().controllability(at={"vx": 1})
    assert found.verdict is None and "no equilibrium" in str(found)
    s = ph.System("arm", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("bar", 1, com=(1, 0, 0)), ph.Revolute("y"))
    equations = s.derive()
    assert equations.controllability(["a"]).verdict is None
    assert equations.controllability(["a"], at={"tau_a": -10}).verdict is True
    assert elastic_arm(coupling="reduced").derive().controllability(at={"j2": 0}).linear_rank == 24


def test_two_equal_poles_on_one_cart_are_not_moved_apart() -> None:
    """T. Kailath, *Linear Systems* (1980): controllable unless the lengths are the same."""
    s = ph.System("two poles", gravity=(0, 0, -10))
    cart = s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    for i in (1, 2):
        body = s.body(f"pole {i}", 1, com=(0, 0, s.parameter(f"l{i}", 1)))
        s.joint(f"a{i}", "cart", body, ph.Revolute("y"))
    s.joint_force(cart, s.input("F"))
    equations = s.derive()
    equal = equations.controllability()
    assert equal.verdict is not True and equal.linear_rank == 4
    assert equations.controllability(parameters={"l2": 2}).test == "linear"
    assert equations.accessibility(parameters={"l1": 1, "l2": 1}).is_accessible
    assert equations.observability(["x"], parameters={"l1": 1, "l2": 1}).rank == 6


def test_what_measurements_tell_and_do_not_tell_is_reported() -> None:
    found = cart_pole().derive().observability(["theta"])
    assert found.unseen == found.unobservable == ("x", "x'") and not found
    assert str(found) == "not observable: rank 2 of 4; nothing that is measured depends on x, x'."
    s = ph.System("two carts", gravity=(0, 0, 0))
    a, b = (s.joint(name, s.ground, s.body(name, 1), ph.Prismatic("x")) for name in "ab")
    found = s.derive().observability([b.q[0] - a.q[0]])
    assert found.rank == 2 and found.unobservable == ("a", "b", "a'", "b'") and found.unseen == ()
    assert "only combinations are determined" in str(found)


def test_linear_equations_have_the_rank_that_numbers_give_and_drifts_quadrotors_and_elastic_arms_are_observed() -> None:
    equations = chain(4, gap=2).derive()
    linear = equations.linearize().with_ports(["c0"], ["c3"])
    A, C = linear.numbers("A"), linear.numbers("C")
    rows = np.vstack([C @ np.linalg.matrix_power(A, k) for k in range(8)])
    assert equations.observability(["c3"]).rank == np.linalg.matrix_rank(rows) == 4
    found = cart_pole().derive().observability(["x"], at={})
    assert found.is_observable and found.at == 4
    hung = cart_pole().derive().observability(["x"], at={"theta": ph.pi / 2, "F": 0})
    assert hung.at is not None
    found = quadrotor().derive().observability(["pose_z"])
    assert found.unseen == ("pose_x", "pose_y") and "pose_rz" in found.unobservable
    assert elastic_arm(coupling="reduced").derive().observability([f"j{i}" for i in range(1, 7)]).is_observable
