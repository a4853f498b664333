"""Compiled code on disk: content-addressed files, verified before use, never half-written.

A file is a header (magic, version, key, length, SHA-256 of the payload) and the payload. A file that does not verify is
as good as absent. Whatever goes wrong here — no room, no right, a lock that nobody gives back — costs time only: the
code is compiled in memory, and one warning says why.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import struct
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

_HEADER = struct.Struct("<16s I 32s Q 32s")
_MAGIC = b"polhode object\r\n"
_VERSION = 1
_STALE_SECONDS = 3600.0
# A folder may hold ten thousand files: it is looked through at a first writing, then once in this share of its limit.
_SHARE_UNSEEN = 64


class CacheWarning(UserWarning):
    """The cache of compiled code cannot be used; everything works, only slower to start."""


class ObjectCache:
    """A folder of compiled code; `limit` bounds its size in bytes, the longest unused go first."""

    def __init__(self, folder: Path, *, limit: int = 512 * 2**20, patience: float = 5.0) -> None:
        self.folder = folder
        self.limit = limit
        self.patience = patience
        self._warned = False
        self._unseen: int | None = None  # bytes written since the folder was last looked through

    def get_or_make(self, key: str, make: Callable[[], bytes]) -> bytes:
        """The code of this key (64 hexadecimal digits), made once among all processes where that can be had."""
        if not self._usable():
            return make()
        found = self.read(key)
        if found is not None:
            return found
        with self._locked(key):
            found = self.read(key)
            if found is None:
                found = make()
                self.write(key, found)
        return found

    def find(self, key: str) -> bytes | None:
        """What is kept under this key in a folder that can be trusted; nothing is made and nothing is said."""
        try:
            return None if _distrust(self.folder.stat()) else self.read(key)
        except OSError:
            return None

    def keep(self, key: str, payload: bytes) -> None:
        """Put something there, if the folder can be used."""
        if self._usable():
            self.write(key, payload)

    def path(self, key: str) -> Path:
        """Where the code of this key lies."""
        return self.folder / f"{key}.bin"

    def read(self, key: str) -> bytes | None:
        """The payload, if the file is there and whole and ours; a file that is not is removed."""
        path = self.path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        payload = data[_HEADER.size :]
        if data[: _HEADER.size] != _header(key, payload):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return payload

    def write(self, key: str, payload: bytes) -> None:
        """Put the payload there in one motion: temporary file, sync, rename."""
        import tempfile

        temporary = ""
        try:
            descriptor, temporary = tempfile.mkstemp(dir=self.folder, prefix="new-", suffix=".tmp")
            with os.fdopen(descriptor, "wb") as file:
                file.write(_header(key, payload))
                file.write(payload)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path(key))
            self._trim_if_due(_HEADER.size + len(payload))
        except OSError as problem:
            self._warn(f"compiled code could not be kept ({problem.strerror or problem})")
            with contextlib.suppress(OSError):
                os.unlink(temporary)

    def _usable(self) -> bool:
        """The folder exists or can be made, belongs to this user, and nobody else may write to it."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = self.folder.stat()
        except OSError as problem:
            self._warn(f"the cache folder cannot be made ({problem.strerror or problem})")
            return False
        reason = _distrust(status)
        if reason:
            self._warn(reason)
        return not reason

    @contextlib.contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        """One process at a time for a key, but nobody waits longer than `patience` for another's lock."""
        from filelock import FileLock, Timeout

        # Locks are shared by keys with the same first digits, so that lock files do not pile up.
        lock = FileLock(self.folder / f"{key[:2]}.lock", timeout=self.patience)
        held = False
        try:
            lock.acquire()
            held = True
        except (Timeout, OSError, NotImplementedError):
            held = False
        try:
            yield
        finally:
            if held:
                lock.release()

    def _trim_if_due(self, written: int) -> None:
        """Look through the folder once in a while: at the first writing, and when much was written since."""
        if self._unseen is not None and self._unseen + written <= self.limit // _SHARE_UNSEEN:
            self._unseen += written
            return
        self._trim()
        self._unseen = 0

    def _trim(self) -> None:
        """Remove what was not used for longest until the rest is within the limit, and leftovers of killed writers."""
        files: list[tuple[float, int, str]] = []
        now = time.time()
        with os.scandir(self.folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if entry.name.endswith(".bin"):
                        status = entry.stat()
                        files.append((status.st_mtime, status.st_size, entry.path))
                    elif entry.name.endswith(".tmp") and now - entry.stat().st_mtime > _STALE_SECONDS:
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
            warnings.warn(
                f"{self.folder}: {reason}; polhode works without its cache. "
                "Set POLHODE_CACHE_DIR to a folder of your own to have one.",
                CacheWarning,
                stacklevel=2,
            )


def _distrust(status: os.stat_result) -> str:
    """Why a folder is not to be used, or nothing."""
    if not stat.S_ISDIR(status.st_mode):
        return "the cache folder is not a folder"
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            return "the cache folder belongs to another user and is not trusted"
        if status.st_mode & stat.S_IWOTH:
            return "the cache folder can be written by everybody and is not trusted"
    return ""


def default_cache() -> ObjectCache:
    """The user's cache: the folder named by POLHODE_CACHE_DIR, else the platform's place for caches."""
    given = os.environ.get("POLHODE_CACHE_DIR")
    if given:
        return _cache_at(Path(given))
    from platformdirs import user_cache_dir

    return _cache_at(Path(user_cache_dir("polhode")))


@functools.cache
def _cache_at(folder: Path) -> ObjectCache:
    return ObjectCache(folder)


def _header(key: str, payload: bytes) -> bytes:
    digest = hashlib.sha256(payload).digest()
    return _HEADER.pack(_MAGIC, _VERSION, bytes.fromhex(key), len(payload), digest)
