"""What a user gives for the fields of an element is read, or refused with a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.model.constraints.protocol import Contact, ContactConstraint, Moving
from polhode.model.field_values import field_value
from polhode.model.fields import Field, given


def test_wrong_kinds_lengths_and_contacts_are_refused() -> None:
    with pytest.raises(ModelError, match=r"(?s)field 'radius'.*no kind of value 'nubmer'.*number.*E-MODEL-NAME"):
        Field("radius", "nubmer")
    pair = Field("ends", "number", count=2)
    assert field_value(pair, [1, 2], "thing") == (1, 2)
    with pytest.raises(ModelError, match=r"(?s)ends has 3 entries, not 2.*E-MODEL-SHAPE"):
        field_value(pair, [1, 2, 3], "thing")
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
