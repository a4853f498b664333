"""From plain data to YAML text: short things on one line, the rest in blocks, texts quoted where they must be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .document import NULLS

_ON_ONE_LINE = 100
_LONGEST_KEY = 120  # a longer key is announced by a question mark
#: Texts that mean themselves without quotes, in a block and within brackets alike.
_PLAIN = re.compile(r"(?:[\w(]|[-.](?=[\w(]))(?:[\w().*+/`'=;-]| (?=\S))*\Z")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def emit(data: dict[str, Any]) -> str:
    """Mappings, lists and texts as YAML.

    >>> print(emit({"gravity": ["0", "0", "-9.81"], "name": "null"}), end="")
    gravity: [0, 0, -9.81]
    name: "null"
    """
    return "".join(f"{line}\n" for line in _mapping(data, ""))


def _mapping(value: dict[str, Any], margin: str) -> Iterator[str]:
    for key, entry in value.items():
        if len(key) > _LONGEST_KEY:
            yield f"{margin}? {_scalar(key)}"
            head = f"{margin}:"
        else:
            head = f"{margin}{_scalar(key)}:"
        if _fits(entry) and (margin or not isinstance(entry, dict)):
            yield f"{head} {_flow(entry)}"
        else:
            yield head
            yield from _block(entry, margin + "  ")


def _block(value: Any, margin: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _mapping(value, margin)
        return
    for entry in value:
        if _fits(entry):
            yield f"{margin}- {_flow(entry)}"
        else:
            lines = list(_block(entry, margin + "  "))
            yield f"{margin}- {lines[0].lstrip(' ')}"
            yield from lines[1:]


def _fits(value: Any) -> bool:
    """Whether a value goes on one line: a text, a list of texts or of rows, a short mapping."""
    if isinstance(value, dict):
        return len(_flow(value)) < _ON_ONE_LINE and all(len(key) <= _LONGEST_KEY for key in value)
    return not isinstance(value, list) or not any(isinstance(entry, dict) for entry in value)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(entry) for entry in value) + "]"
    return _scalar(value)


def _scalar(text: str | None) -> str:
    if text is None:
        return "~"
    if text not in NULLS and _PLAIN.match(text):
        return text
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character.isprintable() else f"\\U{ord(character):08x}"
