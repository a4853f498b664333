"""Reading what a user hands to a System: names, vectors, poses; each wrong one with its place and its cure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from inspect import signature
from math import isfinite
from operator import index
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, shown, suggestion, understood
from ..expr import Expr, Vector, as_expr, constant_sign, free_symbols, symbol, unit_symbols
from ..expr.spelling import OWN, QUASI
from ..geometry import Pose
from ..geometry.rotations.exact import as_rotation
from .unit import in_unit, split, unit_of

if TYPE_CHECKING:
    from .joints import JointType

NAME_LIMIT = 128


def unknown(kind: str, name: str, known: Iterable[str], place: str) -> ModelError:
    return ModelError(f"there is no {kind} '{name}'.", place=place, cure=suggestion(name, known), code="E-MODEL-NAME")


def checked_name(name: object, kind: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ModelError(f"a {kind} needs a name, not {shown(name)}.", cure="Give a text.", code="E-MODEL-NAME")
    if len(name) > NAME_LIMIT:
        message = f"the name has {len(name)} characters, more than {NAME_LIMIT}."
        raise ModelError(message, f"{kind} '{name[:20]}…'", "Choose a shorter name.", "E-MODEL-SIZE")
    return name


def zeros() -> Vector:
    return Vector([as_expr(0)] * 3)


def number_of(value: Any, place: str) -> Expr:
    with understood("a number or an expression", value, place=place):
        return as_expr(value)


def stated_value(value: Any, unit: str, place: str) -> tuple[Fraction | Expr, str]:
    """A value that is given in a unit, in SI units, and the unit; that of a text such as "20 kN/m" is its own."""
    plain = unit_of(unit, place)
    read = split(value)
    if read is not None:
        return in_unit(value, unit, place), read[1]
    number = number_of(value, place)
    return (plain.to_si(number.data) if number.is_number else number), unit


def positive_of(value: Any, what: str, place: str) -> Expr:
    """A radius or a length; raise if a known value is not positive."""
    number = number_of(value, place)
    if not free_symbols([number]) and constant_sign(number) <= 0:
        raise ModelError(
            f"the {what} {shown(number)} is not positive.",
            place,
            f"Give {'an' if what[:1] in 'aeio' else 'a'} {what} > 0.",
            "E-MODEL-NUMBER",
        )
    return number


def vector_of(value: Iterable[Any], place: str) -> Vector:
    with understood("a vector", value, place=place, cure="Give three components, for example (0, 0, 1)."):
        if isinstance(value, str | bytes):
            raise TypeError
        entries = [as_expr(entry) for entry in value]
    if len(entries) != 3:
        cure = "Give x, y and z, as (0, 0, 1), also of a mechanism in a plane."
        raise ModelError(f"a vector has 3 components, not {len(entries)}.", place, cure, "E-MODEL-SHAPE")
    return Vector(entries)


def pose_of(at: Iterable[Any], rotation: Any, place: str) -> Pose:
    cure = 'Give turns, for example [("z", 0.3), ("x", pi/2)], or a 3×3 matrix.'
    with understood("a rotation", rotation, place=f"{place} rotation", cure=cure):
        R = as_rotation(rotation, f"{place} rotation")
    return Pose(R, vector_of(at, f"{place} position"))


def names_of(
    joint: str, labels: list[str], given: Sequence[str] | None, place: str, usual: Sequence[str | None] = ()
) -> list[str]:
    """Names as given; else the `usual` ones, and where there is none the joint's name with a label."""
    if given is None:
        defaults = [f"{joint}_{label}" if label else joint for label in labels]
        return [name or label for name, label in zip(usual, defaults, strict=True)] if usual else defaults
    names = list_of(given, "a list of names", place)
    if len(names) != len(labels):
        message = f"{len(names)} names are given for {len(labels)}."
        raise ModelError(message, place, f"Give {len(labels)} names.", "E-MODEL-SHAPE")
    return [checked_name(name, "coordinate") for name in names]


def list_of(value: Any, what: str, place: str) -> list[Any]:
    """The entries of a list; a text is none."""
    with understood(what, value, place=place, cure="Give a list."):
        if isinstance(value, str | bytes):
            raise TypeError
        return list(value)


