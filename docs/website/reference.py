"""The reference: a page for each class that users meet and for each group of functions, from their docstrings."""

from __future__ import annotations

from pathlib import Path

from docs.website import public, staging

HEAD = "{title}\n{line}\n\n"
LEAD = """Reference
=========

Every public name, from its docstring. What is listed below is what :doc:`versions </versions>` promises to keep.

"""


def write(folder: Path) -> None:
    """Bring the pages of the reference up to date."""
    kept = set()
    for page in public.PAGES:
        text = HEAD.format(title=page.title, line="=" * len(page.title)) + page.lead + "\n"
        text += "".join(directive(path, page.details) for path in page.names())
        kept |= staging.write(folder / f"{page.stem}.rst", text)
    listed = "\n".join(f"   {page.stem}" for page in public.PAGES)
    kept |= staging.write(folder / "index.rst", f"{LEAD}.. toctree::\n   :maxdepth: 1\n\n{listed}\n")
    for path in set(folder.glob("*.rst")) - kept:
        path.unlink()


def directive(path: str, details: bool = True) -> str:
    """What tells autodoc about one name, of a class with its members or without."""
    thing = public.thing_at(path)
    if isinstance(thing, type) and not details:
        return f"\n.. autoclass:: {path}\n"
    if isinstance(thing, type):
        return f"\n.. autoclass:: {path}\n   :members:\n   :inherited-members: {public.bases_left_out(thing)}\n"
    return f"\n.. auto{'function' if callable(thing) else 'data'}:: {path}\n"
