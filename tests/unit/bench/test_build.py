"""Programs of the peers: what is kept under out/, and what is reported when a part is missing."""

import importlib.util
import sys
from functools import partial
from pathlib import Path

import pytest
from bench import build
from bench.peers import casadi
from tests.refusals import refused


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what is built, and a processor that is always the same."""
    monkeypatch.setattr(build, "BUILT", tmp_path / "bench")
    monkeypatch.setattr(build, "_processor_flags", lambda: "")
    return tmp_path / "bench"


def test_a_finished_file_is_kept_and_an_interrupted_one_is_not(built: Path) -> None:
    def interrupted(path: Path) -> None:
        path.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    refused("", lambda: build.stored("loop", interrupted), KeyboardInterrupt)
    paths = [build.stored("loop", lambda path, text=text: path.write_text(text) and None) for text in ("one", "two")]
    assert paths[0] == paths[1] == built / "loop" and paths[1].read_text(encoding="utf-8") == "one"


def test_another_tracer_or_another_mechanism_is_traced_anew(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(casadi, "compile_with", lambda _, arguments, path, libraries: path.touch())
    cases = [("1", "pendulum"), ("1", "pendulum"), ("2", "pendulum"), ("1", "cart")]
    pairs = [casadi.traced("floating arm", lambda text=text: text, version, text) for version, text in cases]
    assert [source.read_text(encoding="utf-8") for source, _ in pairs] == [text for _, text in cases]
    assert pairs[0] == pairs[1] and len({library for _, library in pairs}) == 3


def test_a_program_that_fails_reports_why_and_leaves_nothing(built: Path) -> None:
    failing = [sys.executable, "-c", "import sys; sys.exit('no joint of kind H')"]
    trace = partial(casadi.traced, "screw", lambda: build.run(failing), "1")
    refused("ended with 1: no joint of kind H", trace, code="E-BENCH-002")
    assert not list(built.iterdir())


def test_a_missing_library_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch, built: Path) -> None:
    monkeypatch.setattr(build, "_pinocchio_flags", tuple)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    refused("no headers of casadi.*", lambda: build.loop.__wrapped__("casadi_trace"), code="E-BENCH-016")
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    refused(r"there is no g\+\+", lambda: build.loop.__wrapped__("casadi_loop"), code="E-BENCH-018")
