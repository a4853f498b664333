"""How the rates of the state vary: the Jacobian of ẋ = f(x, t; p, τ, inputs), and products with it.

The accelerations are never differentiated through the elimination that gives them. They solve K y = r, with

    a tree                  y = u̇         K = M                   r = τ - bias
    dependent speeds        y = u̇         K = EᵀME                the same on the independent speeds
    multipliers             y = (u̇, λ)    K = [M, -Aᵀ; A, 0]      r = (τ - bias, -γ)

and so, along any direction of states and parameters, and for any covector w,

    K y′ = (r - K y)′ at constant y,        w·y′ = z·(r - K y)′ with Kᵀ z = w,

where K is factored once. The first is forward accumulation along given directions (variational equations), the second
reverse accumulation (adjoint equations); neither makes a matrix. Along many directions of a tree it is shorter to make
the matrices ∂τ/∂q and ∂τ/∂u of the inverse dynamics first, and then that is done. Efforts and inputs s that follow laws
s(x, t; p) move along a direction as their laws do.

A variation S of a motion along which φ(q; p) = 0 and A u + a = 0 hold, and along its neighbours, satisfies

    φ′ = 0,    (A u + a)′ = 0      along S (and along the parameter that it belongs to),

and what integration has let slip is answered by the least change in the metric of M, as for the state itself: with
multipliers δ = -M⁻¹Aᵀ(A M⁻¹Aᵀ)⁻¹ φ′, on the coordinates Γ δ, and likewise on the speeds; with dependent speeds by these
alone. A variation of a unit quaternion is tangent to the sphere (`tangent_variations`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from ..errors import PolhodeError, check_known
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    derivative,
    directional,
    gradient,
    jacobian,
    operation_counts,
    quiet_collector,
    substitute,
    symbol,
)
from ..expr.spelling import spelled
from ..geometry.elimination import TriangularFactors
from .derivatives import balance_columns, displacement_speeds, forward_derivatives, shortest_inverse
from .embedding import pulls
from .equations import EquationsOfMotion, mass_factors

Direction = Mapping[Expr, Expr]


@dataclass(frozen=True)
class _Solved:
    """The equations that accelerations (and multipliers) solve: r - K y = 0."""

    unknowns: tuple[Expr, ...]  # y, as symbols in `gap`
    solution: tuple[Expr, ...]  # y(x)
    gap: tuple[Expr, ...]  # r - K y
    solve: Callable[[Sequence[Expr]], list[Expr]]  # K⁻¹, of which the accelerations
    solve_transposed: Callable[[Sequence[Expr]], list[Expr]]  # K⁻ᵀ, for a covector of the accelerations

    def known(self, entries: Sequence[Expr]) -> list[Expr]:
        """Expressions with the solution substituted."""
        return substitute(entries, dict(zip(self.unknowns, self.solution, strict=True)))


@dataclass(frozen=True, eq=False)
class Variations:
    """Rates of a state x = (q, u, z) and their derivatives; with `alpha`, with Baumgarte's terms."""

    equations: EquationsOfMotion
    alpha: Expr | None = None

    @cached_property
    def x(self) -> list[Expr]:
        """The symbols of the state."""
        return [*self.equations.q, *self.equations.u, *self.equations.z]

    @cached_property
    def rates(self) -> list[Expr]:
        """ẋ."""
        if self.alpha is None:
            return [as_expr(entry) for entry in self.equations.state_rates]
        accelerations = self._solved.solution[: len(self.equations.u)]
        return [*self.equations.coordinate_rates, *accelerations, *self.equations.z_rates]

    @property
    def accelerations(self) -> slice:
        """Where accelerations are among the rates."""
        size = len(self.equations.q)
        return slice(size, size + len(self.equations.u))

    # ---- products --------------------------------------------------------------------------------------------

    @quiet_collector()
    def along(self, directions: Sequence[Direction]) -> list[list[Expr]]:
        """The derivatives of ẋ along directions, in each of which symbols move at given rates."""
        return self._open_along([through_laws(self.equations, direction) for direction in directions])

    def _open_along(self, directions: Sequence[Direction]) -> list[list[Expr]]:
        """The same, efforts and inputs being symbols like others."""
        pairs = zip(directions, self._shorter(directions), strict=True)
        return [self._put_in(direction, accelerations) for direction, accelerations in pairs]

    def _put_in(self, direction: Direction, accelerations: Sequence[Expr]) -> list[Expr]:
        rates = self.rates.copy()
        rates[self.accelerations] = []
        rates = directional(rates, direction)
        start = self.accelerations.start
        return [*rates[:start], *accelerations, *rates[start:]]

    def _shorter(self, directions: Sequence[Direction]) -> list[list[Expr]]:
        """u̇′ along directions, in the shorter of two forms."""
        solved = self._solved
        direct = [solved.solve(solved.known(directional(solved.gap, direction))) for direction in directions]
        if len(directions) < 2 or not self._has_charts:
            return direct
        by_matrices = self._by_matrices(directions)
        return min((direct, by_matrices), key=lambda form: sum(operation_counts(chain(*form)).values()))

    def _by_matrices(self, directions: Sequence[Direction]) -> list[list[Expr]]:
        """The same by ∂τ/∂q and ∂τ/∂u, which all directions share."""
        equations, solved = self.equations, self._solved
        by_q, by_u = balance_columns(equations, shortest_inverse(equations), solved.solution)
        back = displacement_speeds(equations)
        state = {*equations.q, *equations.u}
        zero = as_expr(0)
        columns = []
        for direction in directions:
            turn = [as_expr(row.dot([direction.get(q, zero) for q in equations.q])) for row in back]
            others = {x: rate for x, rate in direction.items() if x not in state}
            total = solved.known(directional(solved.gap, others))
            for column, rate in (
                *zip(by_q, turn, strict=True),
                *zip(by_u, (direction.get(u, zero) for u in equations.u), strict=True),
            ):
                total = [entry - part * rate for entry, part in zip(total, column, strict=True)]
            columns.append(solved.solve(total))
        return columns

    @quiet_collector()
    def pulled_back(self, covector: Sequence[Expr], by: Sequence[Expr]) -> list[Expr]:
        """Σ wᵢ ∂ẋᵢ/∂s for each symbol s, by reverse accumulation."""
        solved, where = self._solved, self.accelerations
        weights = [symbol(f"weight {k}", "adjoint") for k in range(len(solved.gap))]
        total = as_expr(0)
        for weight, entry in zip(weights, solved.gap, strict=True):
            total = total + weight * entry
        others = [k for k in range(len(self.rates)) if not where.start <= k < where.stop]
        for k in others:
            total = total + covector[k] * self.rates[k]
        values = solved.solve_transposed(covector[where])
        slopes = self._pulled_through_laws(gradient(total, [*by, *self.equations.laws]), by)
        return solved.known(substitute(slopes, dict(zip(weights, values, strict=True))))

    def _pulled_through_laws(self, slopes: Sequence[Expr], by: Sequence[Expr]) -> list[Expr]:
        """Derivatives by symbols, from those by symbols and by the quantities that laws give."""
        direct, driven = list(slopes[: len(by)]), slopes[len(by) :]
        marks = [symbol(f"slope {k}", "adjoint") for k in range(len(driven))]
        total = as_expr(0)
        for mark, law in zip(marks, self.equations.laws.values(), strict=True):
            total = total + mark * law
        through = substitute(gradient(total, by), dict(zip(marks, driven, strict=True))) if marks else ()
        return [a + b for a, b in zip(direct, through, strict=True)] if marks else direct

    # ---- matrices --------------------------------------------------------------------------------------------

    @quiet_collector()
    def jacobian(self) -> Matrix:
        """∂ẋ/∂x by the stored coordinates; of a quaternion, at unit length and for changes that keep it."""
        columns = self._closed(
            self._by_speeds() if self._has_charts else self._open_along([{x: as_expr(1)} for x in self.x])
        )
        for first in self.equations.quaternions:
            indices = range(first, first + 4)
            for row in (k for k in range(len(self.x)) if k not in indices):
                along = sum((columns[k][row] * self.x[k] for k in indices), start=as_expr(0))
                for k in indices if along else ():
                    columns[k][row] = columns[k][row] - along * self.x[k]
        return Matrix.columns_of(columns, len(self.x))

    def _closed(self, columns: list[list[Expr]]) -> list[list[Expr]]:
        """∂ẋ/∂x with the derivatives through laws, ∂ẋ/∂s ∂s/∂x."""
        laws = self.equations.laws
        if not laws:
            return columns
        by_laws = self._open_along([{law: as_expr(1)} for law in laws])
        slopes = jacobian(list(laws.values()), self.x)
        for column, by_x in zip(columns, slopes.columns, strict=True):
            for by_law, slope in zip(by_laws, by_x, strict=True):
                column[:] = [a + b * slope for a, b in zip(column, by_law, strict=True)] if slope else column
        return columns

    def _by_speeds(self) -> list[list[Expr]]:
        """The columns of ∂ẋ/∂x, those of the accelerations from their derivatives along unit speeds."""
        equations, where = self.equations, self.accelerations
        by_q, by_u, _ = forward_derivatives(equations)
        by_state = [*(by_q @ displacement_speeds(equations)).columns, *by_u.columns]
        beyond = [column[where] for column in self._open_along([{x: as_expr(1)} for x in equations.z])]
        plain = self.rates[: where.start] + self.rates[where.stop :]
        columns = []
        for x, accelerations in zip(self.x, [*by_state, *beyond], strict=True):
            by_x = derivative(plain, x)
            columns.append([*by_x[: where.start], *map(as_expr, accelerations), *by_x[where.start :]])
        return columns

    def by(self, symbols: Sequence[Expr]) -> Matrix:
        """∂ẋ/∂s for parameters, inputs, efforts, or time."""
        return Matrix.columns_of(self.along([{x: as_expr(1)} for x in symbols]), len(self.x))

    # ---- what accelerations solve ----------------------------------------------------------------------------

    @cached_property
    def _has_charts(self) -> bool:
        """Whether a tree without constraints has a chart for every joint, so that speeds span all changes of q."""
        equations = self.equations
        return (
            equations.constraints is None
            and equations.small is None
            and self.alpha is None
            and len(equations.q) - len(equations.quaternions) == len(equations.u)
        )

    @cached_property
    def _solved(self) -> _Solved:
        equations = self.equations
        if equations.dependent_speeds is None and equations.recipe.stabilisation is not None:
            return self._with_multipliers()
        gap = [as_expr(a - b) for a, b in zip(equations.efforts, equations.inverse_dynamics, strict=True)]
        factors: Any = mass_factors(equations, equations.mass_matrix, equations.small is not None)
        turned = factors.solve_transposed if isinstance(factors, TriangularFactors) else factors.solve

        def solve(right: Sequence[Expr]) -> list[Expr]:
            return [as_expr(entry) for entry in factors.solve(list(right))]

        def solve_transposed(right: Sequence[Expr]) -> list[Expr]:
            return [as_expr(entry) for entry in turned(list(right))]

        return _Solved(tuple(equations.udot), tuple(equations.forward_dynamics), tuple(gap), solve, solve_transposed)

    def _with_multipliers(self) -> _Solved:
        equations = self.equations
        stabilisation = equations.stabilisation
        usable = stabilisation.rows
        alpha = as_expr(0) if self.alpha is None else self.alpha
        size = len(equations.u)
        forces = [as_expr(a - b) for a, b in zip(equations.tau, equations.inverse_dynamics, strict=True)]
        kept = [
            -(row.dot(equations.udot) + g + pull)
            for row, g, pull in zip(usable.A, usable.gamma, pulls(usable, alpha), strict=True)
        ]

        def solve(right: Sequence[Expr]) -> list[Expr]:
            return [as_expr(entry) for entry in stabilisation.response(right[:size], right[size:])[0]]

        def solve_transposed(right: Sequence[Expr]) -> list[Expr]:
            accelerations, multipliers = stabilisation.response(right, [as_expr(0)] * len(kept))
            return [as_expr(entry) for entry in (*accelerations, *(-multiplier for multiplier in multipliers))]

        return _Solved(
            (*equations.udot, *usable.multipliers),
            tuple(as_expr(entry) for part in stabilisation.solution(alpha) for entry in part),
            tuple(as_expr(entry) for entry in (*forces, *kept)),
            solve,
            solve_transposed,
        )


