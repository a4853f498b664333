"""The inputs that give the outputs' highest derivatives wanted values: v = b + A c, solved for c.

Two ways to the same function, the first of which divides by less: with the equations of motion left implicit
(`prolongation`), or by the decoupling matrix itself. Either gives the inputs after feedback (accelerations of the
driven speeds); the inputs follow by inverse dynamics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...control_geometry.affine import Plant
from ...control_geometry.determinant import determinant, vanishing_factors
from ...control_geometry.relative_degree import RelativeDegree
from ...expr import Expr, as_expr, constant_ratio, free_symbols, jacobian, substitute
from ...geometry.elimination import eliminate, solve_columns

#: Up to so many rows, Cramer's rule is taken where pivots may vanish.
_FEW = 4


@dataclass(frozen=True, eq=False)
class Decoupled:
    """Inputs that give the outputs' highest derivatives wanted values, and the derivatives below these.

    `chain` has for each output y, ẏ, … below its degree; `channels` are the inputs after feedback, `rates` the
    accelerations of all speeds (none, where no feedback is taken), `divisors` what was divided by.
    """

    chain: tuple[tuple[Expr, ...], ...]
    channels: tuple[Expr, ...]
    rates: tuple[Expr, ...]
    divisors: tuple[Expr, ...]


def moves(value: Expr) -> bool:
    """Whether an expression depends on more than parameters."""
    return any(x.data[0] != "parameter" for x in free_symbols([value]))


def solved_surely(A: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]]) -> tuple[Sequence[Sequence[Any]], list[Expr]]:
    """X with A X = b and what was divided by: where pivots may vanish, for few rows, nothing but the determinant."""
    solved, divisors = eliminate(A, b)
    size = len(A)
    if size > _FEW or not any(map(moves, divisors[:-1])):
        return solved, divisors
    minors = [[determinant([_but(row, j) for row in _but(A, i)]) for j in range(size)] for i in range(size)]
    whole = as_expr(sum(((-1) ** j * A[0][j] * minors[0][j] for j in range(size)), as_expr(0)))
    lead = 1 / whole
    columns = [[(-1) ** (i + j) * minors[i][j] * b[i][0] for i in range(size)] for j in range(size)]  # Cramer's rule
    return [[sum(column, as_expr(0)) * lead] for column in columns], [whole]


def _but(entries: Sequence[Any], k: int) -> list[Any]:
    return [entry for i, entry in enumerate(entries) if i != k]


def by_decoupling_matrix(degree: RelativeDegree, wanted: Sequence[Expr]) -> Decoupled:
    """A⁻¹ (v - b) by elimination, with pivots that are the surest not to vanish."""
    form = degree.plant.regular
    right = [[v - b] for v, b in zip(wanted, degree.driven_drift, strict=True)]
    solved, divisors = solved_surely(degree.driven, right)
    channels = [as_expr(entry) for (entry,) in solved]
    rates: list[Any] = []
    if form.driven:
        first, count = len(degree.plant.equations.q), len(degree.plant.equations.u)
        rates = list(form.drift[first : first + count])
        for entry, g in zip(channels, form.fields, strict=True):
            rates = [a + entry * b if b else a for a, b in zip(rates, g[first : first + count], strict=True)]
    return Decoupled(degree.chain, tuple(channels), tuple(map(as_expr, rates)), tuple(divisors))


def inputs_of(plant: Plant, found: Decoupled) -> list[Expr]:
    """The inputs, in their order: those that drive speeds by inverse dynamics, others as they are."""
    driven = plant.regular.driven
    if not driven:
        return list(found.channels)
    symbols = [*plant.inputs.values()]
    acting = [k for k, speed in enumerate(driven) if speed >= 0]
    rows = [plant.residuals[driven[k]] for k in acting]
    block = jacobian(rows, [symbols[k] for k in acting])
    values: dict[Expr, Any] = dict.fromkeys(symbols, as_expr(0)) | dict(
        zip(plant.equations.udot, found.rates, strict=True)
    )
    needed = substitute(rows, values)
    efforts = solve_columns([[-entry for entry in row] for row in block], [[entry] for entry in needed])
    made = list(found.channels)
    for k, (effort,) in zip(acting, efforts, strict=True):
        made[k] = as_expr(effort)
    return made


def further_singular(degree: RelativeDegree, found: Decoupled) -> list[Expr]:
    """What else the law divides by that may vanish: pivots, but for factors that vanish with the determinant."""
    made: list[Expr] = []
    for divisor in found.divisors[:-1]:  # the last is the determinant, but for the others
        if not moves(divisor):
            continue
        known = [*degree.singular, *made]
        factors = vanishing_factors(divisor, degree.plant.regular.positive, degree.plant.masses)
        made += [each for each in factors if all(constant_ratio(each / other) is None for other in known)]
    return made
