"""Every public name says what it is and shows its use, in its own docstring or in that of its class."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from docs.website import public

ROOT = Path(__file__).parents[1]


#: A class whose file is as long as a file may be, and the document, run as a test too, that shows the rest of it.
ELSEWHERE = {"Trajectory": ("simulation.md", "reactions.md")}


def things() -> Iterator[tuple[str, str, str]]:
    """Each public name, its docstring, and those in which it may be shown as well."""
    for page in public.PAGES:
        for path in page.names():
            thing = public.thing_at(path)
            yield path, inspect.getdoc(thing) or "", ""
            if inspect.isclass(thing):
                above = "\n".join(inspect.getdoc(base) or "" for base in thing.__mro__ if public.is_polhodes(base))
                for document in ELSEWHERE.get(thing.__name__, ()):
                    above += (ROOT / "docs" / document).read_text(encoding="utf-8")
                yield from ((f"{path}.{name}", public.doc_of(thing, name), above) for name, _ in public.members(thing))


def examples_in(text: str) -> str:
    """The lines of a docstring that are run."""
    return "\n".join(line for line in text.splitlines() if line.lstrip().startswith((">>>", "...")))


def is_shown(name: str, own: str, above: str = "") -> bool:
    """Whether an example stands in the docstring itself, run or indented, or in its class's and uses the name."""
    called = re.search(rf"\n.*\b{re.escape(name)}\(", own)
    return ">>> " in own or bool(called or re.search(rf"\.{re.escape(name)}\b", examples_in(above)))


def test_every_public_name_has_a_docstring() -> None:
    assert [path for path, told, _ in things() if not told] == []


def test_every_public_class_and_function_is_shown_in_an_example() -> None:
    missing = [path for path, told, above in things() if not above and not is_shown(path.rpartition(".")[2], told)]
    assert missing == []


def test_the_watch_wakes_at_a_name_that_is_not_shown() -> None:
    assert is_shown("bias", ">>> f.bias(q)")
    assert is_shown("bias", "The bias.", "A class.\n\n>>> f = g\n>>> f.bias(q)")
    assert not is_shown("bias", "The bias.", "What `f.bias` is.\n\n>>> f.bias_of(q)")


def test_every_public_name_is_on_a_page_of_the_reference() -> None:
    listed = [path for page in public.PAGES for path in page.names()]
    assert {f"polhode.{name}" for name in public.all_names()} <= set(listed)
    assert len(listed) == len(set(listed))
