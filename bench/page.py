"""The page docs/benchmarks.md: a section a part, each with its own date, commit, machine and keys."""

import ast
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path

from .digests import program_digest
from .harness import Row, as_markdown

ROOT = Path(__file__).parents[1]
PARTS = ROOT / "bench" / "parts"
_HEAD = """\
# Benchmarks

Each section was measured by one run of its part of `python -m bench`, ours and the peers by turns, on one core of the
machine that it names. A figure holds for that processor: with other vector units and caches the ratios differ. Each
time is the least seen; a ratio says how many times longer the peer takes. The load is the average number of processes
that ran or waited, this one included, over a minute before and after: where it exceeds the number of cores, times on
the wall are too long. What has changed since is measured again by `python -m bench` (`--list` names it): the programs
that polhode generates or its source, the part, the versions of the peers, or the machine, by the keys at the end of
each line.
"""


@cache
def processor() -> str:
    """The processor's name, its cores and vector instructions, and the system."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    flags = fields.get("flags", "").split()
    vectors = next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags), "no AVX2")
    name = fields.get("model name") or platform.processor() or "unknown processor"
    return f"{name}, {os.cpu_count()} cores, {vectors}, {platform.system()} {platform.machine()}"


@cache
def compiler() -> str:
    return f"g++ {_printed('g++', '-dumpfullversion')}" if shutil.which("g++") else "no g++"


def _printed(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout.strip()


def version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "missing"


def _when() -> str:
    """Date and commit, and whether polhode or the bench was changed since."""
    changed = " with changes" if _printed("git", "status", "--porcelain", "--", "src", "bench") else ""
    commit = _printed("git", "rev-parse", "--short=8", "HEAD") or "unknown"
    return f"{datetime.now(UTC).date().isoformat()}, commit {commit}{changed}"


def _digest(*sources: Path | str) -> str:
    """Digits that change with any of the texts, or of the files in the paths."""
    paths = [each for each in sources if isinstance(each, Path)]
    files = sorted(file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path]))
    texts = [f"{file.name}\0{file.read_text(encoding='utf-8')}" for file in files]
    return sha256("\0".join([*texts, *(each for each in sources if isinstance(each, str))]).encode()).hexdigest()[:8]


def _imported(path: Path, seen: set[Path]) -> set[Path]:
    """A file of the bench and all others of it that this one imports, directly or not."""
    if path.is_file() and path not in seen:
        seen.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                module = path.parents[node.level - 1] / (node.module or "").replace(".", "/")
                for each in (module, *(module / alias.name for alias in node.names)):
                    _imported(each.with_suffix(".py"), seen)
    return seen


class Part:
    """A file of `bench/parts`, read without running it."""

    def __init__(self, name: str) -> None:
        self.path = PARTS / f"{name}.py"
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        constants = {"PEERS": (), "PROGRAMS": ()} | {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("PEERS", "PROGRAMS")
        }
        packages = ("numpy", "scipy", "llvmlite", *constants["PEERS"])
        self.text, self.programs = ast.get_docstring(tree) or "", constants["PROGRAMS"]
        self.versions = ", ".join(f"{package} {version(package)}" for package in packages)

    def keys(self, quick: bool = False) -> dict[str, str]:
        """Digests of what its figures depend on, and whether they are those of few passes."""
        source, files = ROOT / "src" / "polhode", _imported(self.path, set())
        native = (ROOT / "bench" / "native").iterdir() if ROOT / "bench" / "build.py" in files else ()
        folders = (source / "codegen", source / "native") if self.programs else (source,)
        return {
            "ours": _digest(*folders, *map(program_digest, self.programs)),
            "part": _digest(*files, *native),
            "peers": _digest(self.versions),
            "machine": _digest(processor(), compiler()),
            "passes": "few" if quick else "all",
        }

    def section(self, rows: Sequence[Row], load: str, keys: Mapping[str, str]) -> str:
        """What it measures, when and on what, and its tables."""
        when = f"Measured in {keys['passes']} passes on {_when()}"
        stamp = f"{when}; {processor()}; {load}; {compiler()}, {self.versions}."
        written = ", ".join(f"{name} {key}" for name, key in keys.items())
        return f"{self.text}\n\n{stamp} Keys: {written}.\n\n{as_markdown(rows)}\n"


def part_names() -> list[str]:
    return sorted(path.stem for path in PARTS.glob("*.py") if path.stem != "__init__")


def stale(text: str, problem: str) -> str:
    """The old section of a part that failed."""
    old = re.sub(r"\A\*\*Stale\*\*.*?\n\n", "", text, flags=re.DOTALL)
    return f"**Stale**: measured again on {_when()}, the part failed ({' '.join(problem.split())[:200]}).\n\n{old}"


def changes(text: str, keys: Mapping[str, str]) -> list[str]:
    """Which of a section's keys differ; all of them where it is stale or there is none.

    >>> changes("… Keys: ours 12ab, part 34cd.", {"ours": "12ab", "part": "ffff"})
    ['part']
    """
    written = [] if text.startswith("**Stale**") else re.findall(r"Keys: (.*?)\.", text, flags=re.DOTALL)
    old = dict(entry.split() for entry in written[0].split(", ")) if written else {}
    return [name for name, key in keys.items() if old.get(name) != key]


def read(path: Path) -> dict[str, str]:
    """Sections of a page by their names."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    pieces = re.split(r"^## (.*)\n\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def write(path: Path, sections: Mapping[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = (f"## {name}\n\n{sections[name].strip()}\n" for name in sorted(sections))
    path.write_text("\n".join([_HEAD, *texts]), encoding="utf-8")


def figures(text: str) -> dict[tuple[str, str, str], list[str]]:
    """Cells of the rows of a document by model, what and peer."""
    rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| ")
    return {(row[0], row[1], row[3]): row for row in rows if len(row) >= 6}


def with_figures_of(page: str, document: str) -> str:
    """A document whose rows have the figures of the page, where the page has such a row."""
    measured, lines = figures(page), document.splitlines()
    for number, line in enumerate(lines):
        for key in figures(line).keys() & measured.keys():
            lines[number] = f"| {' | '.join(measured[key][:6])} |"
    return "\n".join(lines) + "\n"
