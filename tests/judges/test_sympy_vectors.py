"""sympy.physics.vector as judge: dot products, velocities, accelerations and inertia dyadics of textbook mechanisms."""

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.physics.mechanics import Point, ReferenceFrame, dynamicsymbols, inertia

import polhode as ph


def rates(q: Sequence[Any], u: Sequence[Any]) -> dict[Any, Any]:
    """SymPy's second and first derivatives in terms of speeds, to be replaced in this order."""
    return {c.diff(): s for c, s in zip(q, u, strict=True)}


def assert_same_vector(
    ours: ph.Arrow, frame: str, theirs: Any, theirs_frame: Any, names: dict[Any, Any], flow: Any
) -> None:
    """Components in a frame, ours with SymPy's names, agree."""
    made = [entry._sympy_().subs(names) for entry in ours.components(frame)]
    given = [entry.subs(flow) for entry in theirs.to_matrix(theirs_frame)]
    for a, b in zip(made, given, strict=True):
        assert sp.simplify(sp.expand(a - b)) == 0


def test_sympy_agrees_on_a_gyroscope_in_gimbals() -> None:
    s = ph.System("gyroscope")
    l = s.parameter("l")
    A, B, C = s.body("A"), s.body("B"), s.body("C", inertia=(2, 2, 3))
    s.joint("a", s.ground, A, ph.Revolute("z"))
    s.joint("b", A, B, ph.Revolute("x"), at=(l, 0, 0))
    s.joint("c", B, C, ph.Revolute("y"), at=(0, l, 0))
    P = C.point((0, 0, l))

    q, u = dynamicsymbols("a b c"), dynamicsymbols("ua ub uc")
    L = l._sympy_()
    frames = [ReferenceFrame("N")]
    for angle, axis, name in zip(q, "zxy", "ABC", strict=True):
        frames.append(frames[-1].orientnew(name, "Axis", [angle, getattr(frames[-1], axis)]))
    N, FA, FB, FC = frames
    O = Point("O")
    O.set_vel(N, 0)
    tip = O.locatenew("P", L * FA.x + L * FB.y + L * FC.z)
    position = tip.pos_from(O)

    made = s.derive()
    names = dict(
        zip([x._sympy_() for x in (*made.q, *made.u, *made.udot)], [*q, *u, *(x.diff() for x in u)], strict=True)
    )
    flow = rates(q, u)
    twice = {c.diff().diff(): v.diff() for c, v in zip(q, u, strict=True)} | flow
    assert (s.ground.x & C.z)._sympy_().subs(names) - sp.expand(N.x.dot(FC.z)) == 0
    assert_same_vector(P.position(), "ground", position, N, names, flow)
    assert_same_vector(P.velocity(), "ground", position.dt(N), N, names, flow)
    assert_same_vector(P.velocity(A), "A", position.dt(FA), FA, names, flow)
    assert_same_vector(C.angular_velocity(), "B", FC.ang_vel_in(N), FB, names, flow)
    assert_same_vector(C.angular_acceleration(), "B", FC.ang_acc_in(N), FB, names, twice)
    assert_same_vector(P.acceleration(B), "B", position.dt(FB).dt(FB), FB, names, twice)
    I = inertia(FC, 2, 2, 3)
    momentum = I.dot(FC.ang_vel_in(N))
    assert_same_vector(C.inertia_dyadic & C.angular_velocity(), "B", momentum, FB, names, flow)
    cross = FC.ang_vel_in(N).cross(momentum)
    assert_same_vector(C.angular_velocity() ^ (C.inertia_dyadic & C.angular_velocity()), "C", cross, FC, names, flow)


def test_sympy_agrees_on_a_trolley_with_a_hoist() -> None:
    s = ph.System("hoist")
    trolley, boom, load = s.body("trolley"), s.body("boom"), s.body("load")
    s.joint("x", s.ground, trolley, ph.Prismatic("x"))
    s.joint("swing", trolley, boom, ph.Revolute("y"))
    s.joint("reach", boom, load, ph.Prismatic("z"))

    q, u = dynamicsymbols("x swing reach"), dynamicsymbols("ux uswing ureach")
    N = ReferenceFrame("N")
    B = N.orientnew("B", "Axis", [q[1], N.y])
    position = q[0] * N.x + q[2] * B.z
    made = s.derive()
    names = dict(
        zip([x._sympy_() for x in (*made.q, *made.u, *made.udot)], [*q, *u, *(x.diff() for x in u)], strict=True)
    )
    twice = {c.diff().diff(): v.diff() for c, v in zip(q, u, strict=True)} | rates(q, u)
    assert_same_vector(load.origin.velocity(), "boom", position.dt(N), B, names, rates(q, u))
    assert_same_vector(load.origin.acceleration(), "ground", position.dt(N).dt(N), N, names, twice)
    assert_same_vector(load.origin.acceleration("trolley"), "boom", (q[2] * B.z).dt(N).dt(N), B, names, twice)
    length = sp.sqrt(position.dot(position))
    ours = load.origin.position().norm()._sympy_().subs(names)
    assert sp.simplify(ours**2 - length**2) == 0
