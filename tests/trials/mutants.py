"""A long trial: a hundred mutants, each of which the tests must notice.

    python -m tests.trials.mutants [--check] [--quick] [--only WORD …] [--rooms ROOM …] [--results FILE] [--processes 2]

A mutant is the package with one expression changed: a sign, an index, a factor, a comparison or a bound. `mutants.toml`
lists them by function and expression, so that they are found again wherever a function has moved; --check finds all of
them and runs nothing. Two hundred were drawn at random (seed 29) from the syntax trees of all rooms, in proportion to
their lines, and half of them chosen by reading: none should leave every result as it is. Four of these were replaced
after they had been tried: one was equivalent, two never ended, one changed a picture's amplitude alone and survived.

Each is tried against the tests that are listed with it, then its room's unit tests, then the concepts and the laws;
with --quick against the first alone. Its store is empty at first, although no stored code of another source could be
found there (`files/version`). A test that notices must pass on the package as it is. At least 95 must be noticed. On
18 November 2026, on the source before rooms were rearranged, the tests that were first listed noticed 70; with better
lists and with tests added for 23 of those that survived, 99 (all but `Integration._project`), by --quick. With
--results, mutants that are in FILE already are not repeated, and new ones are added to it.
"""

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
TESTS = ROOT / "tests"
TABLE = Path(__file__).with_suffix(".toml")
LEAST_NOTICED = 95
#: Seconds after which a mutant that has not been noticed counts as one that is not.
MOST_SECONDS = 1200.0
#: Characters of an expression that is looked for in functions of other names.
DISTINCT = 20


@dataclass(frozen=True)
class Mutant:
    """One expression of one function, and what it becomes."""

    room: str
    module: str  # the stem of its file, where functions of several have this name and expression
    function: str  # with the classes and functions around it
    expression: str
    becomes: str
    tests: tuple[str, ...]
    number: int = 1  # which of several equal expressions in the function

    @property
    def key(self) -> str:
        which = f" ({self.number})" if self.number > 1 else ""
        return f"{self.module}:{self.function}: {self.expression}{which} -> {self.becomes}"


@dataclass(frozen=True, order=True)
class Place:
    """Where an expression is: a file, and bytes in it."""

    path: Path
    begin: int
    end: int


@dataclass(frozen=True)
class Outcome:
    """Which test noticed a mutant, if one did."""

    key: str
    room: str
    noticed_by: str
    seconds: float


def read_table() -> list[Mutant]:
    """The mutants, room by room."""
    with TABLE.open("rb") as file:
        table = tomllib.load(file)
    return [
        Mutant(room, *where.split(":"), expression, becomes, tuple(tests.split()), *number)
        for room, rows in table.items()
        for where, expression, becomes, tests, *number in rows["mutants"]
    ]


@dataclass(frozen=True)
class Function:
    """A function of the package, with the classes and functions around it."""

    path: Path
    name: str
    node: ast.AST

    def equal_expressions(self, wanted: str) -> list[Place]:
        """Where its expressions are that have this syntax tree, however they are laid out."""
        kind = type(ast.parse(wanted, mode="eval").body)
        equal = [each for each in ast.walk(self.node) if type(each) is kind and ast.unparse(each) == wanted]
        starts = _starts_of_lines(self.path)
        return sorted(
            Place(self.path, starts[each.lineno] + each.col_offset, starts[each.end_lineno] + each.end_col_offset)
            for each in equal
        )


@cache
def _starts_of_lines(path: Path) -> list[int]:
    lengths = map(len, path.read_bytes().splitlines(keepends=True))
    return [0, 0, *accumulate(lengths)]


def _functions_in(node: ast.AST, path: Path, around: str = "") -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield from _functions_in(child, path, f"{around}{child.name}.")
            if isinstance(child, ast.FunctionDef):
                yield Function(path, f"{around}{child.name}", child)
        elif not isinstance(child, ast.expr):
            yield from _functions_in(child, path, around)


