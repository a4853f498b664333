"""Opaque functions as SymPy functions that know their derivatives and the way back."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

import sympy

from .opaque.function import Opaque

_CLASSES: WeakValueDictionary[str, Any] = WeakValueDictionary()


def opaque_class(function: Opaque) -> Any:
    """The SymPy function that stands for an opaque one; the same class for the same function.

    >>> from polhode.expr.opaque.table import checked
    >>> x = sympy.Symbol("x")
    >>> opaque_class(checked([0, 1], [0, 2], name="f"))(2 * x).diff(x)
    2*f'(2*x)
    """
    made = _CLASSES.get(function.digest)
    if made is None:
        made = _CLASSES[function.digest] = _class(function)
    return made


def _class(function: Opaque) -> Any:
    def fdiff(self: Any, argindex: int = 1) -> Any:
        partial = function.partial(argindex - 1)
        return sympy.Integer(0) if partial is None else opaque_class(partial)(*self.args)

    members = {"polhode_function": function, "nargs": function.arity, "fdiff": fdiff, "is_real": True}
    return type(function.label, (sympy.Function,), members)
