"""Arrows: sums and products without a basis, equal whatever they are written in; each mistake is a sentence."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import Matrix, Vector, as_expr, cos, free_symbols, same, sin, sqrt
from polhode.kinematics.vectors import reference_direction, unit_direction


def test_unit_vectors_of_one_body_are_orthonormal_and_right_handed(pair: Any) -> None:
    e = [pair.B.x, pair.B.y, pair.B.z]
    for i in range(3):
        for j in range(3):
            assert e[i] & e[j] == int(i == j)
    assert e[0] ^ e[1] == e[2] and e[1] ^ e[2] == e[0] and e[2] ^ e[0] == e[1]


def test_axes_and_products_between_bodies_have_only_the_joints_between(pair: Any) -> None:
    assert pair.B.y == pair.A.y and pair.A.x == pair.N.x and pair.B.x != pair.A.x and (pair.A.y & pair.B.y) == 1
    assert set(free_symbols([pair.A.x & pair.B.x])) == {pair.q[1]}
    assert set(free_symbols([pair.N.z & pair.A.y])) == {pair.q[0]} and (pair.A.x & pair.B.z) == sin(pair.q[1])
    s = ph.System()
    links = [s.ground] + [s.body(f"link{k}") for k in range(3)]
    q = [s.joint(f"q{k}", links[k], links[k + 1], ph.Revolute("z")).q[0] for k in range(3)]
    assert (links[0].x & links[3].x) is cos(q[0] + q[1] + q[2])
    assert repr(pair.N.x ^ pair.A.y) == "a_z" and repr(pair.B.y ^ pair.A.x) == "-a_z"
    assert repr(pair.A.y ^ pair.B.x) == "-b_z"
    assert repr(pair.N.x ^ pair.B.y) == "a_z", "n1 and b2 are both fixed in A"
    assert repr(pair.B.y ^ pair.N.x) == "-a_z"


def test_unit_vectors_of_parallel_bases_are_written_as_one() -> None:
    s = ph.System("crane")
    A, B, C, loose = (s.body(name) for name in ("A", "B", "C", "D"))
    s.joint("x", s.ground, A, ph.Prismatic("x"))
    s.joint("y", A, B, ph.Prismatic("y"), rotation=("z", ph.pi))
    s.joint("q", B, C, ph.Revolute("z"), child_rotation=("z", ph.pi))
    hook = s.frame("H", B, rotation=("z", -ph.pi))
    N = s.ground
    assert [repr(a) for a in (N.x + A.x, A.x - N.x, A.y, A.x + B.x)] == ["2*n_x", "0", "a_y", "a_x + b_x"]
    assert repr(N.x + 3 * hook.y - A.y) == "n_x + 2*n_y"
    assert repr(C.z + B.z + loose.z) == "c_z + b_z + d_z"  # one axis is shared, and the bases are not parallel
    assert repr((A.x | N.y) + (N.x | A.y)) == "2*a_x|a_y"
    assert (N.x + A.x)._repr_latex_() == (2 * N.x)._repr_latex_()


def test_joints_on_the_way_to_the_ground_do_not_enter_between_siblings() -> None:
    s = ph.System()
    trunk, left, right = s.body("trunk"), s.body("left"), s.body("right")
    s.joint("base", s.ground, trunk, ph.Free())
    a = s.joint("a", trunk, left, ph.Revolute("x")).q[0]
    b = s.joint("b", trunk, right, ph.Revolute("x")).q[0]
    assert (left.y & right.y) == cos(a - b) and set(free_symbols([left.y & right.y])) <= {a, b}


def test_products_of_arrows_agree_with_components_in_any_basis_and_sums_scale(pair: Any) -> None:
    a = 2 * pair.N.x - pair.A.z + pair.q[0] * pair.B.y
    b = pair.B.x + 3 * pair.N.y + pair.u[1] * pair.A.z
    for frame in (pair.N, pair.A, pair.B):
        x, y = a.components(frame), b.components(frame)
        assert x.dot(y) == a.dot(b) and same(x.cross(y), a.cross(b).components(frame))
        assert a.express(frame) == a and {key for key, _ in a.express(frame).terms} == {frame.name}
    a, b, c = pair.N.y + pair.B.x, 2 * pair.A.z - pair.N.x, pair.B.z + pair.u[0] * pair.A.y
    assert (a ^ (b ^ c)) == b * (a & c) - c * (a & b) and (a ^ b) == -(b ^ a) and (a & (b ^ c)) == (c & (a ^ b))
    tilted = (pair.A.x + 2 * pair.B.y).normalized()
    assert (tilted & tilted) == 1 and tilted == (pair.A.x + 2 * pair.A.y) / ph.sqrt(5)
    a = pair.A.x + pair.B.x
    assert a - a == 0 and not a - pair.A.x - pair.B.x and 2 * a == a + a and a / 2 * 2 == a
    assert sum([pair.A.x, pair.B.x]) == a and 0 - a == -a and a.dot(a) == 2 + 2 * cos(pair.q[1])
    assert a.norm() == sqrt(2 + 2 * cos(pair.q[1])) and a.normalized() * a.norm() == a


def test_native_form_is_written_as_it_was_built(pair: Any) -> None:
    u1, u2 = pair.u
    assert repr(u1 * pair.N.x + u2 * pair.A.y) == "u1*n_x + u2*a_y"
    assert repr(u2 * pair.A.y + u1 * pair.N.x) == "u2*a_y + u1*n_x"
    assert repr(-pair.A.x - (u1 + u2) * pair.B.z) == "-a_x - (u1 + u2)*b_z"
    assert repr(pair.A.x * -2 + pair.A.y) == "-2*a_x + a_y" and repr(pair.A.x - pair.A.x) == "0"


def test_arrows_are_written_in_latex_by_letters_of_their_size(pair: Any) -> None:
    w = pair.u[0] * pair.N.x + pair.u[1] * pair.A.y
    assert w.latex() == r"u_{1} \mathbf{n}_{x} + u_{2} \mathbf{a}_{y}"
    assert pair.B.z.latex(hats=True) == r"\hat{\mathbf{b}}_{z}"
    assert (-(pair.u[0] + 1) * pair.B.x).latex() == r"-\left(u_{1} + 1\right) \mathbf{b}_{x}"
    assert pair.B.x._repr_latex_() == r"$\mathbf{b}_{x}$"
    s = ph.System()
    for name in ("B", "b"):
        s.joint(f"j{name}", s.ground, s.body(name), ph.Revolute("x"))
    assert repr(s.bodies["B"].x + s.bodies["b"].x) == "B_x + b_x"
    s = ph.System()
    rotor = s.body("rotor")
    joint = s.joint("spin", s.ground, rotor, ph.Revolute("z"))
    assert repr(joint.q[0] * rotor.x + joint.u[0] * rotor.y) == "spin*r_x + spin'*r_y"
    assert repr(rotor.angular_acceleration()) == "spin''*n_z"


def test_a_system_that_grows_gives_fresh_answers() -> None:
    s = ph.System()
    A, B = s.body("A"), s.body("B")
    one = s.joint("one", s.ground, A, ph.Revolute("x"))
    assert (s.ground.y & A.y) == cos(one.q[0])
    refused("body 'B' hangs on no joint yet", lambda: s.ground.y.dot(B.y))
    two = s.joint("two", A, B, ph.Revolute("x"))
    assert (s.ground.y & B.y) == cos(one.q[0] + two.q[0])
    s.couple(two, one, multiplier=2)
    assert (s.ground.y & B.y) == cos(3 * one.q[0])
    tilted = s.frame("tilted", B, rotation=("x", ph.pi / 2))
    assert (tilted.y & s.ground.y) == cos(3 * one.q[0] + ph.pi / 2)


def test_arrows_are_made_of_components_and_differ_from_other_things(pair: Any) -> None:
    assert pair.B.arrow((1, 2, 3)) == pair.B.x + 2 * pair.B.y + 3 * pair.B.z
    assert same(pair.B.arrow((1, 2, 3)).components("B"), Vector([1, 2, 3])) and pair.B.axis(2) == pair.B.z
    loose = ph.Body("loose", as_expr(1), Vector([0, 0, 0]), Matrix.zeros(3, 3))
    refused("'loose' belongs to no system", lambda: loose.x)
    tilted = (3 * pair.A.x + 4 * pair.B.y) / 5
    assert unit_direction(tilted, "axis") is tilted
    assert reference_direction(pair.A.x, pair.A.x + 2 * pair.B.y, "axis") == pair.A.y
    across = reference_direction(pair.A.x, 5 * pair.A.x + pair.A.y + pair.A.z, "axis")
    assert (across & pair.A.x) == 0 and unit_direction(across, "axis") is across and pair.A.x != 1 and pair.A.x != "A"
    assert pair.A.x != other().bodies["A"].x and ph.basis(pair.A) != pair.A.x


def other() -> ph.System:
    s = ph.System("elsewhere")
    s.joint("q", s.ground, s.body("A", mass=1), ph.Revolute("x"))
    return s


MISTAKES: dict[str, tuple[Callable[[Any], object], str]] = {
    "number added": (lambda p: p.A.x + 3, "cannot add an arrow and 3, which is no arrow"),
    "number subtracted": (lambda p: p.A.x - 1, "cannot subtract an arrow and 1"),
    "number first": (lambda p: 3 - p.A.x, "cannot add an arrow and 3"),
    "expression added": (lambda p: p.q[0] + p.A.x, "cannot add an arrow and q1"),
    "dot with a number": (lambda p: p.A.x & 3, "cannot multiply an arrow and 3"),
    "product of arrows": (lambda p: p.A.x * p.A.y, "a & b for the dot product"),
    "quotient of arrows": (lambda p: p.A.x / p.A.y, "two arrows cannot be multiplied"),
    "two systems": (lambda p: p.A.x + other().bodies["A"].x, "arrows of different systems, 'pair' and 'elsewhere'"),
    "dyadic of two systems": (lambda p: p.A.x | other().ground.x, "arrows of different systems"),
    "frame of another system": (
        lambda p: p.A.x.components(other().bodies["A"]),
        "components: 'A' is of system 'elsewhere', not of 'pair'",
    ),
    "unknown frame": (lambda p: p.A.x.express("a"), "basis: there is no body or frame 'a'"),
    "product of dyadics": (lambda p: ph.basis(p.A) * ph.basis(p.A), "two arrows cannot be multiplied"),
    "dyadic and number": (lambda p: ph.basis(p.A) + 3, "cannot add a dyadic and 3"),
    "dyadic by number": (lambda p: ph.basis(p.A) & 3, "3 is not an arrow or a dyadic"),
    "neither speed nor coordinate": (
        lambda p: p.A.x.partial("q3"),
        r"'q3' is neither a speed nor a coordinate of the system.\n  Give one of u1, u2, q1, q2",
    ),
    "rate of an input": (
        lambda p: (p.system.input("push") * p.A.x).dt(),
        "differentiation: how the input 'push' changes in time is not known",
    ),
    "rate of an acceleration": (
        lambda p: p.B.angular_acceleration().dt(),
        "how the acceleration 'u1' changes in time is not known",
    ),
    "two components": (lambda p: p.A.arrow((1, 2)), "arrow in 'A': a vector has 3 components, not 2"),
    "points of two systems": (lambda p: p.A.origin.position(other().bodies["A"].origin), "different systems"),
    "not a unit vector": (
        lambda p: unit_direction(p.A.x + p.A.y, "axis of 'spin'"),
        r"axis of 'spin': the direction a_x \+ a_y is not a unit vector.\n  Divide a direction of known length",
    ),
    "not unit components": (lambda p: unit_direction((1, 1, 0), "axis"), "is not a unit vector"),
    "parallel reference": (
        lambda p: reference_direction(p.A.y, -2 * p.B.y, "axis of 'spin'"),
        "axis of 'spin': the reference -2\\*b_y is parallel to the axis a_y",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_one_sentence_with_a_cure(mistake: tuple[Callable[[Any], object], str], pair: Any) -> None:
    act, sentence = mistake
    with pytest.raises(ph.PolhodeError, match=sentence) as caught:
        act(pair)
    (problem,) = caught.value.problems
    assert problem.code.startswith("E-")
