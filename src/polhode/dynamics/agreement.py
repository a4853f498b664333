"""Whether two derivations came to the same equations of motion."""

from __future__ import annotations

from ..expr import Expr, same
from .equations import EquationsOfMotion


def agree(one: EquationsOfMotion, other: EquationsOfMotion) -> bool:
    """Whether two derivations give the same functions, by fingerprint; see `EquationsOfMotion.agrees_with`.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    >>> agree(s.derive("kane").record, s.derive("poincare").record)
    True
    """
    reduced = other if other.dependent_speeds is not None and one.dependent_speeds is None else one
    if reduced.dependent_speeds is not None and one.speeds != other.speeds:
        ours, theirs = (reduced.in_independent_speeds(_rates_of_all_speeds(each)) for each in (one, other))
        return same(ours, theirs)
    alike = [
        (each.mass_matrix.entries(), each.inverse_dynamics, each.forward_dynamics, each.z_rates)
        for each in (one, other)
    ]
    return all(same(ours, theirs) for ours, theirs in zip(*alike, strict=True))


def _rates_of_all_speeds(equations: EquationsOfMotion) -> list[Expr]:
    """u̇ of all speeds of the tree, and ż, as functions of these speeds."""
    entries = [*equations.accelerations, *equations.z_rates]
    return entries if equations.dependent_speeds is None else equations.dependent_speeds.in_all_speeds(entries)