def names_in(value: Any, place: str) -> tuple[str, ...]:
    """The names of listed texts, symbols, or joints (for their coordinates)."""
    names: list[str] = []
    for entry in list_of(value, "a list of coordinates or joints", place):
        listed = [entry] if isinstance(entry, str) else getattr(entry, "q", None) or [entry]
        with understood("a coordinate or joint", entry, place=place, cure='Give names, for example ["roll"].'):
            texts = [x if isinstance(x, str) else getattr(x, "name", None) for x in listed]
            if not all(isinstance(name, str) and name for name in texts):
                raise TypeError
            if any(isinstance(x, Expr) and x.data[0] in ("speed", "effort", "acceleration") for x in listed):
                raise TypeError  # which may have the name of a coordinate
        names += [str(name) for name in texts]
    return tuple(dict.fromkeys(names))


def numbers_by_name(value: Any, place: str, units: Mapping[str, str] | None = None) -> dict[str, float]:
    """A mapping from names to numbers, or to texts with units, as floats in SI units."""
    cure = "Give a mapping from names to numbers, for example {'elbow': 0.3}."
    with understood("a mapping from names to numbers", value, place=place, cure=cure):
        if not isinstance(value, Mapping):
            raise TypeError
        pairs = dict(value)
    numbers: dict[str, float] = {}
    for key, entry in pairs.items():
        with understood("a number", entry, place=f"{place} '{key}'"):
            numbers[key] = float(in_unit(entry, (units or {}).get(key, ""), f"{place} '{key}'"))
        if not isfinite(numbers[key]):
            message = f"{numbers[key]} is not a finite number."
            raise ModelError(message, f"{place} '{key}'", "Give a finite number.", "E-MODEL-NUMBER")
    return numbers


def index_or_only(value: Any, count: int, what: str, place: str) -> int:
    """An index as of `index_of`; None is 0 where there is one alone, and refused where there are several."""
    if value is None and count > 1:
        cure = f"Give index=0 to {count - 1}: it acts on one of them."
        raise ModelError(f"the joint has {count} {what}s, and none is chosen.", place, cure, "E-MODEL-MISSING")
    return index_of(0 if value is None else value, count, what, place)


def index_of(value: Any, count: int, what: str, place: str) -> int:
    """A whole number from 0 that is below `count`."""
    with understood("a whole number", value, place=place, cure="Count from 0."):
        number = index(value)
    if not 0 <= number < count:
        cure = f"Count from 0 to {count - 1}." if count else "Take another joint."
        raise ModelError(f"there is no {what} number {number}; it has {count}.", place, cure, "E-MODEL-NAME")
    return number


def flag_of(value: Any, what: str, place: str) -> bool:
    """A flag: True or False, of Python or of NumPy; a text or a number is none."""
    with understood("True or False", value, place=f"{place} {what}"):
        if not isinstance(value, bool) and getattr(getattr(value, "dtype", None), "kind", "") != "b":
            raise TypeError
        return bool(value)


def result_of(law: Callable[..., Any], arguments: Sequence[Any], place: str, example: str = "0") -> Any:
    """The value of a user's function at these arguments; its own exceptions propagate. The cure shows an `example`."""
    count = len(arguments)
    what = f"a function of {count} argument{'s' * (count > 1)}"
    with understood(what, law, place=place, cure=f"Give for example lambda {', '.join('xyz'[:count])}: {example}."):
        if not callable(law):
            raise TypeError
        try:
            taken = signature(law)
        except ValueError:  # some built-in functions do not say what they take
            return law(*arguments)
        taken.bind(*arguments)
    return law(*arguments)


def rated_names(kind: JointType, q_names: list[str]) -> list[str | None]:
    """For each speed the coordinate whose rate it is; None for other combinations of rates."""
    rates: list[str | None] = []
    start = 0
    for stage in kind.stages:
        stage_names = q_names[start : start + stage.speeds]
        rates += stage_names if stage.speeds_are_rates else [None] * stage.speeds
        start += stage.coordinates
    return rates


def speed_roles(kind: JointType, q_names: list[str], u_names: list[str]) -> list[str]:
    """For each speed whether it is the rate of the coordinate of its name."""
    rates = rated_names(kind, q_names)
    return ["" if u == rate else QUASI if u in q_names else OWN for u, rate in zip(u_names, rates, strict=True)]


def coordinate_symbols(kind: JointType, names: list[str]) -> tuple[Expr, ...]:
    symbols: list[Expr] = []
    for stage in kind.stages:
        stage_names = names[len(symbols) : len(symbols) + stage.coordinates]
        if stage.storage == "quaternion":
            symbols += unit_symbols(stage_names[:4], "coordinate")
            symbols += [symbol(name, "coordinate") for name in stage_names[4:]]
        else:
            symbols += [symbol(name, "coordinate") for name in stage_names]
    return tuple(symbols)
