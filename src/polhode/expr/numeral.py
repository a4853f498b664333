"""Numbers that are given as text: the exact rational that a decimal or a fraction spells, whatever the locale."""

from __future__ import annotations

import re
from fractions import Fraction

_DECIMAL = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_LONGEST = 200
_BEYOND = 1000  # an exponent that is as far out of the range of a double as any larger one, in so few digits


def decimal(text: str) -> Fraction | None:
    """The rational that a decimal spells, or None if it spells none; exponents end at 1000, beyond any double.

    >>> decimal("-1.25e-1"), decimal("1,5"), decimal("nan"), decimal("0x10")
    (Fraction(-1, 8), None, None, None)
    """
    word = text.strip()
    found = _DECIMAL.fullmatch(word) if len(word) <= _LONGEST else None
    if found is None:
        return None
    digits, exponent = found.groups()
    return Fraction(digits) * Fraction(10) ** max(-_BEYOND, min(int(exponent or 0), _BEYOND))


def numeral(text: str) -> Fraction | None:
    """The rational that a decimal or a fraction of two decimals spells, or None.

    >>> numeral("1/3"), numeral("-0.5"), numeral("1/0"), numeral("pi/2")
    (Fraction(1, 3), Fraction(-1, 2), None, None)
    """
    top, *bottom = (decimal(part) for part in text.split("/", 2))
    if not bottom or top is None:
        return top
    return top / bottom[0] if len(bottom) == 1 and bottom[0] else None
