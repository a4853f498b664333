"""Whether the written site holds together: links lead to pages and places that are there, and nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: What a browser loads by itself, and the attribute that says from where.
LOADED = {
    "script": "src", "img": "src", "iframe": "src", "source": "srcset", "link": "href", "video": "src", "audio": "src",
}  # fmt: skip
#: A link element that only says something, and loads nothing.
SAYINGS = {"canonical", "search", "next", "prev", "index", "author", "copyright", "help"}


class Page(HTMLParser):
    """The addresses that a page names, and the places in it that others may name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[key] for key in ("id", "name") if key in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]) and given.get("rel") not in SAYINGS:
            self.loaded.append(given[LOADED[tag]])


@cache
def page_of(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def faults_of(site: Path) -> list[str]:
    """What is wrong with the links of a site, a sentence each."""
    page_of.cache_clear()
    pages = sorted(path for path in site.rglob("*.html") if "pages" not in path.relative_to(site).parts[:1])
    found = [fault for path in pages for fault in faults_in(path, site)]
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        if "url(http" in text or "url(//" in text or "@import url" in text or '@import "http' in text:
            found.append(f"{style.relative_to(site)} loads something from elsewhere.")
    return found


def faults_in(path: Path, site: Path) -> Iterator[str]:
    """What is wrong with one page."""
    page, name = page_of(path), path.relative_to(site)
    for address in page.loaded:
        if urlsplit(address).netloc:
            yield f"{name} loads {address}, which is elsewhere."
    for address in {*page.links, *page.loaded}:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file():
            yield f"{name} points to {address}, which is not there."
        elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in page_of(target).places:
            yield f"{name} points to {address}, a place that {target.name} does not have."
