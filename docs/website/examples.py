"""Run every example in a process of its own, and film the page that it writes; what is unchanged is kept.

An example's results lie in a folder of its name: `page.html`, `plot.png`, `said.txt` and `film.webp`. Beside them,
`said.digest` tells from which example, polhode and model files they came, `film.digest` from which page the film came:
an example that is run again and writes the same page is not filmed again. Digests are written last.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from docs.website import film
from tests.program_run import run_script

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))


def run_all(folder: Path, jobs: int) -> list[str]:
    """Bring every example's results up to date; returns what went wrong."""
    shared = digest_of([*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("page.*"), *(ROOT / "models").iterdir()])
    for gone in set(folder.glob("*")) - {folder / path.stem for path in EXAMPLES}:
        shutil.rmtree(gone)
    faults = []
    with film.camera() as record, ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run_one, path, folder / path.stem, shared): path for path in EXAMPLES}
        for done in as_completed(running):
            path = running[done]
            if complaint := done.result():
                faults.append(f"{path.name}: {complaint}")
                continue
            page, film_of = folder / path.stem / "page.html", folder / path.stem / "film.webp"
            wanted = digest_of([page, Path(film.__file__)])
            if not is_current(film_of, wanted):
                record(page, film_of)
                note(film_of, wanted)
    return faults


def run_one(path: Path, folder: Path, shared: str) -> str:
    """Run an example in an empty place and keep what it wrote; returns its complaint, if it has one."""
    said_in, wanted = folder / "said.txt", digest_of([path]) + shared
    if is_current(said_in, wanted):
        return ""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as empty:
        place, out = Path(empty) / "here", Path(empty) / "out"
        place.mkdir()
        ended = run_script(path, str(out), place=place)
        if ended.code != 0:
            return ended.complained or f"it ended with code {ended.code}"
        made = {"page.html": out / f"{path.stem}.html", "plot.png": out / f"{path.stem}.png"}
        if missing := [each.name for each in made.values() if not each.exists()]:
            return f"it did not write {' and '.join(missing)}"
        for name, each in made.items():
            shutil.move(each, folder / name)
        said_in.write_text(ended.said, encoding="utf-8")
    note(said_in, wanted)
    return ""


def digest_of(files: Iterable[Path]) -> str:
    """A digest of files' names and contents."""
    found = hashlib.sha256()
    for path in sorted(files):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def note(made: Path, wanted: str) -> None:
    """Write down what a file was made from."""
    made.with_suffix(".digest").write_text(wanted, encoding="utf-8")


def is_current(made: Path, wanted: str) -> bool:
    """Whether a file is there that was made from this."""
    noted = made.with_suffix(".digest")
    return made.exists() and noted.exists() and noted.read_text(encoding="utf-8") == wanted
