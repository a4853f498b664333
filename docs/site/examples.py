"""Run every example in a process of its own, and film the page that it writes; what is unchanged is kept.

An example's results lie in a folder of its name: `page.html`, `plot.png`, `said.txt`, `film.webp`, and `digest`, of the
example, of polhode, of the model files and of how it is filmed. The digest is written last.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from docs.site import film
from tests import example_run

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))


def run_all(folder: Path, jobs: int) -> list[str]:
    """Bring every example's results up to date; returns what went wrong."""
    shared = digest_of([*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("page.*"), *(ROOT / "models").iterdir()])
    stale = [path for path in EXAMPLES if not is_current(folder / path.stem, digest(path, shared))]
    for gone in set(folder.glob("*")) - {folder / path.stem for path in EXAMPLES}:
        shutil.rmtree(gone)
    faults = []
    if stale:
        with film.camera() as record, ThreadPoolExecutor(jobs) as pool:
            running = {pool.submit(run_one, path, folder / path.stem): path for path in stale}
            for done in as_completed(running):
                path = running[done]
                if complaint := done.result():
                    faults.append(f"{path.name}: {complaint}")
                    continue
                record(folder / path.stem / "page.html", folder / path.stem / "film.webp")
                (folder / path.stem / "digest").write_text(digest(path, shared), encoding="utf-8")
    return faults


def run_one(path: Path, folder: Path) -> str:
    """Run an example in an empty place and keep what it wrote; returns its complaint, if it has one."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as empty:
        place, out = Path(empty) / "here", Path(empty) / "out"
        place.mkdir()
        ended, said, complained = example_run.run(path, out, place)
        if ended != 0:
            return complained or f"it ended with code {ended}"
        shutil.move(out / f"{path.stem}.html", folder / "page.html")
        shutil.move(out / f"{path.stem}.png", folder / "plot.png")
        (folder / "said.txt").write_text(said, encoding="utf-8")
    return ""


def digest_of(files: Iterable[Path]) -> str:
    """A digest of files' names and contents."""
    found = hashlib.sha256()
    for path in sorted(files):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def digest(example: Path, shared: str) -> str:
    """What an example's results depend on."""
    return f"{digest_of([example, Path(film.__file__)])}-{shared}"


def is_current(folder: Path, wanted: str) -> bool:
    """Whether a folder holds what this digest led to."""
    kept = folder / "digest"
    return kept.exists() and kept.read_text(encoding="utf-8") == wanted
