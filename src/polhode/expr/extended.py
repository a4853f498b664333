"""Numbers that are made of expressions or floats, such as dual ones, in the formulas that all numbers share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any


class Extended(ABC):
    """A number beyond expressions and floats, which knows its own functions."""

    __slots__ = ()
    __array_ufunc__ = None  # NumPy arrays hand over to its operators

    @classmethod
    @abstractmethod
    def function(cls, name: str, *args: Any) -> Any:
        """A function by its name in `functions.BY_NAME`, of arguments one of which at least is such a number."""

    @abstractmethod
    def latex(self, of_part: Callable[[Any], str]) -> str:
        """The number in LaTeX, its parts written by a function."""
