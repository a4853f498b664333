"""What a notebook shows of a record that is made of formulas: LaTeX, a formula on each line, and sentences below."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from ..notebook import Cell
from .node import Expr


class Typeset:
    """A record that a notebook shows by its formulas, or by sentences if these are too long."""

    __slots__ = ()

    @abstractmethod
    def _formulas(self) -> Sequence[tuple[str, Any]]:
        """Left-hand sides in LaTeX, and the expressions, vectors or matrices that they are."""

    def _names(self) -> Mapping[Expr, str] | None:
        """LaTeX of symbols with another notation than their name."""
        return None

    def _sentences(self) -> Sequence[str]:
        """The sentences below the formulas."""
        return ()

    @property
    def _readable(self) -> int:
        """Formulas with more nodes than this are not written."""
        return 4_000

    def _text(self) -> str:
        """The text shown where there is no LaTeX: `str` of the record if it defines one, else repr and sentences."""
        has_text = type(self).__str__ is not object.__str__
        return str(self) if has_text else Cell(repr(self), self._sentences()).text()

    def _repr_latex_(self) -> str | None:
        from .latex_display import display_latex

        formulas = [(head, value) for head, value in self._formulas() if not hasattr(value, "__len__") or len(value)]
        return display_latex(formulas, self._names(), self._sentences(), self._readable) if formulas else None

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """LaTeX, or HTML where there is none to read; and the same as text."""
        typeset = self._repr_latex_()
        if typeset is not None:
            return {"text/latex": typeset, "text/plain": self._text()}
        return {"text/html": Cell(repr(self), self._sentences()).html(), "text/plain": self._text()}
