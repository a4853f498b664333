"""Files that others may have made: opened without waiting, looked at, and read only if they are regular files.

Files that another one names, as meshes of robots, are looked for in allowed folders.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Mapping
from errno import EFBIG, EINVAL
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

_AT_ONCE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NO_LINKS: int = getattr(os, "O_NOFOLLOW", 0)

_PIECE = 1 << 20

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}

#: The status ("found", "missing", "refused"), the path if found, and the reason if not.
Located = tuple[str, Path | None, str]

_PACKAGE = "package://"
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")
_DRIVE = re.compile(r"[a-zA-Z]:[\\/]")


class Refused(OSError):
    """The opened file is refused; `strerror` is the reason."""


class TooLarge(Refused):
    """The file is longer than its stated size; `strerror` has its length."""


def irregular(status: os.stat_result) -> str:
    """That this is no regular file, or nothing."""
    if stat.S_ISREG(status.st_mode):
        return ""
    return f"it is {_KINDS.get(stat.S_IFMT(status.st_mode), 'something else')}, not a file"


def read_file(
    path: str | os.PathLike[str], limit: int, refused: Callable[[os.stat_result], str] = irregular, flags: int = 0
) -> bytes:
    """What is in a file of at most `limit` bytes.

    A pipe without a writer is not waited for. `refused` returns from the status of the opened file why it is not to be
    read, which is raised as `Refused`.
    """
    try:
        descriptor = os.open(path, _AT_ONCE | flags)
    except ValueError as error:  # a name with NUL or half a character
        raise OSError(EINVAL, str(error)) from None
    try:
        status = os.fstat(descriptor)
        reason = refused(status)
        if reason:
            raise Refused(EINVAL, reason)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(status.st_size + 1) if status.st_size <= limit else b""
            while status.st_size < len(content) <= limit and (more := file.read(_PIECE)):
                content += more  # the file grows, or the system does not state its size
        size = max(status.st_size, len(content))
        if size > limit:
            raise TooLarge(EFBIG, f"the file has {size:,} bytes, more than {limit:,}")
        return content
    finally:
        os.close(descriptor)


def locate(filename: str, folder: Path, packages: Mapping[str, Path]) -> Located:
    """Where a file lies that another one names: only inside that one's folder, or packages that a user named.

    A path is judged by its text before anything is looked up, and again after links are followed; nothing is opened.
    """
    if not filename.strip():
        return "missing", None, "no file is named"
    if filename.startswith(_PACKAGE):
        name, _, rest = filename.removeprefix(_PACKAGE).partition("/")
        if name not in packages:
            return "missing", None, f"the package '{name}' is not known"
        return inside(packages[name], unquote(rest))
    if filename.startswith("file://"):
        return _inside_any(unquote(filename.removeprefix("file://")), [folder, *packages.values()])
    if _SCHEME.match(filename):
        return "refused", None, "nothing is fetched from a network"
    if _DRIVE.match(filename) or "\\" in filename:
        return "refused", None, "it is a Windows path"
    if PurePosixPath(filename).is_absolute():
        return _inside_any(filename, [folder, *packages.values()])
    return inside(folder, filename)


def _inside_any(text: str, roots: list[Path]) -> Located:
    wanted = os.path.normpath(text)
    for root in roots:
        top = os.path.abspath(root)
        if wanted == top or wanted.startswith(top + os.sep):
            return inside(root, os.path.relpath(wanted, top))
    return "refused", None, "it lies outside the allowed folders"


def inside(root: Path, relative: str) -> Located:
    """The path of a file inside a folder, links resolved; a path that leaves the folder is refused."""
    outside = ("refused", None, "it lies outside the allowed folders")
    plain = os.path.normpath(relative)
    if plain.startswith("..") or os.path.isabs(plain) or "\0" in plain:
        return outside
    try:
        top = root.resolve()
        target = (root / plain).resolve()
        if not target.is_relative_to(top):
            return outside
        return ("found", target, "") if target.is_file() else ("missing", None, "there is no such file")
    except OSError as error:
        return "missing", None, error.strerror or "it cannot be looked up"


#: The kinds of mesh that are drawn, by the ends of their names; no other file is taken from above a robot's folder.
MESH_KINDS = (".stl", ".obj", ".dae", ".glb", ".gltf")
#: How many folders above the robot's own are looked into.
_LEVELS = 8

_IN_PACKAGE = re.compile(r"(?:package|model)://")


def locate_mesh(
    filename: str, folder: Path, packages: Mapping[str, Path], kinds: tuple[str, ...] = MESH_KINDS
) -> Located:
    """As `locate`, and where that finds nothing, by walking up from the file.

    `package://arm/meshes/link.stl` is looked for as `arm/meshes/link.stl` in each folder above, and as
    `meshes/link.stl` in one that is called `arm`; `../meshes/link.stl` where it says. Only files of these kinds are
    looked for so, what links lead out of the folder found is refused, and nothing is opened.
    """
    first = locate(filename, folder, packages)
    package = _IN_PACKAGE.match(filename)
    plain = os.path.normpath(unquote(filename[package.end() :]).lstrip("/") if package else filename)
    is_relative = not PurePosixPath(filename).is_absolute() and "://" not in filename and "\\" not in filename
    if first[1] is not None or not _is_of(plain, kinds) or not (package or (is_relative and filename[1:2] != ":")):
        return first
    try:
        above = [folder.resolve(), *folder.resolve().parents][:-1][: _LEVELS + 1]  # never the root of all
    except OSError:
        return first
    climbs = sum(part == ".." for part in PurePosixPath(plain).parts)
    if climbs:
        inner = os.sep.join(PurePosixPath(plain).parts[climbs:])
        places = [] if package else [(top, inner) for top in above[climbs:][:1]]
    else:
        places = [(top, plain) for top in above]
        name, _, rest = plain.partition("/")
        places += [(top, rest) for top in above if package and rest and top.name == name]
    candidates = (inside(top, rest) for top, rest in places)
    return next((c for c in candidates if c[1] is not None and _is_of(c[1].name, kinds)), first)


def _is_of(name: str, kinds: tuple[str, ...]) -> bool:
    return PurePosixPath(name).suffix.lower() in kinds
