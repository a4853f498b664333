"""From the texts of a record to values: numbers, vectors, axes, rotations; mistakes are noted with their line."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import TracebackType
from typing import Any

from ..errors import PolhodeError, collecting
from ..expr import Expr, Matrix, Vector, free_symbols, number
from ..expr.evaluation import check_constants
from ..expr.rational import in_range, out_of_range
from ..geometry import rotation as turned
from ..geometry import unit_axis
from ..geometry.rotations.exact import as_rotation
from ..model.unit import in_unit, split
from . import records
from .document import Document, Path
from .grammar import parse
from .names import Scope

ZERO = number(0)


@dataclass
class Noting:
    """Notes an error or a warning of what is done inside, with its place in the file, and goes on after it."""

    document: Document
    path: Path
    inside: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> None:
        self.found = self.inside.enter_context(collecting())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.inside.close()
        for each in self.found:
            said = f"{each.place}: {each.message}" if each.place else each.message
            self.document.finding(self.path, said, each.cure, each.code)
        if not isinstance(error, PolhodeError):
            return False
        for problem in error.problems:
            said = f"{problem.place}: {problem.message}" if problem.place else problem.message
            self.document.problem(self.path, said, problem.cure, problem.code)
        return True


@dataclass
class Values:
    """Reads values under the names that may be used at the moment; what cannot be read is noted and taken as zero."""

    document: Document
    scope: Scope = field(default_factory=Scope)
    stations: dict[str, str] = field(default_factory=dict)  # the names of stations by how the file spells them

    def body(self, text: str) -> str:
        """The name of a body or frame; that of a station may be spelled in other ways."""
        return self.stations.get(text, text)

    def noting(self, path: Path) -> Noting:
        return Noting(self.document, path)

    def number(self, path: Path, text: str) -> Expr:
        with self.noting(path):
            return _finite(parse(text, self.scope))
        return ZERO

    def quantity(self, path: Path, text: str) -> Fraction | str:
        """A constant, or the text of a number with a unit, as it is."""
        return self.constant(path, text) if split(text) is None else text

    def constant(self, path: Path, text: str, unit: str = "") -> Fraction:
        """A number that does not stay a symbol: exact if it is rational, else the nearest double; a text has a unit."""
        if split(text) is not None:
            with self.noting(path):
                return Fraction(float(in_unit(text, unit, "")))
            return Fraction(0)
        plain = Values(self.document, replace(self.scope, tables={}, now=None, lenient=False))
        value = plain.number(path, text)
        return Fraction(value.data if value.is_number else float(value))

    def vector(self, path: Path, texts: Iterable[str]) -> Vector:
        return Vector([self.number((*path, k), text) for k, text in enumerate(texts)])

    def nested(self, path: Path, value: Any) -> Any:
        """A text or lists of texts, as an expression or lists of expressions; what is missing stays so."""
        if value is None:
            return None
        if isinstance(value, str):
            return self.number(path, value)
        return [self.nested((*path, k), entry) for k, entry in enumerate(value)]

    def axis(self, path: Path, value: Any) -> Any:
        """A letter or a direction of any length but zero."""
        axis = value if isinstance(value, str) else self.vector(path, value)
        with self.noting(path):
            unit_axis(axis)
            return axis
        return "z"

    def rotation(self, path: Path, value: Any) -> Matrix | None:
        """A rotation from a turn, from several turns about body-fixed axes, or from a matrix."""
        if value is None:
            return None
        form = records.rotation_form(value)
        with self.noting(path):
            if form == "matrix":
                return as_rotation(self.nested(path, value), "")
            listed = [(path, value)] if form == "turn" else [((*path, k), turn) for k, turn in enumerate(value)]
            return turned(*((self.axis((*at, 0), axis), self.number((*at, 1), angle)) for at, (axis, angle) in listed))
        return None

    def count(self, path: Path, text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 5:
            return int(text)
        self.document.problem(path, f"a count is wanted here, not {text!r}.", "Write 0, 1, 2, ….", "E-YAML-026")
        return 0


def _finite(value: Expr) -> Expr:
    """The value, unless it is or has in it a constant that is not a real number, such as log(-1), or no double."""
    if value.is_number:
        in_range(value.data)
    check_constants(value)
    if not free_symbols([value]) and not math.isfinite(float(value)):
        raise out_of_range(small=False)
    return value
