"""Units as labels: whether a text spells one. They are shown beside numbers and are not checked against each other."""

from __future__ import annotations

import re

from ..errors import ModelError, suggestion, warn

_PREFIXES = ("", "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "da", "d", "c", "m", "u", "µ", "μ", "n", "p", "f")
#: Units that take prefixes, and others.
_PREFIXED = (
    "m", "g", "s", "A", "K", "mol", "rad", "Hz", "N", "Nm", "Pa", "J", "W", "C", "V", "F", "ohm", "Ω", "H", "T", "Wb",
    "S", "bar", "l", "L", "eV",
)  # fmt: skip
_PLAIN = (
    "1", "%", "°", "deg", "rev", "turn", "turns", "rpm", "min", "h", "day", "t", "°C", "in", "ft", "lb", "lbf", "slug",
    "mph", "kn", "kph", "psi", "hp", "kgf", "gal",
)  # fmt: skip
_KNOWN = frozenset([*_PLAIN, *(prefix + unit for prefix in _PREFIXES for unit in _PREFIXED)])
_FACTOR = re.compile(r"(1|[^\d\s^⁰¹²³⁴-⁹⁻+-]+)\^?([+-]?\d+|⁻?[⁰¹²³⁴-⁹]+)?")


def checked_unit(unit: object, place: str) -> str:
    """A unit as it was given; a part that is no unit is told in a warning.

    >>> checked_unit("kg m²/s^2", "parameter 'E'"), checked_unit("N·m/rad", "parameter 'k'")
    ('kg m²/s^2', 'N·m/rad')
    """
    if not isinstance(unit, str):
        raise ModelError(f"a unit is a text, not {unit!r}.", place=place, cure='Write "kg m²".', code="E-MODEL-081")
    for part in re.split(r"[\s*·⋅/()]+", unit.replace("**", "^")):
        found = _FACTOR.fullmatch(part)
        if part and (found is None or found[1] not in _KNOWN):
            name = part if found is None else found[1]
            alike = sorted(known for known in _KNOWN if known.lower() == name.lower())
            meant = suggestion(name, sorted(_KNOWN), "Write SI units, such as kg m²/s.")
            cure = f"Did you mean {alike[0]!r}?" if alike else meant
            warn(
                f"there is no unit {name!r} ({unit!r} is kept as a label).",
                place=place,
                cure="Write a slash, as in N s/m." if name.lower() == "per" else cure,
                code="W-MODEL-001",
            )
    return unit
