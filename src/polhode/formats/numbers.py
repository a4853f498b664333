"""The numbers of robot files: how large they may be, which become parameters, and names that nobody has yet."""

from __future__ import annotations

from collections.abc import Container, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction

from ..errors import FormatError, PolhodeError, suggestion
from ..expr import Expr, as_expr
from ..expr.rational import SMALLEST, decimal
from ..model import System
from ..model.reading import checked_name, list_of

Triple = tuple[Fraction, Fraction, Fraction]

#: The order of an inertia's entries.
ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")
UNITS = {"mass": "kg", "com": "m", "length": "m", "inertia": "kg m²", "gravity": "m/s²"}


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


def free_name(wanted: str, taken: Container[str]) -> str:
    """A name that nobody has: the wanted one, or one that looks like it.

    >>> free_name("root", ["root", "root_"])
    'root__'
    """
    while wanted in taken:
        wanted += "_"
    return wanted


def written_color(text: str) -> str:
    """Red, green and blue from 0 to 1, as files have them, in the form of a page; nothing where it is no colour.

    >>> written_color("1 0.5 0 1")
    '#ff8000'
    """
    parts = [decimal(word) for word in text.split()[:3]]
    if len(parts) < 3 or any(part is None or not 0 <= part <= 1 for part in parts):
        return ""
    return "#" + "".join(f"{int(255 * (part or 0) + Fraction(1, 2)):02x}" for part in parts)


class Numbers:
    """Hands out the numbers of a file, as they are or, where a pattern such as "mass:*" chooses them, as parameters.

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
                said = f"symbolic={pattern!r} chooses no number of this robot."
                cure = suggestion(pattern, self.offered, described)
                raise FormatError(said, place=place, cure=cure, code="E-URDF-060")
