"""A SymPy symbol that remembers which polhode symbol it stands for; imported only when the bridge is used."""

from __future__ import annotations

from typing import Any

import sympy

from .node import Expr


class PolhodeSymbol(sympy.Symbol):  # type: ignore[misc]  # SymPy has no types
    """A symbol that prints as its name and equals only itself: a speed `q` is not a parameter `q`."""

    __slots__ = ("node",)

    node: Expr

    def __new__(cls, node: Expr) -> PolhodeSymbol:
        made: PolhodeSymbol = sympy.Symbol.__xnew__(cls, node.name)
        made.node = node
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[Expr], dict[str, Any]]:
        return (self.node,), {}

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), *map(str, self.node.data))

    def sort_key(self, order: Any = None) -> Any:
        head, (count, names), *rest = super().sort_key(order)
        return head, (count, (*names, *map(str, self.node.data))), *rest
