"""Numbers by name, as a user gives them: of parameters, coordinates and states, kept exactly."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

from ..errors import PolhodeError, by_name, shown, unknown
from ..model.reading import number_of


def named_numbers(given: Any, kind: str, known: Collection[str], place: str) -> dict[str, Fraction]:
    """Exact numbers by names that are known; none where nothing is given.

    >>> named_numbers({"q1": 0.1}, "coordinate", ["q1", "q2"], "here")
    {'q1': Fraction(1, 10)}
    """
    found: dict[str, Fraction] = {}
    for name, value in by_name(given, place, f"a dictionary of numbers by the names of {kind}s").items():
        if name not in known:
            raise unknown(kind, name, known, place=place, code="E-CONTROL-240")
        made = number_of(value, f"{place} '{name}'")
        if not made.is_number:
            raise PolhodeError(
                f"{shown(value)} for '{name}' is not a number.",
                place=place,
                cure="Give a number.",
                code="E-CONTROL-241",
            )
        found[name] = Fraction(made.data)
    return found
