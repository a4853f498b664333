"""A model file by its content, read when its model is looked at: never, if the store knows what it led to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..model import Model


@dataclass(frozen=True, eq=False)
class ModelFile:
    """The content of a file and how it is read; what it led to before, if it was read by this very polhode.

    It pickles with its content, and is read again.
    """

    path: str
    content: bytes
    options: dict[str, Any]
    key: str  # of content and options, in the store
    known_digest: str = ""  # of the model
    derivations: Mapping[str, Any] = field(default_factory=dict)  # made without complaint: their synopses by their keys

    @cached_property
    def _model(self) -> Model:
        from . import load

        return load(self.path, content=self.content, **self.options).model()

    def read(self) -> Model:
        """The model."""
        return self._model

    @property
    def digest(self) -> str:
        """The digest of the model."""
        return self.known_digest or self._model.digest

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelFile, (self.path, self.content, self.options, "")  # what it led to is this polhode's to know
