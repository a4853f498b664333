"""Closed loops: efforts and inputs that follow laws, expressions of time and state, put into the graphs themselves.

A function of the catalogue with laws takes the same arrays as without: those entries of τ and the inputs that a law
gives are not read. What is left is a function of time and state, which native code runs without asking anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError, fault_at, listed
from ..expr import Expr, as_expr, free_symbols, substitute
from ..expr.spelling import spelled
from ..model.digest import digest_of

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from .quantities import Outputs

fault = fault_at("laws")


@dataclass(frozen=True, eq=False)
class Laws:
    """What some efforts and inputs are: expressions of time, unknowns, parameters, and efforts and inputs without laws.

    They pickle, as expressions do.
    """

    given: Mapping[Expr, Expr]

    @cached_property
    def digest(self) -> str:
        """A digest of the laws as they are written, under which functions with them are stored."""
        return digest_of([*self.given, *self.given.values()])

    def put_into(self, outputs: Outputs) -> Outputs:
        """The outputs of a function with the laws in place of what they give."""
        made = substitute([root for _, _, entries in outputs for root in entries], self.given)
        start, found = 0, []
        for name, shape, entries in outputs:
            found.append((name, shape, made[start : start + len(entries)]))
            start += len(entries)
        return found


def laws_of(equations: EquationsOfMotion, given: Mapping[Expr, Any]) -> Laws:
    """Laws by the symbols of efforts and inputs, in unknowns alone: dependent symbols are replaced."""
    symbols = [as_expr(symbol) for symbol in given]
    values = substitute([as_expr(value) for value in given.values()], equations.tree.followed)
    values = list(equations.in_independent_speeds(values))
    acting = {*equations.tau, *(each.symbol for each in equations.system.inputs.values())}
    known = {*equations.q, *equations.u, *equations.z, equations.system.time, *acting}
    known |= {each.symbol for each in equations.system.parameters.values()}
    for symbol, value in zip(symbols, values, strict=True):
        if symbol not in acting:
            raise fault(
                f"{spelled(symbol)} is no effort or input of system '{equations.system.name}'.",
                "Give laws by the symbols in equations.tau, or of the system's inputs.",
                "E-RUN-NAME",
            )
        strange = [met for met in free_symbols([value]) if met not in known]
        if strange:
            message = f"it depends on the {strange[0].data[0]} '{strange[0].name}', which this run does not have."
            cure = "Use time, coordinates, speeds, states, parameters, inputs and efforts of this system."
            raise PolhodeError(message, f"the law of the {symbol.data[0]} '{symbol.name}'", cure, "E-RUN-DEPENDENCE")
    return Laws(dict(zip(symbols, _resolved(symbols, values), strict=True)))


def _resolved(symbols: list[Expr], values: list[Expr]) -> list[Expr]:
    """Laws in which no other law's effort or input is left."""
    own = set(symbols)
    for _ in symbols:
        if own.isdisjoint(free_symbols(values)):
            return values
        values = substitute(values, dict(zip(symbols, values, strict=True)))
    if own.isdisjoint(free_symbols(values)):
        return values
    circle = [f"'{each.name}'" for each, value in zip(symbols, values, strict=True) if own & {*free_symbols([value])}]
    raise fault(
        f"the laws of {listed(circle)} depend on each other in a circle.",
        "Write one of them without the others.",
        "E-RUN-DEPENDENCE",
    )
