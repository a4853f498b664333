"""Integrators, by their names: with step-size control (`adaptive`, `ida`) and with fixed steps (`fixed`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    METHODS: tuple[str, ...]


def __getattr__(name: str) -> Any:
    """METHODS, all of their names: made when they are asked for, since a run needs one kind of them."""
    if name != "METHODS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import adaptive, fixed

    return ("auto", *adaptive.METHODS, *fixed.METHODS)
