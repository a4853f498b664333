"""One self-contained page that shows a motion: nothing is fetched, nothing but our own script may run.

The skeleton, the style sheet and the script (`script/`, one idea a file) lie beside this file and are inlined; a
content security policy allows them by their hashes and forbids the rest. Everything a user wrote reaches the page as
data or as text, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polhode.errors import PolhodeError, ShapeError
from polhode.files.writing import replace_file
from polhode.view.mesh import GREY, Mesh, MeshShape, grid_of, outline
from polhode.view.scene import (
    PALETTE,
    WORDS,
    Channel,
    Floats,
    Ghost,
    Motion,
    MovingLine,
    Scene,
    SceneBody,
    Shape,
    Sheet,
)  # fmt: skip

#: What a channel's own range must be of its chart's, for it to be read.
SHARE = 0.12
#: A change below this part of a channel's largest value is a constant to the eye, or rounding.
STEADY = 1e-4
#: A change below this part of the largest of its unit is rounding.
ROUNDING = 1e-9
#: Sizes that units have by themselves: angles, and the components of quaternions.
NATURAL = {"rad": 1.0, "": 1.0}
#: More lines than this cannot be distinguished in one chart.
MOST = 7
#: An angle that goes this far, in radians, runs on, as a wheel's does.
TURNS = 4 * np.pi


@dataclass(frozen=True)
class _Range:
    """The lowest and highest value of a channel, over all runs that it is drawn of."""

    index: int
    low: float
    high: float
    steady: bool = False
    runs_on: bool = False

    @property
    def width(self) -> float:
        return self.high - self.low


def charts_of(channels: Sequence[Channel]) -> list[list[int]]:
    """Indices of the channels of each chart, the most informative charts first."""
    sizes = sizes_of(channels)
    ranges = [_range(k, channel, sizes[channel.unit]) for k, channel in enumerate(channels)]
    full: list[list[_Range]] = []
    for unit in dict.fromkeys(channel.unit for channel in channels):
        charts: list[list[_Range]] = []  # the widest channel first, each in the first chart that it leaves readable
        alike = [curve for curve in ranges if channels[curve.index].unit == unit]
        for curve in sorted(alike, key=lambda one: (one.steady, -one.width)):
            home = next((chart for chart in charts if _bears(chart, curve)), None)
            if home is None:
                charts.append(home := [])
            home.append(curve)
        full += charts

    def rank(chart: list[_Range]) -> tuple[int, int]:
        runs_on = 1 if any(curve.runs_on for curve in chart) else 0
        return 2 if all(curve.steady for curve in chart) else runs_on, min(curve.index for curve in chart)

    return [sorted(curve.index for curve in chart) for chart in sorted(full, key=rank)]


def sizes_of(channels: Sequence[Channel]) -> dict[str, float]:
    """The largest value of each unit; for angles at least one."""
    sizes = {channel.unit: NATURAL.get(channel.unit, 0.0) for channel in channels}
    for channel in channels:
        finite = channel.values[np.isfinite(channel.values)]
        sizes[channel.unit] = max(sizes[channel.unit], float(np.abs(finite).max()) if len(finite) else 0.0)
    return sizes


def is_rounding(channel: Channel, size: float) -> bool:
    """Whether a channel changes by no more than rounding of what has its unit.

    >>> noise = Channel("knee", "rad", 1e-15 * np.sin(np.linspace(0, 9, 99)))
    >>> is_rounding(noise, sizes_of([noise])["rad"])
    True
    """
    finite = channel.values[np.isfinite(channel.values)]
    return not len(finite) or float(np.ptp(finite)) <= ROUNDING * size


def _range(index: int, channel: Channel, size: float) -> _Range:
    values, every = channel.values, np.concatenate([channel.values, *channel.beside])
    values, every = values[np.isfinite(values)], every[np.isfinite(every)]
    if not len(values):
        return _Range(index, 0.0, 0.0, steady=True)
    width = float(np.ptp(values))
    steady = width <= STEADY * float(np.abs(values).max()) or is_rounding(channel, size)
    return _Range(index, float(every.min()), float(every.max()), steady, channel.unit == "rad" and width > TURNS)


def _bears(chart: Sequence[_Range], new: _Range) -> bool:
    """Whether every line of a chart that moves can still be read beside a new one."""
    if len(chart) >= MOST or (chart[0].runs_on != new.runs_on and not new.steady):
        return False
    together = [*chart, new]
    width = max(curve.high for curve in together) - min(curve.low for curve in together)
    moving = [curve.width for curve in together if not curve.steady]
    return all(own_width >= SHARE * width for own_width in moving)


FRAMES_PER_SECOND = 60
MOST_FRAMES = 3_000
FEWEST_FRAMES = 120
MOST_NUMBERS = 450_000
"""As many numbers as fit 2.4 MB in base64; with many bodies the page keeps fewer frames and stays small."""


def frame_times(time: Floats, numbers_per_frame: int) -> Floats:
    """Evenly spaced times for the page: at most 60 a second and 3,000 in all."""
    start, end = float(time[0]), float(time[-1])
    if end <= start:
        return np.array([start])
    wanted = max(math.ceil((end - start) * FRAMES_PER_SECOND) + 1, min(len(time), FEWEST_FRAMES))
    return np.linspace(start, end, max(2, min(wanted, MOST_FRAMES, MOST_NUMBERS // max(1, numbers_per_frame))))


def data_of(scene: Scene, motion: Motion, channels: Sequence[Channel], ghosts: Sequence[Ghost] = ()) -> str:
    """The record as JSON that is safe inside a script element; ghosts' bodies follow those of the motion."""
    runs = [Ghost("", scene, motion), *ghosts]
    bodies = [(run, body) for run in runs for body in run.scene.bodies]
    columns = sum(1 + len(channel.beside) for channel in channels)
    times = frame_times(motion.time, 7 * len(bodies) + 6 * len(motion.lines) + columns)
    frames = [run.motion.at(times) for run in runs]
    drawn = {id(shape.fine): shape for _, body in bodies for shape in body.shapes if isinstance(shape, MeshShape)}
    meshes = {key: number for number, key in enumerate(drawn)}
    record = {
        "up": scene.up,
        "ground": scene.ground,
        "floor": scene.floor,
        "start": float(times[0]),
        "step": float(times[-1] - times[0]) / max(1, len(times) - 1),
        "frames": len(times),
        "palette": PALETTE,
        "ghosts": [ghost.name for ghost in ghosts],
        "bodies": [
            _body(body, runs.index(run), index, meshes) for run in runs for index, body in enumerate(run.scene.bodies)
        ],
        "lines": [
            {
                "name": line.name,
                "color": line.color,
                "radius": line.radius,
                "ends": [{"body": body, "point": point} for body, point in line.ends],
            }
            for line in scene.lines
        ],
        "moving": [_line(line) for line in frames[0].lines],
        "traces": [{"name": trace.name, "body": trace.body, "point": trace.point} for trace in scene.traces],
        "meshes": [
            {"fine": _mesh(shape.fine), "coarse": _mesh(shape.coarse), "outline": _packed(outline(shape.fine))}
            for shape in drawn.values()
        ],
        "positions": _packed(np.concatenate([frame.positions for frame in frames], axis=1)),
        "quaternions": _packed(np.concatenate([frame.quaternions for frame in frames], axis=1)),
        "channels": [_channel(channel, motion.time, times) for channel in channels],
        "charts": charts_of(channels),
    }
    text = json.dumps(record, separators=(",", ":"), allow_nan=False)
    # Inside a script element only "<" could end the data early; the other two guard careless copying.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _body(body: SceneBody, run: int, index: int, meshes: Mapping[int, int]) -> dict[str, object]:
    return {
        "name": body.name,
        "color": body.color(index),
        "tracer": body.tracer,
        "ghost": run - 1,
        "listed": body.listed,
        "shapes": [_shape(shape, meshes) for shape in body.shapes],
    }


