"""From continuous time to samples: states with a rate get an update, in which the measurement is held."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import unknown
from ..expr import Expr, as_expr, substitute, symbol
from .law import Law

#: The rules by which states go from sample to sample: stages (c, a), each with a times the stage before, and weights.
RULES: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "euler": ((0,), (1,)),
    "rk4": ((0, "1/2", "1/2", 1), ("1/6", "1/3", "1/3", "1/6")),
}


def rule_of(given: Any) -> str:
    """A rule by which states go from sample to sample, by its name."""
    if not isinstance(given, str) or given not in RULES:
        raise unknown("discretisation", given, RULES, place="discretisation", code="E-CONTROL-NAME")
    return given


def discretised(law: Law, sample_time: Any, rule: str = "euler") -> Law:
    """The law with updates ξ⁺ = ξ + T Σ b k in place of the rates of its states; T is a number or a symbol."""
    stages, weights = RULES[rule_of(rule)]
    own = [each for each in law.states if each.rate is not None]
    if not own:
        return law
    T, time = as_expr(sample_time), symbol("t", "time")
    rates, symbols = [as_expr(each.rate) for each in own], [each.symbol for each in own]
    slopes: list[list[Expr]] = []
    for share in map(as_expr, stages):
        moved = {x: x + T * share * k for x, k in zip(symbols, slopes[-1], strict=True)} if slopes else {}
        slopes.append(substitute(rates, {**moved, time: time + share * T} if slopes else {}))
    updates = {
        x: x + T * sum((as_expr(b) * k[place] for b, k in zip(weights, slopes, strict=True)), as_expr(0))
        for place, x in enumerate(symbols)
    }
    states = tuple(
        replace(each, rate=None, update=as_expr(updates[each.symbol])) if each.rate is not None else each
        for each in law.states
    )
    return replace(law, states=states)
