"""Numbers as a robot file spells them: exact rationals, whatever the locale, or an error that names the attribute."""

from __future__ import annotations

import re
from fractions import Fraction

from ...errors import PolhodeError
from ...expr import Expr, as_expr, pi
from .markup import Element
from .report import Findings

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_LONGEST = 200
_LARGEST_EXPONENT = 300

#: 40 digits of π/2, to tell how far a decimal is from a multiple of it.
_QUARTER_TURN = Fraction("1.5707963267948966192313216916397514420986")

Triple = tuple[Fraction, Fraction, Fraction]


def exact(text: str) -> Fraction | None:
    """The rational that a decimal spells, or None if it spells none.

    >>> exact("-1.25e-1"), exact("1,5"), exact("nan"), exact("0x10")
    (Fraction(-1, 8), None, None, None)
    """
    word = text.strip()
    found = _NUMBER.fullmatch(word) if len(word) <= _LONGEST else None
    if found is None or abs(int(found.group(1) or 0)) > _LARGEST_EXPONENT:
        return None
    return Fraction(word)


def tolerance(snap: float | str, code: str) -> Fraction:
    """The angle, exactly, within which a direction or an angle is taken for the nearest plain one."""
    value = exact(str(snap))
    if value is None or not 0 <= value < 1:
        raise PolhodeError(
            f"snap={snap!r} is not a tolerance.", cure="Give an angle from 0 to 1, such as 1e-6.", code=code
        )
    return value


def scalar(
    element: Element, attribute: str, what: str, findings: Findings, default: Fraction | None = None
) -> Fraction | None:
    """A number attribute; the default where it is not given, a problem where it is no number."""
    text = element.attributes.get(attribute)
    if text is None:
        return default
    value = exact(text)
    if value is None:
        findings.problem(
            element.line,
            f"{what} {element.shown(attribute)}",
            f"{text[:40]!r} is not a number.",
            "Write a finite decimal with a point, such as 1.5 or 2e-3, and no unit.",
            "E-URDF-020",
        )
        return default
    return value


def vector(element: Element, attribute: str, what: str, findings: Findings, default: Triple) -> Triple:
    """Three numbers between white space."""
    text = element.attributes.get(attribute)
    if text is None:
        return default
    values = [exact(word) for word in text.split()]
    if len(values) != 3:
        findings.problem(
            element.line,
            f"{what} {element.shown(attribute)}",
            f"a vector has 3 components, not {len(values)}.",
            'Write three numbers, for example "0 0 1".',
            "E-URDF-021",
        )
        return default
    x, y, z = values
    if x is None or y is None or z is None:
        bad = next(word for word in text.split() if exact(word) is None)
        findings.problem(
            element.line,
            f"{what} {element.shown(attribute)}",
            f"{bad[:40]!r} is not a number.",
            "Write finite decimals with a point, such as 1.5 or 2e-3, and no unit.",
            "E-URDF-020",
        )
        return default
    return x, y, z


def nearest_angle(value: Fraction, snap: Fraction) -> tuple[Expr, bool]:
    """An angle as an expression, and whether it was taken for the multiple of π/2 within `snap` of it.

    >>> nearest_angle(Fraction("1.570796"), Fraction("1e-6"))
    (pi/2, True)
    >>> nearest_angle(Fraction("0.3"), Fraction("1e-6"))
    (3/10, False)
    """
    turns = round(value / _QUARTER_TURN)
    gap = abs(value - turns * _QUARTER_TURN)
    if value and gap <= snap:
        return as_expr(pi * turns / 2), True
    return as_expr(value), False
