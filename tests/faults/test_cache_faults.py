"""F38 and F39: whatever happens to compilers, disks and cache files, the answer is right or there is a sentence."""

import errno
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from tests.refusals import refused

from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.errors import PolhodeError
from polhode.files.cache import CacheWarning, ObjectCache, default_cache
from polhode.native import backends, compile_program, engine, stored_code
from polhode.native.backends import BackendWarning
from polhode.native.stored_code import CodeStore

SQUARE = Program("square", (Array("x", 1),), 0, (), (), (Instruction("mul", (0, 0)),), (Output("y", (1,), (1,)),))
KEY = "ab" * 32
as_root = hasattr(os, "geteuid") and os.geteuid() == 0


def right(**options: object) -> bool:
    return bool(compile_program(SQUARE, **options)([3.0])[0] == 9.0)


@pytest.fixture
def cache(tmp_path: Path) -> ObjectCache:
    return ObjectCache(tmp_path / "cache")


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The IR of every module that is really compiled."""
    seen: list[str] = []
    compile_really = engine.object_code
    monkeypatch.setattr(engine, "object_code", lambda ir, **options: seen.append(ir) or compile_really(ir, **options))
    return seen


def entries(cache: ObjectCache) -> list[Path]:
    return sorted(cache.folder.glob("*.bin"))


def test_f38_the_second_time_nothing_is_compiled(cache: ObjectCache, compilations: list[str]) -> None:
    assert right(cache=cache) and right(cache=cache) and len(compilations) == 1 and len(entries(cache)) == 1
    assert cache.folder.stat().st_mode & 0o777 == 0o700 and not list(cache.folder.glob("*.tmp"))


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _flip_payload(data: bytes) -> bytes:
    return data[:-5] + bytes([data[-5] ^ 1]) + data[-4:]


def _flip_header(data: bytes) -> bytes:
    return data[:20] + bytes([data[20] ^ 1]) + data[21:]


@pytest.mark.parametrize(
    "damage", [_cut, _flip_payload, _flip_header, lambda _: b"", lambda _: b"\x80\x04junk", lambda d: d + b"x"]
)
def test_f39_a_damaged_entry_is_made_again(
    cache: ObjectCache, compilations: list[str], damage: Callable[[bytes], bytes]
) -> None:
    assert right(cache=cache)
    (entry,) = entries(cache)
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    assert right(cache=cache) and len(compilations) == 2
    assert entry.read_bytes() == whole


def test_f39_an_entry_under_another_key_is_not_believed(cache: ObjectCache) -> None:
    cache.folder.mkdir()
    cache.write(KEY, b"code")
    other = "cd" * 32
    cache.path(KEY).rename(cache.path(other))
    assert cache.read(other) is None and not cache.path(other).exists()


@pytest.mark.parametrize("change", ["cpu", "features", "llvm", "triple"])
def test_f39_another_machine_or_version_has_another_key(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = vars(engine.host())
    keys = []
    for told in (here, {**here, change: "other"}):
        monkeypatch.setattr(stored_code, "machine", lambda told=told: repr(told))
        keys += [CodeStore(None, digest).key("one state") for digest in ("program", "another")]
    assert len(set(keys)) == 4


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners of files on this system")
def test_f39_a_folder_that_everybody_may_write_is_refused(cache: ObjectCache) -> None:
    cache.folder.mkdir()
    cache.folder.chmod(0o777)
    with pytest.warns(CacheWarning, match="written by everybody"):
        assert right(cache=cache)
    assert entries(cache) == []


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners of files on this system")
def test_f39_a_folder_of_another_user_is_refused(cache: ObjectCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.warns(CacheWarning, match="another user"):
        assert right(cache=cache)
    assert entries(cache) == []


@pytest.mark.skipif(as_root, reason="root may write anywhere")
def test_f38_a_read_only_folder_is_lived_with(cache: ObjectCache) -> None:
    cache.folder.mkdir(mode=0o500)
    with pytest.warns(CacheWarning, match="works without its cache"):
        assert right(cache=cache)


def test_f38_read_only_folders_and_files_in_the_way_are_lived_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("in the way")
    with pytest.warns(CacheWarning, match="works without its cache"):
        assert right(cache=ObjectCache(tmp_path / "cache"))
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "mine"))
    assert right() and len(entries(default_cache())) == 1 and default_cache().folder == tmp_path / "mine"


def test_f38_a_full_disk_is_said_once_and_leaves_nothing_behind(
    cache: ObjectCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(beside: Path, path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(CacheWarning, match="No space left"):
        assert right(cache=cache)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert right(cache=cache)
    assert [path for path in cache.folder.iterdir() if path.suffix != ".lock"] == []


def test_f38_a_lock_that_nobody_gives_back_does_not_stop_the_work(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, patience=0.1)
    other = FileLock(tmp_path / f"{KEY[:2]}.lock")
    with other:
        made = threading.Event()
        worker = threading.Thread(target=lambda: cache.get_or_make(KEY, lambda: b"code") and made.set())
        worker.start()
        worker.join(600.0)
    assert made.is_set() and cache.read(KEY) == b"code"


def test_f38_two_processes_compile_the_same_model_once(tmp_path: Path) -> None:
    script = (
        "import sys,time;from pathlib import Path;from polhode.files.cache import ObjectCache\n"
        "def make():\n    Path(sys.argv[1], f'made-{time.time_ns()}').touch(); time.sleep(0.5); return b'code'\n"
        "sys.exit(ObjectCache(Path(sys.argv[1]), patience=600).get_or_make('ab' * 32, make) != b'code')"
    )
    both = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path)]) for _ in range(2)]
    assert [process.wait(600) for process in both] == [0, 0]
    assert len(list(tmp_path.glob("made-*"))) == 1


def test_f38_a_compiler_that_fails_leaves_no_entry_and_no_lock(cache: ObjectCache) -> None:
    def fail() -> bytes:
        raise RuntimeError("killed")

    for _ in range(2):
        refused("killed", lambda: cache.get_or_make(KEY, fail), RuntimeError)
    assert cache.get_or_make(KEY, lambda: b"code") == b"code"


def test_the_cache_forgets_what_was_not_used_for_longest(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, limit=3000)
    keys = [f"{k:02x}" * 32 for k in range(5)]
    stale = tmp_path / "new-x.tmp"
    stale.touch()
    os.utime(stale, (0, 0))
    for age, key in enumerate(keys[:4]):
        cache.write(key, bytes(800))
        os.utime(cache.path(key), (1000.0 + age, 1000.0 + age))
    assert cache.read(keys[1]) is not None
    cache.write(keys[4], bytes(800))
    kept = [key for key in keys if cache.path(key).exists()]
    assert kept == [keys[1], keys[3], keys[4]] and not stale.exists()


def test_the_folder_is_not_looked_through_at_every_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Path] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda folder: looked.append(folder) or scandir(folder))
    cache = ObjectCache(tmp_path, limit=2**20)
    for k in range(200):
        cache.write(f"{k:02x}" * 32, bytes(800))
    # 892 bytes an entry with its header: the first, then one in every sixty-fourth of a MiB.
    assert looked == [tmp_path] * (1 + 199 // (2**14 // 892 + 1))
    looked.clear()
    ObjectCache(tmp_path, limit=2**20).write(KEY, b"code")  # as by another process, soon afterwards
    assert looked == []
    os.utime(tmp_path / "looked", (0, 0))
    ObjectCache(tmp_path, limit=2**20).write(KEY, b"code")
    assert looked == [tmp_path]


@pytest.mark.parametrize(
    ("text", "said"), [("exit 3", "status 3"), ("kill -9 $$", "status -9"), ("echo bad >&2; exit 1", "bad")]
)
def test_f38_a_c_compiler_that_fails_or_dies_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\n{text}\n")
    compiler.chmod(0o700)
    monkeypatch.setenv("CC", str(compiler))
    refused(said, lambda: compile_program(SQUARE, backend="c", cache=False))

    def no_llvm(program: Program, store: CodeStore) -> None:
        raise ImportError("no llvmlite")

    monkeypatch.setattr(backends, "BACKENDS", {**backends.BACKENDS, "llvm": no_llvm})
    backends.say_once.cache_clear()
    with pytest.warns(BackendWarning, match=said):
        assert right(cache=False)


def test_f38_an_unknown_backend_lists_those_there_are() -> None:
    refused("auto, llvm, c, numpy", lambda: compile_program(SQUARE, backend="fortran"))


def test_f38_a_writer_killed_at_any_moment_leaves_a_clean_cache(tmp_path: Path) -> None:
    script = (
        "import sys;from pathlib import Path;from polhode.files.cache import ObjectCache\n"
        "c=ObjectCache(Path(sys.argv[1]))\n"
        "while True:\n    c.write('ab' * 32, bytes(300000)); print(flush=True)\n"
    )
    cache = ObjectCache(tmp_path)
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(0.02)
        process.kill()
        process.wait()
        process.stdout.close()
        assert cache.read(KEY) == bytes(300000)


def test_c_code_is_kept_too(cache: ObjectCache, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        compile_program(SQUARE, backend="c", cache=cache)
    except PolhodeError:
        pytest.skip("there is no C compiler here")
    from polhode.native import c_compiler

    monkeypatch.setattr(c_compiler, "_shared_library", None)
    assert right(backend="c", cache=cache)
    np.testing.assert_array_equal(compile_program(SQUARE, backend="c", cache=cache)([[1.0], [2.0]]), [[1.0], [4.0]])
