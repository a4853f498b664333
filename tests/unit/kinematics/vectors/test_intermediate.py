"""Names for scalar expressions: one name, one value."""

from typing import Any

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import symbol
from polhode.kinematics.vectors import named

from .conftest import two_bodies


def test_a_name_keeps_its_value_and_its_meaning(pair: Any) -> None:
    one, two = named(pair.N.y.express(pair.B)), named(pair.N.z.express(pair.B))
    assert set(map(repr, one.meaning)) == {"Z1", "Z2", "Z3"}
    for name, value in one.meaning.items():
        assert two.meaning.get(name, value) == value
    both = one.arrow + two.arrow
    assert named(both, known={**one.meaning, **two.meaning}).unnamed() == pair.N.y + pair.N.z
    one = named(pair.N.y.express(pair.B))
    again = named(2 * pair.N.y.express(pair.B) / 2)
    assert again.meaning == one.meaning and again.arrow.terms == one.arrow.terms
    one = named(pair.N.y.express(pair.B))
    two = named(one.arrow * ph.cos(pair.q[0]))
    assert not set(two.meaning.values()) & set(two.meaning)  # none stands for itself
    assert two.unnamed() == pair.N.y * ph.cos(pair.q[0])
    first, second = two_bodies(), two_bodies()
    one = named(first.N.y.express(first.B))
    named(first.N.z.express(first.B))
    assert repr(named(second.N.y.express(second.B)).arrow) == repr(one.arrow)


def test_a_dyadic_is_named_like_an_arrow(pair: Any) -> None:
    D = pair.B.inertia_dyadic.express(pair.A)
    short = named(D)
    assert short.unnamed() == D
    assert all(entry.op in ("symbol", "number", "neg") for entry in short.arrow.terms.values())


def test_a_name_from_elsewhere_stands_for_its_value_from_then_on(pair: Any) -> None:
    Z1, value = symbol("Z1", "intermediate"), ph.sin(pair.q[0])
    assert named(3 * pair.A.x, known={Z1: value}).meaning == {Z1: value}
    assert repr(named(ph.cos(pair.q[0]) * pair.A.x + value * pair.A.y).arrow) == "Z2*a_x + Z1*a_y"
    with pytest.raises(ph.PolhodeError, match=r"'Z1' stands for sin\(q1\) already, and not for cos\(q1\)") as caught:
        named(pair.A.x, known={Z1: ph.cos(pair.q[0])})
    assert caught.value.problems[0].code == "E-MODEL-TWICE"


def test_names_do_not_clash_with_the_model_and_begin_with_a_whole_number(pair: Any) -> None:
    pair.system.parameter("Z1")
    assert repr(named(ph.cos(pair.q[0]) * pair.A.x).arrow) == "Z2*a_x"
    refused("3 is not an arrow or a dyadic", lambda: named(3))  # type: ignore[type-var]


@pytest.mark.parametrize("first", [None, "8", -1, float("nan"), 1.5])
def test_numbers_begin_with_a_whole_one(first: Any) -> None:
    s = ph.System()
    refused("is not a whole number, 0 or more", lambda: named(s.ground.y, first=first))


@pytest.mark.parametrize("known", [3, ["a"], {"Z11": 2}])
def test_known_names_are_symbols(known: Any) -> None:
    s = ph.System()
    refused("is not names and what they stand for", lambda: named(s.ground.y, known=known))
