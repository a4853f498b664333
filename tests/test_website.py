"""What `make docs` builds: documents lead to each other there too, nothing is fetched, and examples move."""

import re
from pathlib import Path

import numpy as np
import pytest
from docs.website import docstrings, examples, links, staging, wireframe

import polhode as ph

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documents as Sphinx gets them."""
    source = tmp_path_factory.mktemp("source")
    staging.stage_documents(source)
    return source


def test_staged_documents_are_listed_and_staging_again_changes_nothing(staged: Path) -> None:
    listed = set()
    for index in (staged / "index.md", staged / "recipes" / "index.md"):
        for tree in re.findall(r"```\{toctree\}(.*?)```", index.read_text(encoding="utf-8"), flags=re.DOTALL):
            listed |= set(re.findall(r"<(/.*)>$", tree, flags=re.MULTILINE))
    documents = {f"/{path.relative_to(staged).with_suffix('').as_posix()}" for path in staged.rglob("*.md")}
    assert documents - listed == {"/index"} and listed - documents == {"/api/index", "/gallery/index"}
    before = {path: path.stat().st_mtime_ns for path in staged.rglob("*") if path.is_file()}
    staging.stage_documents(staged)
    assert {path: path.stat().st_mtime_ns for path in staged.rglob("*") if path.is_file()} == before


def test_links_of_staged_documents_lead_to_pages_examples_and_copies(staged: Path) -> None:
    for path in staged.rglob("*.md"):
        text = "".join(staging.FENCE.split(path.read_text(encoding="utf-8"))[::2])
        for link in staging.LINK.finditer(text):
            target = link["target"]
            if target.startswith("/gallery/"):
                assert target == "/gallery/index.rst" or (ROOT / "examples" / f"{Path(target).stem}.py").exists()
            elif not re.match(r"[a-z]+:", target):
                assert (staged / target.lstrip("/")).is_file(), f"{path.name} points to {target}"


def test_every_example_has_a_title_and_four_cells() -> None:
    for path in examples.EXAMPLES:
        text = staging.gallery_text(path.read_text(encoding="utf-8"), path.stem)
        assert text.startswith(f'"""\n{staging.title_of(path.stem)}\n===') and text.count("# %%") >= 4


def test_what_is_broken_or_fetched_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<p id="here"><a href="b.html#there">b</a> <a href="#here">a</a></p>', "utf-8")
    (tmp_path / "b.html").write_text('<a href="c.html">c</a><script src="https://example.org/x.js"></script>', "utf-8")
    (tmp_path / "x.css").write_text("@font-face { src: url(https://example.org/font) }", "utf-8")
    found = "\n".join(links.faults_of(tmp_path))
    assert "b.html#there, a place that b.html does not have" in found and "c.html, which is not there" in found
    assert "loads https://example.org/x.js" in found and "x.css loads something" in found
    assert "#here" not in found.replace("b.html#there", "")


def test_without_a_browser_a_mechanism_is_drawn_and_moves(tmp_path: Path) -> None:
    pendulum = ph.System("pendulum")
    pendulum.joint("q", "ground", pendulum.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    pendulum.derive().simulate(1, start={"q": 1.0}).animate(tmp_path / "page.html")
    first, *rest = wireframe.frames(tmp_path / "page.html", (64, 48), 4, 1.0)
    assert first.size == (64, 48)
    assert np.ptp(np.asarray(first)) > 50, "something is drawn"
    assert all(np.asarray(frame).tolist() != np.asarray(first).tolist() for frame in rest)


def test_what_an_example_made_is_kept_until_something_changes(tmp_path: Path) -> None:
    made = tmp_path / "said.txt"
    assert not examples.is_current(made, "1")
    made.write_text("hello", encoding="utf-8")
    examples.note(made, "1")
    assert examples.is_current(made, "1") and not examples.is_current(made, "2")


def test_an_example_without_a_picture_is_told_by_what_it_lacks(tmp_path: Path) -> None:
    example = tmp_path / "99_still.py"
    example.write_text(
        "import sys\nfrom pathlib import Path\n\nout = Path(sys.argv[1])\nout.mkdir()\n"
        '(out / "99_still.html").write_text("a page")\n',
        encoding="utf-8",
    )
    assert examples.run_one(example, tmp_path / "made", "1") == "it did not write 99_still.png"
    assert not (tmp_path / "made" / "said.txt").exists()


def test_code_in_a_docstring_stays_as_it_is_written() -> None:
    assert docstrings.prose_line("of `q`, `u`s and `q_1`, x_1") == "of ``q``, ``u``\\ s and ``q_1``, x\\_1"
    columns = ["states     its own", "measured   what is measured,", "           by name"]
    assert docstrings.plain(columns) == [".. code-block:: text", "", *(f"    {line}" for line in columns)]
