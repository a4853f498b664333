"""F01: what is no regular file — a pipe, a device, a socket — is refused with a sentence and never waited for."""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.fuzz.watch import within
from tests.refusals import refused

import polhode as ph
from polhode.simulate import Trajectory

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")


@pytest.fixture(autouse=True)
def nothing_waits() -> Iterator[None]:
    with within(60):
        yield


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the address of a socket is a short text
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


READERS: dict[str, Callable[[Path], object]] = {
    "a.yaml": ph.load, "a.json": ph.load, "a.urdf": ph.load, "a.xml": ph.load, "a.mjcf": ph.load,
    "a.csv": Trajectory.from_csv, "a.npz": Trajectory.load,
}  # fmt: skip


@pytest.mark.parametrize("make", [_pipe, _device, _socket])
@pytest.mark.parametrize("name", READERS)
def test_f01_what_is_no_regular_file_is_refused(tmp_path: Path, name: str, make: Callable[[Path], None]) -> None:
    path = tmp_path / name
    make(path)
    message = refused("", lambda: READERS[name](path))
    assert name in message and "[E-" in message


@pytest.mark.parametrize("text", [
    '<mujoco><include file="part.xml"/></mujoco>',
    '<mujoco><asset><mesh name="m" file="part.xml"/></asset><worldbody><body><joint/>'
    '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
])  # fmt: skip
def test_f01_a_pipe_that_a_model_names_is_refused(tmp_path: Path, text: str) -> None:
    pytest.importorskip("mujoco")
    os.mkfifo(tmp_path / "part.xml")
    (tmp_path / "a.mjcf").write_text(text)
    refused(r"a\.mjcf:1", lambda: ph.load(tmp_path / "a.mjcf"))


def test_f01_a_pipe_is_called_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "arm.yaml")
    refused("it is a named pipe, not a file", lambda: ph.load(tmp_path / "arm.yaml"))
