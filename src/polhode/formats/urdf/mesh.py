"""Where a mesh file is: only inside the robot file's folder and the packages that were named, and never opened."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

_PACKAGE = "package://"
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")
_DRIVE = re.compile(r"[a-zA-Z]:[\\/]")


def locate(filename: str, folder: Path, packages: Mapping[str, Path]) -> tuple[str, Path | None, str]:
    """Status ("found", "missing", "refused"), the path if found, and the reason if not.

    A path is judged by its text before anything is looked up, and again after links are followed.
    """
    if not filename.strip():
        return "missing", None, "no file is named"
    if filename.startswith(_PACKAGE):
        name, _, rest = filename.removeprefix(_PACKAGE).partition("/")
        if name not in packages:
            return "missing", None, f"the package '{name}' is not known"
        return _inside(packages[name], unquote(rest))
    if filename.startswith("file://"):
        return _inside_any(unquote(filename.removeprefix("file://")), [folder, *packages.values()])
    if _SCHEME.match(filename):
        return "refused", None, "nothing is fetched from a network"
    if _DRIVE.match(filename) or "\\" in filename:
        return "refused", None, "it is a Windows path"
    if PurePosixPath(filename).is_absolute():
        return _inside_any(filename, [folder, *packages.values()])
    return _inside(folder, filename)


def _inside_any(text: str, roots: list[Path]) -> tuple[str, Path | None, str]:
    wanted = os.path.normpath(text)
    for root in roots:
        top = os.path.abspath(root)
        if wanted == top or wanted.startswith(top + os.sep):
            return _inside(root, os.path.relpath(wanted, top))
    return "refused", None, "it lies outside the allowed folders"


def _inside(root: Path, relative: str) -> tuple[str, Path | None, str]:
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
