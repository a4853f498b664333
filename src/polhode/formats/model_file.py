"""A model file by its content, parsed when its model is needed: not at all if the store has its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import Problem

if TYPE_CHECKING:
    from ..model import Model


@dataclass(frozen=True, eq=False)
class ModelFile:
    """The content of a model file and its reader's options; pickled by content and read again."""

    path: str
    content: bytes
    options: dict[str, Any]
    key: str  # of content and options, in the store
    known_digest: str = ""  # of the model
    derivations: Mapping[str, Any] = field(default_factory=dict)  # made without complaint: their synopses by their keys
    known_doubts: tuple[Problem, ...] = ()  # what its reader warned of

    @cached_property
    def _contents(self) -> tuple[Model, tuple[Problem, ...]]:
        from . import read

        system, report = read(self.path, content=self.content, **self.options)
        return system.model(), () if report is None else report.doubts

    def read(self) -> Model:
        """The model."""
        return self._contents[0]

    @property
    def doubts(self) -> tuple[Problem, ...]:
        """What its reader warns of."""
        return self.known_doubts if self.known_digest else self._contents[1]

    @property
    def digest(self) -> str:
        """The digest of the model."""
        return self.known_digest or self.read().digest

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelFile, (self.path, self.content, self.options, "")  # what it led to is this polhode's to know
