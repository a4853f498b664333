"""A headless Chromium that takes pictures of pages."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
from typing import Any

from PIL import Image


def chromium() -> str | None:
    """The browser's program, where there is one; CHROMIUM names another."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


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
        self.events: list[dict[str, Any]] = []  # what it told without being asked
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
            self.events.append(answer)

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
