"""What a notebook shows of a record: a title, sentences and tables, as HTML and, where there is none, as text.

A record says what it is by a `Cell`, and is `Shown` by it; this is all that HTML is made by. Every word is escaped, and
colours are left to the notebook, so that a cell reads on white and on black.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from .calls import public

#: Rows of a table in a cell; those beyond are counted, not shown.
MOST_ROWS = 40
#: A page larger than this, in bytes, is not put into a cell unless it is asked for.
LARGEST_PAGE = 6_000_000

_CELL = "text-align:{align};padding:.15em .8em .15em 0;vertical-align:top;background:none"
_LINE = ";border-bottom:1px solid rgba(128,128,128,.5)"


@dataclass(frozen=True)
class Table:
    """A head and rows of anything that has a text; columns from `numbers_from` on are set to the right.

    Rows beyond `most_rows` are counted; `more_rows` were not even made.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    numbers_from: int | None = None
    more_rows: int = 0
    most_rows: int = MOST_ROWS

    @property
    def lines(self) -> list[list[str]]:
        """The head and the rows that are shown, as text."""
        return [list(self.head), *([_line(cell) for cell in row] for row in self.rows[: self.most_rows])]

    @property
    def more(self) -> str:
        """Number of rows left out, in words, or ""."""
        left = self.more_rows + max(0, len(self.rows) - self.most_rows)
        return f"and {left} more" if left > 0 else ""

    def html(self) -> str:
        """
        >>> Table(["joint", "at"], [("<elbow>", 1.5)], 1).html().count("&lt;elbow&gt;")
        1
        """
        head, *body = self.lines
        marked = self._row("th", head, _LINE) + "".join(self._row("td", row) for row in body)
        # the border is ours: notebooks stripe and centre bare tables
        table = f'<table style="border-collapse:collapse;margin:.3em 0 .6em 0">{marked}</table>'
        return table + (_paragraph(escape(self.more)) if self.more else "")

    def _row(self, tag: str, cells: Sequence[str], more: str = "") -> str:
        aligns = ["left" if self.numbers_from is None or k < self.numbers_from else "right" for k in range(len(cells))]
        row = (
            f'<{tag} style="{_CELL.format(align=align)}{more}">{escape(cell)}</{tag}>'
            for align, cell in zip(aligns, cells, strict=True)
        )
        return f"<tr>{''.join(row)}</tr>"

    def text(self) -> str:
        """
        >>> print(Table(["joint", "at"], [("elbow", 1.5)], 1).text())
        joint   at
        elbow  1.5
        """
        lines = self.lines
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.head))]
        numbers = len(widths) if self.numbers_from is None else self.numbers_from
        aligned = [
            "  ".join(cell.ljust(width) if k < numbers else cell.rjust(width) for k, (cell, width) in enumerate(pairs))
            for pairs in (list(zip(line, widths, strict=True)) for line in lines)
        ]
        return "\n".join(line.rstrip() for line in [*aligned, *filter(None, [self.more])])


@dataclass(frozen=True)
class Cell:
    """A title, then sentences and tables in their order; `markup` is HTML of our own that follows them."""

    title: str
    parts: Sequence[str | Table] = ()
    markup: str = ""

    def html(self) -> str:
        parts = (part.html() if isinstance(part, Table) else _paragraph(escape(part)) for part in self._filled)
        title = _paragraph(f"<b>{escape(self.title)}</b>") if self.title else ""
        return f"{title}{''.join(parts)}{self.markup}"

    def text(self) -> str:
        return "\n".join([self.title, *(part.text() if isinstance(part, Table) else part for part in self._filled)])

    @property
    def _filled(self) -> Iterator[str | Table]:
        return (part for part in self.parts if (part.rows if isinstance(part, Table) else part))


class Shown:
    """A record that a notebook shows as its cell says; its methods are public."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        public(cls)

    @abstractmethod
    def _cell(self) -> Cell:
        """What is shown."""

    def _repr_html_(self) -> str:
        return self._cell().html()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """HTML, and the same as text for whoever shows no HTML."""
        cell = self._cell()
        return {"text/html": cell.html(), "text/plain": cell.text() or repr(self)}


class Told(Shown):
    """A record that says in lines what it is: a notebook shows what `str` or `repr` does, the first line as its title.

    >>> class Verdict(Told):
    ...     def __str__(self):
    ...         return "stable.\\nAll eigenvalues are negative."
    >>> Verdict()
    Verdict(stable)
    """

    __slots__ = ()

    def _cell(self) -> Cell:
        first, *others = str(self).split("\n")
        return Cell(first, others)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self).split(chr(10))[0].rstrip('.:')})"


def values_table(kind: str, named: Iterable[tuple[str, Any, str]]) -> Table:
    """Names with their values and units; what has no value yet has a question mark."""
    rows = [(name, "?" if value is None else f"{float(value):.6g}", unit) for name, value, unit in named]
    return Table([kind, "value", "unit"], rows)


def course_table(kind: str, named: Iterable[tuple[str, Any]]) -> Table:
    """Values over time by name: where they start and end, the least and the greatest of them.

    >>> import numpy as np
    >>> print(course_table("", [("x", np.array([2.0, 5.0, 3.0])), ("nothing", np.zeros(0))]).text())
       at the start  at the end  least  greatest
    x             2           3      2         5
    """
    rows = [(n, *(f"{value:.6g}" for value in (y[0], y[-1], y.min(), y.max()))) for n, y in named if len(y)]
    return Table([kind, "at the start", "at the end", "least", "greatest"], rows, numbers_from=1)


def complex_text(value: complex) -> str:
    """A complex number in four digits, of which a part that is rounding is zero.

    >>> complex_text(-1 + 2.5j), complex_text(3 + 1e-15j), complex_text(complex("nan"))
    ('-1 +2.5i', '3', 'nan')
    """
    real, imaginary = (0.0 if abs(part) <= 1e-9 * abs(value) else part for part in (value.real, value.imag))
    return f"{real:.4g} {imaginary:+.4g}i" if imaginary else f"{real:.4g}"


def framed(page: str, how: str, height: int = 520, largest: int = LARGEST_PAGE) -> str:
    """A self-contained page inside a cell, isolated from the notebook; a note if it is too large.

    >>> framed("<p>a page</p>", "", largest=5)
    '<p>The page has 13 bytes, more than the 5 that a cell is given. </p>'
    """
    size = len(page.encode("utf-8"))
    if size > largest:
        return f"<p>{escape(f'The page has {size:,} bytes, more than the {largest:,} that a cell is given. {how}')}</p>"
    return (
        f'<iframe sandbox="allow-scripts" title="the mechanism in motion" srcdoc="{escape(page)}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


def display() -> Any:
    """The function that a running notebook shows things by; None elsewhere, where nothing of it is loaded."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display


def _paragraph(marked: str) -> str:
    return f'<p style="margin:.2em 0">{marked}</p>'


def _line(cell: object) -> str:
    return " ".join(str(cell).split())
