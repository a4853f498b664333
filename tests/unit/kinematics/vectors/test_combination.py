"""Derivatives of arrows and dyadics in a frame: each is the derivative of the components there."""

from typing import Any

import sympy
from tests.refusals import refused

import polhode as ph
from polhode.expr import Expr, derivative, free_symbols, same, substitute
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


def test_expressions_change_along_the_motion_as_sympy_differentiates_them() -> None:
    s = ph.System("cart")
    l, z = s.parameter("l"), s.state("z", start=1)
    cart, bob = s.body("cart", 1), s.body("bob", 1, com=(0, 0, -l))
    slide = s.joint("x", s.ground, cart, ph.Prismatic("x"))
    hinge = s.joint("q", cart, bob, ph.Revolute("y"), speeds=["w"])
    s.state_rate(z, -z * slide.q[0])
    (x,), (v,), (q,), (w,) = slide.q, slide.u, hinge.q, hinge.u
    given = v**2 * ph.sin(q) / l + w * ph.cos(x * q) + z * s.time
    t, (X, Q) = sympy.Symbol("t"), (sympy.Function(name) for name in "XQ")
    rates = {X(t).diff(t): "x_dot", Q(t).diff(t): "w", X(t).diff(t, 2): "x_ddot", Q(t).diff(t, 2): "w_dot"}
    there = ph.to_sympy(given).subs({"x_dot": X(t).diff(t), "w": Q(t).diff(t), "x": X(t), "q": Q(t)})
    expected = there.diff(t) + there.diff("z") * sympy.sympify("-z*x")
    expected = expected.subs({rate: sympy.Symbol(name) for rate, name in reversed(rates.items())})
    found = s.dt(given)
    assert ph.from_sympy(expected.subs({X(t): "x", Q(t): "q"}), symbols_in(found) | {"z": z, "x": x}) == found
    assert s.dt(ph.Vector([given, 1])) == ph.Vector([found, 0]) and repr(s.dt(s.dt(s.dt(x)))).startswith("x''")


def test_along_the_motion_means_of_what_moves() -> None:
    s, _ = geared()
    (lift,), (rate,) = s.joints["lift"].q, s.joints["lift"].u
    assert s.dt(s.joints["wrist"].q[0]) == -3 * rate and s.dt(s.joints["turn"].q[0]) == ph.cos(s.time)
    vector = ph.Vector(s.joints["tilt"].q)
    assert s.dt(vector.dot(vector)) == 2 * vector.dot(s.dt(vector))  # q̇ = Γ u, u being no rates of coordinates
    force = s.input("force")
    assert "how the input 'force' changes" in refused("E-VECTOR-DEPENDENCE", lambda: s.dt(force * lift))


def symbols_in(expression: Expr) -> dict[str, Expr]:
    return {str(ph.to_sympy(x)): x for x in free_symbols([expression])}
