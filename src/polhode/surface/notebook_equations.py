"""Equations as a notebook shows them: q̇, M and f in LaTeX, long ones folded; counted where nobody would read them."""

from __future__ import annotations

from typing import Any

from ..dynamics.naming import masses_of
from ..expr import Expr, Matrix, Vector, as_expr, free_symbols
from ..expr.latex_display import display_latex
from ..expr.latex_printer import entries_of
from ..expr.ordering import symbol_key
from ..laws.named_symbols import declared_controls
from ..notebook import Cell, Table
from .equations import Equations

_SHOWN = {
    "coordinate_rates": r"\dot{\mathbf{q}}", "mass_matrix": r"\mathbf{M}", "forcing": r"\mathbf{f}",
    "z_rates": r"\dot{\mathbf{z}}",
}  # fmt: skip
_COUNTED = ("mass_matrix", "inverse_dynamics", "forward_dynamics")


def bundle_of(equations: Equations) -> dict[str, str]:
    """Text, and LaTeX of M u̇ = f with its terms; or a table of operation counts, if the equations are long."""
    typeset = latex_of(equations)
    if typeset is not None:
        return {"text/plain": repr(equations), "text/latex": typeset}
    cell = counted_cell(equations)
    return {"text/plain": cell.text(), "text/html": cell.html()}


def latex_of(equations: Equations) -> str | None:
    """The equations in LaTeX, each result on its line; None where they are too long to read."""
    record = equations.record
    left_out = {*(["coordinate_rates"] if is_plain(equations) else []), *([] if record.z else ["z_rates"])}
    shown = [(letter, getattr(record, name)) for name, letter in _SHOWN.items() if name not in left_out]
    if not all(len(value) for _, value in shown):
        return None
    absent = without_source(equations, [entry for _, value in shown for entry in entries_of(value)])
    zero = dict.fromkeys(absent, 0)
    shown = [(head, type(value)(_replaced(value, zero))) for head, value in shown]
    names = [part for name in absent for part in (", ", name)][1:]
    words = [("Set to zero, as nothing in the model applies them: ", *names, ".")]
    return display_latex(shown, sentences=words if absent else (), masses=masses_of(record))


def _replaced(value: Matrix | Vector, zero: dict[Expr, int]) -> list[Any]:
    rows = value if isinstance(value, Matrix) else [value]
    shown = [[as_expr(entry).subs(zero) for entry in row] for row in rows]
    return shown if isinstance(value, Matrix) else shown[0]


def without_source(equations: Equations, entries: list[Any]) -> list[Expr]:
    """The efforts in expressions that nothing in the model applies: no motor, and no effort limit of a joint."""
    joints = equations.record.system.joints.values()
    limited = {tau for joint in joints if joint.effort_limits for tau in joint.tau}
    actuated = {*declared_controls(equations.record).values(), *limited}
    efforts = {*equations.record.tau}
    symbols = free_symbols([as_expr(entry) for entry in entries])
    return sorted((x for x in symbols if x in efforts and x not in actuated), key=symbol_key)


def is_plain(equations: Equations) -> bool:
    """Whether the speeds are the rates of the coordinates."""
    rates, speeds = equations.record.coordinate_rates, equations.record.u
    return len(rates) == len(speeds) and all(a is b for a, b in zip(rates, speeds, strict=True))


def counted_cell(equations: Equations) -> Cell:
    """A table of operation counts, and how to print the equations."""
    rows = []
    for name in _COUNTED:
        cost = equations.operations(name)
        rows.append((name, cost.multiplications, cost.additions, cost.divisions, cost.sincos))
    table = Table(["function", "multiplications", "additions", "divisions", "sine-cosine pairs"], rows, numbers_from=1)
    return Cell(repr(equations), [table, 'Too long to be read at once; latex("mass_matrix") writes one of them whole.'])
