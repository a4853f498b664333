"""A program through the system's C compiler into a shared library."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..errors import LimitError, PolhodeError
from ..files.cache import ObjectCache
from ..files.version import key_of
from .stored_code import Code, CodeStore, Entry

_FLAGS = ("-std=c99", "-O2", "-fPIC", "-shared")
_SECONDS = 300


class SharedLibrary:
    """A shared library, loaded from a file that is deleted at once where the system allows it."""

    def __init__(self, code: bytes) -> None:
        with tempfile.TemporaryDirectory(prefix="polhode-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / ("code.dll" if sys.platform == "win32" else "code.so")
            path.write_bytes(code)
            self._library = ctypes.CDLL(str(path))

    def address(self, name: str) -> int:
        """The address of a function of this library."""
        return int(ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value or 0)


def compiler() -> list[str]:
    """The command of the C compiler: CC from the environment, else cc, gcc or clang."""
    chosen = shlex.split(os.environ.get("CC", ""))
    for command in [chosen] if chosen else [["cc"], ["gcc"], ["clang"]]:
        if shutil.which(command[0]):
            return command
    raise PolhodeError("there is no C compiler.", "", "Install one, or set CC to its command.", "E-CODE-MISSING")


def load_source(name: str, text: str, cache: ObjectCache | None, header: str = "") -> Code:
    """C source, and a header `<name>.h` that it may include, as a loaded shared library."""
    command = [*compiler(), *_FLAGS]
    circumstances = [" ".join(command), _version(command[0])] if cache else []
    store = CodeStore(cache, key_of(header, text, *circumstances))
    facts = {"code": {"form": "library"}}
    return store.code("library", lambda: Entry(facts, code=_shared_library(command, name, header, text)))


def _version(command: str) -> str:
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False, timeout=20)
    return done.stdout


def _shared_library(command: list[str], name: str, header: str, source: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="polhode-") as folder:
        Path(folder, f"{name}.h").write_text(header)
        Path(folder, "code.c").write_text(source)
        try:
            done = subprocess.run(
                [*command, "-o", "code.so", "code.c", "-lm"],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired as problem:
            message, cure = f"the C compiler needed more than {_SECONDS} s.", 'Take backend="llvm".'
            raise LimitError(message, command[0], cure, "E-CODE-UNSUPPORTED") from problem
        if done.returncode:
            first = (done.stderr.strip().splitlines() or ["no message"])[0]
            message = f"the C compiler failed with status {done.returncode}: {first}"
            raise PolhodeError(message, command[0], "Set CC to another compiler.", "E-CODE-UNSUPPORTED")
        return Path(folder, "code.so").read_bytes()
