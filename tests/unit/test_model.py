"""Small modules of models: the builder, expressions, fields, the summary, a sample."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import ModelError
from polhode.model import Model
from polhode.model.constraints.protocol import Contact, ContactConstraint, Moving
from polhode.model.expressions import acting_parts, expressions_in, expressions_of
from polhode.model.field_values import field_value
from polhode.model.fields import Field, given
from polhode.model.samples.linkages import stewart_platform
from polhode.model.summary import cell_of, counted


def test_many_parameters_do_not_copy_the_tables_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[int] = []
    kept = Model.with_records

    def counted(self: Model, added: Mapping[str, Mapping[str, object]]) -> Model:
        copies.append(len(added))
        return kept(self, added)

    monkeypatch.setattr(Model, "with_records", counted)
    s = ph.System("many")
    symbols = [s.parameter(f"p{k}", k) for k in range(1000)]
    assert len(copies) <= 1 and len(s.parameters) == 1000 and len(copies) <= 2
    assert [each.symbol for each in s.parameters.values()] == symbols
    before = s.model()
    refused("already a parameter", lambda: s.parameter("p7", 1))
    s.parameter("late", 2)
    refused("already a parameter", lambda: s.parameter("late", 3))
    assert "late" not in before.parameters and list(s.parameters)[-1] == "late"


def test_parts_that_act_are_named_however_deep() -> None:
    system = ph.System("slider")
    x = system.joint("x", system.ground, system.body("block", mass=1), ph.Prismatic("x"))
    lag = system.state("lag", rate=x.u[0])
    system.joint_force(x, -2 * lag)
    words = dict(acting_parts(system.model()))
    assert "the rate of state 'lag'" in words and "gravity" in words and len(words) == 3
    assert x.u[0] in expressions_of(system.model()) and -2 * lag in expressions_of(system.model())
    a, b = ph.symbols("a b")
    assert list(expressions_in({"one": [a, (b, 3)], "two": "text"})) == [a, b]


def test_wrong_kinds_lengths_and_contacts_are_refused() -> None:
    with pytest.raises(ModelError, match=r"(?s)field 'radius'.*no kind of value 'nubmer'.*number.*E-MODEL-NAME"):
        Field("radius", "nubmer")
    pair = Field("ends", "number", count=2)
    assert field_value(pair, [1, 2], "thing") == (1, 2)
    refused(r"(?s)ends has 3 entries, not 2.*E-MODEL-SHAPE", lambda: field_value(pair, [1, 2, 3], "thing"), ModelError)
    s = ph.System("alone")
    s.joint("x", s.ground, s.body("bead", 1), ph.Prismatic("x"))
    with pytest.raises(ModelError, match=r"(?s)lonely 'it'.*between two bodies, and its fields name 1.*E-MODEL-SHAPE"):
        s.constraint("it", Lonely, body="bead")


@dataclass(frozen=True, kw_only=True)
class Lonely(ContactConstraint):
    """A contact of one body with nothing."""

    kind = "lonely"

    body: str = given("body")

    def contact(self, moving: Moving) -> Contact:
        return Contact(moving.pose(self.body).p, {})


def test_a_system_says_what_it_is_made_of_and_a_value_that_is_not_given_is_asked_for() -> None:
    s = ph.System("cart")
    assert repr(s) == "System('cart': nothing yet)"
    m = s.parameter("m", 2, "kg")
    s.input("push", 0, "N")
    s.state("charge", rate=1, start=3)
    slide = s.joint("slide", s.ground, s.body("block", m, (0, 0, "0.25")), "prismatic")
    s.joint_spring(slide, 5)
    s.pose("begin", {"slide": 1})
    assert repr(s) == "System('cart': 1 body, 1 joint, 1 force)"
    text = cell_of(s.model()).text()
    for told in (
        "block  m     (0, 0, 0.25)", "m          2      kg", "joint spring on 'slide'", "poses: begin", "gravity",
    ):  # fmt: skip
        assert told in text
    assert counted(s.model()) in repr(s.model())
    s = ph.System()
    s.parameter("m")
    assert "m          ?" in cell_of(s.model()).text()


def test_each_part_has_its_mass_where_it_is_drawn() -> None:
    for body in stewart_platform().bodies.values():
        assert all(tuple(body.com) == tuple(shape.at) for shape in body.shapes), body.name
