"""Compiled callables, their code on disk, batches, and fixed-step loops. Nothing is compiled or loaded at import."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polhode.compiled.native.compiled import Compiled, compile_program
    from polhode.compiled.native.fixed_step import FixedStep, Steps

_HOMES = {"Compiled": "compiled", "compile_program": "compiled", "FixedStep": "fixed_step", "Steps": "fixed_step"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


__all__ = ["Compiled", "FixedStep", "Steps", "compile_program"]
