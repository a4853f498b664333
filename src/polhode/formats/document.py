"""From YAML (or JSON) text to plain data: mappings, lists, and scalars as the text they were written with.

The parser's events are put together here, without the library's constructors: no tag is obeyed, no alias expanded,
no number rounded, and every value keeps its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from ..errors import FormatError, LimitError, Problem
from .names import quoted

DEPTH_LIMIT = 64
NODE_LIMIT = 200_000

Path = tuple[str | int, ...]
NULLS = ("", "~", "null", "Null", "NULL")


@dataclass
class Document:
    """Plain data (dict, list, str or None), the line of each part, and the problems found."""

    file: str
    data: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    findings: list[Problem] = field(default_factory=list)  # what may surprise
    sections: set[str | int] = field(default_factory=set)  # the top-level keys below which there are problems

    def place(self, path: Path) -> str:
        """The place of a value: `arm.yaml:41: joints.elbow.axis`; for a missing one, where it should be."""
        nearest = path
        while nearest and nearest not in self.lines:
            nearest = nearest[:-1]
        location = f"{self.file}:{self.lines.get(nearest, 1)}"
        return f"{location}: {spelled(path)}" if path else location

    def problem(self, path: Path, message: str, cure: str = "", code: str = "") -> None:
        """Note a problem at a path and continue."""
        self.sections.update(path[:1])
        self.problems.append(Problem(message, self.place(path), cure, code))

    def finding(self, path: Path, message: str, cure: str = "", code: str = "") -> None:
        """Note a finding at a path that is no mistake."""
        self.findings.append(Problem(message, self.place(path), cure, code))

    def check(self) -> None:
        """Raise all that was found, if anything was."""
        if self.problems:
            raise FormatError(problems=self.problems)


def spelled(path: Path) -> str:
    """A path of keys: `loads[2].vector`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            shown = quoted(part) if part.isprintable() else repr(part)
            text += f".{shown}" if text else shown
    return text


def parse(text: str, file: str) -> Document:
    """The plain data of a text.

    >>> parse("a: [0.10, ~]", "x.yaml").data
    {'a': ['0.10', None]}
    """
    composer = _Composer(Document(file))
    for event in _events(text, file):
        composer.take(event)
    document = composer.document
    if composer.documents == 0 or document.data is None:
        cure = "Describe at least one body and one joint."
        raise FormatError("the file is empty.", file, cure, "E-MODELFILE-MISSING")
    return document


def _events(text: str, file: str) -> Iterator[Any]:
    try:
        events: Iterable[Any] = YAML(typ="safe", pure=True).parse(text)
        yield from events
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark else file
        what = ", ".join(part for part in (error.context, error.problem) if part)
        message = f"this is not YAML: {what}."
        raise FormatError(message, place, "Check indentation, colons and brackets.", "E-MODELFILE-READ") from None
    except (FormatError, LimitError):
        raise
    except Exception as error:
        # Whatever the parser stumbles over, be it its own slip on an odd byte, is a text that is not YAML.
        reason = f"this is not YAML: {' '.join(str(error).split())}."
        raise FormatError(reason, file, "Look for control characters and odd escapes.", "E-MODELFILE-READ") from None


class _Composer:
    """Puts events together on its own stack."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.documents = 0
        self.nodes = 0
        self.open: list[tuple[Any, Path]] = []
        self.keys: list[str | None] = []  # for each open mapping, the key that waits for its value

    def take(self, event: Any) -> None:
        if isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                message = "there is a second document in this file."
                self._stop(event, message, "Keep one model in a file.", "E-MODELFILE-READ")
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            self.open.pop()
            self.keys.pop()
        elif isinstance(event, NodeEvent):
            self._node(event)

    def _node(self, event: Any) -> None:
        self.nodes += 1
        if self.nodes > NODE_LIMIT:
            raise LimitError(f"more than {NODE_LIMIT:,} values.", self._place(event), "Split it.", "E-MODELFILE-SIZE")
        if isinstance(event, AliasEvent) or event.anchor is not None:
            message = f"anchors and aliases (&, *) are not used: {event.anchor!r}."
            self._stop(event, message, "Write the value out.", "E-MODELFILE-READ")
        if event.tag is not None:
            self._stop(event, f"tags are not used: {str(event.tag)!r}.", "Remove the tag.", "E-MODELFILE-READ")
        if self.open and isinstance(self.open[-1][0], dict) and self.keys[-1] is None:
            self._key(event)
            return
        value: Any
        if isinstance(event, MappingStartEvent):
            value = {}
        elif isinstance(event, SequenceStartEvent):
            value = []
        else:
            value = None if event.style is None and event.value in NULLS else self._text(event)
        path = self._put(value)
        self.document.lines.setdefault(path, event.start_mark.line + 1)
        if not isinstance(event, ScalarEvent):
            if len(self.open) >= DEPTH_LIMIT:
                message = f"values are nested more than {DEPTH_LIMIT} deep."
                cure = "A model file needs no more than about six levels."
                raise LimitError(message, place=self._place(event), cure=cure, code="E-MODELFILE-SIZE")
            self.open.append((value, path))
            self.keys.append(None)

    def _key(self, event: Any) -> None:
        if not isinstance(event, ScalarEvent) or (event.style is None and event.value == ""):
            self._stop(event, "a key must be a name.", "Write `name: value`.", "E-MODELFILE-READ")
        key = self._text(event)
        mapping, path = self.open[-1]
        line = event.start_mark.line + 1
        if key in mapping:
            first = self.document.lines[*path, key]
            self.document.problems.append(
                Problem(
                    f"this name was already given in line {first}.",
                    f"{self.document.file}:{line}: {spelled((*path, key))}",
                    "Rename or remove one of them.",
                    "E-MODELFILE-TWICE",
                )
            )
            self.document.sections.update((*path, key)[:1])
            self.document.lines.pop((*path, key))
        self.document.lines[*path, key] = line
        self.keys[-1] = key

    def _put(self, value: Any) -> Path:
        if not self.open:
            self.document.data = value
            return ()
        container, path = self.open[-1]
        if isinstance(container, list):
            container.append(value)
            return (*path, len(container) - 1)
        key = self.keys[-1]
        container[key] = value
        self.keys[-1] = None
        return (*path, key or "")

    def _text(self, event: Any) -> str:
        """A scalar's text; JSON spells characters beyond the first plane as two escapes."""
        try:
            return str(event.value).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            cure = "half of a surrogate pair stands alone."
            raise self._error(event, cure, "Write the character itself.", "E-MODELFILE-READ") from None

    def _place(self, event: Any) -> str:
        return f"{self.document.file}:{event.start_mark.line + 1}"

    def _error(self, event: Any, message: str, cure: str, code: str) -> FormatError:
        return FormatError(message, place=self._place(event), cure=cure, code=code)

    def _stop(self, event: Any, message: str, cure: str, code: str) -> None:
        raise self._error(event, message, cure, code)