def through_laws(equations: EquationsOfMotion, direction: Direction) -> Direction:
    """A direction with the quantities that laws give moving accordingly."""
    laws = equations.laws
    moving = dict(zip(laws, directional(list(laws.values()), direction), strict=True)) if laws else {}
    return {**direction, **{x: rate for x, rate in moving.items() if rate}}


# ---- by name -------------------------------------------------------------------------------------------------


def varying(equations: EquationsOfMotion, name: str) -> Expr:
    """A parameter, an input, an effort or the time, by its spelling."""
    system = equations.system
    constants = [record.symbol for table in (system.parameters, system.inputs) for record in table.values()]
    symbols: dict[str, Expr] = {spelled(x): x for x in (*constants, *equations.tau, system.time)}
    check_known("parameter, input or effort", [name], symbols, code="E-DERIVE-NAME")
    if symbols[name] in equations.laws:
        message = f"'{name}' follows a law, and so is nothing to differentiate by."
        raise PolhodeError(message, cure="Name a parameter that is in the law.", code="E-DERIVE-UNSUPPORTED")
    return symbols[name]


def derivatives_by(equations: EquationsOfMotion, of: str, names: Sequence[str]) -> Matrix:
    """∂(a result)/∂s by parameters, inputs, efforts or time: of accelerations and rates without differentiating M⁻¹."""
    symbols = [varying(equations, name) for name in names]
    if of in ("forward_dynamics", "state_rates"):
        variations = Variations(equations)
        matrix = variations.by(symbols)
        return matrix if of == "state_rates" else Matrix(list(matrix)[variations.accelerations])
    with quiet_collector():
        roots = list(getattr(equations, of))
        moved = [directional(roots, through_laws(equations, {x: as_expr(1)})) for x in symbols]
        return Matrix.columns_of(moved, len(roots))


