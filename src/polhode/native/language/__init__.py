"""The language of native code: plain Python functions over records, arrays and numbers, translated to LLVM IR."""

from ...codegen.llvm.function import WIDTH, TranslationError
from ..kinds import Array, Code, Integers, Pointers, Struct
from .operations import (
    INFINITY,
    NAN,
    absolute,
    any_lane,
    are_set,
    at,
    blocks,
    call,
    call_named,
    cos,
    counted,
    entry,
    exp,
    fma,
    greatest,
    is_nan,
    largest,
    local,
    log,
    power,
    record_at,
    row,
    set_marks,
    side_by_side,
    sin,
    smallest,
    sqrt,
    take_next,
    total,
    vector,
)  # fmt: skip
from .translator import Module, in_lanes, inline, native

__all__ = [
    "INFINITY", "NAN", "WIDTH", "Array", "Code", "Integers", "Module", "Pointers", "Struct", "TranslationError",
    "absolute", "any_lane", "are_set", "at", "blocks", "call", "call_named", "cos", "counted", "entry", "exp", "fma",
    "greatest", "in_lanes", "inline", "is_nan", "largest", "local", "log", "native", "power", "record_at", "row",
    "set_marks", "side_by_side", "sin", "smallest", "sqrt", "take_next", "total", "vector",
]  # fmt: skip
