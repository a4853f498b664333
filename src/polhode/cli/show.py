"""How commands speak: tables and sentences for a person, JSON for a program."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Timer
from typing import Any
from warnings import catch_warnings, simplefilter

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..errors import PolhodeError, Problem

#: How wide a file or a pipe is: nothing is cut there.
_WIDE = 100_000
#: Digits of numbers in tables, unless --digits says otherwise.
DIGITS = 6
#: Rows of a table on a terminal; whoever pipes it on has all of them.
_MOST_ROWS = 20
#: Nobody needs to be told what is being done before it has taken this long, in seconds.
_PATIENCE = 1.0


def console(*, stderr: bool = False) -> Console:
    """A console that never reads markup out of a user's words, and that no narrow encoding breaks."""
    stream = sys.stderr if stderr else sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    width = None if stream.isatty() else _WIDE
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def plain(words: object) -> str:
    """One line without control characters, so that no name can move the cursor or colour the screen."""
    return "".join(letter if letter.isprintable() else "�" for letter in str(words))


@contextmanager
def warnings_told() -> Iterator[None]:
    """Python's warnings as sentences on the standard error."""
    with catch_warnings(record=True) as told:
        simplefilter("always")
        yield
    for message in dict.fromkeys(str(each.message) for each in told):
        console(stderr=True).print(plain(message), style="yellow", soft_wrap=True)


def number(count: int, noun: str) -> str:
    """A count with its noun.

    >>> number(1, "speed"), number(2, "body")
    ('1 speed', '2 bodies')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"


def table(head: Sequence[str], rows: Iterable[Sequence[object]], numbers_from: int | None = None) -> Table:
    """A table; columns from `numbers_from` on are numbers and set to the right."""
    made = Table(box=SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0), show_edge=False)
    for place, name in enumerate(head):
        right = numbers_from is not None and place >= numbers_from
        made.add_column(name, justify="right" if right else "left", no_wrap=numbers_from is not None)
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(plain(cell)) for cell in row))
    return made


def most_rows(out: Console) -> int | None:
    """How many rows a terminal is given; None for as many as there are."""
    return _MOST_ROWS if out.is_terminal else None


def as_json(record: Any) -> None:
    """Print plain data as JSON, in ASCII so that every console can show it."""
    sys.stdout.write(json.dumps(record, indent=2, ensure_ascii=True, allow_nan=False) + "\n")


def made_folder(out: Path) -> Path:
    """The folder that files go to, made if it is not there."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = f"the folder cannot be made: {error.strerror or error}."
        raise PolhodeError(said, place=str(out), cure="Name another with --out.", code="E-FILE-WRITE") from error
    return out


def finding(problem: Problem) -> str:
    """What a reader found, in one line."""
    said = f"{problem.place}: {problem.message}" if problem.place else problem.message
    return f"{said} {problem.cure}" if problem.cure else said


def findings_record(found: Iterable[Problem]) -> list[dict[str, str]]:
    """What a reader found, as plain data."""
    return [asdict(problem) for problem in found]


def tell_findings(found: Iterable[Problem]) -> None:
    """What a reader found, on standard error, so that what is piped on stays clean."""
    for problem in found:
        console(stderr=True).print(plain(f"• {finding(problem)}"), style="yellow", soft_wrap=True)


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """A function to be told what is being done; a person who has waited a second is shown it."""
    if not sys.stderr.isatty():
        yield lambda words: None
        return
    status = console(stderr=True).status("")
    timer = Timer(_PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield status.update
    finally:
        timer.cancel()
        status.stop()


def laws(given: Iterable[str], option: str) -> dict[str, str]:
    """`name=expression` pairs from the command line, expressions as they are written.

    >>> laws(["F = 2*t"], "--input")
    {'F': '2*t'}
    """
    made = {}
    for item in given:
        name, mark, text = item.partition("=")
        if not mark or not name.strip() or not text.strip():
            raise PolhodeError(f"{item!r} is not understood.", option, f"Write {option} name='2*t'", "E-CLI-READ")
        made[name.strip()] = text.strip()
    return made


def assignments(given: Iterable[str]) -> dict[str, Any]:
    """`name=value` pairs from the command line; a value may have a unit.

    >>> assignments(["m=2", "l = 0.5", "k=25 kN/m"])
    {'m': 2.0, 'l': 0.5, 'k': '25 kN/m'}
    """
    from ..model.unit import split

    made: dict[str, Any] = {}
    for item in given:
        name, mark, value = item.rpartition("=")
        try:
            number = value.strip() if split(value) else float(value)
        except ValueError:
            mark = ""
        if not mark or not name.strip():
            raise PolhodeError(f"{item!r} is not understood.", "--set", "Write --set name=2.5", "E-CLI-READ")
        made[name.strip()] = number
    return made
