"""Docstrings are plain text: code in single backticks, equations in any letters, sessions. Sphinx gets them as such."""

from __future__ import annotations

import re
from typing import Any

SPECIAL = re.compile(r"([*|_\\])")
COLUMNS = re.compile(r"(\S+|  ) {2,}\S")


def plain(lines: list[str]) -> list[str]:
    """A docstring in reStructuredText that means what it says as plain text.

    >>> plain(["The rate of `q_1`, |v|:", "", "    r = u", "", ">>> 1", "1"])
    ['The rate of ``q_1``, \\\\|v\\\\|:', '', '.. code-block:: text', '', '    r = u', '', '>>> 1', '1']
    """
    found: list[str] = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
            continue
        found += converted(paragraph)
        paragraph = []
    return found[:-1] if found else []


def converted(paragraph: list[str]) -> list[str]:
    """One paragraph: a session, what is set apart or stands in columns, or prose.

    >>> converted(["states     its own", "measured   what is measured,", "           by name"])[0]
    '.. code-block:: text'
    """
    if not paragraph:
        return []
    if paragraph[0].lstrip().startswith(">>>"):
        return [*(line.strip() if line.lstrip().startswith((">>>", "...")) else line for line in paragraph), ""]
    session = next((k for k, line in enumerate(paragraph) if line.lstrip().startswith(">>>")), len(paragraph))
    if all(line.startswith("  ") for line in paragraph) or all(map(COLUMNS.match, paragraph)):
        indent = min(len(line) - len(line.lstrip()) for line in paragraph)
        return [".. code-block:: text", "", *("    " + line[indent:] for line in paragraph), ""]
    prose, rest = paragraph[:session], paragraph[session:]
    return [*(prose_line(line) for line in prose), "", *(converted(rest) if rest else [])]


def prose_line(line: str) -> str:
    """A line in which only backticks mean something.

    >>> print(prose_line("rates of `q`, and `u`s: `kd` damps, `kp` pulls"))
    rates of ``q``, and ``u``\\ s: ``kd`` damps, ``kp`` pulls
    """
    pieces = re.split(r"`([^`]*)`", line)
    shown = [
        f"``{piece}``" if k % 2 and piece.strip() else SPECIAL.sub(r"\\\1", piece) for k, piece in enumerate(pieces)
    ]
    for k in range(2, len(shown), 2):
        if re.match(r"\w", shown[k]):  # code ends before a letter only where that is said
            shown[k] = "\\ " + shown[k]
    return "".join(shown)


def process(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Sphinx asks for each docstring here."""
    lines[:] = plain(lines)


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
