"""Documents and examples as Sphinx reads them: the same text, with links that lead to the site's own pages.

A link to an example leads to its page in the gallery, one to another file of the repository to a copy of it; a link to
a folder becomes its name. The lists of docs/index.md become the site's table of contents.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath

from docs import make_errors
from docs.website.docstrings import prose_line

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: Documents that lie outside docs/, and their names on the site.
OUTSIDE = {"README.md": "readme.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
LINK = re.compile(r"(?P<open>!?\[[^\]]*\]\()(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
FENCE = re.compile(r"^(```.*?^```[ ]*$)", flags=re.DOTALL | re.MULTILINE)
PICTURE = re.compile(
    r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]+)">\s*'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]+)"[^>]*>\s*</picture>'
)
#: Titles of examples that their file names cannot spell.
TITLES = {
    "03_t_handle": "T-handle", "15_bicycle": "Bicycle (Whipple)", "16_chaplygin_sleigh": "Chaplygin sleigh",
    "24_stewart": "Stewart platform", "25_squeezer": "Andrews' squeezer", "26_bricard": "Bricard linkage",
    "37_spline_on_so3": "Spline on SO(3)", "39_sayers_speeds": "Sayers' speeds",
    "56_lqr_cart_pole": "LQR of a cart and pole", "57_ekf": "Extended Kalman filter", "58_mpc": "Predictive control",
    "59_ilqr": "Iterative LQR", "62_ur5_point_to_point": "UR5 from pose to pose",
}  # fmt: skip
BEAT = re.compile(r"^# (Describe|Derive|Simulate|Look)\b.*\n(?:# .*\n)*", flags=re.MULTILINE)


def stage_documents(source: Path) -> None:
    """Bring all documents, pictures and linked files below `source` up to date; what has gone goes there too."""
    kept: set[Path] = set()
    folders = (DOCS, DOCS / "recipes", DOCS / "design")
    documents = [*(path for folder in folders for path in folder.glob("*.md")), *(ROOT / name for name in OUTSIDE)]
    for path in documents:
        staged = source / place_of(path)
        made = make_errors.page(make_errors.told(make_errors.sources())) if path == make_errors.PAGE else None
        kept |= {staged, *write(staged, made or staged_text(path))}
    for path in (DOCS / "pictures").glob("*.*"):
        if path.suffix in {".webp", ".svg", ".png"}:
            kept |= write(source / "pictures" / path.name, path.read_bytes())
    for path in repository_files(documents):
        kept |= write(source / "files" / path.relative_to(ROOT), path.read_bytes())
    for path in source.rglob("*"):
        if path.is_file() and path not in kept and path.relative_to(source).parts[0] not in {"gallery", "api"}:
            path.unlink()


def write(path: Path, content: str | bytes) -> set[Path]:
    """Write what has changed, and leave the rest as old as it is."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return {path}


def place_of(path: Path) -> PurePosixPath:
    """Where a document lies on the site."""
    if path.parent == ROOT:
        return PurePosixPath(OUTSIDE[path.name])
    return PurePosixPath(path.relative_to(DOCS).as_posix())


def staged_text(path: Path) -> str:
    """A document's text for the site."""
    text = path.read_text(encoding="utf-8")
    pieces = FENCE.split(text)
    for number, piece in enumerate(pieces):
        if number % 2:  # a fenced block
            pieces[number] = re.sub(r"^```math", "```{math}", piece)
        else:
            shown = PICTURE.sub(lambda found: pictures(found, path), piece)
            pieces[number] = LINK.sub(lambda found: relinked(found, path), shown)
    staged = "".join(pieces)
    return staged + contents(staged) if path.name == "index.md" else staged


def pictures(found: re.Match[str], path: Path) -> str:
    """A picture in two themes, in Furo's words."""
    shown = []
    for theme in ("light", "dark"):
        at = (path.parent / found[theme]).relative_to(DOCS).as_posix()
        shown.append(f"```{{image}} /{at}\n:class: only-{theme}\n:alt: {found['alt']}\n```")
    return "\n\n".join(shown)


def repository_files(documents: list[Path]) -> set[Path]:
    """Files outside the documents that documents link to."""
    found = set()
    for path in documents:
        text = "".join(FENCE.split(path.read_text(encoding="utf-8"))[::2])
        targets = (resolved(path, link["target"]) for link in LINK.finditer(text))
        found |= {target for target in targets if target is not None and is_copied(target)}
    return found


