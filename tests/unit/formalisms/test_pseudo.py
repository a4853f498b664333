"""Pseudo-velocities as `derive` reads them: expressions, texts, and what is neither."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import same


def cart() -> ph.System:
    s = ph.System("cart")
    slide = s.joint("slide", s.ground, s.body("cart", 1), ph.Prismatic("x"), coordinates=["x"], speeds=["v"])
    s.joint("pole", "cart", s.body("pole", 1, (0, 0, 1)), ph.Revolute("y"), coordinates=["lean"], speeds=["w"])
    assert slide
    return s


def test_a_text_is_read_as_in_a_model_file() -> None:
    s = cart()
    v, w, lean = s.joints["slide"].u[0], s.joints["pole"].u[0], s.joints["pole"].q[0]
    by_text = s.derive("hamel", pseudo={"tip": "v + cos(lean)*w", "w": "w"})
    assert same(by_text.bias, s.derive("hamel", pseudo={"tip": v + ph.cos(lean) * w, "w": w}).bias)


def test_a_speed_is_one_by_its_name_also_where_its_coordinate_has_the_same() -> None:
    s = ph.System("pendulum")
    u = s.joint("q", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y")).u[0]
    by_name, by_symbol = (s.derive("hamel", pseudo={"q": value}) for value in ("q", u))
    assert by_name.speeds == ["q"] and same(by_name.bias, by_symbol.bias)
    assert s.derive("hamel", pseudo={"w": "2*u(q)"}).speeds == ["w"]
    with pytest.raises(PolhodeError, match=r"no speed in it.\n.*'q' is the coordinate here: write u\(q\)"):
        s.derive("hamel", pseudo={"w": "2*q"})


def test_it_is_carried_through_pickling_and_has_a_key_of_its_own() -> None:
    s = cart()
    first, second = (s.derive(pseudo={"tip": f"v + {k}*w", "w": "w"}) for k in (1, 2))
    assert len({first.derivation.key, second.derivation.key, s.derive().derivation.key}) == 3
    again = pickle.loads(pickle.dumps(first))
    assert again.speeds == ["tip", "w"] and same(again.bias, first.bias)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pseudo": ["v", "w"]}, "a mapping from names to expressions"),
        ({"pseudo": {"tip": "v +", "w": "w"}}, "tip"),
        ({"pseudo": {"tip": object(), "w": "w"}}, "derive pseudo 'tip'"),
        ({"pseudo": {"": "v", "w": "w"}}, "needs a name"),
        ({"pseudo": {"tip": "v", "w": "w"}, "independent": ["v", "w"]}, "two choices of one thing"),
    ],
)
def test_what_is_no_pseudo_velocity_is_told(options: dict[str, Any], said: str) -> None:
    with pytest.raises(PolhodeError, match=said):
        cart().derive("hamel", **options)
