"""Numbers as users write them, as exact rationals: what a double can hold, in no more digits than are told apart.

Numbers a/b and c/d have one fingerprint where the field's prime P divides ad - bc. No two doubles do, in the digits
that they print as, nor do any two decimals below a thousand with up to 34 places, for there |ad - bc| < P. Longer
decimals could be made to, and are refused. Fractions, and what is computed, may be as long as they like: they are told
apart by their exact values wherever they meet as numbers (`node`), and one that looks like 0 or 1 is refused there.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Final

from ..errors import PolhodeError

#: As many digits as the longest decimal format of IEEE 754 has.
DIGITS: Final = 34
#: The largest double and the smallest; a number beyond them could never be computed with.
LARGEST: Final = Fraction(2**1024 - 2**970)
SMALLEST: Final = Fraction(1, 2**1074)

_PLAIN = 2**63
_EXPONENT = 400  # beyond what any double has
_WRITTEN = 10_000  # bits, about 3,000 digits
_DECIMAL = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_LONGEST = 200
_DEGREES = re.compile(r"°|\bdeg", re.IGNORECASE)
_BEYOND = 1000  # an exponent that is as far out of the range of a double as any larger one, in so few digits


def decimal(text: str) -> Fraction | None:
    """The rational that a decimal spells, or None if it spells none; exponents end at 1000, beyond any double."""
    word = text.strip()
    match = _DECIMAL.fullmatch(word) if len(word) <= _LONGEST else None
    if match is None:
        return None
    digits, exponent = match.groups()
    return Fraction(digits) * Fraction(10) ** max(-_BEYOND, min(int(exponent or 0), _BEYOND))


def numeral(text: str) -> Fraction | None:
    """The rational that a decimal or a fraction of two decimals spells, or None."""
    top, *bottom = (decimal(part) for part in text.split("/", 2))
    if not bottom or top is None:
        return top
    return top / bottom[0] if len(bottom) == 1 and bottom[0] else None


def _cure_for(value: object) -> str:
    """Advice for a value that is no expression."""
    if type(value).__module__.partition(".")[0] == "sympy":
        return "Convert it: ph.from_sympy(expression, symbols)."
    if isinstance(value, tuple | list):
        return "Give one expression; joint.q, joint.u and joint.tau are tuples, so write joint.q[0]."
    if isinstance(value, str) and _DEGREES.search(value):
        return "Angles are in radians here: write ph.pi/2 for 90 degrees, or a parameter, s.parameter('a', '90 deg')."
    if isinstance(value, str) and numeral(value.split(" ")[0]) is not None:
        return "Give the value in SI units, as 0.1, or a parameter, which may have a unit: s.parameter('m', '500 g')."
    return 'Use int, float, Fraction, Decimal, a text such as "0.1" or "1/3", or symbols made by polhode.'


def exact(value: object) -> Fraction:
    """A user's number as a rational: a float as the decimal that it prints as, a text as the decimal that it spells."""
    if isinstance(value, Fraction):
        return in_range(value)
    spelled = numeral(value) if isinstance(value, str) else None
    if spelled is not None:
        return in_range(spelled) if "/" in str(value) else short_decimal(spelled)
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        raise PolhodeError(f"{value!r} is not a number or an expression.", cure=_cure_for(value), code="E-EXPR-TYPE")
    if isinstance(value, Decimal) and value.is_finite() and value and abs(value.adjusted()) > _EXPONENT:
        raise out_of_range(value.adjusted() < 0)  # before it is written out
    try:
        fraction = Fraction(int(value)) if isinstance(value, Integral) else Fraction(str(value))
    except (ValueError, OverflowError):
        cure = "Give a finite number."
        raise PolhodeError(f"{value!r} is not a finite number.", cure=cure, code="E-EXPR-NUMBER") from None
    return short_decimal(fraction)


def in_range(value: Fraction) -> Fraction:
    """The number, unless it is too large or too small for a double."""
    if value and not SMALLEST <= abs(value) <= LARGEST:
        raise out_of_range(abs(value) < SMALLEST)
    return value


def short_decimal(value: Fraction) -> Fraction:
    """The decimal number, unless it is out of range or has too many digits."""
    plain = abs(value.numerator) < _PLAIN and value.denominator < _PLAIN
    if not plain and float(in_range(value)) != value and _digits(value) > DIGITS:
        message = f"the number near {float(value)!r} has more than {DIGITS} significant digits."
        cure = "Round it: a double carries 17. Fractions of whole numbers may be longer."
        raise PolhodeError(message, cure=cure, code="E-EXPR-SIZE")
    return value


def looks_like(value: Fraction, known: object) -> PolhodeError:
    """Message about a number whose fingerprint equals another's."""
    length = max(value.numerator.bit_length(), value.denominator.bit_length()) * 3 // 10
    return PolhodeError(
        f"a number of {length} digits has the fingerprint of {known} and cannot be distinguished from it.",
        cure="Round the numbers that it is computed from.",
        code="E-EXPR-TWICE",
    )


def digits(number: int) -> str:
    """A whole number written out, or only its size where Python would refuse to write it."""
    bits = number.bit_length()
    return str(number) if bits < _WRITTEN else f"{'-' * (number < 0)}2**{bits}"


#: Denominators that are written as such; other numbers are decimals where these end within so many digits.
_FRACTIONS: Final = frozenset((1, 2, 3, 4, 6, 8))
_SIGNIFICANT: Final = 17
#: Beyond these powers of ten a decimal has an exponent.
_SMALL_POWER: Final = -5


def as_decimal(value: Fraction) -> tuple[str, int] | None:
    """A positive number as a decimal and a power of ten, if it is written so; None if it is written as a fraction.

    >>> as_decimal(Fraction(981, 100)), as_decimal(Fraction(6674, 10**14)), as_decimal(Fraction(1, 7))
    (('9.81', 0), ('6.674', -11), None)
    """
    if value.denominator in _FRACTIONS and value.numerator < 10**_SIGNIFICANT and value:
        return None
    odd, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while odd % prime == 0:
            odd, count = odd // prime, count + 1
        places = max(places, count)
    if odd != 1 or value.numerator.bit_length() > _WRITTEN or not value:
        return None
    plain = str(value.numerator * 10**places // value.denominator)
    kept = plain.rstrip("0")
    if len(kept) > _SIGNIFICANT:
        return None
    power = len(plain) - 1 - places
    if _SMALL_POWER < power < _SIGNIFICANT:
        return (
            f"{plain[:-places].rjust(1, '0')}.{plain[-places:]}" if power >= 0 else f"0.{plain.rjust(places, '0')}",
            0,
        )
    return kept[0] + (f".{kept[1:]}" if kept[1:] else ""), power


def _digits(value: Fraction) -> int:
    """The significant digits of a decimal."""
    significand = abs(value.numerator) * 10 ** value.denominator.bit_length() // value.denominator
    return len(str(significand).strip("0"))


def out_of_range(small: bool) -> PolhodeError:
    problem = "too small for a double" if small else "out of the range of a double"
    return PolhodeError(f"this number is {problem}.", cure="Check its exponent.", code="E-EXPR-NUMBER")
