"""Take the pictures of docs/loops.md from the pages that the examples write.

Run: python docs/pictures/loops.py; it needs Chromium (or CHROMIUM=…) and Pillow, and takes about two minutes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from browser import Browser, chromium
from PIL import Image

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
#: The example's name without its number, and the moment that is shown.
MOMENTS = {
    "four_bar": 0.3,
    "slider_crank": 0.04,
    "five_bar": 1.1,
    "stewart": 0.5,
    "squeezer": 0.01,
    "bricard": 1.3,
    "disc_on_a_curve": 0.45,
}
WIDTH = 440


def still(browser: Browser, page: Path, moment: float) -> Image.Image:
    """What the page's stage shows at a moment."""
    browser.call("Emulation.setDeviceMetricsOverride", width=1200, height=1000, deviceScaleFactor=1, mobile=False)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    browser.call("Page.enable")
    browser.call("Page.navigate", url=f"{page.resolve().as_uri()}#t={moment}")
    browser.run("new Promise(done => setTimeout(done, 2500))")
    asked = (
        "(({x, y, width, height}) => [x, y, width, height])(document.getElementById('stage').getBoundingClientRect())"
    )
    x, y, width, height = browser.run(asked)["result"]["value"]
    shown = browser.picture().crop((round(x), round(y), round(x + width), round(y + height)))
    return shown.resize((WIDTH, round(WIDTH * shown.height / shown.width)), Image.Resampling.LANCZOS)


def main() -> int:
    """Run every example and take its picture."""
    program = chromium()
    if program is None:
        print("There is no Chromium here; name one: CHROMIUM=/path/to/chromium", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(program, f"{folder}/profile")
        try:
            for name, moment in MOMENTS.items():
                (example,) = EXAMPLES.glob(f"[0-9][0-9]_{name}.py")
                subprocess.run([sys.executable, str(example), folder], check=True, stdout=subprocess.DEVNULL)
                path = HERE / f"loop-{name}.webp"
                still(browser, Path(folder) / f"{example.stem}.html", moment).save(path, "WEBP", quality=80)
                print(path.name, path.stat().st_size, "bytes")
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
