"""Digests of polhode's own source, under which results are stored on disk.

A result is found again where the source that it follows from has the same content, wherever that source lies: `ROOMS`
lists the folders for each kind of result. Reading every file would take longer than a warm start; so the digests are
stored for each installation and hold while name, size and times of all its files are the same, as they do for Python's
own compiled modules. An archive that polhode is imported from counts as one file.

What runs is not always what lies on disk. If a file was changed after polhode was loaded and before the digests were
taken, the digests of its rooms are random; if it was changed later, nothing is stored any more (`is_as_digested`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from time import time_ns
from typing import Any
from weakref import WeakKeyDictionary

_PACKAGE = __name__.partition(".")[0]
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

#: In nanoseconds. A source file that was changed later is not the one that runs.
LOADED_AT = time_ns()
#: In nanoseconds. Two changes of a file that are closer in time may leave it with the same times.
_RESOLUTION = 2_000_000_000

_EQUATIONS = ("constraints", "dynamics", "expr", "formalisms", "formats", "geometry", "kinematics", "model")
_CODE = ("codegen/ir", "codegen/llvm", "codegen/passes", "codegen/slp", "expr/opaque")

#: The folders and files that each kind of result follows from.
ROOMS: Mapping[str, tuple[str, ...]] = {
    "equations": _EQUATIONS,
    "program": (
        *_EQUATIONS, "codegen/ir", "codegen/passes", "codegen/plan.py", "compiled/catalogue.py",
        "compiled/quantities.py", "compiled/reactions.py", "compiled/store.py",
        "compiled/variations.py", "inverse_kinematics", "laws", "linear", "optimize/point_model.py",
    ),
    "code": (
        *_CODE, "native/backends.py", "native/elf_loader.py", "native/engine.py", "native/stored_code.py",
    ),
    "steps": (*_CODE, "codegen/fixed_steps.py", "codegen/taylor", "native", "ode"),
}  # fmt: skip

#: Size, time of change and time of the last change of status of each source file, by its path in the package.
_Files = dict[str, tuple[int, int, int]]


def version_digest(rooms: str = "") -> str:
    """A digest of the content of the source files that a kind of result follows from, or of all files.

    It is random where one of them was changed after polhode was loaded, and where there are no files.

    >>> len(version_digest()), version_digest("code") == version_digest("program")
    (64, False)
    """
    return _sources(not rooms).digests[rooms]


@dataclass(frozen=True)
class _Sources:
    """The source files when they were first looked at, and their digests."""

    files: _Files
    of_content: Mapping[str, str]
    digests: Mapping[str, str]  # those of the content, or random ones
    are_stored: bool


@cache
def _sources(entire: bool) -> _Sources:
    kinds: Mapping[str, tuple[str, ...]] = {"": ("",)} if entire else ROOMS
    files, now = _files_now(kinds), time_ns()
    stored = None if entire else _stored_digests(files)
    of_content = stored or {rooms: _digest_of(_within(places, files)) for rooms, places in kinds.items()}
    changed = [name for name, (_, *times) in files.items() if LOADED_AT < max(times) <= now]
    digests = {
        rooms: of_content[rooms] if files and not any(_within(places, changed)) else key_of(os.urandom(16).hex())
        for rooms, places in kinds.items()
    }
    return _Sources(files, of_content, digests, stored is not None)


def _digest_of(names: Iterable[str]) -> str:
    """A digest of files by name and content; of an archive by content."""
    return key_of(*(text for name in names for text in ("" if os.path.isabs(name) else name, _content_digest(name))))


@cache
def _content_digest(name: str) -> str:
    from hashlib import sha256

    try:
        with open(os.path.join(_FOLDER, name), "rb") as file:
            return sha256(file.read()).hexdigest()
    except OSError:  # removed a moment ago
        return os.urandom(16).hex()


def _within(places: tuple[str, ...], names: Iterable[str]) -> Iterator[str]:
    """The names of files in these folders; an archive is in all."""
    starts = tuple(folder if not folder or folder.endswith(".py") else f"{folder}/" for folder in places)
    return (name for name in names if name.startswith(starts) or os.path.isabs(name))


# ---- the digests on disk -----------------------------------------------------------------------------------------

#: How the file of an installation's digests ends; those of results end otherwise.
_ENDING = ".source"


def _stored_digests(files: _Files) -> dict[str, str] | None:
    """The digests stored for this folder, if they are of these files."""
    from .cache import default_cache

    try:
        stored = json.loads(default_cache().find(key_of(_FOLDER), _ENDING) or b"{}")
        if stored["files"] == key_of(repr(files)) and stored["rooms"].keys() == ROOMS.keys():
            return {rooms: str(digest) for rooms, digest in stored["rooms"].items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    return None


@cache
def store_digests() -> None:
    """Store the digests for other processes, unless a file is so new that another change might not show."""
    sources = _sources(False)
    latest = max((max(times) for _, *times in sources.files.values()), default=time_ns())
    if not sources.are_stored and latest < time_ns() - _RESOLUTION and sources.files == _files_now(ROOMS):
        from .cache import default_cache

        content = {"files": key_of(repr(sources.files)), "rooms": sources.of_content}
        default_cache().store(key_of(_FOLDER), json.dumps(content).encode(), _ENDING)


#: The modules that were found to be as they were digested.
_UNCHANGED: set[str] = set()


def is_as_digested() -> bool:
    """Whether no file that a result may follow from was changed between the loading of polhode and that of its module.

    A file that is changed after its module was found unchanged changes nothing that runs.
    """
    loaded = sys.modules.keys() - _UNCHANGED
    start, end = f"{_FOLDER}{os.sep}", len(_FOLDER) + 1
    places = tuple(folder for within in ROOMS.values() for folder in within)
    for name in loaded:
        file = str(getattr(sys.modules.get(name), "__file__", None) or "")
        inside = file[end:].replace(os.sep, "/") if name.startswith(_PACKAGE) and file.startswith(start) else ""
        if any(_within(places, [inside])) and _is_changed(file):
            return False
    _UNCHANGED.update(loaded)
    return True


def _is_changed(path: str) -> bool:
    """Whether a file was changed after polhode was loaded, or is gone; in an archive, whether that was."""
    try:
        status = os.stat(path)
    except OSError:
        times = [max(times) for _, (_, *times) in _archive(path)]
        return not times or times[0] > LOADED_AT
    return LOADED_AT < max(status.st_mtime_ns, status.st_ctime_ns) <= time_ns()


# ---- the source of a user's own ----------------------------------------------------------------------------------

#: What tells classes and functions without a file apart, while they live.
_UNFILED: WeakKeyDictionary[object, str] = WeakKeyDictionary()


def source_digest(owner: Any) -> str:
    """A digest of the file that a user's own class or function is in; nothing for polhode's and Python's.

    Where there is no file, as in a notebook, or it was changed after polhode was loaded, the digest is a random one of
    this very object: what was stored for it is found again by nobody else.

    >>> source_digest(source_digest)
    ''
    """
    name = str(owner.__module__)
    if name.partition(".")[0] in {_PACKAGE, *sys.stdlib_module_names}:
        return ""
    file = str(getattr(sys.modules.get(name), "__file__", None) or "")
    if not os.path.isfile(file) or _is_changed(file):
        return _UNFILED.setdefault(owner, key_of(os.urandom(16).hex()))
    return key_of(name, _content_digest(os.path.abspath(file)))


def key_of(*texts: str) -> str:
    """One key of several texts: 64 hexadecimal digits, others for other texts however they are cut.

    >>> key_of("ab", "c") == key_of("a", "bc")
    False
    """
    from hashlib import sha256

    digest = sha256()
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(content))
        digest.update(content)
    return digest.hexdigest()


def _files_now(kinds: Mapping[str, tuple[str, ...]]) -> _Files:
    """The files of all rooms that have a place in some kinds of results, whether it is the whole room or not."""
    rooms = {folder.partition("/")[0] for places in kinds.values() for folder in places}
    try:
        return dict(sorted(file for room in rooms for file in _files(os.path.join(_FOLDER, room), room and f"{room}/")))
    except OSError:
        return dict(_archive(_FOLDER))


def _files(folder: str, within: str) -> Iterator[tuple[str, tuple[int, int, int]]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield f"{within}{entry.name}", _state(entry.stat())
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _files(entry.path, f"{within}{entry.name}/")


def _archive(within: str) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """The file that a path leads into, as paths of modules in a zip file do; none where there is no such file."""
    while within != os.path.dirname(within):
        within = os.path.dirname(within)
        if os.path.isfile(within):
            yield within, _state(os.stat(within))
            return


def _state(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
