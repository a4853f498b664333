"""Derivatives of arrows and dyadics in a frame: each is the derivative of the components there."""

from typing import Any

from tests.refusals import refused

import polhode as ph
from polhode.expr import Expr, derivative, same, substitute
from polhode.kinematics.vectors import Arrow, Dyadic, named


def components(item: Arrow | Dyadic, frame: Any) -> list[Expr]:
    made = item.components(frame)
    return list(made.entries()) if isinstance(item, Dyadic) else list(made)


def geared() -> tuple[ph.System, list[Any]]:
    """An arm whose third joint follows the first, on a base in space, and a table whose turn is prescribed."""
    s = ph.System("geared")
    table, base, arm, hand = (s.body(name) for name in ("table", "base", "arm", "hand"))
    s.joint("turn", s.ground, table, ph.Revolute("z"))
    s.joint("tilt", table, base, ph.Spherical("vector"), at=(0, 1, 0))
    s.joint("lift", base, arm, ph.Revolute((0, "0.6", "0.8")), at=(1, 0, 0), speeds=["lift_rate"])
    s.joint("wrist", arm, hand, ph.Revolute("x"), at=(0, 0, 2))
    s.prescribe("turn", ph.sin(s.time))
    s.couple("wrist", "lift", -3)
    return s, [s.ground, table, base, arm, hand]


def test_partial_derivatives_are_those_of_the_components_in_the_frame(pair: Any) -> None:
    q1, q2 = pair.q
    a = q2 * pair.N.y + pair.u[0] * pair.A.z - ph.cos(q1) * pair.B.x
    for item in (a, a | pair.B.x, pair.B.inertia_dyadic):
        for frame in (pair.N, pair.A, pair.B):
            for by in (*pair.q, *pair.u):
                assert same(components(item.partial(by, frame), frame), derivative(components(item, frame), by))


def test_so_are_those_of_geared_joints_and_of_vector_parameters() -> None:
    s, frames = geared()
    tree, hand = s.derive().tree, frames[-1]
    q = tree.q
    item = hand.x + q[0] * frames[2].y
    for frame in (frames[0], frames[3]):
        for by in q:
            expected = derivative(substitute(components(item, frame), tree.followed), by)
            assert same(components(item.partial(by, frame), frame), expected)


def test_partial_velocities_are_partial_derivatives_in_native_form(pair: Any) -> None:
    P = pair.B.centre
    for q, u in zip(pair.q, pair.u, strict=True):
        assert P.position().partial(q) == P.velocity().partial(u)
        assert P.position().partial(q, pair.A) == P.velocity(pair.A).partial(u)
    assert repr(pair.B.x.partial("q2")) == "-b_z" and repr(pair.A.z.partial("q1")) == "-a_y"
    assert repr(pair.A.z.partial("q2", pair.B)) == "-a_x"
    assert repr((pair.A.y | pair.A.z).partial("q1")) == "a_z|a_z - a_y|a_y"


def test_inertia_changes_in_other_frames_and_names_mean_speeds(pair: Any) -> None:
    I, w = pair.B.inertia_dyadic, pair.B.angular_velocity()
    assert I.dt(pair.B) == 0 and I.dt() == (w ^ I) - (I ^ w)
    assert I.dt(pair.A) == (pair.B.angular_velocity(pair.A) ^ I) - (I ^ pair.B.angular_velocity(pair.A))
    H = I & w
    assert H.dt() == (I.dt() & w) + (I & w.dt())
    s = ph.System()
    A = s.body("A")
    hinge = s.joint("hinge", s.ground, A, ph.Revolute("x"))
    assert A.y.partial("hinge") == 0 and A.y.partial(hinge.q[0]) == A.z


def test_one_component_of_a_quaternion_does_not_change_alone() -> None:
    s = ph.System()
    A = s.body("A")
    ball = s.joint("ball", s.ground, A, ph.Spherical())
    refused("'ball_e1' does not change alone", lambda: A.x.partial(ball.q[1]), code="E-VECTOR-DEPENDENCE")
    assert A.angular_velocity().partial(ball.u[0]) == A.x


def test_what_a_name_stands_for_is_differentiated_and_not_the_name(pair: Any) -> None:
    short = named(pair.B.angular_velocity().express(pair.B))
    refused("a name for another expression", lambda: short.arrow.partial("u1"), code="E-VECTOR-DEPENDENCE")
    assert short.unnamed().partial("u1") == pair.N.x
    refused("how the intermediate 'Z1' changes in time", short.arrow.dt)
