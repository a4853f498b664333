"""One self-contained page that shows a motion: nothing is fetched, nothing but our own script may run.

The skeleton, the style sheet and the script (`script/`, one idea a file) lie beside this file and are inlined; a
content security policy allows them by their hashes and forbids the rest. Everything a user wrote reaches the page as
data or as text, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from polhode.errors import PolhodeError, ShapeError
from polhode.files.writing import replace_file
from polhode.view.page_data import data_of
from polhode.view.scene import Channel, Ghost, Motion, Scene, Sheet

SCRIPT = (
    "data", "vectors", "motion", "shapes", "meshes", "extent", "camera", "shaders", "webgl", "painter", "drawing",
    "pointing", "bodies", "paths", "equations", "numbers", "charts", "zoom", "controls", "gif", "webm",
    "saving", "begin",
)  # fmt: skip
"""The files of the script, in order: one idea a file, each built on those before it."""


def write_page(
    path: str | os.PathLike[str],
    scene: Scene,
    motion: Motion,
    channels: Sequence[Channel] = (),
    title: str | None = None,
    notes: str = "",
    ghosts: Sequence[Ghost] = (),
    sheets: Sequence[Sheet] = (),
) -> Path:
    """Write the motion as one HTML file that any browser opens without a network, and return its path.

    The file appears whole or not at all. `#t=2.5` after its address opens it paused at that time.

        write_page("arm.html", scene, motion, [Channel("energy", "J", energy)], notes="No friction.")
    """
    return replace_file(path, page(scene, motion, channels, title, notes, ghosts, sheets).encode("utf-8"))


def page(
    scene: Scene,
    motion: Motion,
    channels: Sequence[Channel] = (),
    title: str | None = None,
    notes: str = "",
    ghosts: Sequence[Ghost] = (),
    sheets: Sequence[Sheet] = (),
) -> str:
    """The page's text; the same scene and motion give the same text, byte for byte."""
    for each in (Ghost(scene.title, scene, motion), *ghosts):
        _check(each.scene, each.motion)
    for channel in channels:
        _check_length(f"channel {channel.name!r}", "values", len(channel.values), motion)
    script, style = _script(), _asset("page.css")
    heading = scene.title if title is None else title
    parts = {
        "policy": (
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
        "title": _text(heading),
        "notes": _text(notes),
        "style": style,
        "script": script,
        "sheets": "".join(map(_sheet, sheets)),
        "data": data_of(scene, motion, channels, ghosts),
    }
    return re.sub(r"\{(\w+)\}", lambda found: parts[found[1]], _asset("page.html").lstrip())


def _check(scene: Scene, motion: Motion) -> None:
    bodies = motion.positions.shape[1]
    if bodies != len(scene.bodies):
        raise ShapeError(
            f"the scene has {len(scene.bodies)} bodies and the motion {bodies}.",
            place=f"scene {scene.title!r}",
            cure="Give one position and one quaternion for each body of the scene, in its order.",
        )
    held = [(f"line {line.name!r}", body) for line in scene.lines for body, _ in line.ends]
    for place, body in [*held, *((f"trace {trace.name!r}", trace.body) for trace in scene.traces)]:
        if not 0 <= body < bodies:
            raise PolhodeError(
                "it is on a body that is not in the scene.",
                place=place,
                cure=f"Count the bodies of the scene from 0 to {bodies - 1}.",
            )
    for moving in motion.lines:
        _check_length(f"line {moving.name!r}", "pairs of ends", len(moving.ends), motion)


def _check_length(place: str, what: str, length: int, motion: Motion) -> None:
    if length != len(motion.time):
        raise ShapeError(
            f"it has {length} {what} and the motion {len(motion.time)} times.",
            place=place,
            cure="Give one for each time of the motion.",
        )


#: The elements that formulas are written with, and what may stand in them.
_FORMULA = re.compile(
    r"</?(?:math|mrow|mi|mn|mo|mtext|mfrac|msqrt|msup|msub|mover|mtable|mtr|mtd)"
    r"(?: (?:display|displaystyle|accent)=\"[a-z]+\")*>"
)


def _sheet(sheet: Sheet) -> str:
    """The formulas of a body, hidden until they are asked for."""
    lines = []
    for words, formula in sheet.lines:
        if "<" in _FORMULA.sub("", formula):
            raise PolhodeError("a formula holds markup that is not MathML.", place=f"sheet of body {sheet.body}")
        lines.append(f"<dt>{_text(words)}</dt><dd>{formula}</dd>")
    return f'<dl data-body="{sheet.body:d}" hidden>{"".join(lines)}</dl>\n'


def _script() -> str:
    """The files of the script as one program, its names hidden from the page."""
    return '\n"use strict";\n(() => {' + "".join(_asset("script", f"{name}.js") for name in SCRIPT) + "})();\n"


def _asset(*path: str) -> str:
    text = resources.files("polhode.view").joinpath(*path).read_text(encoding="utf-8")
    return "\n" + text.strip() + "\n"


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _text(words: str) -> str:
    """The words as HTML text; all beyond ASCII as references, so that even a lone surrogate is harmless."""
    return html.escape(words).encode("ascii", "xmlcharrefreplace").decode("ascii")
