"""A moving thumbnail of an example's page: filmed in Chromium, or drawn from the page's data where there is none."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from docs.pictures.browser import Browser, chromium
from docs.site import wireframe
from PIL import Image

SIZE = (320, 224)
FRAMES, FRAMES_PER_SECOND = 24, 8

#: The page's stage alone, as wide as the window.
STAGE_ALONE = """
document.querySelectorAll("header, aside, #transport, #charts, #views, #axes, #scale").forEach((part) => {
  part.style.display = "none";
});
document.querySelector("main").style.display = "block";
document.getElementById("stage").style.height = "100vh";
dispatchEvent(new Event("resize"));
"""
LOADED = """new Promise((done) => {
  const look = () => document.readyState === "complete" ? requestAnimationFrame(done) : setTimeout(look, 20);
  look();
})"""
#: Some seconds of the motion, at the pace at which the page shows it; a shorter motion whole.
MOMENT = """
scrub.value = Number(scrub.min) + Math.min(Number(scrub.max) - Number(scrub.min), {seconds} * Number(speed.value)) * {share};
scrub.dispatchEvent(new Event("input"));
new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
"""


@contextmanager
def camera() -> Iterator[Callable[[Path, Path], None]]:
    """What films a page into a file."""
    program = chromium()
    if program is None:
        yield lambda page, path: save(wireframe.frames(page, SIZE, FRAMES, FRAMES / FRAMES_PER_SECOND), path)
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            browser.call("Page.enable")
            width, height = SIZE
            browser.call(
                "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
            )
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
            yield lambda page, path: save(filmed(browser, page), path)
        finally:
            browser.close()


def filmed(browser: Browser, page: Path) -> list[Image.Image]:
    """Frames of the page's stage."""
    browser.call("Page.navigate", url=f"{page.resolve().as_uri()}#t=0")
    browser.run(LOADED)
    browser.run(STAGE_ALONE)
    frames = []
    for number in range(FRAMES):
        browser.run(MOMENT.format(seconds=FRAMES / FRAMES_PER_SECOND, share=number / FRAMES))
        frames.append(browser.picture())
    return frames


def save(frames: list[Image.Image], path: Path) -> None:
    """An endless film."""
    first, *rest = frames
    pace = round(1000 / FRAMES_PER_SECOND)
    first.save(path, "WEBP", save_all=True, append_images=rest, duration=pace, loop=0, quality=60)
