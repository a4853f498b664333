"""Where a command gets its mechanism: a model file, or the standard input, and how it is to be read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..errors import FormatError, LimitError, PolhodeError, Problem

if TYPE_CHECKING:
    from ..model.system import System

STANDARD_INPUT = Path("-")
_SIZE_LIMIT = 20_000_000


@dataclass(frozen=True)
class Source:
    """A file, `-` for the standard input, and the options of its reader."""

    file: Path
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(self.file)

    @property
    def stem(self) -> str:
        """A name for what is made from it."""
        return "model" if self.file == STANDARD_INPUT else self.file.stem

    def read(self) -> tuple[System, list[Problem]]:
        """The system that the file describes, and what its reader warns of; told on a terminal if it takes long."""
        from .show import progress

        with progress() as tell:
            tell("reading the model")
            return self._from_input() if self.file == STANDARD_INPUT else _read(self.file, self.options)

    def system(self) -> System:
        """The system alone."""
        return self.read()[0]

    def _from_input(self) -> tuple[System, list[Problem]]:
        """What comes in is YAML or JSON unless it begins with a tag; files beside it are not known."""
        content = sys.stdin.buffer.read(_SIZE_LIMIT + 1)
        if len(content) > _SIZE_LIMIT:
            said = f"more than {_SIZE_LIMIT:,} bytes came in."
            raise LimitError(said, place="standard input", cure="Name a file.", code="E-FILE-SIZE")
        if not content.strip():
            raise FormatError("nothing came in.", "standard input", "Pipe a model in, or name a file.", "E-FILE-READ")
        name = "stdin.xml" if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else "stdin.yaml"
        with TemporaryDirectory(prefix="polhode-") as folder:
            file = Path(folder) / name
            file.write_bytes(content)
            try:
                return _read(file, self.options)
            except PolhodeError as error:
                raise _told_of_input(error, folder) from None


def _told_of_input(error: PolhodeError, folder: str) -> PolhodeError:
    """The same problems, none of which names the folder that nobody chose."""
    found = []
    for each in error.problems:
        place = each.place.replace(f"{folder}/", "").replace(folder, "")
        cure = "" if folder in each.cure else each.cure
        found.append(Problem(each.message.replace(f"{folder}/", ""), place, cure, each.code))
    return type(error)(problems=found)


def _read(file: Path, options: Mapping[str, Any]) -> tuple[System, list[Problem]]:
    from ..formats import read

    system, report = read(file, **options)
    return system, [] if report is None else [*report.warnings, *report.notices]


def packages(given: Iterable[str]) -> dict[str, str]:
    """`name=folder` pairs from the command line.

    >>> packages(["here=."])
    {'here': '.'}
    """
    made = {}
    for item in given:
        name, mark, folder = item.partition("=")
        if not mark or not name.strip() or not folder.strip():
            raise PolhodeError(f"{item!r} is not understood.", "--package", "Write --package name=folder", "E-CLI-READ")
        if not Path(folder.strip()).is_dir():
            said = f"there is no folder {folder.strip()!r}."
            place = f"--package {name.strip()}"
            raise PolhodeError(said, place, "Name the folder that package:// stands for.", "E-FILE-NAME")
        made[name.strip()] = folder.strip()
    return made
