"""The expression graph: exact, shared, fingerprinted.

Its names are loaded when one is used: the opaque functions below it belong to compiled code as well, which starts
without expressions.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .names import *  # noqa: F403 - the names are listed there, once


def __getattr__(name: str) -> Any:
    names = import_module(".names", __name__)
    globals().update({export: getattr(names, export) for export in names.__all__}, __all__=names.__all__)
    if name in globals():
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
