"""Points: where they are and how they move, seen from any frame."""

from typing import Any

import polhode as ph
from polhode.expr import free_symbols, same, sin, symbol


def test_positions_run_along_the_bodies_and_points_are_given_by_arrows_or_in_frames(pair: Any) -> None:
    b = pair.system.parameters["b"].symbol
    P = pair.B.point((0, 0, b))
    assert repr(P.position()) == "a*a_y + b*b_z"
    assert repr(P.position(pair.A)) == "a*a_y + b*b_z" and repr(P.position(pair.A.centre)) == "b*b_z"
    assert pair.A.origin.position(P) == -P.position(pair.A.origin)
    hook = pair.system.frame("hook", pair.B, at=(1, 0, 0), rotation=("z", ph.pi / 2))
    assert pair.system.point(hook, (1, 0, 0)).position(pair.B) == pair.B.x + pair.B.y
    assert pair.system.point("hook").position(pair.B) == pair.B.x
    assert pair.system.point("B", 2 * pair.B.x).position(hook) == pair.B.x
    assert hook.point(hook.x).position(hook) == hook.x and hook.origin.body == "B" and hook.x == pair.B.y


def test_velocities_are_native_and_those_of_a_free_body_its_speeds(pair: Any) -> None:
    assert repr(pair.B.angular_velocity()) == "u1*n_x + u2*a_y"
    assert repr(pair.B.angular_velocity(pair.A)) == "u2*a_y"
    assert repr(pair.A.angular_velocity(pair.B)) == "-u2*a_y" and repr(pair.B.origin.velocity()) == "a*u1*a_z"
    assert repr(pair.B.centre.velocity(pair.A)) == "-b*u2*b_z"
    s = ph.System()
    ship = s.body("ship")
    s.joint("sea", s.ground, ship, ph.Free(), speeds=["p", "q", "r", "u", "v", "w"])
    assert repr(ship.angular_velocity()) == "p*s_x + q*s_y + r*s_z"
    assert repr(ship.origin.velocity()) == "u*s_x + v*s_y + w*s_z"


def test_relative_motion_knows_only_the_joints_between_and_the_middle_axis_of_a_compound_joint_has_a_name() -> None:
    s = ph.System()
    bodies = [s.ground] + [s.body(f"b{k}") for k in range(5)]
    for k in range(4):
        s.joint(f"q{k}", bodies[k], bodies[k + 1], ph.Revolute("xyz"[k % 3]), at=(1, 2, 3))
    s.joint("side", bodies[2], bodies[5], ph.Prismatic("x"))
    P, Q = bodies[4].point((1, 1, 0)), bodies[5].point((0, 1, 1))
    for arrow in (P.velocity(bodies[2]), P.acceleration(bodies[2]), P.velocity(bodies[5]), Q.position(P)):
        assert {x.name for x in free_symbols(arrow.terms.values())} <= {"q2", "q3", "side"}
    s = ph.System()
    B = s.body("B")
    turns = ph.Compound(ph.Revolute("z"), ph.Revolute("y"), ph.Revolute("x"))
    s.joint("j", s.ground, B, turns, speeds=["u1", "u2", "u3"])
    w = B.angular_velocity()
    assert not any("sin" in repr(entry) for entry in w.terms.values()) and len(w.terms) == 3
    assert same(w.components("ground"), (s.derive().jacobian("B") @ s.derive().u)[:3])
    assert w.dt() == B.angular_acceleration()


def test_points_may_move_in_their_body_and_derivatives_differ_by_turning(pair: Any) -> None:
    t = pair.system.time
    P = pair.A.point((sin(2 * t), 0, pair.q[1]))
    assert P.velocity(pair.A) == 2 * ph.cos(2 * t) * pair.A.x + pair.u[1] * pair.A.z
    assert P.velocity() == P.position().dt() and P.acceleration() == P.position().dt().dt()
    # ᴺd/dt a = ᴮd/dt a + ω × a.
    a = pair.q[0] * pair.A.z + pair.u[1] * pair.B.x + pair.system.time * pair.N.y
    for one, other in ((pair.N, pair.B), (pair.A, pair.N), (pair.B, pair.A)):
        assert a.dt(one) == a.dt(other) + (other.angular_velocity(one) ^ a)
    assert pair.A.x.dt() == 0 and pair.A.y.dt(pair.B) == 0 and pair.A.y.dt() == pair.u[0] * pair.A.z


def test_partial_velocities_are_what_multiplies_a_speed(pair: Any) -> None:
    """Sayers (10), (11), and (30): the velocity is the sum of its partial velocities times the speeds."""
    w, v = pair.B.angular_velocity(), pair.B.centre.velocity()
    assert repr(w.partial("u1")) == "n_x" and repr(w.partial(pair.u[1])) == "a_y"
    for arrow in (w, v):
        assert sum(u * arrow.partial(u) for u in pair.u) == arrow


def test_a_prescribed_motion_is_a_function_of_time_and_a_follower_moves_with_its_leader() -> None:
    s = ph.System()
    arm, bob = s.body("arm"), s.body("bob", mass=1, com=(0, 0, -1))
    turn = s.joint("turn", s.ground, arm, ph.Revolute("z"))
    s.joint("hinge", arm, bob, ph.Revolute("x"), at=(2, 0, 0), speeds=["w"])
    assert repr(bob.origin.velocity()) == "2*turn'*a_y"
    s.prescribe("turn", 3 * s.time**2)
    t = s.time
    assert bob.angular_velocity() == 6 * t * s.ground.z + symbol("w", "speed") * arm.x
    assert bob.origin.velocity() == 12 * t * arm.y and bob.origin.acceleration() == 12 * arm.y - 72 * t**2 * arm.x
    assert bob.centre.velocity() == bob.centre.position().dt()
    assert (turn.q[0] * arm.x).dt(arm) == 6 * t * arm.x
    s = ph.System()
    drum, sled = s.body("drum"), s.body("sled")
    lead = s.joint("drum", s.ground, drum, ph.Revolute("z"))
    follow = s.joint("sled", s.ground, sled, ph.Prismatic("x"))
    s.couple(follow, lead, multiplier=0.5, offset=1)
    assert sled.origin.velocity() == lead.u[0] / 2 * s.ground.x
    assert sled.origin.position() == (1 + lead.q[0] / 2) * s.ground.x
    assert (follow.q[0] * s.ground.x).dt() == sled.origin.velocity()
    assert (follow.u[0] * s.ground.y).partial(lead.u[0]) == s.ground.y / 2
    assert sled.origin.acceleration() == symbol("drum", "acceleration") / 2 * s.ground.x
