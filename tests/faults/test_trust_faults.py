"""F39: native code is loaded only from files that nobody else could have written; otherwise one warning, no cache."""

import os
import stat
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.watch import within

import polhode as ph
from polhode.files.cache import CacheWarning

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners of files on this system")

ANOTHER_USER = 12345
as_root = hasattr(os, "geteuid") and os.geteuid() == 0
needs_root = pytest.mark.skipif(not as_root, reason="only root can give a file away")


def mass() -> float:
    """The mass matrix of a bead, by compiled code."""
    system = ph.System("bead")
    system.joint("x", system.ground, system.body("bead", mass=3), ph.Prismatic("x"))
    return float(system.derive().compile().mass_matrix([0.0])[0, 0])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of one's own, not yet made, below another."""
    (tmp_path / "above").mkdir(mode=0o700)
    made = tmp_path / "above" / "cache"
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(made))
    return made


@pytest.fixture
def filled(folder: Path) -> Path:
    assert mass() == 3.0
    assert list(folder.glob("*.bin"))
    return folder


@pytest.fixture(autouse=True)
def nothing_waits() -> Iterator[None]:
    with within(60):
        yield


def warned(*said: str) -> None:
    """The result is right, and one warning says these words."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        assert mass() == 3.0 and mass() == 3.0
    told = [str(each.message) for each in heard if issubclass(each.category, CacheWarning)]
    assert len(told) == 1, told
    for words in (*said, "works without its cache"):
        assert words in told[0]


def test_f39_what_is_made_is_for_this_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0o002)
    try:
        monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "one" / "two" / "cache"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert mass() == 3.0
    finally:
        os.umask(before)
    for made in (tmp_path / "one", tmp_path / "one" / "two", tmp_path / "one" / "two" / "cache"):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    for entry in (tmp_path / "one" / "two" / "cache").glob("*.bin"):
        assert stat.S_IMODE(entry.stat().st_mode) == 0o600


@pytest.mark.parametrize(("mode", "said"), [(0o770, "its group"), (0o707, "everybody"), (0o777, "everybody")])
def test_f39_a_folder_that_others_can_write_is_refused(folder: Path, mode: int, said: str) -> None:
    folder.mkdir()
    folder.chmod(mode)
    warned(f"can be written by {said}")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_f39_a_folder_below_one_that_others_can_write_is_refused(folder: Path, mode: int) -> None:
    folder.parent.chmod(mode)
    warned(str(folder.parent), "others can write")
    assert not list(folder.glob("*.bin"))


def test_f39_a_folder_below_a_sticky_one_is_used(folder: Path) -> None:
    folder.parent.chmod(0o1777)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mass() == 3.0
    assert list(folder.glob("*.bin"))


def test_f39_a_folder_of_another_user_is_refused(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: ANOTHER_USER)
    warned("belongs to another user")


@needs_root
def test_f39_a_folder_below_one_of_another_user_is_refused(filled: Path) -> None:
    os.chown(filled.parent, ANOTHER_USER, ANOTHER_USER)
    warned(str(filled.parent), "belongs to another user")


@needs_root
def test_f39_a_folder_given_away_is_refused(filled: Path) -> None:
    os.chown(filled, ANOTHER_USER, ANOTHER_USER)
    warned("belongs to another user")


def _writable_by_the_group(entry: Path) -> None:
    entry.chmod(0o660)


def _a_link(entry: Path) -> None:
    elsewhere = entry.parent.parent / entry.name
    entry.rename(elsewhere)
    entry.symlink_to(elsewhere)


def _a_second_name(entry: Path) -> None:
    os.link(entry, entry.parent.parent / entry.name)


def _a_pipe(entry: Path) -> None:
    entry.unlink()
    os.mkfifo(entry, 0o600)


def _of_another_user(entry: Path) -> None:
    os.chown(entry, ANOTHER_USER, ANOTHER_USER)


@pytest.mark.parametrize(("spoil", "said"), [
    (_writable_by_the_group, "others can write it"), (_a_link, "it is a link"),
    (_a_second_name, "it has a second name"), (_a_pipe, "it is a named pipe"),
    pytest.param(_of_another_user, "it belongs to another user", marks=needs_root),
])  # fmt: skip
def test_f39_a_file_that_others_could_have_written_is_not_read(
    filled: Path, spoil: Callable[[Path], None], said: str
) -> None:
    for entry in filled.glob("*.bin"):
        spoil(entry)
    warned(said)
    # What stood there was replaced by files of one's own, and these are used again.
    for entry in filled.glob("*.bin"):
        status = entry.lstat()
        assert stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_uid == os.geteuid()


def test_f39_a_link_to_a_folder_is_judged_by_where_it_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "open" / "cache").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "open" / "cache")
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "link"))
    warned(str(tmp_path / "open"), "others can write")


def test_f39_a_robot_file_is_read_without_a_look_at_foreign_results(filled: Path, tmp_path: Path) -> None:
    robot = tmp_path / "arm.urdf"
    robot.write_text(
        '<robot name="arm"><link name="base"/><link name="bob"><inertial><mass value="2"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 0 1"/></joint>'
        "</robot>"
    )

    def turning() -> np.ndarray:
        return ph.load(robot).derive().compile().mass_matrix([0.3])

    assert turning() == [[1.0]] and turning() == [[1.0]]
    filled.chmod(0o770)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        before = {entry.name: entry.stat().st_mtime_ns for entry in filled.iterdir()}
        assert turning() == [[1.0]]
    assert before == {entry.name: entry.stat().st_mtime_ns for entry in filled.iterdir()}
