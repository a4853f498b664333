"""One self-contained page that shows a motion: nothing is fetched, nothing but our own script may run.

The script (`script/`, one idea a file) and the style sheet lie beside this file and are inlined; a content security policy allows them by
their hashes and forbids the rest. Everything a user wrote reaches the page as data, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import os
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polhode.errors import PolhodeError, ShapeError
from polhode.files.writing import replace_file
from polhode.view.mesh import GREY, Mesh, MeshShape, grid_of
from polhode.view.scene import PALETTE, Channel, Floats, Motion, Scene, Shape

FRAMES_PER_SECOND = 60
MOST_FRAMES = 3_000
FEWEST_FRAMES = 120
MOST_NUMBERS = 450_000
"""As many numbers as fit 2.4 MB in base64; with many bodies the page keeps fewer frames and stays small."""
SCRIPT = (
    "data", "vectors", "motion", "shapes", "meshes", "extent", "camera", "shaders", "webgl", "painter", "drawing",
    "pointing", "bodies", "numbers", "charts", "controls", "begin",
)  # fmt: skip
"""The files of the script, in order: one idea a file, each built on those before it."""


def write_page(
    path: str | os.PathLike[str],
    scene: Scene,
    motion: Motion,
    channels: Sequence[Channel] = (),
    title: str | None = None,
    notes: str = "",
) -> Path:
    """Write the motion as one HTML file that any browser opens without a network, and return its path.

    The file appears whole or not at all. `#t=2.5` after its address opens it paused at that time.

        write_page("arm.html", scene, motion, [Channel("energy", "J", energy)], notes="No friction.")
    """
    return replace_file(path, page(scene, motion, channels, title, notes).encode("utf-8"))


def page(
    scene: Scene,
    motion: Motion,
    channels: Sequence[Channel] = (),
    title: str | None = None,
    notes: str = "",
) -> str:
    """The page's text; the same scene and motion give the same text, byte for byte."""
    _check(scene, motion, channels)
    script, style = _script(), _asset("page.css")
    heading = scene.title if title is None else title
    return _PAGE.format(
        policy=(
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
        title=_text(heading),
        notes=_text(notes),
        style=style,
        script=script,
        data=_data(scene, motion, channels),
    )


def frame_times(time: Floats, numbers_per_frame: int) -> Floats:
    """Evenly spaced times for the page: at most 60 a second and 3,000 in all.

    A motion shorter than two seconds keeps up to 120, as it will be looked at slowly.

    >>> len(frame_times(np.linspace(0, 10, 100_000), 49)), len(frame_times(np.linspace(0, 0.01, 200), 49))
    (601, 120)
    """
    start, end = float(time[0]), float(time[-1])
    if end <= start:
        return np.array([start])
    wanted = max(math.ceil((end - start) * FRAMES_PER_SECOND) + 1, min(len(time), FEWEST_FRAMES))
    return np.linspace(start, end, max(2, min(wanted, MOST_FRAMES, MOST_NUMBERS // max(1, numbers_per_frame))))


def _check(scene: Scene, motion: Motion, channels: Sequence[Channel]) -> None:
    bodies = motion.positions.shape[1]
    if bodies != len(scene.bodies):
        raise ShapeError(
            f"the scene has {len(scene.bodies)} bodies and the motion {bodies}.",
            place=f"scene {scene.title!r}",
            cure="Give one position and one quaternion for each body of the scene, in its order.",
        )
    for line in scene.lines:
        if not all(0 <= body < bodies for body, _ in line.ends):
            raise PolhodeError(
                "it ends at a body that is not in the scene.",
                place=f"line {line.name!r}",
                cure=f"Count the bodies of the scene from 0 to {bodies - 1}.",
            )
    for moving in motion.lines:
        if len(moving.ends) != len(motion.time):
            raise ShapeError(
                f"it has {len(moving.ends)} pairs of ends and the motion {len(motion.time)} times.",
                place=f"line {moving.name!r}",
                cure="Give two points for each time of the motion.",
            )
    for channel in channels:
        if len(channel.values) != len(motion.time):
            raise ShapeError(
                f"it has {len(channel.values)} values and the motion {len(motion.time)} times.",
                place=f"channel {channel.name!r}",
                cure="Give one value for each time of the motion.",
            )


def _data(scene: Scene, motion: Motion, channels: Sequence[Channel]) -> str:
    times = frame_times(motion.time, 7 * len(scene.bodies) + 6 * len(motion.lines) + len(channels))
    frames = motion.at(times)
    drawn = [shape for body in scene.bodies for shape in body.shapes if isinstance(shape, MeshShape)]
    meshes = {id(shape.fine): k for k, shape in enumerate({id(shape.fine): shape for shape in drawn}.values())}
    record = {
        "up": scene.up,
        "ground": scene.ground,
        "start": float(times[0]),
        "step": float(times[-1] - times[0]) / max(1, len(times) - 1),
        "frames": len(times),
        "palette": PALETTE,
        "bodies": [
            {
                "name": body.name,
                "color": body.color(index),
                "tracer": body.tracer,
                "shapes": [_shape(shape, meshes) for shape in body.shapes],
            }
            for index, body in enumerate(scene.bodies)
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
        "moving": [
            {"name": line.name, "color": line.color, "radius": line.radius, "ends": _packed(line.ends)}
            for line in frames.lines
        ],
        "meshes": [
            {"fine": _mesh(shape.fine), "coarse": _mesh(shape.coarse)}
            for shape in {id(shape.fine): shape for shape in drawn}.values()
        ],
        "positions": _packed(frames.positions),
        "quaternions": _packed(frames.quaternions),
        "channels": [_channel(channel, motion.time, times) for channel in channels],
    }
    text = json.dumps(record, separators=(",", ":"), allow_nan=False)
    # Inside a script element only "<" could end the data early; the other two guard careless copying.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _shape(shape: Shape | MeshShape, meshes: Mapping[int, int]) -> dict[str, object]:
    if isinstance(shape, Shape):
        own: dict[str, object] = {"kind": shape.kind, "size": shape.size, "color": shape.color}
    else:
        number = meshes[id(shape.fine)]
        own = {"kind": "mesh", "mesh": number, "size": shape.scale, "color": shape.own_color or GREY}
    return {**own, "position": shape.position, "rotation": shape.rotation}


def _mesh(mesh: Mesh) -> dict[str, object]:
    """Points on a grid of 16 bits an axis, numbers of points in 16 bits where these do."""
    low, step = grid_of(mesh)
    pieces = []
    for piece in mesh.pieces:
        wide = len(piece.points) > 65_536
        grid = np.clip(np.rint((piece.points - low) / step), 0, 65_535).astype("<u2")
        numbers = piece.triangles.astype("<u4" if wide else "<u2")
        pieces.append({"color": piece.color, "wide": wide, "points": _base64(grid), "triangles": _base64(numbers)})
    return {"low": low.tolist(), "step": step.tolist(), "pieces": pieces}


def _channel(channel: Channel, time: Floats, times: Floats) -> dict[str, object]:
    values = np.interp(times, time, channel.values)
    finite = values[np.isfinite(values)]
    # Single precision about the first value, so that a small drift of a large energy is not rounded away.
    base = float(finite[0]) if len(finite) else 0.0
    return {"name": channel.name, "unit": channel.unit, "base": base, "values": _packed(values - base)}


def _packed(values: Floats) -> str:
    return _base64(values.astype("<f4"))


def _base64(values: NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")


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


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="polhode">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p id="notes">{notes}</p>
</header>
<main>
<section id="stage" aria-label="Three-dimensional view">
<noscript><p>This page draws a moving mechanism with a script; switch scripts on to see it.</p></noscript>
<div id="views" role="group" aria-label="View from">
<button type="button" data-view="home">Home</button>
<button type="button" data-view="front">Front</button>
<button type="button" data-view="side">Side</button>
<button type="button" data-view="top">Top</button>
<button type="button" id="follow" aria-pressed="false" hidden>Follow</button>
</div>
<canvas id="axes" width="72" height="72" aria-hidden="true"></canvas>
<p id="scale"></p>
<p id="tip" hidden></p>
</section>
<aside aria-label="Bodies">
<h2>Bodies</h2>
<ul id="bodies"></ul>
<p id="help"><span><kbd>Space</kbd> play</span> <span><kbd>←</kbd> <kbd>→</kbd> step</span>
<span><kbd>drag</kbd> orbit</span> <span><kbd>Shift</kbd> <kbd>drag</kbd> pan</span>
<span><kbd>wheel</kbd> zoom</span> <span><kbd>click</kbd> trace</span></p>
</aside>
<section id="transport" aria-label="Playback">
<button type="button" id="play" aria-label="Play"><svg viewBox="0 0 24 24" aria-hidden="true">
<path class="when-paused" d="M7 4.5v15l12.5-7.5z"/>
<path class="when-playing" d="M6.5 5h4v14h-4zM13.5 5h4v14h-4z"/>
</svg></button>
<output id="clock" for="scrub"><span id="now">0</span><span id="end"></span></output>
<input type="range" id="scrub" min="0" max="1" step="any" value="0" aria-label="Time">
<label id="pace">Speed <select id="speed"></select></label>
<button type="button" id="loop" aria-pressed="true">Loop</button>
</section>
<section id="charts" aria-label="Channels over time"></section>
</main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""
