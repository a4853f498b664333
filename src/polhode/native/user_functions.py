"""Users' functions for native code: their C source compiled and linked, or their Python callable called back."""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..codegen.ir.calls import user_functions
from ..codegen.ir.program import Program
from ..codegen.llvm.calls import user_symbol
from ..errors import PolhodeError, warn
from ..expr.opaque.user import UserFunction
from ..files.cache import ObjectCache

#: What LLVM's symbols point to lives as long as the process: loaded code may call it at any time.
_LINKED: dict[str, tuple[int, Any]] = {}
_LOCK = threading.Lock()


class FunctionWarning(UserWarning):
    """A user's function runs slowly through Python, or failed there."""


def link(program: Program, cache: ObjectCache | None) -> None:
    """Let LLVM find the users' functions that a program calls."""
    for _, function in user_functions(program):
        import llvmlite.binding as llvm

        llvm.add_symbol(user_symbol(function), address(function, cache))


def address(function: UserFunction, cache: ObjectCache | None) -> int:
    """Where a user's function lies: that of its C source, or one that calls its Python callable back."""
    with _LOCK:
        if function.digest not in _LINKED:
            _LINKED[function.digest] = _from_c(function, cache) or _from_python(function)
        return _LINKED[function.digest][0]


def over_arrays(program: Program, cache: ObjectCache | None) -> dict[str, Callable[..., Any]]:
    """Functions that are given in C alone, as functions of NumPy arrays."""
    import numpy as np

    found: dict[str, Callable[..., Any]] = {}
    for op, function in user_functions(program):
        if function.python is None:
            native = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * function.arity)(address(function, cache))
            found[op] = np.vectorize(native, otypes=[np.float64])
    return found


def _from_c(function: UserFunction, cache: ObjectCache | None) -> tuple[int, Any] | None:
    """The compiled source; None where there is none, or no compiler for it while there is a callable."""
    from .c_compiler import compiler, load_source

    if not function.source:
        return None
    try:
        compiler()
    except PolhodeError:
        if function.python is None:
            raise
        return None
    try:
        library = load_source(function.name, f"#include <math.h>\n{function.source}\n", cache)
    except PolhodeError as error:
        raise PolhodeError(
            f"its C source cannot be compiled: {error.problems[0].message}",
            place=f"function '{function.name}'",
            cure="Mend the source given as c=.",
            code="E-FUNCTION-014",
        ) from error
    try:
        return library.address(function.name), library
    except AttributeError:
        raise PolhodeError(
            "its C source compiles but does not export it.",
            place=f"function '{function.name}'",
            cure="Leave out `static` and `inline`.",
            code="E-FUNCTION-013",
        ) from None


def _from_python(function: UserFunction) -> tuple[int, Any]:
    reason = "there is no C compiler" if function.source else "it has no C source"
    warn(
        f"function '{function.name}' is called back in Python from native code, which is slow: {reason}.",
        FunctionWarning,
    )
    callback = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * function.arity)(_guarded(function))
    return int(ctypes.cast(callback, ctypes.c_void_p).value or 0), callback


def _guarded(function: UserFunction) -> Callable[..., float]:
    """The callable, giving nan where it fails: an exception cannot cross native code, and 0 would be a lie."""

    def guarded(*args: float) -> float:
        try:
            return function.at(*args)
        except Exception as error:
            with suppress(Warning):  # which a filter may have made an error
                said = f"function '{function.name}' failed and gives nan: {error!r}"
                warn(said, FunctionWarning)
            return math.nan

    return guarded
