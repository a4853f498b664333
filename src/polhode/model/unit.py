"""Units: what a text such as "kN/m" is in SI units, exactly.

A unit is factor · π^turns · m^a kg^b s^c A^d K^e mol^f with a rational factor; radians count as 1. Numbers that are
stated in a unit are converted when they are read, so that every symbol, run and result is in SI units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, suggestion, warn
from ..expr import Expr, number, pi
from ..expr.rational import numeral

if TYPE_CHECKING:
    from .records import Parameter

BASE = ("m", "kg", "s", "A", "K", "mol")
#: Exponents of the base units; those of a square root may be fractions.
Dimension = tuple[int | Fraction, ...]
NONE: Dimension = (0,) * len(BASE)

_PREFIXES = {
    "Q": 30, "R": 27, "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "da": 1, "d": -1,
    "c": -2, "m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9, "p": -12, "f": -15, "a": -18, "z": -21, "y": -24, "r": -27,
    "q": -30,
}  # fmt: skip
#: Units of factor 1, by others.
_COHERENT = {
    "1": "", "rad": "", "Hz": "1/s", "N": "kg m/s^2", "Pa": "N/m^2", "J": "N m", "Nm": "N m", "W": "J/s", "C": "A s",
    "V": "W/A", "F": "C/V", "ohm": "V/A", "Ohm": "V/A", "Ω": "V/A", "S": "A/V", "Wb": "V s", "H": "Wb/A", "T": "Wb/m^2",
}  # fmt: skip
#: Other units: the factor, the coherent unit, and the power of π.
_OTHER = {
    "g": ("1/1000", "kg", 0), "t": ("1000", "kg", 0), "min": ("60", "s", 0), "h": ("3600", "s", 0),
    "day": ("86400", "s", 0), "L": ("1/1000", "m³", 0), "l": ("1/1000", "m³", 0), "bar": ("1e5", "Pa", 0),
    "atm": ("101325", "Pa", 0), "eV": ("1.602176634e-19", "J", 0), "Wh": ("3600", "J", 0), "Ah": ("3600", "C", 0),
    "%": ("1/100", "1", 0), "°": ("1/180", "rad", 1), "deg": ("1/180", "rad", 1), "rev": ("2", "rad", 1),
    "turn": ("2", "rad", 1), "turns": ("2", "rad", 1), "rpm": ("1/30", "rad/s", 1), "in": ("0.0254", "m", 0),
    "ft": ("0.3048", "m", 0), "yd": ("0.9144", "m", 0), "mi": ("1609.344", "m", 0), "lb": ("0.45359237", "kg", 0),
    "oz": ("0.028349523125", "kg", 0), "slug": ("4.4482216152605/0.3048", "kg", 0), "kgf": ("9.80665", "N", 0),
    "lbf": ("4.4482216152605", "N", 0), "psi": ("4.4482216152605/0.00064516", "Pa", 0),
    "hp": ("745.69987158227022", "W", 0), "mph": ("0.44704", "m/s", 0), "kph": ("1/3.6", "m/s", 0),
    "kn": ("1852/3600", "m/s", 0),
}  # fmt: skip
_PREFIXED = {"m", "s", "A", "K", "mol", "g", "L", "l", "bar", "eV", "Wh", "Ah", *_COHERENT} - {"1"}
_AFFINE = re.compile(r"(°|deg_?)[CF]|celsius|fahrenheit", re.IGNORECASE)
_SEPARATOR = re.compile(r"(\s*[*·⋅/]\s*|\s+)")
_AFTER_SLASH = re.compile(r"/\s*\(([^()/]*(?:/\s*[^()/\s*·⋅]+\s*)?)\)(?=$|[\s*·⋅/])")  # no power of it
_NAME = r"°[CF]?|%|1|[A-Za-zµμΩ_]+"
_FACTOR = re.compile(rf"({_NAME})(?:\^?([+-]?[0-9]{{1,2}}|⁻?[⁰¹²³⁴-⁹]{{1,2}}))?")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_LONGEST = 100
_QUANTITY = re.compile(r"\s*([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?(?:/[0-9.]+(?![0-9.]))?)(\s*)(\D.*|1/.*)")


@dataclass(frozen=True)
class Unit:
    """A unit: `factor`·π^`turns` times the coherent SI unit of its `dimension`, which is written `si`."""

    factor: Fraction = Fraction(1)
    turns: int = 0
    dimension: Dimension = NONE
    si: str = ""

    @property
    def is_si(self) -> bool:
        """True if numbers in this unit are in SI units."""
        return self.factor == 1 and not self.turns

    def times(self, other: Unit, power: int = 1) -> Unit:
        """This unit times a power of another."""
        dimension = tuple(a + power * b for a, b in zip(self.dimension, other.dimension, strict=True))
        return Unit(self.factor * other.factor**power, self.turns + power * other.turns, dimension)

    def to_si(self, value: Fraction) -> Fraction | Expr:
        """A value in this unit, exactly in SI units: a rational, times a power of π for angles in degrees or turns."""
        scaled = value * self.factor
        return number(scaled) * pi**self.turns if self.turns and scaled else scaled

    def from_si(self, value: Fraction | Expr) -> Fraction | Expr:
        """The value in this unit of one in SI units; rational, if `to_si` gave it."""
        ratio = value / pi**self.turns if self.turns and value else value
        return (ratio.data if isinstance(ratio, Expr) and ratio.is_number else ratio) / self.factor


def unit_of(text: object, place: str = "") -> Unit:
    """The unit that a text spells; one that is not known is refused.

    Products are written with a space, `*` or `·`, quotients with `/`, powers as m^2, m**2, m² or m2. After a slash a
    product needs parentheses: J/(kg K).
    """
    if not isinstance(text, str):
        raise ModelError(f"a unit is a text, not {text!r}.", place=place, cure='Write "kg m²".', code="E-UNIT-TYPE")
    try:
        return _parsed(text)
    except ModelError as error:
        raise ModelError(problems=[replace(problem, place=place) for problem in error.problems]) from None


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Unit:
    word = text.strip().replace("**", "^")
    if not word:
        return Unit()
    # J/(kg K) is J/kg/K, and N/(m/s) is N/m*s
    flat = _AFTER_SLASH.sub(lambda group: "/" + _inverse(group[1]), word)
    first, *rest = _SEPARATOR.split(flat)
    signs = ["", *(sign.strip() for sign in rest[::2])]
    if any(sign in ("", "·", "⋅") and "/" in signs[:k] for k, sign in enumerate(signs)):
        cure = "Write parentheses, as in J/(kg K), or the slash last, as in J K/kg."
        raise ModelError(f"the unit {text!r} can be read in two ways.", cure=cure, code="E-UNIT-NAME")
    product = Unit()
    for sign, factor in zip(signs, [first, *rest[1::2]], strict=True):
        match = _FACTOR.fullmatch(factor)
        if match is None or len(word) > _LONGEST:
            cure = "Write products and quotients of units, as in kg m²/s, kN/m, 1/s."
            raise ModelError(f"{text[:_LONGEST]!r} is no unit.", cure=cure, code="E-UNIT-NAME")
        power = int((match[2] or "1").translate(_DIGITS))
        product = product.times(_symbol(match[1]), -power if sign == "/" else power)
    si = word if product.is_si else re.sub(_NAME, lambda name: _coherent(name[0], word), word)
    return replace(product, si="" if si == "1" else si)


def _inverse(factors: str) -> str:
    """The factors after a slash of a product or quotient that stands there in parentheses."""
    return _SEPARATOR.sub(lambda sign: "*" if "/" in sign[0] else "/", factors.strip())


def _coherent(name: str, unit: str) -> str:
    si = _symbol(name).si
    return f"({si})" if "/" in si and name != unit else si


@cache
def _symbol(name: str) -> Unit:
    """The unit of one symbol, with or without a prefix."""
    if name in BASE:
        return Unit(dimension=tuple(int(name == base) for base in BASE), si=name)
    if name in _COHERENT:
        return replace(_parsed(_COHERENT[name]), si=name)
    if name in _OTHER:
        factor, si, turns = _OTHER[name]
        return Unit(numeral(factor) or Fraction(0), turns, _parsed(si).dimension, si)
    for prefix, power in _PREFIXES.items():
        if name.startswith(prefix) and (rest := name.removeprefix(prefix)) in _PREFIXED:
            base = _symbol(rest)
            return replace(base, factor=base.factor * Fraction(10) ** power)
    if _AFFINE.fullmatch(name):
        raise ModelError(
            f"{name!r} has its zero elsewhere than K, so that it is no factor.",
            cure="Give a temperature in K: 20 °C is 293.15 K; a difference of 1 °C is 1 K.",
            code="E-UNIT-NAME",
        )
    alike = " or ".join(repr(unit) for unit in known_units() if unit.lower() == name.lower())
    cure = suggestion(name, known_units(), "Write units such as kg m²/s, kN/m, deg, rpm.")
    cure = "Write a slash, as in N s/m." if name.lower() == "per" else f"Did you mean {alike}?" if alike else cure
    raise ModelError(f"there is no unit {name!r}.", cure=cure, code="E-UNIT-NAME")


@cache
def known_units() -> tuple[str, ...]:
    """All symbols of units, with prefixes."""
    return (*BASE, *_COHERENT, *_OTHER, *(f"{prefix}{unit}" for unit in sorted(_PREFIXED) for prefix in _PREFIXES))


# ---- values in units -------------------------------------------------------------------------------------------------


class Si(float):
    """A number in SI units that has been read, so that no further reader warns of it."""

    __slots__ = ()


def split(text: object) -> tuple[Fraction, str] | None:
    """The number and the unit of a text such as "25 kN/m"; None for anything else."""
    match = _QUANTITY.fullmatch(text) if isinstance(text, str) else None
    value = numeral(match[1]) if match else None
    if match is None or value is None or numeral(match[0]) is not None or match[3][0] in "*+-(^.,":
        return None
    unit = f"1{match[3]}" if match[3].startswith("/") else match[3].strip()
    if not match[2]:  # without a space: 5mm is a number with a unit, 0x10 is none
        with suppress(ModelError):
            return value, unit if unit_of(unit) else ""
    return (value, unit) if match[2] else None


def in_unit(value: Any, unit: str, place: str) -> Any:
    """A value in SI units: a text with a unit (of the dimension of `unit`, if stated), else as it is."""
    read = split(value)
    if read is None:
        return value
    stated = unit_of(read[1], place)
    if unit and unit_of(unit, place).dimension != stated.dimension:
        message, cure = f"{value!r} is not in units of {unit}.", f'Write it as "… {unit}".'
        raise ModelError(message, place=place, cure=cure, code="E-UNIT-TYPE")
    return stated.to_si(read[0])


def si_values(table: Mapping[str, Parameter], given: Any, lists: bool = True) -> Any:
    """Parameters by name in SI units: plain numbers are in SI units, texts carry a unit; other names pass unchanged."""
    if not isinstance(given, Mapping):
        return given
    return {
        name: si_value(value, table[name].unit, f"parameter '{name}'", lists) if name in table else value
        for name, value in given.items()
    }


def si_value(value: Any, unit: str, place: str, lists: bool = True) -> Any:
    """One value, or a list of them, in SI units; see `si_values`."""
    if isinstance(value, str):
        read = in_unit(value, unit, place)
        return value if read is value else Si(read)
    if isinstance(value, list | tuple) and any(isinstance(entry, str) for entry in value):
        return [si_value(entry, unit, place) for entry in value]
    is_plain = isinstance(value, int | float) and type(value) is not Si
    if (is_plain or (lists and hasattr(value, "__len__"))) and not unit_of(unit).is_si:
        message = f"plain numbers are in SI units, {unit_of(unit).si}; the model states it in {unit}."
        warn(message, place=place, cure=f'A text with a unit, such as "1 {unit}", is converted.', code="W-UNIT-MISSING")
    return Si(value) if is_plain and unit else value
