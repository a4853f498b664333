"""The version digest of polhode as installed: the same in every process, another when a file changes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from polhode.files import version

SCRIPT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from polhode.files import version; print(version.version_digest())"
)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small package with polhode's version digest in it."""
    (tmp_path / "polhode" / "room").mkdir(parents=True)
    (tmp_path / "polhode" / "__init__.py").touch()
    (tmp_path / "polhode" / "files").mkdir()
    (tmp_path / "polhode" / "room" / "wall.py").write_text("x = 1")
    shutil.copy(str(version.__file__), tmp_path / "polhode" / "files" / "version.py")
    return tmp_path


def digest(house: Path, script: str = SCRIPT) -> str:
    run = subprocess.run(
        [sys.executable, "-B", "-I", "-c", script, str(house)], capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def test_the_same_files_give_the_same_digest(house: Path) -> None:
    assert digest(house) == digest(house) and len(digest(house)) == 64


def test_in_an_archive_the_digest_is_that_of_the_archive(house: Path) -> None:
    archive = Path(shutil.make_archive(str(house / "packed"), "zip", house, "polhode"))
    before = digest(archive)
    assert before == digest(archive) != digest(house)
    (house / "polhode" / "room" / "wall.py").write_text("x = 22")
    assert digest(Path(shutil.make_archive(str(house / "packed"), "zip", house, "polhode"))) != before


def test_a_changed_file_gives_another_digest(house: Path) -> None:
    before = digest(house)
    (house / "polhode" / "room" / "wall.py").write_text("x = 22")
    assert digest(house) != before


def test_a_file_changed_while_it_runs_gives_a_digest_like_no_other(house: Path) -> None:
    touched = SCRIPT.replace("print", "open(version._FOLDER + '/room/wall.py', 'w').write('x = 3'); print")
    first = digest(house, "import time; " + touched.replace("open", "time.sleep(0.05); open"))
    assert first not in (
        digest(house),
        digest(house, "import time; " + touched.replace("open", "time.sleep(0.05); open")),
    )


def test_words_are_told_apart_however_they_are_cut() -> None:
    assert len({version.key_of(*words) for words in (("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""))}) == 4


def test_a_class_of_ones_own_has_the_digest_of_its_file(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from polhode.files.version import source_digest; import own; "
        "from polhode.errors import PolhodeError; print(source_digest(own.Own), source_digest(PolhodeError) == '')"
    )
    own = tmp_path / "own.py"

    def told() -> list[str]:
        run = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
        return run.stdout.split()

    own.write_text("class Own: x = 1")
    first = told()
    assert first == told() and first[1:] == ["True"]
    own.write_text("class Own: x = 22")
    assert told()[0] != first[0]


def test_classes_without_a_file_are_told_apart() -> None:
    """As in a notebook, where a class is written again under its name."""

    def written() -> type:
        scope: dict[str, type] = {}
        exec("class Own: __module__ = 'notebook'", scope)
        return scope["Own"]

    first, second = written(), written()
    assert version.source_digest(first) == version.source_digest(first) != version.source_digest(second)
