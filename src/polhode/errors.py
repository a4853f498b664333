"""The one error type, in the one shape that every message of polhode has.

    arm.yaml:41: joint 'elbow' axis: the axis has zero length.
      A revolute joint needs a direction, for example [0, 0, 1].        [E-MODEL-017]

A problem says where it is, what is wrong, and how to cure it; an error may carry several problems, so that a
user mends a file in one go.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)
#: How many names are listed where none is like the one that was asked for.
_LISTED = 12


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: a sentence, its place, its cure and its code."""

    message: str
    place: str = ""
    cure: str = ""
    code: str = ""

    def __str__(self) -> str:
        head = f"{self.place}: {self.message}" if self.place else self.message
        tail = "  ".join(part for part in (self.cure, f"[{self.code}]" if self.code else "") if part)
        return f"{head}\n  {tail}" if tail else head


class PolhodeError(Exception):
    """A wrong model, file, name, value or call; `problems` lists all that was found.

    >>> print(PolhodeError("the axis has zero length.", place="joint 'elbow'", cure="Give a direction."))
    joint 'elbow': the axis has zero length.
      Give a direction.
    """

    def __init__(
        self,
        message: str = "",
        *,
        place: str = "",
        cure: str = "",
        code: str = "",
        problems: Iterable[Problem] = (),
    ) -> None:
        found = tuple(problems)
        self.problems: tuple[Problem, ...] = found or (Problem(message, place, cure, code),)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def as_json(self) -> list[dict[str, str]]:
        """The problems as plain records, for `--json`."""
        return [asdict(problem) for problem in self.problems]


def suggestion(
    name: object, known: Iterable[str], otherwise: str = "", written: Callable[[str], str] = "'{}'".format
) -> str:
    """The cure for a name that is not known: those that are like it; else, if nothing else is said, what there is.

    >>> suggestion("elbw", ["shoulder", "elbow"])
    "Did you mean 'elbow'?"
    >>> suggestion("knee", ["shoulder", "elbow"])
    'Known: shoulder, elbow.'
    """
    from difflib import get_close_matches

    offered = list(dict.fromkeys(known))
    close = get_close_matches(str(name), offered, n=2)
    if close:
        return "Did you mean " + " or ".join(map(written, close)) + "?"
    listed = f"{', '.join(offered[:_LISTED])}{' …' if len(offered) > _LISTED else ''}"
    return otherwise or f"Known: {listed or 'none'}."


def unknown(kind: str, name: object, known: Iterable[str], *, code: str, place: str = "") -> PolhodeError:
    """The error of a name that is not known, with those that are like it.

    >>> print(unknown("speed", "elbw", ["shoulder", "elbow"], code="E-SIM-005", place="start"))
    start: there is no speed 'elbw'.
      Did you mean 'elbow'?  [E-SIM-005]
    """
    return PolhodeError(f"there is no {kind} '{name}'.", place=place, cure=suggestion(name, known), code=code)


def refuse(strange: Iterable[str], function: Callable[..., object]) -> None:
    """Raise for the first option that a function does not have.

    >>> def turned(angle: float, about: str = "z", **strange: object) -> float:
    ...     refuse(strange, turned)
    ...     return angle
    >>> turned(1.0, abuot="x")
    Traceback (most recent call last):
    polhode.errors.PolhodeError: turned: there is no option 'abuot'.
      Did you mean 'about'?  [E-CALL-001]
    """
    from inspect import signature

    for name in strange:
        known = [each.name for each in signature(function).parameters.values() if each.kind != each.VAR_KEYWORD]
        raise unknown("option", name, known[1:], place=function.__name__, code="E-CALL-001")


class ModelError(PolhodeError):
    """The described mechanism is not one that can exist, or not one that can move."""


class FormatError(PolhodeError):
    """A file cannot be read as what it claims to be."""


class ValueMissing(PolhodeError):
    """A parameter or input was needed at run time and has no value."""


class ShapeError(PolhodeError):
    """An array has the wrong shape or type."""


class LimitError(PolhodeError):
    """A stated limit (file size, expression nodes, compile time) was passed."""


class SimulationError(PolhodeError):
    """A run could not go on; the trajectory so far is kept in `trajectory`."""

    def __init__(self, message: str, *, trajectory: object = None, cure: str = "", code: str = "") -> None:
        super().__init__(message, cure=cure, code=code)
        self.trajectory = trajectory


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the user's line: the nearest one that is not of this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
