"""Names under which a person can tell an effort, a speed and an acceleration of one joint apart."""

from __future__ import annotations

from ..expr import Expr, symbol
from ..expr.latex import latex_name
from .tree import Tree


def shown_symbols(tree: Tree) -> dict[Expr, Expr]:
    """Symbols to show: an effort as τ_name, an acceleration as name', a speed named as its coordinate as name'."""
    names: dict[Expr, str] = {}
    coordinates = set(tree.coordinates)
    for u, tau in zip(tree.u, tree.tau, strict=True):
        speed = f"{u.name}'" if u.name in coordinates else u.name
        names[symbol(u.name, "acceleration")] = f"{speed}'"
        names[tau] = f"τ_{tau.name}"
        if speed != u.name:
            names[u] = speed
    return {old: symbol(new, "shown") for old, new in names.items()}


def shown_latex(tree: Tree) -> dict[Expr, str]:
    """The same in LaTeX, with dots."""
    names: dict[Expr, str] = {tau: rf"\tau_{{{latex_name(tau.name)}}}" for tau in tree.tau}
    coordinates = set(tree.coordinates)
    for u in tree.u:
        own = latex_name(u.name)
        clash = u.name in coordinates
        names[symbol(u.name, "acceleration")] = rf"\ddot{{{own}}}" if clash else rf"\dot{{{own}}}"
        if clash:
            names[u] = rf"\dot{{{own}}}"
    return names
