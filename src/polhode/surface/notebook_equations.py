"""Equations as a notebook shows them: q̇, M and f in LaTeX, long ones folded; counted where nobody would read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..expr.latex_display import display_latex
from ..notebook import Cell, Table

if TYPE_CHECKING:
    from .equations import Equations

_SHOWN = {"coordinate_rates": r"\dot{q}", "mass_matrix": "M", "forcing": "f", "z_rates": r"\dot{z}"}
_COUNTED = ("mass_matrix", "inverse_dynamics", "forward_dynamics")


def bundle_of(equations: Equations) -> dict[str, str]:
    """Text always; LaTeX of M u̇ = f and what goes with it, or, where nobody would read that, what functions cost."""
    typeset = latex_of(equations)
    if typeset is not None:
        return {"text/plain": repr(equations), "text/latex": typeset}
    cell = _counted(equations)
    return {"text/plain": cell.text(), "text/html": cell.html()}


def latex_of(equations: Equations) -> str | None:
    """The equations in LaTeX, each result on its line; None where they are too long to read."""
    record = equations.record
    left_out = {*(["coordinate_rates"] if _is_plain(equations) else []), *([] if record.z else ["z_rates"])}
    shown = [(letter, getattr(record, name)) for name, letter in _SHOWN.items() if name not in left_out]
    return display_latex(shown) if all(len(value) for _, value in shown) else None


def _is_plain(equations: Equations) -> bool:
    """Whether the speeds are the rates of the coordinates."""
    rates, speeds = equations.record.coordinate_rates, equations.record.u
    return len(rates) == len(speeds) and all(a is b for a, b in zip(rates, speeds, strict=True))


def _counted(equations: Equations) -> Cell:
    """What the equations cost, and where to see them."""
    rows = []
    for name in _COUNTED:
        cost = equations.operations(name)
        rows.append((name, cost.multiplications, cost.additions, cost.divisions, cost.sincos))
    table = Table(["function", "multiplications", "additions", "divisions", "sine-cosine pairs"], rows, numbers_from=1)
    return Cell(repr(equations), [table, 'Too long to read at once; latex("mass_matrix") gives one of them.'])
