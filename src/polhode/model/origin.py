"""Where a System came from: the file, told by one word, and whether it still is as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

_TABLES = (dict, list)


@dataclass(frozen=True)
class Origin:
    """A word for a file's content and the options it was read with, and the System's tables as they were then.

    >>> from polhode import System
    >>> system = System("cart")
    >>> origin = Origin.of(system, "word")
    >>> origin.describes(system)
    True
    >>> _ = system.body("wheel", mass=1)
    >>> origin.describes(system)
    False
    """

    word: str
    as_read: Mapping[str, Any]

    @classmethod
    def of(cls, system: object, word: str) -> Origin:
        """The origin of a system that was just read."""
        return cls(word, _parts(system))

    def describes(self, system: object) -> bool:
        """Whether nothing was added, taken away or replaced since; the records in the tables never change."""
        return _parts(system) == self.as_read


def _parts(system: object) -> dict[str, Any]:
    return {
        name: copy(part) if isinstance(part, _TABLES) else part
        for name, part in vars(system).items()
        if name != "origin"
    }
