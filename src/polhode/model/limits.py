"""How far the coordinates of a joint are meant to go, (1) and (109) of Mladenova: q_min ≤ q ≤ q_max.

Nothing acts at a limit: a run says when one is passed, and a workspace lies within them. They hold for the coordinate
as it is stored: an angle, a length, or tan(θ/2). Speeds and efforts have limits too, as a motor or a gear sets them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf
from typing import Any

from ..errors import ModelError, understood
from ..expr import Expr, as_expr, constant_sign, free_symbols
from .joints import JointType
from .records import Limits


def limits_of(given: Any, kind: JointType, names: Sequence[str], place: str) -> tuple[Limits, ...]:
    """The limits of each coordinate, none where nothing was given: a pair for one, a list of pairs for several."""
    if given is None:
        return ()
    place = f"{place} limits"
    with understood("a pair of limits", given, place=place, cure=_cure(len(names))):
        entries = list(given)
        pairs = [entries] if len(names) == 1 and len(entries) == 2 and not _is_pair(entries[0]) else entries
        if isinstance(given, str | bytes) or not all(pair is None or _is_pair(pair) for pair in pairs):
            raise TypeError
    if len(pairs) != len(names):
        raise ModelError(
            f"{len(pairs)} pairs of limits for {len(names)} coordinates.",
            place=place,
            cure=_cure(len(names)) if names else "This joint does not move: leave them out.",
            code="E-MODEL-071",
        )
    made = tuple(_limits(pair, name, place) for pair, name in zip(pairs, names, strict=True))
    held = [name for name, each, alone in zip(names, made, kind.alone, strict=True) if each.are_given and not alone]
    if held:
        raise ModelError(
            f"the coordinate '{held[0]}' is a part of an orientation and has no limits of its own.",
            place=place,
            cure="Give None in its place, or make the joint a universal one or a compound of revolutes.",
            code="E-MODEL-073",
        )
    return made


def rated_limits(given: Any, what: str, names: Sequence[str], place: str) -> tuple[Limits, ...]:
    """The limits of each speed or effort, none where nothing was given.

    A number b is ±b, for all of them or in a list of one for each, in which (lower, upper) and None may stand too; for
    one speed such a pair may stand alone.

    >>> rated_limits(87, "effort", ["elbow"], "joint 'elbow'")
    (Limits(lower=-87, upper=87),)
    """
    if given is None:
        return ()
    place = f"{place} {what}_limits"
    if not names:
        raise ModelError(
            f"{what} limits for a joint without speeds.",
            place=place,
            cure="This joint does not move: leave them out.",
            code="E-MODEL-101",
        )
    cure = f"Give the largest {what}, which holds for both signs, or (lower, upper); for several a list of these."
    entries: list[Any] = [given] * len(names)
    if not _is_one(given):
        with understood(f"{what} limits", given, place=place, cure=cure):
            entries = list(given)
        if len(names) == 1 and len(entries) == 2 and not any(map(_is_pair, entries)):
            entries = [entries]
    if len(entries) != len(names):
        found = f"{len(entries)} {what} limits for {len(names)} {'speed' if len(names) == 1 else 'speeds'}."
        raise ModelError(found, place=place, cure=cure, code="E-MODEL-102")
    made = tuple(_rated(each, what, name, place, cure) for each, name in zip(entries, names, strict=True))
    return made if any(each.are_given for each in made) else ()


def _rated(given: Any, what: str, name: str, place: str, cure: str) -> Limits:
    """±b, or (lower, upper), of one speed or effort."""
    if given is None:
        return Limits()
    if not _is_one(given):
        with understood(f"a limit of '{name}'", given, place=place, cure=cure):
            lower, upper = given
        return _limits((lower, upper), name, place)
    size = _end(given, place, cure)
    if size is not None and not free_symbols([size]) and constant_sign(size) < 0:
        raise ModelError(
            f"the {what} limit {size!r} of '{name}' is negative.",
            place=place,
            cure=f"Give the largest {what}, which holds for both signs, or (lower, upper).",
            code="E-MODEL-103",
        )
    return Limits() if size is None else Limits(-size, size)


def _is_one(value: Any) -> bool:
    """Whether this is one number, expression or text, and no list."""
    return isinstance(value, str | bytes) or not hasattr(value, "__iter__")


def _cure(count: int) -> str:
    pair = "(lower, upper), with None for an end that is open"
    return f"Give {pair}." if count == 1 else f"Give a list of {count}: for each coordinate {pair}, or None."


def _is_pair(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes) and len(value) == 2


def _limits(pair: Any, name: str, place: str) -> Limits:
    lower, upper = (None, None) if pair is None else (_end(value, place) for value in pair)
    if lower is not None and upper is not None:
        gap = upper - lower
        if not free_symbols([gap]) and constant_sign(gap) < 0:
            raise ModelError(
                f"the lower limit {lower!r} of '{name}' is above the upper limit {upper!r}.",
                place=place,
                cure="Swap them.",
                code="E-MODEL-070",
            )
    return Limits(lower, upper)


def _end(value: Any, place: str, cure: str = "Give (lower, upper).") -> Expr | None:
    """A limit: a number or an expression of parameters; None and infinity are none."""
    if value is None or (isinstance(value, float) and isinf(value)):
        return None
    with understood("a number or an expression", value, place=place, cure=cure):
        made = as_expr(value)
    moving = [x for x in free_symbols([made]) if x.data[0] != "parameter"]
    if moving:
        raise ModelError(
            f"a limit cannot depend on the {moving[0].data[0]} '{moving[0].name}'.",
            place=place,
            cure="Use numbers and parameters.",
            code="E-MODEL-072",
        )
    return made