@quiet_collector()
def tangent_variations(
    equations: EquationsOfMotion, columns: Sequence[Sequence[Expr]], others: Sequence[Direction]
) -> list[list[Expr]]:
    """Variations (q′, u′, …), with rates of parameters, projected to those that keep all constraints."""
    return [_tangent(equations, list(column), other) for column, other in zip(columns, others, strict=True)]


def _tangent(equations: EquationsOfMotion, column: list[Expr], other: Direction) -> list[Expr]:
    size, speeds = len(equations.q), len(equations.u)
    q, u, rest = column[:size], column[size : size + speeds], column[size + speeds :]
    constraints = equations.constraints
    if constraints is not None:
        q = _with_auxiliary(equations, q, other)
        if equations.dependent_speeds is not None:
            q = _with_dependent_coordinates(equations, q, other)
        else:
            q, u = _with_least_change(equations, q, u, other)
    for first in equations.quaternions:
        indices = range(first, first + 4)
        along = sum((equations.q[k] * q[k] for k in indices), start=as_expr(0))
        for k in indices:
            q[k] = q[k] - along * equations.q[k]
    return [*q, *u, *rest]


def _with_auxiliary(equations: EquationsOfMotion, q: list[Expr], other: Direction) -> list[Expr]:
    """Auxiliary coordinates follow their definitions."""
    constraints = equations.constraints
    if constraints is None or not constraints.definitions:
        return q
    steps = directional(list(constraints.definition_steps), {**dict(zip(equations.q, q, strict=True)), **other})
    where = equations.auxiliary_coordinates
    return [*q[: where.start], *(a + b for a, b in zip(q[where], steps, strict=True))]