def _line(line: MovingLine) -> dict[str, object]:
    entry = {"name": line.name, "color": line.color, "radius": line.radius, "arrow": line.arrow, "told": line.told}
    return {**entry, "opening": line.opening, "ends": _packed(line.ends)}


def _shape(shape: Shape | MeshShape, meshes: Mapping[int, int]) -> dict[str, object]:
    if isinstance(shape, Shape):
        entry: dict[str, object] = {"kind": shape.kind, "size": shape.size, "color": shape.color}
    else:
        number = meshes[id(shape.fine)]
        entry = {"kind": "mesh", "mesh": number, "size": shape.scale, "color": shape.own_color or GREY}
    return {**entry, "position": shape.position, "rotation": shape.rotation}


def _mesh(mesh: Mesh) -> dict[str, object]:
    """Points on a grid of 16 bits an axis, numbers of points in 16 bits where these do."""
    low, step = grid_of(mesh)
    pieces = []
    for piece in mesh.pieces:
        wide = len(piece.points) > 65_536
        grid = np.clip(np.rint((piece.points - low) / step), 0, 65_535).astype("<u2")
        numbers = piece.triangles.astype("<u4" if wide else "<u2")
        entry: dict[str, object] = {"color": piece.color, "wide": wide}
        entry |= {} if piece.shades is None else {"shades": _base64(piece.shades)}
        pieces.append({**entry, "points": _base64(grid), "triangles": _base64(numbers)})
    return {"low": low.tolist(), "step": step.tolist(), "pieces": pieces}


