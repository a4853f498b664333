"""Symbols: the leaves of the graph that have names."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import PolhodeError, shown, understood
from .field import hash_to_field, unit_sphere_point
from .node import SYMBOL, Expr, intern_leaf


def symbol(name: str, kind: str = "symbol", role: str = "") -> Expr:
    """The symbol with this name and `kind`; symbols of different kinds never clash, whatever their names.

    A role is no part of what a symbol is, only of how it is written; see `polhode.expr.spelling`.
    """
    wrong = [given for given in (name, kind, role) if not isinstance(given, str)]
    if wrong:
        raise PolhodeError(
            f"a symbol is named by a text, not by {shown(wrong[0])}.",
            cure='Write for example symbol("m").',
            code="E-EXPR-009",
        )
    data = (kind, name, role) if role else (kind, name)
    return intern_leaf((SYMBOL, *data), SYMBOL, (), hash_to_field("symbol", kind, name), data)


def symbols(names: str | Iterable[str], kind: str = "symbol") -> tuple[Expr, ...]:
    """Several symbols of a `kind` at once, by `names`: `m, g = symbols("m g")`.

    >>> m, g = symbols("m g")
    >>> m * g + g * m
    2*g*m
    """
    parts = names.replace(",", " ").split() if isinstance(names, str) else names
    with understood("a list of names", names, cure='Write for example symbols("m g").'):
        return tuple(symbol(name, kind) for name in parts)


def unit_symbols(names: Iterable[str], kind: str = "symbol") -> tuple[Expr, ...]:
    """Symbols with these `names`, of a `kind`, whose squares sum to one, as the components of a unit quaternion do.

    >>> a, b, c, d = unit_symbols(["a", "b", "c", "d"])
    >>> a**2 + b**2 + c**2 + d**2
    1
    """
    with understood("a list of names", names, cure='Write for example unit_symbols(["a", "b", "c", "d"]).'):
        names = tuple(symbol(name, kind).name for name in names)
        if not names:
            raise ValueError
    point = unit_sphere_point(kind, *names, dimension=len(names))
    return tuple(
        intern_leaf((SYMBOL, kind, name, names), SYMBOL, (), fp, (kind, name, names))
        for name, fp in zip(names, point, strict=True)
    )
