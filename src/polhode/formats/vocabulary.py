"""The record of a whole model file, with the constraints that there are."""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import or_
from typing import Annotated, Any

import pydantic

from ..model.constraints import CONSTRAINTS
from ..model.constraints.protocol import Constraint
from . import records
from .fields import record_of


def model_record() -> type[records.Model]:
    """The record of a model file.

    >>> sorted(set(model_record().model_fields) - set(records.Model.model_fields))
    ['closures', 'conditions', 'rolling']
    """
    return _with_tables(tuple(CONSTRAINTS.values()))


@lru_cache(maxsize=4)
def _with_tables(kinds: tuple[type[Constraint], ...]) -> type[records.Model]:
    tables: dict[str, list[type[records.Record]]] = {}
    for kind in kinds:
        made = record_of(kind.__name__, kind.__doc__ or "", kind.fields, None if kind.alone else kind.kind)
        tables.setdefault(kind.table, []).append(made)
    fields: dict[str, Any] = {table: (_by_name(made), {}) for table, made in tables.items()}
    return pydantic.create_model(
        "Model", __base__=records.Model, __doc__=records.Model.__doc__, __module__=__name__, **fields
    )


def _by_name(made: list[type[records.Record]]) -> Any:
    """A table of these records by name; those that have a type of their own are told apart by it."""
    one: Any = made[0]
    if "type" in one.model_fields and not issubclass(one, records.Motion):
        one = Annotated[reduce(or_, made), pydantic.Field(discriminator="type")]
    return dict[records.Name, one]
