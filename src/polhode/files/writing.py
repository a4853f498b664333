"""Files written whole or not at all: each beside its place first, then all are renamed into their places."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from polhode.errors import PolhodeError, path_of

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

#: What the files end in that wait beside their places; one that stays was left by a process that was killed.
WAITING = ".tmp"


def put_in_place(files: Mapping[Path, bytes], *, private: bool = False, durable: bool = False) -> None:
    """Write files; where one cannot be written, OSError or ValueError is raised and nothing half-written stays.

    `private` files are for this user alone, `durable` ones on the disk before they are in place.
    """
    waiting: dict[Path, Path] = {}
    try:
        for path, content in files.items():
            beside = path.with_name(f".polhode-{os.urandom(8).hex()}{WAITING}")
            descriptor = os.open(beside, _NEW, 0o600 if private else 0o666)
            waiting[beside] = path
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
                if durable:
                    stream.flush()
                    os.fsync(descriptor)
        for beside, path in waiting.items():
            os.replace(beside, path)
    except BaseException:
        for beside in waiting:
            beside.unlink(missing_ok=True)
        raise


def replace_file(path: str | os.PathLike[str], content: bytes) -> Path:
    """Put one file in place and return its path; a place that cannot be written to is named in the error."""
    target = path_of(path)
    try:
        put_in_place({target: content})
    except (OSError, ValueError) as error:
        message = f"the file cannot be written: {getattr(error, 'strerror', None) or error}."
        cure = "Name a file in a folder that exists and that you may write to."
        raise PolhodeError(message, str(target), cure, "E-FILE-WRITE") from error
    return target


def replace_folder(path: str | os.PathLike[str], write: Callable[[Path], object], replaceable: str) -> Path:
    """Put a folder in place that `write` fills; one that is there is replaced only if it holds a file `replaceable`.

    It is filled beside its place and renamed, so that it is there whole or not at all.
    """
    from shutil import rmtree

    target = path_of(path)
    beside = target.with_name(f".polhode-{os.urandom(8).hex()}{WAITING}")
    if target.exists() and not (target / replaceable).is_file():
        message = "something else is there, which is not replaced."
        raise PolhodeError(message, str(target), "Name another folder.", "E-FILE-WRITE")
    try:
        write(beside)
        old = target.with_name(f".polhode-{os.urandom(8).hex()}{WAITING}")
        if target.exists():
            os.replace(target, old)
        os.replace(beside, target)
        rmtree(old, ignore_errors=True)
    except (OSError, ValueError) as error:
        failure = f"the folder cannot be written: {getattr(error, 'strerror', None) or error}."
        cure = "Name a place in a folder that exists and that you may write to."
        raise PolhodeError(failure, place=str(target), cure=cure, code="E-FILE-WRITE") from error
    finally:
        rmtree(beside, ignore_errors=True)
    return target
