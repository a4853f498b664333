"""The one error type, in the one shape that every message of polhode has.

    arm.yaml:41: joint 'elbow' axis: the axis has zero length.
      A revolute joint needs a direction, for example [0, 0, 1].        [E-MODEL-017]

A problem says where it is, what is wrong, and how to cure it; an error may carry several problems, so that a
user mends a file in one go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass


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
