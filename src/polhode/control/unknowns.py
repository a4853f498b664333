"""What an adaptive controller estimates: parameters of the model by name, or base parameters of its bodies.

Both come to the same: efforts that are linear in what is estimated, B c = known + Y π, with Y of the sliding variable,
that is of q, u, u_r and a_r. Of model parameters, Y are derivatives of efforts; where masses are numbers, as robots'
files have them, columns of the regressor are taken (`dynamics.regressor`), for the combinations that efforts can tell
(`identification.base_parameters`). Velocity terms are of two speeds there, C(q, u) u_r, which a quadratic form gives by

    c(u, v) = c((u + v)/2) - c((u - v)/2)

for speeds that are rates of coordinates. J.-J. E. Slotine and W. Li (1987).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.regressor import MOMENTS, Regressor, regressor
from ..errors import PolhodeError, listed, unknown
from ..expr import Expr, Matrix, Vector, as_expr, free_symbols, gradient, jacobian, same, substitute, symbol
from ..identification.base_parameters import base_parameters
from ..laws.controller import named_numbers
from .actuation import Actuation
from .model_based import step
from .sliding_variable import SlidingVariable


@dataclass(frozen=True, eq=False)
class Unknowns:
    """What is estimated: `true` values, symbols of the `estimates`, `forces` with these, and `power` = Yᵀ s."""

    true: list[Expr]
    estimates: list[Expr]
    forces: list[Expr]
    power: list[Expr]


def read_estimates(equations: EquationsOfMotion, given: Any, place: str) -> dict[str, Fraction]:
    """Where estimates start, by the names of model parameters or of base parameters."""
    table = equations.system.parameters
    if not given:
        raise PolhodeError(
            "no parameters to estimate are given.",
            place=place,
            cure=f"Give estimates={{{next(iter(table), 'm')!r}: …}}: names with the values at which they start.",
            code="E-CONTROL-170",
        )
    inside = [name for name in given if name in table]
    if len(inside) == len(given):
        return named_numbers(given, "parameter", table, f"{place} estimates")
    if inside:
        other = next(name for name in given if name not in table)
        raise unknown("parameter", other, table, place=f"{place} estimates", code="E-CONTROL-171")
    known = base_parameters(equations).names
    return named_numbers(given, "parameter or base parameter", [*table, *known], f"{place} estimates")


def unknowns(found: SlidingVariable, actuation: Actuation, names: Sequence[str], place: str) -> Unknowns:
    """Efforts with estimates of these parameters, and how much each of them does along s."""
    e = actuation.equations
    own = [symbol(f"estimate_{name}", "state") for name in names]
    if all(name in e.system.parameters for name in names):
        true = [e.system.parameters[name].symbol for name in names]
        _check_linear(found, actuation, true, place)
        put = dict(zip(true, own, strict=True))
        power = gradient(as_expr(Vector(found.forces).dot(found.s)), true)  # Yᵀ s in one backward pass
        return Unknowns(true, own, substitute(found.forces, put), substitute(power, put))
    true, Y = _base_columns(found, actuation, names, place)
    wrong = Vector([estimate - value for estimate, value in zip(own, true, strict=True)])
    forces = [as_expr(f + row.dot(wrong)) for f, row in zip(found.forces, Y, strict=True)]
    return Unknowns(true, own, forces, [as_expr(each) for each in Y.T @ found.s])


def _check_linear(found: SlidingVariable, actuation: Actuation, true: Sequence[Expr], place: str) -> None:
    """Refuse parameters in which the efforts are not linear, or on which the controls' action depends."""
    Y = jacobian(found.forces, list(true))
    entries = [as_expr(entry) for entry in (*Y.entries(), *actuation.matrix.entries())]
    met = {*free_symbols(entries)}
    others = {x: symbol(f"another {x.name}", "parameter") for x in true}
    bent = [x for x in true if x in met and not same(substitute(entries, {x: others[x]}), entries)]
    if bent:
        names = listed([f"'{x.name}'" for x in bent])
        raise PolhodeError(
            f"the efforts are not linear in {names} together with the other estimates.",
            place=place,
            cure="Estimate masses and moments, not lengths; or make the products parameters of the model.",
            code="E-CONTROL-173",
        )
    idle = [x for x, column in zip(true, Y.columns, strict=True) if not any(as_expr(entry) for entry in column)]
    if idle:
        raise PolhodeError(
            f"the efforts do not depend on '{idle[0].name}'.",
            place=place,
            cure="Leave it out of the estimates.",
            code="E-CONTROL-174",
        )


def _base_columns(
    found: SlidingVariable, actuation: Actuation, names: Sequence[str], place: str
) -> tuple[list[Expr], Matrix]:
    """The values of base parameters, and the columns of their leading standard parameters in two speeds."""
    e = actuation.equations
    if e.dependent_speeds is not None or not {*e.u} <= {*e.coordinate_rates}:
        raise PolhodeError(
            "base parameters are estimated where every speed is the rate of a coordinate.",
            place=place,
            cure="Make what is to be estimated a parameter of the model, and name it.",
            code="E-CONTROL-175",
        )
    whole, base = regressor(e), base_parameters(e)
    values = {name: as_expr(row.dot(whole.values)) for name, row in zip(base.names, base.K, strict=True)}
    nothing = {each: as_expr(0) for each in (*actuation.controls, *actuation.idle)}
    Y = _in_two_speeds(e, whole, nothing)
    total = Y @ whole.values + Vector(substitute(list(whole.known), nothing))
    if not same(total, substitute(found.forces, {x: found.steps[x] for x in found.s})):
        raise PolhodeError(
            "the regressor does not give the efforts of the sliding variable.",
            place=place,
            cure="Make what is to be estimated a parameter of the model, and name it.",
            code="E-CONTROL-176",
        )
    columns = [Y.columns[base.standard.index(name)] for name in names]
    return [values[name] for name in names], Matrix.columns_of(columns, len(e.u)).map(as_expr)


def _in_two_speeds(e: EquationsOfMotion, whole: Regressor, nothing: Mapping[Expr, Expr]) -> Matrix:
    """Y(q, u, u_r, a_r): gravity, what accelerations take, and velocity terms that are linear in each of two speeds.

    Friction is that of the speeds themselves.
    """
    entries = [as_expr(entry) for entry in whole.Y.entries()]
    v, a = ([step(letter, u.name) for u in e.u] for letter in ("v", "a"))
    still = {x: as_expr(0) for x in e.udot}
    half = {u: as_expr((u + own) / 2) for u, own in zip(e.u, v, strict=True)}
    other = {u: as_expr((u - own) / 2) for u, own in zip(e.u, v, strict=True)}
    first = substitute(entries, {**nothing, **half, **dict(zip(e.udot, a, strict=True))})
    second = substitute(entries, {**nothing, **still, **other})
    third = substitute(entries, {**nothing, **still, **{u: as_expr(0) for u in e.u}})
    width = len(whole.parameters)
    rubs = [each.kind not in MOMENTS for each in whole.parameters] * len(e.u)
    made = [
        plain if is_friction else as_expr(x - y + z)
        for plain, x, y, z, is_friction in zip(entries, first, second, third, rubs, strict=True)
    ]
    return Matrix([made[k : k + width] for k in range(0, len(made), width)])
