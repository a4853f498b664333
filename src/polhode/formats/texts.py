"""Expressions in texts beside a model: inputs, efforts, channels, references, pseudo-velocities."""

from __future__ import annotations

from dataclasses import replace

from ..expr import Expr
from ..model import Model, System
from .grammar import parse
from .names import scope_of
from .tables import tables_of


def expression_of(text: str, system: System | Model, *kinds: str) -> Expr:
    """The expression that a text spells, by the grammar of model files; no text becomes code.

    It may use the time, the tables of the model, and its symbols of these kinds (of all, if none is listed).

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    >>> spring = ph.table([-1, 1], [-50, 50], name="spring", outside="line")
    >>> s.joint_force(x, -spring(x.q[0]))
    >>> expression_of("spring(x/2) + t", s)
    t + spring(x/2)
    """
    return parse(text, replace(scope_of(system, *kinds, now=True), functions=tables_of(system)))
