"""The source targets by name; a new one is its file and an entry here."""

from __future__ import annotations

from ...errors import unknown
from . import c99, fortran, numpy_module
from .target import Target

TARGETS: dict[str, Target] = {target.name: target for target in (c99.TARGET, fortran.TARGET, numpy_module.TARGET)}


def target_of(name: str) -> Target:
    """A target by its name."""
    if not isinstance(name, str) or name not in TARGETS:
        raise unknown("target", name, TARGETS, place="target", code="E-CODE-NAME")
    return TARGETS[name]
