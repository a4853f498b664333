"""Machine code: how it is made of programs, loaded, stored on disk and called. Nothing is loaded at import."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compiled import Compiled, compile_program


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(".compiled", __name__), name)


__all__ = ["Compiled", "compile_program"]
