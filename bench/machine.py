"""On what and of what it was measured: processor, system, versions, and a digest of our own source."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import polhode

_PACKAGES = (
    "polhode",
    "numpy",
    "scipy",
    "llvmlite",
    "sympy",
    "pin",
    "cmeel-eigen",
    "mujoco",
    "heyoka",
    "scikit-sundae",
    "exudyn",
    "casadi",
    "adam-robotics",
    "example-robot-data",
)


def machine() -> dict[str, str]:
    """What a reader needs to know to compare figures."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "compiler": _compiler(),
        "polhode's source": source_digest(),
        **{name: _version(name) for name in _PACKAGES},
    }


def source_digest() -> str:
    """Eight digits that change with any line of polhode, so that figures can be told apart between versions."""
    folder = Path(polhode.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:8]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def _compiler() -> str:
    found = shutil.which("g++")
    if found is None:
        return "none"
    run = subprocess.run([found, "-dumpfullversion"], capture_output=True, text=True, check=False)
    return f"g++ {run.stdout.strip()}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
