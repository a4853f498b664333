"""What a reader found on its way: problems that stop it, warnings and notices that do not, and facts for others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import wraps
from inspect import cleandoc, signature
from typing import ParamSpec

from ..errors import FormatError, PolhodeError, Problem, warn
from ..model import System
from ..notebook import Cell, Shown, Table

Options = ParamSpec("Options")
#: A place, or a line and what stands there.
Where = str | tuple[int, str]

#: Warnings about what is drawn alone, which are told where it is; and about elements for other programs, as <gazebo>,
#: which nearly every robot file has.
_REPORTED = ("W-ROBOT-READ",)
#: How many warnings a call lists.
_LISTED = 5


class ReaderWarning(UserWarning):
    """A robot file has a doubtful entry, or one that the System does not represent."""


@dataclass(frozen=True)
class JointFacts:
    """A joint's entries in the file beyond its motion; None for missing ones."""

    name: str
    kind: str
    lower: Fraction | None = None
    upper: Fraction | None = None
    velocity: Fraction | None = None
    effort: Fraction | None = None
    damping: Fraction | None = None
    friction: Fraction | None = None
    mimics: tuple[str, Fraction, Fraction] | None = None


@dataclass(frozen=True)
class MeshFacts:
    """A mesh of a link: its pose, scale and file; `status` is "found", "missing" or "refused"."""

    link: str
    role: str
    filename: str
    position: tuple[float, float, float]
    rpy: tuple[float, float, float]
    scale: tuple[float, float, float]
    path: str | None
    status: str


@dataclass(frozen=True)
class Report(Shown):
    """All entries of a robot file that the equations do not show."""

    file: str
    robot: str
    root: str
    notices: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    joints: tuple[JointFacts, ...] = ()
    meshes: tuple[MeshFacts, ...] = ()

    @property
    def doubts(self) -> tuple[Problem, ...]:
        """The warnings that concern the equations, which `load` reports."""
        return tuple(warning for warning in self.warnings if warning.code not in _REPORTED)

    def _cell(self) -> Cell:
        kinds = {"warning": self.warnings, "notice": self.notices}
        rows = [(kind, p.place, p.message, p.cure) for kind, problems in kinds.items() for p in problems]
        title = f"{self.file}: robot '{self.robot}', root link '{self.root}'"
        return Cell(title, [Table(["", "place", "what", "cure"], rows)])

    def __str__(self) -> str:
        lines = [f"{self.file}: robot '{self.robot}', root link '{self.root}'"]
        lines += [f"warning: {warning}" for warning in self.warnings]
        lines += [f"notice: {notice}" for notice in self.notices]
        return "\n".join(lines)


def counted(count: int, noun: str) -> str:
    """A count with its noun: "1 joint", "2 joints"."""
    return f"{count} {noun}{'s' * (count != 1)}"


def tell(doubts: Sequence[Problem]) -> None:
    """One warning, at the user's line, that lists the first of a reader's doubts."""
    if not doubts:
        return
    more = len(doubts) - _LISTED
    lines = [f"{p.place}: {p.message} {p.cure}".rstrip() + f"  [{p.code}]" for p in doubts[:_LISTED]]
    if more > 0:
        lines.append(f"and {more} more: the report of read_urdf, read_sdf or read_mjcf in polhode.formats has all")
    warn("\n  ".join(lines), ReaderWarning)


def system_alone(read: Callable[Options, tuple[System, Report]]) -> Callable[Options, System]:
    """A reader with the same options that leaves out the report: `load_urdf` for `read_urdf`."""

    @wraps(read)
    def load(*arguments: Options.args, **options: Options.kwargs) -> System:
        system, report = read(*arguments, **options)
        tell(report.doubts)
        return system

    load.__name__ = load.__qualname__ = read.__name__.replace("read_", "load_")
    load.__doc__ = (
        f"The System that the file at `path` describes; `{read.__name__}` gives a report as well.\n\n"
        f'    arm = ph.{load.__name__}("arm.{read.__name__.replace("read_", "")}", symbolic=["mass:*"])\n\n'
        + "\n\n".join(cleandoc(read.__doc__ or "").split("\n\n")[1:])
    )
    taken = signature(read).replace(return_annotation="System")
    load.__signature__ = taken  # type: ignore[attr-defined]  # functions may have one, which their type lacks
    return load


@dataclass
class Findings:
    """Collects problems, warnings and notices of a file; `written` gives the lines of elements by tag and name."""

    file: str
    written: Mapping[tuple[str, str], str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)

    def place(self, line: int, what: str = "") -> str:
        """`arm.urdf:41: joint 'elbow' <axis>`."""
        return f"{self.file}:{line}: {what}" if what else f"{self.file}:{line}"

    def place_of(self, tag: str, name: str) -> str:
        """`arm.xml:41: joint 'elbow'`; the first of its kind where it has no name in the file."""
        at = self.written.get((tag, name), self.file)
        return f"{at}: {tag} '{name}'" if name else at

    def _note(self, to: list[Problem], at: Where, message: str, cure: str, code: str) -> None:
        to.append(Problem(message, at if isinstance(at, str) else self.place(*at), cure, code))

    def problem(self, at: Where, message: str, cure: str, code: str) -> None:
        self._note(self.problems, at, message, cure, code)

    def warn(self, at: Where, message: str, cure: str, code: str) -> None:
        self._note(self.warnings, at, message, cure, code)

    def notice(self, at: Where, message: str, code: str) -> None:
        self._note(self.notices, at, message, "", code)

    def raise_problems(self) -> None:
        """Stop here if anything was wrong, telling all of it at once."""
        if self.problems:
            raise FormatError(problems=self.problems)

    def report(self, robot: str, root: str, joints: Iterable[JointFacts], meshes: Iterable[MeshFacts] = ()) -> Report:
        """What was found, with facts of joints and meshes."""
        findings = tuple(self.notices), tuple(self.warnings)
        return Report(self.file, robot, root, *findings, tuple(joints), tuple(meshes))


@contextmanager
def located_at(place: str) -> Iterator[None]:
    """Locate problems raised in the block at a place in the file."""
    try:
        yield
    except PolhodeError as error:
        located = [Problem(p.message, place, p.cure or "Change it there.", p.code) for p in error.problems]
        raise type(error)(problems=located) from None