def resolved(path: Path, target: str) -> Path | None:
    """The file of the repository that a link leads to; None for addresses elsewhere."""
    return None if re.match(r"[a-z]+:", target) else Path(os.path.normpath(path.parent / target))


def is_copied(target: Path) -> bool:
    inside = target.is_relative_to(DOCS) and target.suffix in {".md", ".webp", ".svg", ".png"}
    example = target.parent == ROOT / "examples"
    return target.is_file() and not inside and not example and target.name not in OUTSIDE


def relinked(found: re.Match[str], path: Path) -> str:
    """A link as it leads on the site."""
    target = resolved(path, found["target"])
    if target is None or not target.exists():
        return found[0]
    anchor = found["anchor"] or ""
    if target == ROOT / "examples":
        return f"{found['open']}/gallery/index.rst)"
    if target.parent == ROOT / "examples":
        return f"{found['open']}/gallery/{target.stem}.rst)"
    if target.parent == ROOT and target.name in OUTSIDE:
        return f"{found['open']}/{OUTSIDE[target.name]}{anchor})"
    if target.is_dir():
        return f"{found['open'].strip('[](')}"
    if is_copied(target):
        return f"{found['open']}/files/{target.relative_to(ROOT).as_posix()})"
    return f"{found['open']}/{target.relative_to(DOCS).as_posix()}{anchor})"


def contents(index: str) -> str:
    """The table of contents: what an index lists under each heading; the reference joins what is looked up."""
    trees = []
    for part in re.split(r"^(?:## |\*\*(?=[^*]+\*\*$))", index, flags=re.MULTILINE)[1:]:
        heading, _, body = part.replace("**", "", 1).partition("\n")
        pages = re.findall(r"^- \[([^\]]*)\]\((/[^)#]+)\.(?:md|rst)\)", body, flags=re.MULTILINE)
        if heading.startswith("To look things up"):
            pages.insert(0, ("Reference", "/api/index"))
        if pages:
            listed = "\n".join(f"{title} <{page}>" for title, page in pages)
            trees.append(f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{listed}\n```\n")
    return "\n" + "\n".join(trees)


def title_of(stem: str) -> str:
    """An example's title.

    >>> title_of("05_cart_pendulum")
    'Cart pendulum'
    """
    return TITLES.get(stem, stem[3:].replace("_", " ").capitalize())


def gallery_text(text: str, stem: str) -> str:
    """An example in sphinx-gallery's words: a title, then a cell for each of its beats.

    >>> quotes = 3 * '"'
    >>> told = f"{quotes}A bob swings.\\n\\nRun: it\\n{quotes}\\nimport x\\n\\n# Derive: M.\\nf()\\n"
    >>> print(gallery_text(told, "01_bob"))
    \"\"\"
    Bob
    ===
    <BLANKLINE>
    A bob swings.
    <BLANKLINE>
    Run: it
    \"\"\"
    import x
    <BLANKLINE>
    # %%
    # **Derive**: M.
    f()
    <BLANKLINE>
    """
    title = title_of(stem)
    headed = text.replace('"""', f'"""\n{title}\n{"=" * len(title)}\n\n', 1)
    return BEAT.sub(as_prose, headed)


def as_prose(found: re.Match[str]) -> str:
    """The comment that opens a beat, as text between two cells."""
    lines = [prose_line(line.removeprefix("# ")) for line in found[0].splitlines()]
    told = "".join(f"# {line}\n" for line in lines).replace(found[1], f"**{found[1]}**", 1)
    return f"# %%\n{told}"


def stage_examples(shown: Path, work: Path) -> None:
    """Examples for sphinx-gallery, the pages that they wrote, and the films of these."""
    for folder in ("gallery", "extra"):
        shutil.rmtree(work / folder, ignore_errors=True)
    (work / "gallery").mkdir(parents=True)
    (work / "extra" / "pages").mkdir(parents=True)
    header = "Examples\n========\n\nEach is under eighty lines and ends in a physical fact that it checks.\n"
    (work / "gallery" / "GALLERY_HEADER.rst").write_text(header, encoding="utf-8")
    for path in sorted((ROOT / "examples").glob("[0-9][0-9]_*.py")):
        text = gallery_text(path.read_text(encoding="utf-8"), path.stem)
        (work / "gallery" / path.name).write_text(text, encoding="utf-8")
        shutil.copyfile(shown / path.stem / "page.html", work / "extra" / "pages" / f"{path.stem}.html")
        write(
            work / "source" / "gallery" / "films" / f"{path.stem}.webp", (shown / path.stem / "film.webp").read_bytes()
        )
