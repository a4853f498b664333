"""What every opaque function answers: who it is, its partial derivatives, and its values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class Opaque(ABC):
    """A function of real arguments, identified by its digest."""

    @property
    @abstractmethod
    def label(self) -> str:
        """The name for display."""

    @property
    @abstractmethod
    def arity(self) -> int:
        """Number of arguments."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """A digest of all that the function is, the same in every process."""

    @property
    @abstractmethod
    def foldable(self) -> bool:
        """Whether its values at constants may be computed at compile time."""

    @abstractmethod
    def partial(self, place: int) -> Opaque | None:
        """The derivative by one argument; None where it is zero everywhere."""

    @abstractmethod
    def at(self, *point: float) -> float:
        """The value at a point; nan where there is none."""

    @abstractmethod
    def over(self, *arrays: Any) -> Any:
        """The values at many points, given as NumPy arrays that broadcast."""
