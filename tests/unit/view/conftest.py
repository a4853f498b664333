"""A real browser for the page's tests, spoken to over a pipe; and a scene worth drawing."""

import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polhode.view.scene import Channel, Motion, Scene, SceneBody, Shape

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--remote-debugging-pipe",
)  # fmt: skip
#: The browser reads commands from descriptor 3 and answers on 4; a detour over 10 keeps them from colliding.
LAUNCH = """
import fcntl, os, sys
high = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3]]
os.dup2(high[0], 3)
os.dup2(high[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
PATIENCE = 60.0


class Browser:
    """One headless Chromium, driven by its debugging protocol: JSON messages that end in a zero byte."""

    def __init__(self, program: str, profile: Path, *flags: str) -> None:
        commands_read, self._commands = os.pipe()
        self._answers, answers_write = os.pipe()
        ends = (str(commands_read), str(answers_write))
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, *ends, program, *FLAGS, *flags, f"--user-data-dir={profile}"],
            pass_fds=(commands_read, answers_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(commands_read)
        os.close(answers_write)
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._session = ""
        self.complaints: list[str] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log"):
            self.ask(f"{part}.enable")

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        number = next(self._numbers)
        message: dict[str, object] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next_message()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def _next_message(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._answers], [], [], PATIENCE)[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self._answers, 1 << 16)
            if not chunk:
                raise RuntimeError("the browser has gone")
            self._buffer += chunk
        text, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"].get("exception", params)))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in {"error", "assert"}:
            self.complaints.append(str(params["args"]))
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(f"dialog: {params['message']}")

    def open(self, page: Path, moment: str = "", *, width: int = 1200, height: int = 800, **media: str) -> None:
        """Open a page afresh in a window of a size, with media features such as `prefers_color_scheme`."""
        self.complaints.clear()
        features = [{"name": key.replace("_", "-"), "value": value} for key, value in media.items()]
        self.ask("Emulation.setEmulatedMedia", features=features)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=page.as_uri() + (f"#t={moment}" if moment else ""))
        self.wait_for("document.documentElement?.dataset.state === 'ready'")

    def value(self, script: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait_for(self, script: str) -> None:
        until = time.monotonic() + PATIENCE
        while not self.value(script):
            if time.monotonic() > until:
                raise TimeoutError(f"never true: {script}; {self.complaints}")
            time.sleep(0.02)

    def settle(self) -> None:
        """Let two pictures pass, so that what was asked for is drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def press(self, key: str, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, **({"text": text} if kind == "keyDown" else {}))
        self.settle()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        self.settle()

    def picture(self, selector: str) -> str:
        """What a canvas shows, as a data address; equal pictures have equal addresses."""
        self.settle()
        box = self.value(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            "return [b.x, b.y, b.width, b.height]; })()"
        )
        clip = dict(zip(("x", "y", "width", "height"), box, strict=True), scale=1)
        return str(self.ask("Page.captureScreenshot", format="png", clip=clip)["data"])

    def close(self) -> None:
        os.close(self._commands)
        os.close(self._answers)
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _start(tmp_path_factory: pytest.TempPathFactory, *flags: str) -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium on PATH: the page's behaviour in a browser is not tested here")
    browser = Browser(program, tmp_path_factory.mktemp("profile"), *flags)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    yield from _start(tmp_path_factory, "--enable-unsafe-swiftshader")


@pytest.fixture(scope="session")
def browser_without_webgl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    yield from _start(tmp_path_factory, "--disable-3d-apis")


@pytest.fixture
def pendulum() -> tuple[Scene, Motion, list[Channel]]:
    """A rod that swings about y, and a bob at its end."""
    time_ = np.linspace(0.0, 4.0, 401)
    angle = 0.9 * np.cos(3.0 * time_)
    pivot = np.array([0.0, 0.0, 1.0])
    bob = pivot + 0.8 * np.stack([-np.sin(angle), 0 * angle, -np.cos(angle)], axis=1)
    turn = np.stack([np.cos(angle / 2), 0 * angle, np.sin(angle / 2), 0 * angle], axis=1)
    scene = Scene(
        "Pendulum",
        [
            SceneBody("rod", [Shape("capsule", (0.02, 0.8), (0, 0, -0.4)), Shape("frame", (0.2,))]),
            SceneBody("bob", [Shape("sphere", (0.1,))]),
        ],
    )
    motion = Motion(time_, np.stack([np.broadcast_to(pivot, bob.shape), bob], axis=1), np.stack([turn, turn], axis=1))
    channels = [
        Channel("angle", "rad", angle),
        Channel("height", "m", bob[:, 2]),
        Channel("energy", "J", 5.0 + 1e-9 * np.sin(time_)),
    ]
    return scene, motion, channels
