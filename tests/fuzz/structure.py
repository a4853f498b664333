"""Valid files made hostile in their structure: parts left out, doubled, moved, renamed or of another type."""

import json
from copy import deepcopy
from random import Random
from typing import Any
from xml.etree import ElementTree

from tests.fuzz.mutate import NUMBERS, WORDS

VALUES: list[Any] = [
    None, True, False, 0, -1, 1.5, 1e300, -1e-300, 10**30, "", "x", "nan", [], {}, [1], [1, 2, 3], [[1]], {"a": 1},
    [None],
    [[0, 0, 1]], "ground", {"type": "x"}, [{"type": "sphere"}], "1/0",
    "(" * 60, "sin(", [1, 2, 3, 4, 5, 6], *NUMBERS, *WORDS,
]  # fmt: skip


def changed_tree(data: Any, chance: Random) -> bytes:
    """Nested mappings and lists with one to three places changed, as JSON, which is YAML as well."""
    made = deepcopy(data)
    for _ in range(chance.choice([1, 1, 2, 3])):
        places = _places(made)
        if not places:
            break
        owner, key = chance.choice(places)
        kind = chance.randrange(5)
        if kind == 0:
            del owner[key]
        elif kind == 1:
            other, of = chance.choice(places)
            owner[key] = deepcopy(other[of]) if _has(other, of) else None
        elif kind == 2 and isinstance(owner, dict):
            owner[chance.choice(WORDS)] = owner.pop(key)
        elif kind == 2:
            owner.insert(key, deepcopy(owner[key]))
        else:
            owner[key] = deepcopy(chance.choice(VALUES))
    return json.dumps(made).encode("utf-8", "surrogatepass")


def _has(owner: Any, key: Any) -> bool:
    return key in owner if isinstance(owner, dict) else key < len(owner)


def _places(data: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [data]
    while waiting:
        part = waiting.pop()
        entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, value in entries:
            found.append((part, key))
            waiting.append(value)
    return found


def changed_xml(text: bytes, chance: Random) -> bytes:
    """An XML document with one to three elements or attributes changed."""
    root = ElementTree.fromstring(text)
    for _ in range(chance.choice([1, 1, 2, 3])):
        parts = [(parent, child) for parent in root.iter() for child in parent]
        if not parts:
            break
        parent, child = chance.choice(parts)
        kind = chance.randrange(8)
        if kind == 0:
            parent.remove(child)
        elif kind == 1:
            parent.append(deepcopy(child))
        elif kind == 2:
            chance.choice(parts)[0].append(deepcopy(child))
        elif kind == 3:
            child.tag = chance.choice(parts)[1].tag
        elif kind == 4 and child.attrib:
            del child.attrib[chance.choice(list(child.attrib))]
        elif child.attrib:
            _attribute_changed(child, chance)
        else:
            child.set(chance.choice(["name", "pos", "size", "xyz", "type", "class"]), chance.choice(NUMBERS + WORDS))
    return ElementTree.tostring(root).replace(b"\x00", b"") if chance.random() < 0.9 else ElementTree.tostring(root)


def _attribute_changed(element: ElementTree.Element, chance: Random) -> None:
    key = chance.choice(list(element.attrib))
    words = element.attrib[key].split() or [""]
    kind = chance.randrange(4)
    if kind == 0:
        element.set(key, chance.choice(NUMBERS + WORDS))
    elif kind == 1:
        words[chance.randrange(len(words))] = chance.choice(NUMBERS)
        element.set(key, " ".join(words))
    elif kind == 2:
        element.set(key, " ".join(words[: chance.randrange(len(words))] + words * chance.randrange(3)))
    else:
        element.set(chance.choice(["name", "pos", "size", "axis", "range", "xyz", "rpy", "value"]), element.attrib[key])
