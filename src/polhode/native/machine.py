"""The machine that code is made for and the compiler that makes it, as a text, without loading the compiler."""

from __future__ import annotations

import os
import sys
from functools import cache

_CPU = "/proc/cpuinfo"
_SHOWN = 16_384

#: The lines of Linux's description of a processor that tell which code runs on it.
_TELLING = frozenset({
    "vendor_id", "cpu family", "model", "model name", "stepping", "flags",
    "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features",
})  # fmt: skip


@cache
def machine() -> str:
    """Operating system, processor with all its features, and the compiler: where one differs, code is made anew."""
    return "\n".join([sys.platform, *_processor(), *_compiler()])


def _processor() -> list[str]:
    try:
        with open(_CPU, "rb", buffering=0) as file:
            text = file.read(_SHOWN).decode("utf-8", "replace")
    except OSError:
        text = ""
    lines = [line.partition(":") for line in text.partition("\n\n")[0].splitlines()]
    told = {name.strip(): value.strip() for name, _, value in lines if name.strip() in _TELLING}
    if "flags" in told or "Features" in told:
        return [os.uname().machine, *(f"{name}={told[name]}" for name in sorted(told))]
    from .engine import host

    try:
        return [f"{name}={value}" for name, value in sorted(vars(host()).items())]
    except OSError:  # nothing that LLVM made is stored, or found, on such a machine
        import platform

        return [platform.machine(), platform.processor()]


def _compiler() -> list[str]:
    """The version of llvmlite and the size of its library; nothing where there is none."""
    from importlib.util import find_spec

    try:
        found = find_spec("llvmlite")
        if found is None or found.origin is None:
            return []
        folder = os.path.dirname(found.origin)
        with (
            open(os.path.join(folder, "_version.py"), encoding="utf-8") as file,
            os.scandir(f"{folder}/binding") as entries,
        ):
            libraries = [f"{entry.name} {entry.stat().st_size}" for entry in entries if "llvmlite" in entry.name]
            return [file.read(), *sorted(libraries)]
    except (ImportError, OSError, ValueError):
        return []
