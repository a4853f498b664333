"""The record of a whole model file, with the elements that are registered when it is asked for."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Union

import pydantic

from ..model.forces import FORCES
from .fields import record_of
from .records import Model


def model_record() -> type[Model]:
    """The record that checks a model file.

    >>> sorted(model_record().model_fields) == sorted(Model.model_fields)
    True
    """
    return _made(tuple(FORCES.values()))


@cache
def _made(forces: tuple[Any, ...]) -> type[Model]:
    loads = [record_of(each.__name__, each.__doc__ or "", each.fields(), each.kind) for each in forces]
    load: Any = Annotated[Union[tuple(loads)], pydantic.Field(discriminator="type")]  # noqa: UP007
    return pydantic.create_model("Model", __base__=Model, __doc__=Model.__doc__, loads=(tuple[load, ...], ()))
