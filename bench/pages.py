"""How large a robot's page is, and how long it takes until its first picture is on the screen."""

from __future__ import annotations

import base64
import io
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from docs.pictures.browser import Browser, chromium
from PIL import Image

from polhode.errors import PolhodeError

from .many_runs import all_cores
from .robots import ARMS, WALKERS, Robot
from .table import Timing, duration

SECTION = "pages"
_GOAL = 1.0
_WHOLE_TALOS = Robot("talos, all of it", "talos_data/robots/talos_full_v2.urdf", "floating")
#: How much of the view must differ from an empty one to be a picture.
_SEEN = 0.01
_PATIENCE = 20.0


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    program = chromium()
    if program is None:
        raise PolhodeError("there is no Chromium to open pages in.", cure="Install it, or name one by CHROMIUM.")
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, all_cores())  # a browser is several processes
    try:
        return [_row(robot, program, 2 if quick else 5, say) for robot in (*ARMS, *WALKERS[1:2], _WHOLE_TALOS)]
    finally:
        os.sched_setaffinity(0, own)


def _row(robot: Robot, program: str, loads: int, say: Callable[[str], None]) -> Timing:
    say(robot.name)
    with tempfile.TemporaryDirectory(prefix="polhode-bench-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that meshes are simplified
        run = robot.system().derive().simulate(1.0)
        start = time.perf_counter()
        page = run.animate(Path(folder) / "page.html")
        written = time.perf_counter() - start
        seen = [_first_picture(program, f"{folder}/profile{k}", page) for k in range(loads)]
        size = page.stat().st_size / 1e6
        note = f"{size:.1f} MB, written in {duration(written)}; the slowest load {duration(max(seen))}"
    return Timing(SECTION, robot.name, "first picture on the screen", min(seen), most_seconds=_GOAL, note=note)


def _first_picture(program: str, profile: str, page: Path) -> float:
    """Seconds on the wall from asking for a page until its view shows something, in a browser that has just started."""
    browser = Browser(program, profile)
    try:
        browser.call("Emulation.setDeviceMetricsOverride", width=1200, height=800, deviceScaleFactor=1, mobile=False)
        browser.call("Page.enable")
        browser.call("Page.startScreencast", format="jpeg", quality=60)
        time.sleep(1.0)
        browser.events.clear()
        start = time.time()
        browser.call("Page.navigate", url=page.as_uri())
        while time.time() < start + _PATIENCE:
            browser.run("0")
            for event in browser.events:
                if event.get("method") == "Page.screencastFrame":
                    shown, at = event["params"]["data"], event["params"]["metadata"]["timestamp"]
                    browser.call("Page.screencastFrameAck", sessionId=event["params"]["sessionId"])
                    if at > start and _is_drawn(shown):
                        return float(at - start)
            browser.events.clear()
            time.sleep(0.005)
    finally:
        browser.close()
    raise PolhodeError(f"nothing was drawn within {_PATIENCE:g} s.", place=page.name)


def _is_drawn(picture: str) -> bool:
    """Whether anything stands out in the middle of the view."""
    values = np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB"), dtype=float)
    view = values[120:420, 100:800]
    stands_out = np.abs(view - np.median(view, axis=(0, 1))).sum(axis=2) > 90
    return float(stands_out.mean()) > _SEEN
