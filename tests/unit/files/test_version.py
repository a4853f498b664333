"""The word for polhode as installed: the same in every process, another when a file changes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from polhode.files import version as stamp

SCRIPT = "import sys; sys.path.insert(0, sys.argv[1]); from polhode.files import version as stamp; print(stamp.stamp())"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small package with polhode's stamp in it."""
    (tmp_path / "polhode" / "room").mkdir(parents=True)
    (tmp_path / "polhode" / "__init__.py").touch()
    (tmp_path / "polhode" / "files").mkdir()
    (tmp_path / "polhode" / "room" / "wall.py").write_text("x = 1")
    shutil.copy(str(stamp.__file__), tmp_path / "polhode" / "files" / "version.py")
    return tmp_path


def word(house: Path, script: str = SCRIPT) -> str:
    run = subprocess.run(
        [sys.executable, "-B", "-I", "-c", script, str(house)], capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def test_the_same_files_give_the_same_word(house: Path) -> None:
    assert word(house) == word(house) and len(word(house)) == 64


def test_in_an_archive_the_word_is_that_of_the_archive(house: Path) -> None:
    archive = Path(shutil.make_archive(str(house / "packed"), "zip", house, "polhode"))
    before = word(archive)
    assert before == word(archive) != word(house)
    (house / "polhode" / "room" / "wall.py").write_text("x = 22")
    assert word(Path(shutil.make_archive(str(house / "packed"), "zip", house, "polhode"))) != before


def test_a_changed_file_gives_another_word(house: Path) -> None:
    before = word(house)
    (house / "polhode" / "room" / "wall.py").write_text("x = 22")
    assert word(house) != before


def test_a_file_changed_while_it_runs_gives_a_word_like_no_other(house: Path) -> None:
    touched = SCRIPT.replace("print", "open(stamp._FOLDER + '/room/wall.py', 'w').write('x = 3'); print")
    first = word(house, "import time; " + touched.replace("open", "time.sleep(0.05); open"))
    assert first not in (word(house), word(house, "import time; " + touched.replace("open", "time.sleep(0.05); open")))


def test_words_are_told_apart_however_they_are_cut() -> None:
    assert (
        len({stamp.word_of("ab", "c"), stamp.word_of("a", "bc"), stamp.word_of("abc"), stamp.word_of("abc", "")}) == 4
    )
