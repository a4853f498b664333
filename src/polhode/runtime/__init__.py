"""Compiled callables, the on-disk cache, batches, and fixed-step loops. Nothing is compiled or loaded at import."""

from polhode.runtime.compiled import Compiled, compile_program
from polhode.runtime.fixed_step import FixedStep, Steps

__all__ = ["Compiled", "FixedStep", "Steps", "compile_program"]
