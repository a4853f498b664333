"""Make the README's moving picture from the demonstration's own page.

Run: python docs/pictures/make.py; it needs Chromium (or CHROMIUM=…) and Pillow, and takes about a minute.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from browser import Browser, chromium
from PIL import Image

from polhode.model.samples import six_degree_of_freedom_arm

HERE = Path(__file__).parent
SIZE, SHOWN = (1000, 660), (880, 581)
SECONDS, FRAMES_PER_SECOND = 5.0, 10
LARGEST = 500_000  # bytes
THEMES = ("light", "dark")


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
    program = chromium()
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
