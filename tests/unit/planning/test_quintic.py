"""The quintic between two states."""

from __future__ import annotations

from polhode.expr import as_expr, same, substitute, symbol, symbols
from polhode.planning import quintic


def test_it_has_the_given_values_velocities_and_accelerations_exactly() -> None:
    t, T = symbol("t", "time"), symbol("T", "parameter")
    start, end = symbols("p v a"), symbols("P V A")
    made = quintic(t, start, end, T)
    jet = [made, made.diff(t), made.diff(t).diff(t)]
    assert same(substitute(jet, {t: as_expr(0)}), start)
    assert same(substitute(jet, {t: T}), end)
    assert not made.diff(t).diff(t).diff(t).diff(t).diff(t).diff(t)
