"""Values that a user gives to equations, in SI units before anything else sees them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import CO_VARKEYWORDS
from types import FunctionType
from typing import Any, TypeVar

T = TypeVar("T")


def reads_parameters(owner: type[T]) -> type[T]:
    """A class whose public methods take `parameters` with units: texts such as "25 kN/m" are converted to SI units."""
    methods = {name: method for kind in owner.__mro__[::-1] for name, method in vars(kind).items()}
    for name, method in methods.items():
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(owner, name, _reading(method))
    return owner


def _reading(method: FunctionType) -> Callable[..., Any]:
    code = method.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    at = code.co_varnames[: code.co_argcount].index("parameters") if "parameters" in names[: code.co_argcount] else 0
    if "parameters" not in names and not code.co_flags & CO_VARKEYWORDS:
        return method

    @wraps(method)
    def read(self: Any, *given: Any, **options: Any) -> Any:
        if options.get("parameters"):
            options["parameters"] = _in_si(self, options["parameters"])
        elif 0 < at <= len(given):
            given = (*given[: at - 1], _in_si(self, given[at - 1]), *given[at:])
        return method(self, *given, **options)

    return read


def _in_si(equations: Any, given: Any) -> Any:
    from ..model.unit import si_values

    return si_values(equations.derivation.model.parameters, given)
