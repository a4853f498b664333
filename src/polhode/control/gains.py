"""Gains as a user gives them: one number for all, one for each, or a matrix; each a parameter of the law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import PolhodeError, listed, shown, unknown
from ..expr import Expr, Matrix, Vector, as_expr, symbol
from ..expr.typeset import Typeset
from ..laws.law_display import valued
from ..model.reading import number_of
from ..model.records import Parameter


@dataclass(frozen=True, eq=False, repr=False)
class Gains(Typeset):
    """A square matrix of gains, K, and the parameters in it."""

    matrix: Matrix
    parameters: Mapping[str, Parameter]

    def __repr__(self) -> str:
        return f"Gains({listed(valued(self.parameters))})"

    def _formulas(self) -> list[tuple[str, Matrix]]:
        return [("K", self.matrix)]

    @property
    def is_diagonal(self) -> bool:
        """Whether no gain ties two quantities together."""
        return all(not entry for i, row in enumerate(self.matrix) for j, entry in enumerate(row) if i != j)

    def times(self, values: Sequence[Any]) -> list[Expr]:
        """K v."""
        return [as_expr(entry) for entry in self.matrix @ Vector(values)]


def gains(word: str, given: Any, names: Sequence[str], place: str) -> Gains:
    """K of a number for all `names`, of one for each in order or by name, or of a symmetric positive definite matrix.

    >>> made = gains("kp", {"a": 2, "b": 3}, ["a", "b"], "here")
    >>> made.matrix, {name: float(each.value) for name, each in made.parameters.items()}
    (Matrix([[kp_a, 0], [0, kp_b]]), {'kp_a': 2.0, 'kp_b': 3.0})
    >>> gains("kp", 5, ["a", "b"], "here").times([1, 2])
    [kp, 2*kp]
    """
    size = len(names)
    if isinstance(given, Mapping):
        strange = [name for name in given if name not in names]
        if strange:
            raise unknown("gain", strange[0], names, place=f"{place} {word}", code="E-CONTROL-020")
        given = [_of_all(given, name, word, place) for name in names]
    shape = _shape(given)
    if shape == () and not isinstance(given, str | Mapping):
        one = _parameter(word, given, place)
        return _diagonal([one.symbol] * size, {word: one})
    if shape == (size,):
        made = {f"{word}_{name}": value for name, value in zip(names, given, strict=True)}
        table = {key: _parameter(key, value, place) for key, value in made.items()}
        return _diagonal([each.symbol for each in table.values()], table)
    if shape == (size, size):
        return _full(word, np.asarray(given, dtype=object), names, place)
    raise PolhodeError(
        f"{shown(given)} is neither one gain, nor one for each of {', '.join(names)}, nor a matrix for them.",
        place=f"{place} {word}",
        cure=f"Give a number, {size} of them, or {size} rows of {size}.",
        code="E-CONTROL-021",
    )


def _shape(given: Any) -> tuple[int, ...] | None:
    """The shape of what is given; none, where rows differ in length."""
    try:
        return tuple(np.shape(given))
    except ValueError:
        return None


def _of_all(given: Mapping[str, Any], name: str, word: str, place: str) -> Any:
    if name in given:
        return given[name]
    raise PolhodeError(
        f"there is no gain for '{name}'.",
        place=f"{place} {word}",
        cure="Give one for each, or one number for all.",
        code="E-CONTROL-022",
    )


def _parameter(name: str, value: Any, place: str) -> Parameter:
    made = number_of(value, f"{place} {name}")
    if not made.is_number or not np.isfinite(float(made.data)):
        raise PolhodeError(
            f"the gain {shown(value)} is not a number.", place=f"{place} {name}", code="E-CONTROL-023", cure="Give one."
        )
    return Parameter(symbol(name, "parameter"), Fraction(made.data))


def _diagonal(entries: Sequence[Expr], parameters: Mapping[str, Parameter]) -> Gains:
    size = len(entries)
    rows = [[entries[i] if i == j else as_expr(0) for j in range(size)] for i in range(size)]
    return Gains(Matrix(rows), parameters)


def _full(word: str, values: Any, names: Sequence[str], place: str) -> Gains:
    size = len(names)
    table: dict[str, Parameter] = {}
    rows: list[list[Expr]] = []
    numbers = np.zeros((size, size))
    for i in range(size):
        rows.append([])
        for j in range(size):
            key = f"{word}_{names[min(i, j)]}_{names[max(i, j)]}"  # one symbol for both: the matrix is symmetric
            made = _parameter(key, values[i][j], place)
            table.setdefault(key, made)
            rows[i].append(table[key].symbol)
            numbers[i][j] = float(made.value or 0)
    if not np.allclose(numbers, numbers.T) or np.linalg.eigvalsh(numbers).min() <= 0.0:
        raise PolhodeError(
            "the matrix of gains is not symmetric and positive definite.",
            place=f"{place} {word}",
            cure="Give such a matrix, or a positive number for each.",
            code="E-CONTROL-024",
        )
    return Gains(Matrix(rows), table)
