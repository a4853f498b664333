"""Make the README's moving picture from the demonstration's own page.

Run: python docs/pictures/make.py; it needs Chromium (or CHROMIUM=…) and Pillow, and takes about a minute.
"""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from polhode.model.samples import six_degree_of_freedom_arm

HERE = Path(__file__).parent
SIZE, SHOWN = (1000, 660), (880, 581)
SECONDS, FRAMES_PER_SECOND = 5.0, 10
LARGEST = 500_000  # bytes
THEMES = ("light", "dark")


class Browser:
    """A headless Chromium that is spoken to through its pipes (Chrome DevTools Protocol)."""

    def __init__(self, program: str, profile: str) -> None:
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()

        def wire() -> None:  # the protocol is on descriptors 3 and 4; first out of the way, as they may be taken
            source, sink = os.dup(to_browser), os.dup(from_browser)
            os.dup2(source, 3)
            os.dup2(sink, 4)

        flags = ["--headless=new", "--no-sandbox", "--hide-scrollbars", "--remote-debugging-pipe", "--mute-audio"]
        self._process = subprocess.Popen(
            [program, *flags, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=wire,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._number, self._session = b"", 0, ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method: str, **parameters: Any) -> Any:
        """Send one command and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._buffer:
                self._buffer += os.read(self._from, 1 << 20)
            line, _, self._buffer = self._buffer.partition(b"\0")
            answer = json.loads(line)
            if answer.get("id") == self._number:
                return answer["result"]

    def run(self, script: str) -> Any:
        """The value of a script in the page, awaited."""
        return self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)

    def picture(self) -> Image.Image:
        """What the page shows now."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        self._process.wait()


def film(browser: Browser, page: Path, theme: str) -> list[Image.Image]:
    """Pictures of the page, a tenth of a second of motion apart."""
    width, height = SIZE
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    browser.call("Page.enable")
    browser.call("Page.navigate", url=f"{page.resolve().as_uri()}#t=0")
    browser.run("new Promise(done => setTimeout(done, 2000))")
    frames = []
    for number in range(round(SECONDS * FRAMES_PER_SECOND)):
        browser.run(
            f"scrub.value = {number / FRAMES_PER_SECOND}; scrub.dispatchEvent(new Event('input'));"
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))"
        )
        frames.append(browser.picture().resize(SHOWN, Image.Resampling.LANCZOS))
    return frames


def save(frames: list[Image.Image], path: Path) -> int:
    """An endless film as WebP, as good as fits; returns its size."""
    for quality in (75, 65, 55, 45, 35):
        content = io.BytesIO()
        first, *rest = frames
        duration = round(1000 / FRAMES_PER_SECOND)
        settings = {"duration": duration, "loop": 0, "quality": quality, "minimize_size": True}
        first.save(content, "WEBP", save_all=True, append_images=rest, **settings)
        if content.tell() < LARGEST:
            break
    path.write_bytes(content.getvalue())
    return content.tell()


def main() -> int:
    """Simulate the arm, film its page in both themes."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        print("There is no Chromium here; name one: CHROMIUM=/path/to/chromium", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "arm.html"
        fall = six_degree_of_freedom_arm("spherical").derive().simulate(10, start="reach", rtol=1e-11, atol=1e-11)
        fall.animate(page, notes=f"Free fall, no friction. Energy drift {fall.energy_drift:.1e} over 10 s.")
        browser = Browser(program, f"{folder}/profile")
        try:
            for theme in THEMES:
                path = HERE / f"arm-{theme}.webp"
                print(path.name, save(film(browser, page, theme), path), "bytes")
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
