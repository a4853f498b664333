"""Files that others may have made: opened without waiting, looked at, and read only if they are regular files."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from errno import EFBIG, EINVAL

_AT_ONCE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NO_LINKS: int = getattr(os, "O_NOFOLLOW", 0)

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Refused(OSError):
    """What was opened is not to be read; `strerror` says why."""


class TooLarge(Refused):
    """The file is longer than was said; `strerror` says how long it is."""


def irregular(status: os.stat_result) -> str:
    """That this is no regular file, or nothing."""
    if stat.S_ISREG(status.st_mode):
        return ""
    return f"it is {_KINDS.get(stat.S_IFMT(status.st_mode), 'something else')}, not a file"


def read_file(
    path: str | os.PathLike[str],
    limit: int,
    refused: Callable[[os.stat_result], str] = irregular,
    flags: int = 0,
) -> bytes:
    """What is in a file of at most `limit` bytes.

    A pipe that nobody writes to is not waited for. `refused` tells from the status of what was opened why it is not to
    be read, and that is raised as `Refused`.
    """
    descriptor = os.open(path, _AT_ONCE | flags)
    try:
        status = os.fstat(descriptor)
        reason = refused(status)
        if reason:
            raise Refused(EINVAL, reason)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(limit + 1) if status.st_size <= limit else b""
        size = max(status.st_size, len(content))  # it may be growing
        if size > limit:
            raise TooLarge(EFBIG, f"the file has {size:,} bytes, more than {limit:,}")
        return content
    finally:
        os.close(descriptor)
