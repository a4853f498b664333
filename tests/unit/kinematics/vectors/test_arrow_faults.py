"""What a user can get wrong with arrows: each mistake is a sentence that names its place and its cure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import Matrix, Vector, as_expr
from polhode.kinematics.vectors import reference_direction, unit_direction
from polhode.model.body import Body


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
    "dyadic by number": (lambda p: ph.basis(p.A) & 3, "cannot multiply a dyadic and 3"),
    "no speed": (lambda p: p.A.x.partial(p.q[0]), r"q1 is not a speed of the system.\n  Give one of u1, u2"),
    "rate of an input": (
        lambda p: (p.system.input("push") * p.A.x).dt(),
        "differentiation: how the input 'push' changes in time is not known",
    ),
    "rate of an acceleration": (
        lambda p: p.B.angular_acceleration().dt(),
        "how the acceleration 'u1' changes in time is not known",
    ),
    "two components": (lambda p: p.A.arrow((1, 2)), "arrow in 'A': a vector has 3 components, not 2"),
    "points of two systems": (
        lambda p: p.A.origin.position(other().bodies["A"].origin),
        "different systems",
    ),
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
    with pytest.raises(PolhodeError, match=sentence) as caught:
        act(pair)
    (problem,) = caught.value.problems
    assert problem.code.startswith("E-")


def test_a_body_without_a_system_has_no_axes() -> None:
    loose = Body("loose", as_expr(1), Vector([0, 0, 0]), Matrix.zeros(3, 3))
    with pytest.raises(PolhodeError, match="'loose' belongs to no system"):
        _ = loose.x


def test_what_is_right_passes_through(pair: Any) -> None:
    tilted = (3 * pair.A.x + 4 * pair.B.y) / 5
    assert unit_direction(tilted, "axis") is tilted
    assert reference_direction(pair.A.x, pair.A.x + 2 * pair.B.y, "axis") == pair.A.y
    across = reference_direction(pair.A.x, 5 * pair.A.x + pair.A.y + pair.A.z, "axis")
    assert (across & pair.A.x) == 0
    assert unit_direction(across, "axis") is across


def test_arrows_compare_with_other_things_as_unequal(pair: Any) -> None:
    assert pair.A.x != 1
    assert pair.A.x != "A"
    assert pair.A.x != other().bodies["A"].x
    assert ph.basis(pair.A) != pair.A.x