def _with_least_change(
    equations: EquationsOfMotion, q: list[Expr], u: list[Expr], other: Direction
) -> tuple[list[Expr], list[Expr]]:
    """The least change of coordinates, then of speeds, that satisfies the independent rows."""
    keeping = equations.stabilisation
    still = [as_expr(0)] * len(u)

    def along(entries: Sequence[Expr]) -> list[Expr]:
        moving = dict(zip((*equations.q, *equations.u), (*q, *u), strict=True))
        return [-entry for entry in directional(entries, {**moving, **other})]

    if any(row.value is not None for row in keeping.rows.rows):
        step, _ = keeping.response(still, along([as_expr(row.value or 0) for row in keeping.rows.rows]))
        q = _moved(equations, q, step)
    change, _ = keeping.response(still, along([row.rate for row in keeping.rows.rows]))
    return q, [as_expr(a + b) for a, b in zip(u, change, strict=True)]


def _with_dependent_coordinates(equations: EquationsOfMotion, q: list[Expr], other: Direction) -> list[Expr]:
    """A change of the dependent coordinates that satisfies all rows."""
    dependent = equations.dependent_speeds
    if dependent is None or all(row.value is None for row in dependent.constraints.rows):
        return q
    moving = {**dict(zip(equations.q, q, strict=True)), **other}
    off = directional([as_expr(row.value or 0) for row in dependent.constraints.rows], moving)
    step = [as_expr(0)] * len(equations.tree.u)
    for k, (entry,) in zip(dependent.dependent, dependent.solved([[-entry] for entry in off]), strict=True):
        step[k] = as_expr(entry)
    return _moved(equations, q, step)


def _moved(equations: EquationsOfMotion, q: Sequence[Expr], step: Sequence[Expr]) -> list[Expr]:
    """A variation of the coordinates after a small displacement in units of the tree's speeds."""
    displaced: Vector = equations.tree.kinematic_matrix() @ Vector(step)
    return [as_expr(a + b) for a, b in zip(q, equations.kept(displaced), strict=True)]
