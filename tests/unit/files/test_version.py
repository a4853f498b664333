"""The digests of polhode's source: those of its content, in every process and folder; never of what does not run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from polhode import errors
from polhode.files import version

ROOMS = (*version.ROOMS, "")
PRINT_STORED = "print(*map(version.version_digest, version.ROOMS))"
PRINT = "print(*map(version.version_digest, (*version.ROOMS, '')))"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small package with polhode's digests and cache in it, that was written an hour ago."""
    package = tmp_path / "here" / "polhode"
    shutil.copytree(Path(version.__file__).parent, package / "files", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(str(errors.__file__), package / "errors.py")
    (package / "__init__.py").write_text("from .files import version")
    for place in {place.partition("/")[0] for places in version.ROOMS.values() for place in places}:
        (package / place).mkdir()
    for file in ("formalisms/kane.py", "ode/methods/radau.py", "codegen/llvm/block.py", "view/plot.py"):
        (package / file).parent.mkdir(parents=True, exist_ok=True)
        (package / file).write_text("x = 1")
    for path in package.rglob("*.py"):
        os.utime(path, (1e9, 1e9))
    return tmp_path / "here"


def output(house: Path, script: str = PRINT) -> list[str]:
    """What a process prints that has loaded the small package."""
    command = f"import sys, time; sys.path.insert(0, sys.argv[1]); from polhode.files import version; {script}"
    run = subprocess.run(
        [sys.executable, "-B", "-I", "-c", command, str(house)],
        env=os.environ | {"POLHODE_CACHE_DIR": str(house.parent / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.split()


def digests(house: Path, script: str = PRINT) -> dict[str, str]:
    return dict(zip(ROOMS, output(house, script), strict=True))


def differing(one: dict[str, str], other: dict[str, str]) -> set[str]:
    return {rooms for rooms in ROOMS if one[rooms] != other[rooms]}


def test_the_same_content_has_the_same_digest_in_every_folder(house: Path) -> None:
    before = digests(house)
    assert not differing(before, digests(house)) and {len(digest) for digest in before.values()} == {64}
    elsewhere = shutil.copytree(house, house.parent / "elsewhere", copy_function=shutil.copyfile)
    assert not differing(before, digests(elsewhere))


@pytest.mark.parametrize(("file", "changed"), [
    ("view/plot.py", set()), ("formalisms/kane.py", {"equations", "program"}), ("ode/methods/radau.py", {"steps"}),
    ("codegen/llvm/block.py", {"code", "steps"}),
])  # fmt: skip
def test_a_changed_file_changes_the_digests_of_what_follows_from_it(house: Path, file: str, changed: set[str]) -> None:
    before = digests(house)
    (house / "polhode" / file).touch()
    assert not differing(before, digests(house))
    (house / "polhode" / file).write_text("x = 2")
    assert differing(before, digests(house)) == changed | {""}


def test_in_an_archive_the_digest_is_that_of_the_archive(house: Path) -> None:
    archive = Path(shutil.make_archive(str(house / "packed"), "zip", house, "polhode"))
    before = digests(archive)
    assert not differing(before, digests(archive))
    (house / "polhode" / "view" / "plot.py").write_text("x = 22")
    packed = Path(shutil.make_archive(str(house / "packed"), "zip", house, "polhode"))
    assert differing(before, digests(packed)) == {*ROOMS}


#: How a file is changed; the second leaves its size and time as they were.
CHANGES = (
    "open(file, 'w').write('x = 33')",
    "open(file, 'w').write('x = 3'); os.utime(file, (1e9, 1e9))",
    "open('new', 'w').write('x = 3'); os.utime('new', (1e9, 1e9)); os.replace('new', file)",
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_changed_while_it_runs_gives_digests_like_no_other(house: Path, change: str) -> None:
    begin = "import os; file = version._FOLDER + '/formalisms/kane.py'; time.sleep(0.05); os.chdir(sys.argv[1]); "
    first = digests(house, f"{begin}{change}; {PRINT}")
    assert differing(first, digests(house, f"{begin}{change}; {PRINT}")) == {"equations", "program", ""}
    assert differing(first, digests(house)) == {"equations", "program", ""}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_changed_after_the_digests_were_taken_keeps_results_from_being_stored(house: Path, change: str) -> None:
    """Its module is loaded later: what it leads to must not be found under the digest of the file as it was."""
    script = (
        "from polhode.files.cache import default_cache; import os; store = default_cache().store; "
        f"file = version._FOLDER + '/formalisms/kane.py'; {PRINT}; time.sleep(0.05); os.chdir(sys.argv[1]); {change}; "
        "from polhode.view import plot; store('aa' * 32, b''); from polhode.formalisms import kane; "
        "store('bb' * 32, b'')"
    )
    output(house, script)
    assert [path.name for path in (house.parent / "cache").glob("*.bin")] == [f"{'aa' * 32}.bin"]


def test_the_digests_are_stored_and_hold_while_no_file_changes(house: Path) -> None:
    before = digests(house, f"version._RESOLUTION = 0; {PRINT}; version.store_digests()")
    assert [path.suffix for path in (house.parent / "cache").glob("*.*")] == [".source"]
    assert output(house, f"version._content_digest = None; {PRINT_STORED}") == [*before.values()][:-1]  # none is read
    (house / "polhode" / "formalisms" / "kane.py").write_text("x = 2")
    os.utime(house / "polhode" / "formalisms" / "kane.py", (1e9, 1e9))
    assert differing(before, digests(house)) == {"equations", "program", ""}


@pytest.mark.parametrize("damage", [b"", b"null", b'{"files": 1, "rooms": 2}', b'{"rooms": {}}'])
def test_stored_digests_that_say_something_else_are_not_believed(
    damage: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polhode.files.cache.ObjectCache.find", lambda *_: damage)
    assert version._stored_digests({}) is None


def test_digests_are_not_stored_while_another_change_might_not_show(house: Path) -> None:
    (house / "polhode" / "formalisms" / "kane.py").touch()
    output(house, f"{PRINT}; version.store_digests()")
    assert not (house.parent / "cache").exists()


#: From which modules each kind of result comes.
MAKERS = {
    "equations": ("formalisms", "formats"),
    "program": (
        "compiled.catalogue", "inverse_kinematics.quantities", "linear.linear_rates", "compiled.variations",
        "optimize.point_model", "formalisms",
    ),
    "code": ("codegen.llvm.module", "native.engine", "native.elf_loader"),
    "steps": ("ode", "native.language", "codegen.taylor", "codegen.llvm"),
}  # fmt: skip
#: What reads and writes files and raises errors, the doors from a model to what a user calls on it, and printers of C,
#: whose text is part of the keys.
SHAPELESS = ("calls", "codegen.printers", "errors", "files", "notebook", "registry", "surface")


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    graph = grimp.build_graph("polhode", exclude_type_checking_imports=True, cache_dir=None)
    for name in SHAPELESS:
        for module in {f"polhode.{name}", *graph.find_descendants(f"polhode.{name}")}:
            graph.remove_module(module)
    return graph


@pytest.mark.parametrize("kind", MAKERS)
def test_what_shapes_a_result_is_among_its_rooms(kind: str, imports: grimp.ImportGraph) -> None:
    reached: set[str] = set()
    for maker in MAKERS[kind]:
        inside = {f"polhode.{maker}", *imports.find_descendants(f"polhode.{maker}")}
        reached |= inside.union(*map(imports.find_upstream_modules, inside)) - {"polhode"}
    paths = {name.removeprefix("polhode.").replace(".", "/") for name in reached}
    rooms = tuple(place.removesuffix(".py") for place in version.ROOMS[kind])
    missing = {path for path in paths if not path.startswith(rooms)}
    assert not {path for path in missing if not any(room.startswith(f"{path}/") for room in rooms)}


def test_rooms_exist_and_words_are_cut_apart() -> None:
    assert all(
        (Path(version.__file__).parents[1] / place).exists() for rooms in version.ROOMS.values() for place in rooms
    )
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
