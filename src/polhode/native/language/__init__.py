"""The language of native code: plain Python functions over records, arrays and numbers, translated to LLVM IR."""

from ...codegen.llvm.function import WIDTH, TranslationError
from ..kinds import Array, Code, Integers, Pointers, Struct
from . import operations
from .operations import *  # noqa: F403 - the names are listed there, once
from .translator import Module, in_lanes, inline, native

__all__ = [
    "WIDTH", "Array", "Code", "Integers", "Module", "Pointers", "Struct", "TranslationError", "in_lanes", "inline",
    "native",
]  # fmt: skip
__all__ += operations.__all__
