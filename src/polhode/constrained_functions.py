"""The functions of systems with constraints: their values, rates and rows, and the way back to them."""

from __future__ import annotations

from collections.abc import Callable

from .equations import Equations
from .errors import PolhodeError
from .expr import Expr, Matrix

Outputs = list[tuple[str, tuple[int, ...], list[Expr]]]


def _multipliers(equations: Equations) -> Outputs:
    entries = list(equations.multipliers)
    return [("multipliers", (len(entries),), entries)]


def _stabilised_rates(equations: Equations) -> Outputs:
    entries = [*equations.coordinate_rates, *equations.stabilised_dynamics]
    return [("xdot", (len(entries),), entries)]


def _kept_rates(equations: Equations) -> Outputs:
    step, change = equations.way_back
    pivots = list(equations.constraint_pivots)
    return [
        *_stabilised_rates(equations),
        ("pivots", (len(pivots),), pivots),
        ("step", (len(step),), list(step)),
        ("change", (len(change),), list(change)),
    ]


def _of_constraints(name: str, field: str) -> Callable[[Equations], Outputs]:
    def outputs(equations: Equations) -> Outputs:
        ties = equations.constraints
        if ties is None:
            raise PolhodeError(
                f"system '{equations.system.name}' has no constraints, and so no {name.replace('_', ' ')}.",
                code="E-FUN-002",
            )
        made = getattr(ties, field)
        if isinstance(made, Matrix):
            return [(name, (len(ties.rows), len(ties.tree.u)), list(made.entries()))]
        return [(name, (len(made),), list(equations._bound(made)))]

    return outputs


def _kinematic_matrix(equations: Equations) -> Outputs:
    made = equations.tree.kinematic_matrix()
    return [("kinematic_matrix", (len(equations.q), len(equations.tree.u)), list(made.entries()))]


#: Those that there are where a system has constraints; with multipliers, the first three.
CONSTRAINED: dict[str, tuple[tuple[str, ...], Callable[[Equations], Outputs]]] = {
    "multipliers": (("q", "u", "tau"), _multipliers),
    "stabilised_rates": (("x", "tau", "alpha"), _stabilised_rates),
    "kept_rates": (("x", "tau", "alpha"), _kept_rates),
    "constraint_values": (("q",), _of_constraints("constraint_values", "values")),
    "constraint_rates": (("q", "u"), _of_constraints("constraint_rates", "rates")),
    "constraint_matrix": (("q",), _of_constraints("constraint_matrix", "A")),
    "constraint_bias": (("q", "u"), _of_constraints("constraint_bias", "gamma")),
    "kinematic_matrix": (("q",), _kinematic_matrix),
}
