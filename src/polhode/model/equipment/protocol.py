"""What all equipment has, and how a system gets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...expr import Matrix, as_expr
from ..builder import Builder
from ..dependence import check_dependence
from ..field_values import completed, field_values
from ..fields import GivenFields
from ..lookup import check_new
from ..reading import unknown


@dataclass(frozen=True, kw_only=True)
class Equipment:
    """A named record; its attributes are what a user gives, joints and frames by name."""

    table: ClassVar[str]  # the section in model files
    fields: ClassVar = GivenFields()
    name: str

    @property
    def place(self) -> str:
        return f"{self.table} '{self.name}'"


def equip(system: Builder, table: str, name: str, given: Mapping[str, Any]) -> Equipment:
    """Add a record of a table to a system; the names of joints, bodies and frames in it must exist."""
    from . import EQUIPMENT

    if table not in EQUIPMENT:
        raise unknown("equipment", table, EQUIPMENT, f"system '{system.name}'")
    kind, present = EQUIPMENT[table], system.equipment.get(table, {})
    place = f"{table} '{name}'"
    check_new(table, name, present)
    values = field_values(system, kind.fields, completed(kind.fields, given, place), place, name)
    exact = {key: value.map(as_expr) if isinstance(value, Matrix) else value for key, value in values.items()}
    record = kind(name=name, **exact)
    check_dependence(table, name, record)
    system._add("equipment", table, {**present, name: record})
    return record