def _channel(channel: Channel, time: Floats, times: Floats) -> dict[str, object]:
    values, *others = channel.at(time, times)
    finite = values[np.isfinite(values)]
    # Single precision about the first value, so that a small drift of a large energy is not rounded away; about zero
    # where values come near to it, so that what is at rest has a speed of zero.
    base = float(finite[0]) if len(finite) and np.abs(finite - finite[0]).max() < 0.5 * abs(finite[0]) else 0.0
    entry = {"name": channel.name, "unit": channel.unit, "words": WORDS.get(channel.unit, ()), "base": base}
    return {**entry, "values": _packed(values - base), "beside": [_packed(other - base) for other in others]}


def _packed(values: Floats) -> str:
    return _base64(values.astype("<f4"))


def _base64(values: NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")


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
    for ghost in (Ghost(scene.title, scene, motion), *ghosts):
        _check(ghost.scene, ghost.motion)
    for channel in channels:
        _check_length(f"channel {channel.name!r}", "values", len(channel.values), motion)
    # the files of the script as one program, its names hidden from the page
    script = '\n"use strict";\n(() => {' + "".join(_asset("script", f"{name}.js") for name in SCRIPT) + "})();\n"
    style = _asset("page.css")
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
    return re.sub(r"\{(\w+)\}", lambda matched: parts[matched[1]], _asset("page.html").lstrip())


def _check(scene: Scene, motion: Motion) -> None:
    bodies = motion.positions.shape[1]
    if bodies != len(scene.bodies):
        message = f"the scene has {len(scene.bodies)} bodies and the motion {bodies}."
        cure = "Give one position and one quaternion for each body of the scene, in its order."
        raise ShapeError(message, f"scene {scene.title!r}", cure, "E-PICTURE-SHAPE")
    held = [(f"line {line.name!r}", body) for line in scene.lines for body, _ in line.ends]
    for place, body in [*held, *((f"trace {trace.name!r}", trace.body) for trace in scene.traces)]:
        if not 0 <= body < bodies:
            cure = f"Count the bodies of the scene from 0 to {bodies - 1}."
            raise PolhodeError("it is on a body that is not in the scene.", place, cure, "E-PICTURE-NUMBER")
    for moving in motion.lines:
        _check_length(f"line {moving.name!r}", "pairs of ends", len(moving.ends), motion)


def _check_length(place: str, what: str, length: int, motion: Motion) -> None:
    if length != len(motion.time):
        cure = "Give one for each time of the motion."
        raise ShapeError(
            f"it has {length} {what} and the motion {len(motion.time)} times.", place, cure, "E-PICTURE-SHAPE"
        )


#: The elements that formulas are written with, and what may stand in them.
_FORMULA = re.compile(
    r"</?(?:math|mrow|mi|mn|mo|mtext|mfrac|msqrt|msup|msub|mover|mtable|mtr|mtd)"
    r"(?: (?:display|displaystyle|accent)=\"[a-z]+\")*>"
)


def _sheet(sheet: Sheet) -> str:
    """The formulas of a body, hidden at first."""
    lines = []
    for words, formula in sheet.lines:
        if "<" in _FORMULA.sub("", formula):
            message = "a formula holds markup that is not MathML."
            raise PolhodeError(message, f"sheet of body {sheet.body}", "Give MathML.", "E-PICTURE-NUMBER")
        lines.append(f"<dt>{_text(words)}</dt><dd>{formula}</dd>")
    return f'<dl data-body="{sheet.body:d}" hidden>{"".join(lines)}</dl>\n'


def _asset(*path: str) -> str:
    text = resources.files("polhode.view").joinpath(*path).read_text(encoding="utf-8")
    return "\n" + text.strip() + "\n"


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _text(words: str) -> str:
    """Words as HTML text, all beyond ASCII as references, so that lone surrogates are harmless."""
    return html.escape(words).encode("ascii", "xmlcharrefreplace").decode("ascii")
