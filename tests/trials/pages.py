"""Robots as pages with their meshes in headless Chromium, without a graphics card, each time in a browser that has just
started: seconds on the wall from the request for the page until its view shows the robot; the goal is a second.

    python -m tests.trials.pages [loads]
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from bench.mechanisms import ANYMAL, ARMS, WHOLE_TALOS
from docs.pictures.browser import Browser, chromium
from PIL import Image

from polhode.errors import PolhodeError

#: How much of the view must differ from an empty one to be a picture, and the seconds in which one must be there.
_SHOWN, _LIMIT = 0.01, 20.0


def main(loads: int = 5) -> None:
    """Print a line a robot."""
    program = chromium()
    if program is None:
        cure = "Install it, or name one by CHROMIUM."
        raise PolhodeError("there is no Chromium to open pages in.", cure=cure, code="E-BENCH-022")
    warnings.simplefilter("ignore")  # that meshes are simplified
    for robot in (*ARMS, ANYMAL, WHOLE_TALOS):
        with tempfile.TemporaryDirectory(prefix="polhode-bench-") as folder:
            run = robot.system().derive().simulate(1.0)
            start = time.perf_counter()
            page = run.animate(Path(folder) / "page.html")
            written = time.perf_counter() - start
            seen = [_first_picture(program, f"{folder}/profile{k}", page) for k in range(loads)]
            size = page.stat().st_size / 1e6
        times = f"first picture after {min(seen):.2f} s, at most {max(seen):.2f} s"
        print(f"{robot.name:20} {times}; {size:.1f} MB, written in {written:.2f} s", flush=True)


def _first_picture(program: str, profile: str, page: Path) -> float:
    """Seconds on the wall from the request for a page until its view shows something, in a browser just started."""
    browser = Browser(program, profile)
    try:
        browser.call("Emulation.setDeviceMetricsOverride", width=1200, height=800, deviceScaleFactor=1, mobile=False)
        browser.call("Page.enable")
        browser.call("Page.startScreencast", format="jpeg", quality=60)
        time.sleep(1.0)
        browser.events.clear()
        start = time.time()
        browser.call("Page.navigate", url=page.as_uri())
        while time.time() < start + _LIMIT:
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
    raise PolhodeError(f"nothing was drawn within {_LIMIT:g} s.", place=page.name, code="E-BENCH-023")


def _is_drawn(picture: str) -> bool:
    """Whether anything stands out in the middle of the view."""
    values = np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB"), dtype=float)
    view = values[120:420, 100:800]
    stands_out = np.abs(view - np.median(view, axis=(0, 1))).sum(axis=2) > 90
    return float(stands_out.mean()) > _SHOWN


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
