"""From bytes to XML elements with line numbers: no DTD, no entity, nothing fetched, everything bounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from operator import index
from pathlib import Path
from xml.parsers import expat

from ...errors import FormatError, LimitError, understood
from ...files.reading import TooLarge, read_file
from ..findings import Findings

_CHUNK = 65_536


@dataclass(frozen=True)
class Limits:
    """How large a robot file may be."""

    size: int = 20_000_000
    depth: int = 64
    elements: int = 10_000
    attributes: int = 64
    token: int = 1_000_000


def limits_of(given: Limits | None) -> Limits:
    """The limits that a user gave, or the usual ones."""
    if given is None:
        return Limits()
    with understood("limits", given, place="limits", cure="Give Limits(size=…, elements=…)."):
        return Limits(*(index(getattr(given, entry.name)) for entry in fields(Limits)))


@dataclass(frozen=True)
class Element:
    """An XML element: its tag, attributes, child elements, the pieces of its text, and the line where it begins."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    written: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What is written in it, apart from its children."""
        return "".join(self.written)

    def all(self, tag: str) -> list[Element]:
        """The children of this tag, in order."""
        return [child for child in self.children if child.tag == tag]

    def shown(self, attribute: str = "") -> str:
        """The element as a message quotes it: `<axis xyz="0 0 0">`."""
        if attribute and attribute in self.attributes:
            return f'<{self.tag} {attribute}="{_short(self.attributes[attribute])}">'
        return f"<{self.tag}>"


def _short(text: str, longest: int = 60) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def read_bytes(path: Path, limits: Limits) -> bytes:
    """The content of a file that exists, is a file, and is not too large."""
    place = str(path)
    try:
        if path.is_dir():
            raise FormatError("this is a folder, not a robot file.", place, "Name a .urdf file in it.", "E-ROBOT-READ")
        content = read_file(path, limits.size)
    except TooLarge as error:
        cure = "Is it a robot description? If so, pass limits=Limits(size=…)."
        raise LimitError(f"{error.strerror}.", place=place, cure=cure, code="E-ROBOT-SIZE") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        message = f"the file cannot be read: {reason}."
        raise FormatError(message, place, "Give the path of a .urdf file.", "E-ROBOT-READ") from None
    if not content.strip():
        raise FormatError("the file is empty.", place, "A robot file begins with <robot name=…>.", "E-ROBOT-MISSING")
    return content


def parse_file(path: Path, limits: Limits | None, content: bytes | None = None) -> Element:
    """The root element of a file, whose content may have been read before."""
    limits = limits_of(limits)
    return parse_xml(read_bytes(path, limits) if content is None else content, path.name, limits)


def parse_xml(content: bytes, file: str, limits: Limits) -> Element:
    """The root element of an XML document.

    >>> root = parse_xml(b"<robot name='r'><link name='a'/></robot>", "r.urdf", Limits())
    >>> root.tag, root.children[0].attributes["name"], root.children[0].line
    ('robot', 'a', 1)
    """
    with understood("the content of a file, as bytes", content, place=file):
        content = bytes(memoryview(content))
    if b"\0" in content and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        line = content[: content.index(b"\0")].count(b"\n") + 1
        cure = "It is binary, or UTF-16 without a byte order mark; save it as UTF-8."
        raise FormatError("the file contains NUL bytes.", place=f"{file}:{line}", cure=cure, code="E-ROBOT-READ")
    return _Parser(file, limits).parse(content)


