"""Compiled code on disk: content-addressed files, verified before use, never half-written.

A file is a header (magic, version, key, length, SHA-256 of the payload) and the payload. A file that does not verify is
as good as absent. The digest is no signature, so code is taken only from where nobody else could have put it: files of
this user that nobody else may write, in a folder of this user, below folders that no other user may change (but root).
Whatever goes wrong here — no room, no right, a lock that nobody gives back — costs time only: the code is compiled in
memory, and one warning says why.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import struct
import time
from collections.abc import Callable, Iterator
from errno import ELOOP
from pathlib import Path
from typing import Any

from polhode.errors import PolhodeError, warn
from polhode.files.reading import NO_LINKS, Refused, irregular, read_file
from polhode.files.version import is_as_digested
from polhode.files.writing import WAITING, put_in_place

_HEADER = struct.Struct("<16s I 32s Q 32s")
_MAGIC = b"polhode object\r\n"
_VERSION = 1
_ENDING = ".bin"
_STALE_SECONDS = 3600.0
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
# A folder may hold a hundred thousand files: it is looked through at a first writing, unless another process did so in
# the last minutes, then once in this share of its limit.
_SHARE_UNSEEN = 64
_LOOKED_SECONDS = 600.0

#: What it means that stored bytes are not what was looked for, or cannot be used on this machine.
UNREADABLE = (KeyError, TypeError, ValueError, OSError, PolhodeError)


class CacheWarning(UserWarning):
    """The cache of compiled code cannot be used; everything works, only slower to start."""


class ObjectCache:
    """A folder of compiled code; `limit` bounds its size in bytes, the longest unused go first."""

    def __init__(self, folder: Path, *, limit: int = 512 * 2**20, patience: float = 5.0) -> None:
        # Without links: what is looked at is then what is used.
        self.folder = Path(os.path.realpath(folder))
        self.limit = limit
        self.patience = patience
        self._warned = False
        self._unseen: int | None = None  # bytes written since the folder was last looked through

    def get_or_make(self, key: str, make: Callable[[], bytes], read: Callable[[bytes], Any] = bytes) -> Any:
        """What `read` makes of the bytes of this key (64 hexadecimal digits).

        Where there are none, or `read` raises one of `UNREADABLE`, they are made, once among all processes where that
        can be had.
        """
        if not self._usable():
            return read(make())
        try:
            return self._read_as(key, read)
        except UNREADABLE:
            pass
        with self._locked(key):
            try:
                return self._read_as(key, read)
            except UNREADABLE:
                payload = make()
                self.write(key, payload)
        return read(payload)

    def _read_as(self, key: str, read: Callable[[bytes], Any]) -> Any:
        payload = self.read(key)
        if payload is None:
            raise KeyError(key)
        return read(payload)

    def find(self, key: str, ending: str = _ENDING) -> bytes | None:
        """What is stored under this key in a folder that can be trusted; nothing is made."""
        try:
            return None if _distrust(self.folder) else self.read(key, ending)
        except OSError:
            return None

    def store(self, key: str, payload: bytes, ending: str = _ENDING) -> None:
        """Put something there, if the folder can be used."""
        if self._usable():
            self.write(key, payload, ending)

    def path(self, key: str, ending: str = _ENDING) -> Path:
        """Where the code of this key lies."""
        return self.folder / f"{key}{ending}"

    def read(self, key: str, ending: str = _ENDING) -> bytes | None:
        """The payload, if the file is there and whole and this user's alone; a file that is not is removed."""
        path = self.path(key, ending)
        try:
            data = read_file(path, _HEADER.size + self.limit, _foreign, NO_LINKS)
        except OSError as problem:
            linked = problem.errno == ELOOP
            if linked or isinstance(problem, Refused):
                self._warn(f"{path.name} is not trusted: {'it is a link' if linked else problem.strerror}")
                _remove(path)
            return None
        payload = data[_HEADER.size :]
        if data[: _HEADER.size] != _header(key, payload):
            _remove(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return payload

    def write(self, key: str, payload: bytes, ending: str = _ENDING) -> None:
        """Put the payload there, whole or not at all; not at all where what runs is not what the key was made of.

        The disk is not waited for: what a crash of the machine cuts off is not what its header says.
        """
        if not is_as_digested():
            return
        try:
            put_in_place({self.path(key, ending): _header(key, payload) + payload}, private=True)
            self._trim_if_due(_HEADER.size + len(payload))
        except OSError as problem:
            self._warn(f"compiled code could not be stored ({problem.strerror or problem})")

    def _usable(self) -> bool:
        """Whether the folder exists or can be made, and only this user can write to it."""
        try:
            for missing in [folder for folder in (*reversed(self.folder.parents), self.folder) if not folder.exists()]:
                missing.mkdir(mode=0o700, exist_ok=True)  # for this user alone
            reason = _distrust(self.folder)
        except OSError as problem:
            reason = f"the cache folder cannot be made ({problem.strerror or problem})"
        if reason:
            self._warn(reason)
        return not reason

    @contextlib.contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        """One process at a time for a key; a lock that another holds is awaited for at most `patience`."""
        from filelock import FileLock, Timeout

        # Locks are shared by keys with the same first digits, so that lock files do not pile up.
        lock = FileLock(self.folder / f"{key[:2]}.lock", timeout=self.patience)
        # Without a lock, or on a file system that has none, work may be done twice; nothing is lost by it.
        with contextlib.suppress(Timeout, OSError, NotImplementedError):
            lock.acquire()
        try:
            yield
        finally:
            if lock.is_locked:
                lock.release()

    def _trim_if_due(self, written: int) -> None:
        """Look through the folder once in a while: at the first writing, and when much was written since."""
        mark = self.folder / "looked"
        if self._unseen is None and mark.exists() and abs(time.time() - mark.stat().st_mtime) < _LOOKED_SECONDS:
            self._unseen = 0
        if self._unseen is not None and self._unseen + written <= self.limit // _SHARE_UNSEEN:
            self._unseen += written
            return
        self._trim()
        mark.touch(0o600)
        self._unseen = 0

    def _trim(self) -> None:
        """Remove the entries unused for longest until the rest is within the limit, and leftovers of killed writers."""
        files: list[tuple[float, int, str]] = []
        now = time.time()
        with os.scandir(self.folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if entry.name.endswith(_ENDING):
                        status = entry.stat()
                        files.append((status.st_mtime, status.st_size, entry.path))
                    elif entry.name.endswith(WAITING) and now - entry.stat().st_mtime > _STALE_SECONDS:
                        os.unlink(entry.path)
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self.limit:
                break
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size

    def _warn(self, reason: str) -> None:
        if not self._warned:
            self._warned = True
            warn(
                f"{self.folder}: {reason}; polhode works without its cache. "
                "Set POLHODE_CACHE_DIR to a folder of your own to have one.",
                CacheWarning,
            )


def _distrust(folder: Path) -> str:
    """Why a folder is not to be used, or nothing: who may write to it, or may put another in its place?"""
    if not stat.S_ISDIR(os.lstat(folder).st_mode):
        return "the cache folder is not a folder"
    if not hasattr(os, "geteuid"):
        return ""
    me = os.geteuid()
    status = os.lstat(folder)
    if status.st_uid != me:
        return "the cache folder belongs to another user and is not trusted"
    if status.st_mode & _OTHERS_WRITE:
        who = "everybody" if status.st_mode & stat.S_IWOTH else "its group"
        return f"the cache folder can be written by {who} and is not trusted"
    for above in folder.parents:
        status = os.lstat(above)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid not in (0, me):
            return f"the cache folder lies in {above}, which belongs to another user, and is not trusted"
        # In a folder with the sticky bit, such as /tmp, each user can replace only what is their own.
        if status.st_mode & _OTHERS_WRITE and not status.st_mode & stat.S_ISVTX:
            return f"the cache folder lies in {above}, which others can write, and is not trusted"
    return ""


def _foreign(status: os.stat_result) -> str:
    """Why a file is not trusted, or "": it must belong to this user and be writable by nobody else."""
    if status.st_nlink > 1 and stat.S_ISREG(status.st_mode):
        return "it has a second name"
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return "it belongs to another user"
    if hasattr(os, "geteuid") and status.st_mode & _OTHERS_WRITE:
        return "others can write it"
    return irregular(status)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def default_cache() -> ObjectCache:
    """The user's cache: the folder named by POLHODE_CACHE_DIR, else the platform's place for caches."""
    name = os.environ.get("POLHODE_CACHE_DIR")
    if name:
        return _cache_at(Path(name))
    from platformdirs import user_cache_dir

    return _cache_at(Path(user_cache_dir("polhode")))


@functools.cache
def _cache_at(folder: Path) -> ObjectCache:
    return ObjectCache(folder)


def _header(key: str, payload: bytes) -> bytes:
    digest = hashlib.sha256(payload).digest()
    return _HEADER.pack(_MAGIC, _VERSION, bytes.fromhex(key), len(payload), digest)
