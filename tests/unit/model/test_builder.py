"""The builder: what is added is in the model, without copying the model for each record."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import polhode as ph
from polhode.model import Model


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
    with pytest.raises(ph.PolhodeError, match="already a parameter"):
        s.parameter("p7", 1)
    s.parameter("late", 2)
    with pytest.raises(ph.PolhodeError, match="already a parameter"):
        s.parameter("late", 3)
    assert "late" not in before.parameters and list(s.parameters)[-1] == "late"
