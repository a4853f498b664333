"""The version digest of polhode as installed, under which results are stored on disk: a changed polhode starts anew.

Files count by name, size and time of change, as they do for Python's own compiled modules; an archive that polhode is
imported from counts as one file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from time import time_ns
from typing import Any
from weakref import WeakKeyDictionary

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

#: In nanoseconds. A source file that is younger is not the one that runs.
LOADED_AT = time_ns()


@cache
def version_digest() -> str:
    """A digest of the names, sizes and times of polhode's source files.

    Where a file was changed after polhode was loaded, what runs is not what lies there: then the digest is random.
    So it is where there are no files to look at.

    >>> len(version_digest())
    64
    """
    try:
        files = sorted(_files(_FOLDER, ""))
    except OSError:
        files = list(_archive(_FOLDER))
    now = time_ns()
    if not files or any(LOADED_AT < changed <= now for _, _, changed in files):
        return key_of(os.urandom(16).hex())
    return key_of(*(f"{name} {size} {changed}" for name, size, changed in files))


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
    if name.partition(".")[0] in {__name__.partition(".")[0], *sys.stdlib_module_names}:
        return ""
    try:
        status = os.stat(str(getattr(sys.modules[name], "__file__", "")))
    except (OSError, KeyError):
        status = None
    if status is None or status.st_mtime_ns > LOADED_AT:
        return _UNFILED.setdefault(owner, key_of(os.urandom(16).hex()))
    return key_of(name, f"{status.st_size} {status.st_mtime_ns}")


def key_of(*texts: str) -> str:
    """One key of several texts: 64 hexadecimal digits, others for other texts however they are cut.

    >>> key_of("ab", "c") == key_of("a", "bc")
    False
    """
    from hashlib import sha256

    told = sha256()
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        told.update(b"%d:" % len(content))
        told.update(content)
    return told.hexdigest()


def _files(folder: str, within: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                yield f"{within}{entry.name}", status.st_size, status.st_mtime_ns
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _files(entry.path, f"{within}{entry.name}/")


def _archive(within: str) -> Iterator[tuple[str, int, int]]:
    """The file that a path leads into, as paths of modules in a zip file do; none where there is no such file."""
    while within != os.path.dirname(within):
        within = os.path.dirname(within)
        if os.path.isfile(within):
            status = os.stat(within)
            yield within, status.st_size, status.st_mtime_ns
            return
