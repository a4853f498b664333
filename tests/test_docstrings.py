"""Every public name says what it is and shows its use, in its own docstring or in that of its class."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from docs.website import public

ROOT = Path(__file__).parents[1]


def things() -> Iterator[tuple[str, str]]:
    """Each public name and its docstring."""
    for page in public.PAGES:
        for path in page.names():
            thing = public.thing_at(path)
            yield path, inspect.getdoc(thing) or ""
            if inspect.isclass(thing):
                yield from ((f"{path}.{name}", public.doc_of(thing, name)) for name, _ in public.members(thing))


def is_shown(name: str, docstring: str, documents: str = "") -> bool:
    """Whether an example stands in the docstring, run or indented, or a document uses the name."""
    return bool(">>> " in docstring or re.search(rf"\n.*\b{name}\(", docstring) or re.search(rf"\.{name}\b", documents))


def test_every_public_name_has_a_docstring() -> None:
    assert [path for path, docstring in things() if not docstring] == []


def test_every_public_class_and_function_is_shown_in_an_example() -> None:
    documents = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    names = (path for page in public.PAGES for path in page.names())
    docstrings = {path: inspect.getdoc(public.thing_at(path)) or "" for path in names}
    assert [p for p, text in docstrings.items() if not is_shown(p.rpartition(".")[2], text, documents)] == []


def test_the_watch_wakes_at_a_name_that_is_not_shown() -> None:
    assert is_shown("bias", ">>> f.bias(q)") and is_shown("bias", "The bias.", "```python\nph.bias(q)")
    assert not is_shown("bias", "The bias.", "ph.bias_of(q)")


def test_every_public_name_is_on_a_page_of_the_reference() -> None:
    listed = [path for page in public.PAGES for path in page.names()]
    assert {f"polhode.{name}" for name in public.all_names()} <= set(listed) and len(listed) == len(set(listed))
