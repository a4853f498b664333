"""What commands print: tables and sentences for a person, JSON for a program."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
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
#: Rows of a table on a terminal; a pipe gets all of them.
_MOST_ROWS = 20
#: Seconds after which `progress` shows what is being done.
_DELAY = 1.0


def console(*, stderr: bool = False) -> Console:
    """A console that never reads markup out of a user's words, and that no narrow encoding breaks."""
    stream = sys.stderr if stderr else sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    width = None if stream.isatty() else _WIDE
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def say(text: object, style: str = "", *, stderr: bool = False) -> None:
    """Print lines of text without control characters, not wrapped."""
    for line in str(text).splitlines():
        console(stderr=stderr).print(plain(line), style=style, soft_wrap=True)


def say_written(paths: Iterable[Path]) -> None:
    """Print the names of files that were written."""
    for path in paths:
        say(f"wrote {path}", "dim")


def plain(words: object) -> str:
    """One line without control characters, so that no name can move the cursor or colour the screen."""
    return "".join(letter if letter.isprintable() else "�" for letter in str(words))


@contextmanager
def warnings_printed() -> Iterator[None]:
    """Print Python's warnings as sentences on the standard error, each once."""
    with catch_warnings(record=True) as caught:
        simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        say(message, "yellow", stderr=True)


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
    result = Table(box=SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0), show_edge=False)
    for column, name in enumerate(head):
        right = numbers_from is not None and column >= numbers_from
        result.add_column(name, justify="right" if right else "left", no_wrap=numbers_from is not None)
    for row in rows:
        result.add_row(*(cell if isinstance(cell, Text) else Text(plain(cell)) for cell in row))
    return result


def most_rows(out: Console) -> int | None:
    """The number of rows that a terminal shows; None for all."""
    return _MOST_ROWS if out.is_terminal else None


def as_json(record: Any) -> None:
    """Print plain data as JSON, in ASCII so that every console can show it."""
    sys.stdout.write(json.dumps(record, indent=2, ensure_ascii=True, allow_nan=False) + "\n")


def create_folder(out: Path) -> Path:
    """Create the folder for files if it does not exist."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the folder cannot be created: {error.strerror or error}."
        raise PolhodeError(message, place=str(out), cure="Name another with --out.", code="E-FILE-WRITE") from error
    return out


def finding(problem: Problem) -> str:
    """A warning or notice of a reader, in one line."""
    message = f"{problem.place}: {problem.message}" if problem.place else problem.message
    return f"{message} {problem.cure}" if problem.cure else message


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """A function of what is being done, which a terminal shows after a second."""
    if not sys.stderr.isatty():
        yield lambda words: None
        return
    status = console(stderr=True).status("")
    timer = Timer(_DELAY, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield status.update
    finally:
        timer.cancel()
        status.stop()


def pairs(items: Iterable[str], option: str, example: str) -> dict[str, str]:
    """`name=text` pairs of an option.

    >>> pairs(["F = 2*t"], "--input", "F='2*t'")
    {'F': '2*t'}
    """
    result = {}
    for item in items:
        name, mark, text = item.partition("=")
        if not mark or not name.strip() or not text.strip():
            raise PolhodeError(f"{item!r} is not understood.", option, f"Write {option} {example}", "E-CLI-READ")
        result[name.strip()] = text.strip()
    return result
