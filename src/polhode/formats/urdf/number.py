"""Numbers as a robot file spells them: exact rationals, whatever the locale, or an error that names the attribute."""

from __future__ import annotations

from fractions import Fraction

from ...errors import PolhodeError
from ...expr.rational import SMALLEST, decimal
from .markup import Element
from .report import Findings

Triple = tuple[Fraction, Fraction, Fraction]


def tolerance(snap: float | str, code: str) -> Fraction:
    """The angle, exactly, within which a direction or an angle is taken for the nearest plain one."""
    value = decimal(str(snap))
    if value is None or not 0 <= value < 1:
        raise PolhodeError(
            f"snap={snap!r} is not a tolerance.", cure="Give an angle from 0 to 1, such as 1e-6.", code=code
        )
    return value


#: No length, mass or inertia of a robot is larger; their products stay within the range of floats.
LARGEST = Fraction(10) ** 60


def is_sane(value: Fraction) -> bool:
    """Whether a robot can have this number, and a double can hold it."""
    return not value or SMALLEST <= abs(value) <= LARGEST


def scalar(
    element: Element, attribute: str, what: str, findings: Findings, default: Fraction | None = None
) -> Fraction | None:
    """A number attribute; the default where it is not given, a problem where it is no number."""
    text = element.attributes.get(attribute)
    value = default if text is None else _read(text, element, attribute, what, findings)
    return default if value is None else value


def vector(element: Element, attribute: str, what: str, findings: Findings, default: Triple) -> Triple:
    """Three numbers between white space."""
    text = element.attributes.get(attribute)
    if text is None:
        return default
    words = text.split()
    if len(words) != 3:
        findings.problem(
            element.line,
            f"{what} {element.shown(attribute)}",
            f"a vector has 3 components, not {len(words)}.",
            'Write three numbers, for example "0 0 1".',
            "E-URDF-021",
        )
        return default
    x, y, z = (_read(word, element, attribute, what, findings) for word in words)
    return default if x is None or y is None or z is None else (x, y, z)


def _read(text: str, element: Element, attribute: str, what: str, findings: Findings) -> Fraction | None:
    """A number of sane size, or a problem and None."""
    value = decimal(text)
    if value is None or not is_sane(value):
        findings.problem(
            element.line,
            f"{what} {element.shown(attribute)}",
            f"{text[:40]!r} is not a number{'' if value is None else ' that a robot can have'}.",
            "Write a finite decimal with a point, such as 1.5 or 2e-3, and no unit.",
            "E-URDF-020",
        )
        return None
    return value
