"""Files are written whole or not at all, and nothing stays beside them."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.refusals import refused

from polhode.files.writing import put_in_place, replace_file, replace_folder


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "page.html"
    target.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    refused("No space left on device", lambda: replace_file(target, b"new"))
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_files_that_belong_together_are_written_together(tmp_path: Path) -> None:
    old = {tmp_path / name: name.encode() for name in ("a", "b")}
    put_in_place(old)
    refused("No such file", lambda: put_in_place({tmp_path / "a": b"new", tmp_path / "no" / "b": b"new"}), OSError)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == old


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners of files on this system")
def test_private_files_are_for_their_owner_and_others_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        put_in_place({tmp_path / "mine": b""}, private=True)
        put_in_place({tmp_path / "ours": b""})
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"mine": 0o600, "ours": 0o644}


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    def fill(text: str) -> Callable[[Path], None]:
        def write(folder: Path) -> None:
            folder.mkdir()
            (folder / "mark").write_text(text)
            if text == "bad":
                raise ValueError("half written")

        return write

    target = tmp_path / "made"
    for text in ("first", "second"):
        assert replace_folder(target, fill(text), "mark") == target and (target / "mark").read_text() == text
    refused("half written", lambda: replace_folder(target, fill("bad"), "mark"))
    assert (target / "mark").read_text() == "second"
    refused("not replaced", lambda: replace_folder(target, fill("third"), "another mark"))
    refused("cannot be written", lambda: replace_folder(tmp_path / "no" / "such", fill("x"), "mark"))
    assert [each.name for each in tmp_path.iterdir()] == ["made"]