class _Parser:
    """Expat without DTDs and entities, within limits: the first DOCTYPE, or one element too many, ends the reading."""

    def __init__(self, file: str, limits: Limits) -> None:
        self.file = file
        self.limits = limits
        self.open: list[Element] = []
        self.root: Element | None = None
        self.count = 0
        self.expat = expat.ParserCreate()
        self.expat.buffer_text = True
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self._words
        self.expat.StartDoctypeDeclHandler = self._doctype

    def parse(self, content: bytes) -> Element:
        try:
            for start in range(0, len(content), _CHUNK):
                self.expat.Parse(content[start : start + _CHUNK], False)
                waiting = min(start + _CHUNK, len(content)) - max(self.expat.CurrentByteIndex, 0)
                if waiting > self.limits.token:
                    raise self._limit(f"a single tag is longer than {self.limits.token:,} bytes", "token")
            self.expat.Parse(b"", True)
        except expat.ExpatError as error:
            raise self._broken(error) from None
        except (LookupError, ValueError) as error:
            message = f"the file's encoding cannot be read: {error}."
            raise FormatError(message, f"{self.file}:1", "Save the file as UTF-8.", "E-ROBOT-READ") from None
        if self.root is None:
            cure = "Give a URDF, SDF or MJCF file."
            raise FormatError("there is no element in it.", self.file, cure, "E-ROBOT-MISSING")
        return self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > self.limits.elements:
            raise self._limit(f"more than {self.limits.elements:,} elements", "elements")
        if len(self.open) >= self.limits.depth:
            raise self._limit(f"elements are nested more than {self.limits.depth} deep", "depth")
        if len(attributes) > self.limits.attributes:
            raise self._limit(f"an element has {len(attributes):,} attributes", "attributes")
        result = Element(tag, attributes, self.expat.CurrentLineNumber)
        if self.open:
            self.open[-1].children.append(result)
        else:
            self.root = result
        self.open.append(result)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _words(self, text: str) -> None:
        if self.open and not text.isspace():
            self.open[-1].written.append(text)

    def _doctype(self, name: str, *_: object) -> None:
        place = f"{self.file}:{self.expat.CurrentLineNumber}: <!DOCTYPE {_short(name)}>"
        cure = "Remove it and the entities that it defines; nothing of it was read."
        raise FormatError("a DOCTYPE is not allowed.", place=place, cure=cure, code="E-ROBOT-READ")

    def _limit(self, what: str, option: str) -> LimitError:
        cure = f"If this is meant, pass limits=Limits({option}=…)."
        message = f"{what}."
        return LimitError(message, place=f"{self.file}:{self.expat.CurrentLineNumber}", cure=cure, code="E-ROBOT-SIZE")

    def _broken(self, error: expat.ExpatError) -> FormatError:
        what = expat.ErrorString(error.code)
        inside = f" inside <{self.open[-1].tag}> of line {self.open[-1].line}" if self.open else ""
        token = "invalid token" in str(what)
        message = f"the XML is broken{inside}: {what}, column {error.offset + 1}."
        cure = (
            "Check for a character that is not UTF-8 or a stray <, & or quote."
            if token
            else "The file may be cut off, or a tag is not closed; nothing of it was used."
        )
        return FormatError(message, place=f"{self.file}:{error.lineno}", cure=cure, code="E-ROBOT-READ")


#: For each element that is read, the attributes and children that are understood.
Known = Mapping[str, tuple[set[str], set[str]]]
#: What has a reader of its own, which reports what it leaves out.
_READ_ELSEWHERE = {"transmission"}


def list_unmodelled(root: Element, findings: Findings, known: Known, code: str) -> None:
    """Warn once of each kind of element or attribute that is not read; an unexpanded macro is a problem."""
    lines: dict[str, list[int]] = {}
    for what, line in _unknown(root, known):
        lines.setdefault(what, []).append(line)
    for what, at_lines in lines.items():
        if what.startswith("<xacro:"):
            cure = "Run xacro on the file first and read its result."
            findings.problem((at_lines[0], what), "this is a macro that has not been expanded.", cure, "E-ROBOT-READ")
            continue
        listed = ", ".join(str(line) for line in at_lines[:12]) + (" …" if len(at_lines) > 12 else "")
        count = "once" if len(at_lines) == 1 else f"{len(at_lines)} times, lines {listed}"
        findings.warn((at_lines[0], what), f"this is not modelled ({count}).", "", code)


def _unknown(root: Element, modelled: Known) -> Iterator[tuple[str, int]]:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        attributes, children = modelled[element.tag]
        for name in element.attributes:
            if name not in attributes and not name.startswith("xmlns"):
                yield f"<{element.tag} {name}=…>", element.line
        for child in element.children:
            if child.tag not in children:
                named = child.tag if child.tag.startswith("xacro:") else f"{child.tag}> in <{element.tag}"
                yield f"<{named}>", child.line
        waiting.extend(child for child in element.children[::-1] if child.tag in children - _READ_ELSEWHERE)
