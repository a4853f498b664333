"""`ph.lagrangian`: equations of motion from a Lagrangian that a user writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..expr import Expr, as_expr, free_symbols, jacobian, substitute
from ..expr.node import SYMBOL
from ..formalisms.derivation import Derivation
from ..formalisms.lagrange import check_mass_matrix, fault
from ..model import Prismatic, System
from .equations import Equations

#: What holds for equations of any origin.
_ALLOWED = frozenset({
    "agrees_with", "bias", "compile", "constraints", "coordinate_rates", "coordinates", "dependent_speeds",
    "derivation", "efforts", "equilibrium", "export", "forcing", "formalism", "forward_dynamics", "inverse_dynamics",
    "inverse_mass_matrix", "kinematic_matrix", "kinetic_energy", "latex", "linearize", "mass_matrix",
    "native_function", "parameter_derivatives", "passes", "potential_energy", "q", "record", "simulate", "speeds",
    "state_rates", "states", "sweep", "symbols", "system", "tau", "tree", "u", "udot", "z", "z_rates",
})  # fmt: skip


class FromLagrangian(Equations):
    """Equations of a Lagrangian: printed, compiled, exported, simulated, linearised; the rest is refused."""

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and name not in _ALLOWED and hasattr(Equations, name):
            message = f"equations of a Lagrangian have no {name!r}."
            cure = "They are printed, compiled, exported, simulated, swept and linearised; of a ph.System they have it."
            raise fault(message, cure, "E-DERIVE-UNSUPPORTED")
        return super().__getattribute__(name)

    @property
    def formalism(self) -> str:
        """Lagrange's equations."""
        return "lagrange"


def lagrangian(
    L: Any,
    q: Mapping[Expr, Expr],
    forces: Mapping[Expr, Any] | None = None,
    *,
    parameters: Mapping[Expr, Any] | None = None,
    inputs: Iterable[Expr] = (),
    name: str = "lagrangian",
) -> Equations:
    """The equations d/dt ∂L/∂q̇ - ∂L/∂q = Q + τ of a Lagrangian `L` of whatever is no system of bodies.

    `q` maps the symbols of the coordinates to those of their rates, `forces` coordinates to generalised forces Q. Other
    symbols are parameters, with values in `parameters` or at run time, or `inputs`; a symbol t is the time. L is of
    second degree in the rates, and ∂²L/∂q̇² is not singular.

    >>> import polhode as ph
    >>> L, C, R, charge, current = ph.symbols("L C R charge current")
    >>> circuit = ph.lagrangian(L * current**2 / 2 - charge**2 / (2 * C), {charge: current}, {charge: -R * current})
    >>> circuit.mass_matrix, circuit.bias
    (Matrix([[L]]), Vector([R*current + charge/C]))
    """
    values, applied, driven = dict(parameters or {}), dict(forces or {}), list(inputs)
    for x in (*q, *q.values(), *values, *driven):
        if type(x) is not Expr or x.op != SYMBOL:
            cure = 'Write coordinates and rates as symbols: {x: v} with x, v = ph.symbols("x v").'
            raise fault(f"{x!r} is no symbol.", cure, "E-EXPR-TYPE")
    for x in (x for x in applied if x not in q):
        raise fault(f"a force acts on {x!r}, which is no coordinate.", "Give forces by coordinate.", "E-DERIVE-NAME")
    s = System(name, gravity=(0, 0, 0))
    table: dict[Expr, Any] = {}
    body = s.ground
    for x, rate in q.items():
        link = s.body(f"{x.name} (no mass)")
        joint = s.joint(x.name, body, link, Prismatic("x"), speeds=[rate.name])
        table |= {x: joint.q[0], rate: joint.u[0]}
        body = link
    table |= {x: s.input(x.name) for x in driven}
    laws = [as_expr(law) for law in (L, *applied.values())]
    for x in free_symbols(laws):
        if x not in table:
            table[x] = s.time if x.name == "t" else s.parameter(x.name, values.get(x))
    lagrange, *Q = substitute(laws, table)
    speeds = [table[rate] for rate in q.values()]
    (at_rest,) = substitute([lagrange], dict.fromkeys(speeds, 0))
    check_mass_matrix(jacobian([lagrange.diff(u) for u in speeds], speeds), speeds)
    if at_rest:
        s.potential(-at_rest)
    for x, law in zip(applied, Q, strict=True):
        s.joint_force(x.name, law)
    return FromLagrangian(replace(Derivation.of(s.model(), "hamel"), lagrangian=lagrange - at_rest))
