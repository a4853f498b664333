"""Values that a user gives by the names of controls or measurements: limits, steps of converters, noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import PolhodeError, shown, unknown
from ..expr import Expr
from ..expr.spelling import spelled

if TYPE_CHECKING:
    from ..control.law import Law
    from ..dynamics.synopsis import Synopsis


@dataclass(frozen=True, eq=False)
class Named:
    """Symbols by all names that they may be called by, and what they are called together."""

    what: str
    symbols: tuple[Expr, ...]
    by_name: Mapping[str, Expr]

    @classmethod
    def controls(cls, law: Law, known: Synopsis) -> Named:
        """What a law gives: by the names of speeds, of joints with one speed, of inputs, or as they are written."""
        joints = {speed: joint for joint, speed in known.joints.items()}
        names = {joints[each.name]: each for each in law.controls if each.name in joints}
        names |= {name: each for each in law.controls for name in (spelled(each), each.name)}
        return cls("control", tuple(law.controls), names)

    @classmethod
    def measurements(cls, law: Law) -> Named:
        """What a law measures, as it is written: `x` a coordinate, `x'` its speed."""
        return cls("measurement", tuple(law.measurements), {spelled(each): each for each in law.measurements})

    def __or__(self, other: Named) -> Named:
        return Named(f"{self.what} or {other.what}", self.symbols + other.symbols, {**other.by_name, **self.by_name})

    def find(self, key: Any, place: str) -> Expr:
        """The symbol that a key stands for."""
        if isinstance(key, Expr) and key in self.symbols:
            return key
        if isinstance(key, str) and key in self.by_name:
            return self.by_name[key]
        raise unknown(self.what, key, self.by_name, place=place, code="E-LOOP-020")


def numbers_of(given: Any, named: Named, place: str, what: str, *, least: float = 0.0) -> dict[Expr, float]:
    """One number above zero for all, or by name."""
    if given is None:
        return {}
    table = given if isinstance(given, Mapping) else dict.fromkeys(named.symbols, given)
    return {key: _number(value, place, what, least) for key, value in _found(table, named, place).items()}


def limits_of(given: Any, named: Named) -> dict[Expr, tuple[float, float]]:
    """The least and the greatest value of controls: a number for both signs, or a pair, for all or by name.

    >>> import polhode as ph
    >>> v = ph.symbol("v", "effort")
    >>> limits_of({"v": (-2, 5)}, Named("control", (v,), {"v": v})), limits_of(3, Named("control", (v,), {"v": v}))
    ({tau_v: (-2.0, 5.0)}, {tau_v: (-3.0, 3.0)})
    """
    if given is None:
        return {}
    table = given if isinstance(given, Mapping) else dict.fromkeys(named.symbols, given)
    if isinstance(given, list | np.ndarray) and len(named.symbols) > 1:
        raise PolhodeError(
            f"{shown(given)} does not say which {named.what} each number is for.",
            place="limits",
            cure="Give (low, high) for all of them, one number > 0 for both signs, or either by name.",
            code="E-LOOP-023",
        )
    return {key: _pair(value) for key, value in _found(table, named, "limits").items()}


def _found(table: Mapping[Any, Any], named: Named, place: str) -> dict[Expr, Any]:
    """Values by symbols; a symbol that is called by two of its names is refused."""
    found: dict[Expr, Any] = {}
    for key, value in table.items():
        symbol = named.find(key, place)
        if symbol in found:
            raise PolhodeError(
                f"{spelled(symbol)} is given twice, by two names.",
                place=place,
                cure="Give it once.",
                code="E-LOOP-024",
            )
        found[symbol] = value
    return found


def _pair(value: Any) -> tuple[float, float]:
    ends = value if isinstance(value, tuple | list | np.ndarray) else (value, value)
    if len(ends) == 2 and ends is value:
        low, high = (_number(each, "limits", "a limit", -np.inf, np.inf) for each in ends)
    elif ends is not value:
        high = _number(value, "limits", "a limit", np.finfo(float).tiny)
        low = -high
    else:
        low = high = 0.0
    if low < high:
        return low, high
    raise PolhodeError(
        f"{shown(value)} are no limits.",
        place="limits",
        cure="Give (low, high), or one number > 0 for both.",
        code="E-LOOP-021",
    )


def _number(value: Any, place: str, what: str, least: float, most: float = np.finfo(float).max) -> float:
    try:
        number = np.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if least <= number <= most:
        return number
    sign = " > 0" if least > 0 else " ≥ 0" if least == 0 else ""
    raise PolhodeError(f"{shown(value)} is not {what}.", place=place, cure=f"Give a number{sign}.", code="E-LOOP-022")
