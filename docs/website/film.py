"""A moving thumbnail of an example's page: filmed in Chromium, or drawn from the page's data where there is none."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from docs.pictures.browser import Browser, chromium
from docs.website import wireframe
from PIL import Image

SIZE = (256, 180)
FRAMES, FRAMES_PER_SECOND = 16, 8

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
const whole = Number(scrub.max) - Number(scrub.min);
scrub.value = Number(scrub.min) + Math.min(whole, {seconds} * Number(speed.value)) * {share};
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
    with ExitStack() as stack:
        opened: list[Browser] = []

        def record(page: Path, path: Path) -> None:
            if not opened:  # only now: often there is nothing to film
                opened.append(stack.enter_context(browser(program)))
            save(filmed(opened[0], page), path)

        yield record


@contextmanager
def browser(program: str) -> Iterator[Browser]:
    """A browser with a small window."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        opened = Browser(program, profile)
        try:
            width, height = SIZE
            window = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            opened.call("Page.enable")
            opened.call("Emulation.setDeviceMetricsOverride", **window)
            opened.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
            yield opened
        finally:
            opened.close()


def filmed(shown: Browser, page: Path) -> list[Image.Image]:
    """Frames of the page's stage."""
    shown.call("Page.navigate", url=f"{page.resolve().as_uri()}#t=0")
    shown.run(LOADED)
    shown.run(STAGE_ALONE)
    frames = []
    for number in range(FRAMES):
        shown.run(MOMENT.format(seconds=FRAMES / FRAMES_PER_SECOND, share=number / FRAMES))
        frames.append(shown.picture())
    return frames


def save(frames: list[Image.Image], path: Path) -> None:
    """An endless film."""
    first, *rest = frames
    pace = round(1000 / FRAMES_PER_SECOND)
    first.save(path, "WEBP", save_all=True, append_images=rest, duration=pace, loop=0, quality=60)
