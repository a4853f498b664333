"""Make the page of the five papers, docs/papers.md, from the docstrings of `polhode.papers`.

Run: python docs/make_papers.py
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import polhode.papers

PAGE = Path(__file__).with_name("papers.md")
PAPERS = tuple(sorted(each.name for each in iter_modules(polhode.papers.__path__)))


def page() -> str:
    """The page: what the folder is, and a section for each paper."""
    head, *parts = (_markdown(name) for name in ("polhode.papers", *(f"polhode.papers.{name}" for name in PAPERS)))
    source = "This page is made from the docstrings of `polhode.papers` by `docs/make_papers.py`.\n"
    sections = (re.sub(r"\.$", "", f"## {part}", count=1, flags=re.MULTILINE) for part in parts)
    return "\n".join(["# The five papers\n", head.partition("\n\n")[2], source, *sections])


def _markdown(module: str) -> str:
    """A docstring as Markdown: maps become tables, examples fenced blocks, names of documents links."""
    blocks = inspect.cleandoc(import_module(module).__doc__ or "").split("\n\n")
    made = []
    for block in blocks:
        if block.startswith("    paper "):
            made.append(_table(block.splitlines()))
        elif block.startswith(">>>"):
            made.append(f"```python\n{block}\n\n```")
        else:
            made.append(block)
    return re.sub(r"\bdocs/([\w-]+\.md)", r"[\1](\1)", "\n\n".join(made)) + "\n"


def _table(lines: list[str]) -> str:
    """Two columns, the second where `here` stands; a line without a first entry continues the row before."""
    column = lines[0].index("here")
    rows: list[list[str]] = []
    for line in lines:
        paper, call = line[:column].strip(), line[column:].strip()
        if rows and (not paper or rows[-1][0].endswith(",")):
            rows[-1] = [f"{rows[-1][0]} {paper}".strip(), f"{rows[-1][1]} {call}"]
        else:
            rows.append([paper, call])
    head, *body = (f"| {paper} | {call} |" for paper, call in rows)
    return "\n".join([head, "| --- | --- |", *body])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