@cache
def functions() -> dict[str, list[Function]]:
    """All functions of the package by their names alone."""
    table: dict[str, list[Function]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for each in _functions_in(ast.parse(path.read_bytes()), path):
            table.setdefault(each.name.rpartition(".")[2], []).append(each)
    return table


def find(mutant: Mutant) -> Place:
    """The place of a mutant; LookupError where there is none, or there are several.

    The function may have moved to another file or class, and a long expression to a function of another name.
    """
    wanted = ast.unparse(ast.parse(mutant.expression, mode="eval"))
    named = functions().get(mutant.function.rpartition(".")[2], [])
    qualified = [each for each in named if each.name == mutant.function]
    where_it_was = [each for each in qualified if each.path.stem == mutant.module]
    anywhere = [each for some in functions().values() for each in some] if len(wanted) >= DISTINCT else []
    for candidates in (where_it_was, qualified, named, anywhere):
        equal = {tuple(found) for each in candidates if len(found := each.equal_expressions(wanted)) >= mutant.number}
        places = {each[mutant.number - 1] for each in equal}
        if len(places) == 1:
            return places.pop()
        if places:
            raise LookupError("in " + ", ".join(sorted(str(each.path.relative_to(SOURCE)) for each in places)))
    raise LookupError("nowhere")


def find_tests(mutant: Mutant) -> list[str]:
    """The listed tests; one that has moved is found by its file's name."""
    found = []
    for name in mutant.tests:
        path, _, function = name.partition("::")
        moved = [TESTS / path] if (TESTS / path).exists() else sorted(TESTS.rglob(Path(path).name))
        found += [f"{each.relative_to(ROOT)}{function and '::'}{function}" for each in moved]
    return found


class Copy:
    """A copy of the package in which one mutant after the other is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = 1_500_000_000  # files have other times from change to change, by which Python knows its bytecode
        shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))

    def write(self, path: Path, content: bytes) -> None:
        """Replace a file of the package by this content."""
        target = self.folder / path.relative_to(SOURCE)
        target.write_bytes(content)
        self.clock += 10
        os.utime(target, (self.clock, self.clock))

    def failure(self, tests: Sequence[str], seconds: float = MOST_SECONDS, first: bool = True) -> str:
        """The first test that fails, or all in lines of their own; nothing where all pass."""
        stop = ["-x"] if first else []
        command = [sys.executable, "-m", "pytest", "-q", *stop, "--tb=no", "-p", "no:xdist", "-p", "no:cacheprovider"]
        with TemporaryDirectory() as store:
            env = os.environ | {"PYTHONPATH": f"{self.folder}{os.pathsep}{ROOT}", "POLHODE_CACHE_DIR": store}
            env.pop("POLHODE_TRIAL", None)
            try:
                run = subprocess.run(
                    [*command, *tests], cwd=ROOT, env=env, capture_output=True, text=True, timeout=seconds, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return ""
        if run.returncode in (0, 5):  # all passed, or there was none
            return ""
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", run.stdout, re.MULTILINE)
        return "\n".join(failed) or f"the end of Python by {run.returncode}, {' '.join(tests)}"


def try_mutant(mutant: Mutant, copy: Copy, quick: bool) -> Outcome:
    """Run tests against a mutant until one fails."""
    place, began, failed = find(mutant), time.perf_counter(), ""
    content = place.path.read_bytes()
    changed = content[: place.begin] + f"({mutant.becomes})".encode() + content[place.end :]
    room = place.path.relative_to(SOURCE / "polhode").parts[0]
    stages = [find_tests(mutant), *([] if quick else [[f"tests/unit/{room}"], ["tests/concepts", "tests/laws"]])]
    copy.write(place.path, changed)
    try:
        for tests in stages:
            left = MOST_SECONDS - (time.perf_counter() - began)
            if tests and all((ROOT / each.partition("::")[0]).exists() for each in tests) and left > 0:
                failed = failed or copy.failure(tests, left)
    finally:
        copy.write(place.path, content)
    return Outcome(mutant.key, mutant.room, failed.partition("\n")[0], time.perf_counter() - began)


def try_all(mutants: Sequence[Mutant], processes: int, quick: bool, results: Path | None) -> list[Outcome]:
    """What became of each; those that a results file has are read from it."""
    known = [Outcome(**row) for row in json.loads(results.read_text())] if results and results.exists() else []
    keys = {each.key for each in known}
    with TemporaryDirectory() as folder, ThreadPoolExecutor(processes) as pool:
        free: SimpleQueue[Copy] = SimpleQueue()
        for number in range(processes):
            free.put(Copy(Path(folder) / str(number)))

        def tried(mutant: Mutant) -> Outcome:
            copy = free.get()
            try:
                return try_mutant(mutant, copy, quick)
            finally:
                free.put(copy)

        for done in as_completed([pool.submit(tried, each) for each in mutants if each.key not in keys]):
            outcome = done.result()
            known.append(outcome)
            print(f"{outcome.seconds:5.0f} s  {outcome.noticed_by or 'NOT NOTICED':60}  {outcome.key}", flush=True)
            if results:
                results.write_text(json.dumps([asdict(each) for each in known], indent=1))
        return _proved(known, free.get())


def _proved(outcomes: Sequence[Outcome], copy: Copy) -> list[Outcome]:
    """The outcomes without those whose test fails on the package as it is, too."""
    tests = {each.noticed_by.partition("[")[0] for each in outcomes if each.noticed_by.startswith("tests")}
    failed = copy.failure(sorted(tests), 10 * MOST_SECONDS, first=False) if tests else ""
    wrong = {each.partition("[")[0] for each in failed.splitlines()}
    for name in sorted(wrong):
        print(f"fails without any mutant: {name}")
    return [replace(each, noticed_by="") if each.noticed_by.partition("[")[0] in wrong else each for each in outcomes]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="find every mutant and its tests, and run nothing")
    parser.add_argument("--quick", action="store_true", help="run the listed tests alone")
    parser.add_argument("--only", nargs="*", default=[], help="words of which a function's name has one")
    parser.add_argument("--rooms", nargs="*", default=[], help="headings of the table")
    parser.add_argument("--results", type=Path, help="outcomes as JSON; those that it has are not repeated")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()

    mutants = [each for each in read_table() if not given.rooms or each.room in given.rooms]
    mutants = [each for each in mutants if not given.only or any(word in each.key for word in given.only)]
    lost = 0
    for mutant in mutants:
        try:
            find(mutant)
        except LookupError as error:
            lost += 1
            print(f"{mutant.key}: {error}. Write down in {TABLE.name} where it is now.")
        if not find_tests(mutant):
            print(f"{mutant.key}: of its tests {' '.join(mutant.tests)} there is none.")
    if lost or given.check:
        print(f"{len(mutants) - lost} of {len(mutants)} mutants have their place")
        return int(lost > 0)

    outcomes = try_all(mutants, given.processes, given.quick, given.results)
    keys = {each.key for each in mutants}
    unnoticed = [each.key for each in outcomes if each.key in keys and not each.noticed_by]
    for key in unnoticed:
        print(f"not noticed: {key}")
    print(f"{len(mutants) - len(unnoticed)} of {len(mutants)} mutants are noticed")
    return int(len(unnoticed) > len(mutants) * (1 - LEAST_NOTICED / 100))


if __name__ == "__main__":
    sys.exit(main())
