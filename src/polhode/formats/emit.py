"""From plain data to YAML text: short things on one line, the rest in blocks, names quoted where they must be."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from .document import NULLS

_ON_ONE_LINE = 90


def emit(data: Any) -> str:
    """Mappings, lists and texts as YAML.

    >>> print(emit({"gravity": ["0", "0", "-9.81"], "name": "null"}), end="")
    gravity: [0, 0, -9.81]
    name: "null"
    """
    writer = YAML(typ="safe", pure=True)
    writer.width = 1_000_000  # a text folded over lines is harder to read than a long line
    writer.allow_unicode = True
    out = StringIO()
    writer.emit([*_document(data)], out)
    return out.getvalue()


def _document(data: Any) -> Iterator[Any]:
    yield StreamStartEvent()
    yield DocumentStartEvent(explicit=False)
    yield from _events(data, 0)
    yield DocumentEndEvent(explicit=False)
    yield StreamEndEvent()


def _events(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, dict):
        yield MappingStartEvent(None, None, True, flow_style=depth > 1 and _width(value) < _ON_ONE_LINE)
        for key, entry in value.items():
            yield _scalar(key)
            yield from _events(entry, depth + 1)
        yield MappingEndEvent()
    elif isinstance(value, list):
        yield SequenceStartEvent(
            None, None, True, flow_style=not any(isinstance(entry, dict) for entry in value)
        )
        for entry in value:
            yield from _events(entry, depth + 1)
        yield SequenceEndEvent()
    else:
        yield _scalar(value)


def _scalar(text: str | None) -> ScalarEvent:
    if text is None:
        return ScalarEvent(None, None, (True, True), "~")
    return ScalarEvent(None, None, (True, True), text, style='"' if text in NULLS else None)


def _width(value: Any) -> int:
    """About how long a value is on one line."""
    if isinstance(value, dict):
        return sum(len(key) + 4 + _width(entry) for key, entry in value.items())
    if isinstance(value, list):
        return sum(2 + _width(entry) for entry in value)
    return len(value or "~")
