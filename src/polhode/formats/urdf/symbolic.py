"""Which of a file's numbers become parameters: chosen by patterns such as "mass:forearm" or "length:*"."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from fractions import Fraction

from ...errors import FormatError, suggestion
from ...expr import Expr, as_expr
from ...model import System
from ...model.reading import checked_name, list_of

UNITS = {"mass": "kg", "com": "m", "length": "m", "inertia": "kg m²", "gravity": "m/s²"}


class Numbers:
    """Hands out the numbers of a file, as they are or as parameters with the file's numbers for values.

    A parameter is named by what it is: "mass:forearm", "com:forearm.x", "inertia:forearm.xx", "length:elbow.z" (a
    component of joint elbow's place in its parent), "gravity". A zero stays zero unless it is named in full: it is
    usually the structure of the machine, and costs nothing in the equations.
    """

    def __init__(self, system: System, patterns: Sequence[str]) -> None:
        self.system = system
        self.patterns = tuple(
            checked_name(each, "pattern") for each in list_of(patterns, "a list of patterns", "symbolic")
        )
        self.used: set[str] = set()
        self.offered: list[str] = []

    def number(self, kind: str, owner: str, component: str, value: Fraction) -> Expr:
        """One number of the file, exact or as a parameter."""
        whole = f"{kind}:{owner}" if owner else kind
        name = f"{whole}.{component}" if component else whole
        self.offered += [whole, name]
        matching = [
            pattern
            for pattern in self.patterns
            if pattern == name or fnmatchcase(name, pattern) or fnmatchcase(whole, pattern)
        ]
        self.used.update(matching)
        if not matching or (not value and name not in self.patterns):
            return as_expr(value)
        return self.system.parameter(name, value, UNITS[kind])

    def refuse_unused(self, place: str) -> None:
        """A pattern that chose nothing is a slip of the pen."""
        for pattern in self.patterns:
            if pattern not in self.used:
                described = f"A pattern is a kind ({', '.join(UNITS)}), a colon and a name, which may hold * and ?."
                raise FormatError(
                    f"symbolic={pattern!r} chooses no number of this robot.",
                    place=place,
                    cure=suggestion(pattern, self.offered, described),
                    code="E-URDF-060",
                )
