"""What is computed at one point of a mesh, as graphs: rates, rows that are kept, the running cost, their derivatives.

The variables of a point are y = (x, γ, c), or (x, u̇, λ, γ, c) where the dynamics are implicit:

    x = (q, u, z)   the state, with rates f(y, t)
    u̇, λ            accelerations and multipliers, which the rows M u̇ + bias - τ - Aᵀλ = 0 determine
    γ               for each unit quaternion e the rate of its length, ė = Γ ω + γ e, which the row |e|² = 1 determines
    c               the controls, inputs or efforts

    rates    f(y, t)                 T f, where the duration T is free
    rows     r(y, t)                 the dynamics, if implicit; the constraints; |e|² - 1; what limits are on
    cost     L(y, t)                 T L, where the duration is free

Implicit dynamics have no M⁻¹ in them, so that their first and second derivatives are short. The second derivatives are
those of ℓ = Σ μ f + Σ ν r + σ L, by y and T: one backward pass for the gradient, one forward pass for each variable.
Time is written s T, where s is the share of the duration that has passed. A scheme keeps the length of a quaternion to
its order only: without γ, of the size of its error, four defects and a length were five rows for four variables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from ..compiled.quantities import Outputs, Quantity
from ..compiled.variations import digest_of
from ..dynamics.embedding import pulls
from ..dynamics.equations import EquationsOfMotion
from ..expr import Expr, as_expr, derivative, free_symbols, gradient, quiet_collector, substitute, symbol

#: The rate, in 1/s, at which constraints that are kept by multipliers draw the state to them.
_STABILISATION = 10
#: The functions of a point, and the arrays that each takes.
_AT = ("y", "share", "duration")
PARTS = {
    "values": _AT,
    "slopes": _AT,
    "cost": _AT,
    "cost_gradient": (*_AT, "weight"),
    "curvature": (*_AT, "weight", "factor", "rate_multipliers", "row_multipliers"),
}


class Entries(NamedTuple):
    """Entries of a sparse matrix: where each is, and what it is."""

    rows: list[int]
    columns: list[int]
    values: list[Expr]

    def add(self, row: int, column: int, value: Expr) -> None:
        """One more, unless it is zero."""
        if value.fp:
            self.rows.append(row)
            self.columns.append(column)
            self.values.append(value)

    def split(self) -> tuple[Entries, Entries]:
        """Entries that are numbers, and the others."""
        numbers, others = Entries([], [], []), Entries([], [], [])
        for row, column, value in zip(*self, strict=True):
            (numbers if value.is_number else others).add(row, column, value)
        return numbers, others


@dataclass(frozen=True, eq=False)
class PointModel:
    """One point of the mesh in symbols."""

    equations: EquationsOfMotion
    controls: Mapping[str, Expr]
    held: Mapping[Expr, Any]  # efforts and inputs that are no controls, and their values
    running: Expr
    limited: tuple[Expr, ...] = ()  # expressions that limits are on
    is_implicit: bool = True
    is_free: bool = False  # whether the duration is to be found
    terminal: Expr | None = None
    ended: tuple[Expr, ...] = ()  # expressions that have a range at the end
    share: Expr = field(default_factory=lambda: symbol("share", "collocation"))
    duration: Expr = field(default_factory=lambda: symbol("duration", "collocation"))

    @cached_property
    def digest(self) -> str:
        """Key of this point's functions, besides that of the derivation."""
        held = [(x.data[0], x.name, float(value)) for x, value in self.held.items()]
        message = (
            [(x.data[0], name) for name, x in self.controls.items()], held, self.is_implicit, self.is_free,
            digest_of([self.running, *self.limited]), _STABILISATION,
        )  # fmt: skip
        return sha256(repr(message).encode()).hexdigest()

    @cached_property
    def state(self) -> list[Expr]:
        return [*(self.components.get(x, x) for x in self.equations.q), *self.equations.u, *self.equations.z]

    @cached_property
    def components(self) -> dict[Expr, Expr]:
        """Components of quaternions, and symbols for them of which the graph does not have it that |e| = 1."""
        entries = [self.equations.q[first + k] for first in self.equations.quaternions for k in range(4)]
        return {x: symbol(f"component {x.name}", "collocation") for x in entries}

    @cached_property
    def multipliers(self) -> list[Expr]:
        """The multipliers of constraints, where they are variables."""
        equations = self.equations
        has_rows = self.is_implicit and equations.dependent_speeds is None and equations.constraints is not None
        return list(equations.stabilisation.rows.multipliers) if has_rows else []

    @cached_property
    def stretches(self) -> list[Expr]:
        """The rates γ of the lengths of quaternions, 1/s."""
        return [symbol(f"stretch {k}", "collocation") for k, _ in enumerate(self.equations.quaternions)]

    @cached_property
    def algebraic(self) -> list[Expr]:
        return [*(self.equations.udot if self.is_implicit else []), *self.multipliers, *self.stretches]

    @cached_property
    def variables(self) -> list[Expr]:
        return [*self.state, *self.algebraic, *self.controls.values()]

    @cached_property
    def plant(self) -> PointModel:
        """The explicit rates of the state alone, in seconds, of (x, c)."""
        return replace(self, is_implicit=False, is_free=False, limited=(), running=as_expr(0), terminal=None, ended=())

    @property
    def by(self) -> list[Expr]:
        """Variables of the derivatives."""
        return [*self.variables, self.duration] if self.is_free else self.variables

    def _put(self, entries: Sequence[Any]) -> list[Expr]:
        """Expressions with what is held in them, and time as a share of the duration."""
        values = {x: as_expr(value) for x, value in self.held.items()} | self.components
        return substitute(
            [as_expr(e) for e in entries], {**values, self.equations.system.time: self.share * self.duration}
        )

    @cached_property
    def rates(self) -> list[Expr]:
        """T f where the duration is free, f where it is known."""
        equations = self.equations
        if self.is_implicit:
            result = self._put([*equations.coordinate_rates, *equations.udot, *equations.z_rates])
        else:
            result = self._put(list(equations.state_rates))
        for first, stretch in zip(equations.quaternions, self.stretches, strict=True):
            for k in range(first, first + 4):
                result[k] = result[k] + stretch * self.state[k]
        return [rate * self.duration for rate in result] if self.is_free else result

    @cached_property
    def dynamics(self) -> list[Expr]:
        """Rows of implicit dynamics: what vanishes."""
        equations = self.equations
        if not self.is_implicit:
            return []
        gap = [a - b for a, b in zip(equations.inverse_dynamics, equations.efforts, strict=True)]
        if not self.multipliers:
            return self._put(gap)
        rows = equations.stabilisation.rows
        kept = [
            row.dot(equations.udot) + bend + pull
            for row, bend, pull in zip(rows.A, rows.gamma, pulls(rows, as_expr(_STABILISATION)), strict=True)
        ]
        unused = {x: 0 for x in equations.constraints.multipliers if x not in self.multipliers}  # type: ignore[union-attr] # there are some
        return substitute(self._put([*gap, *kept]), unused)

    @cached_property
    def lengths(self) -> list[Expr]:
        """|e|² - 1 of every quaternion."""
        parts = [self.state[first : first + 4] for first in self.equations.quaternions]
        return [sum((x * x for x in part), start=as_expr(-1)) for part in parts]

    @cached_property
    def rows(self) -> list[Expr]:
        """Rows that are kept at every point: the dynamics, the lengths of quaternions, then what limits are on."""
        return [*self.dynamics, *self.lengths, *self._put(self._with_accelerations(self.limited))]

    @cached_property
    def cost(self) -> Expr:
        """The integrand, times the duration where that is free."""
        (result,) = self._put(self._with_accelerations([self.running]))
        return result * self.duration if self.is_free else result

    def _with_accelerations(self, entries: Sequence[Expr]) -> list[Expr]:
        """Expressions in which accelerations are variables, or what the dynamics give."""
        equations = self.equations
        accelerations = {*equations.udot}
        if self.is_implicit or accelerations.isdisjoint(free_symbols(entries)):
            return list(entries)
        return substitute(entries, dict(zip(equations.udot, equations.forward_dynamics, strict=True)))

    def _jacobian(self, roots: Sequence[Expr]) -> Entries:
        result = Entries([], [], [])
        for column, variable in enumerate(self.by):
            for row, value in enumerate(derivative(roots, variable)):
                result.add(row, column, value)
        return result

    @cached_property
    def rate_slopes(self) -> Entries:
        """∂f/∂y."""
        with quiet_collector():
            return self._jacobian(self.rates)

    @cached_property
    def row_slopes(self) -> Entries:
        """∂r/∂y."""
        with quiet_collector():
            return self._jacobian(self.rows)

    @cached_property
    def cost_gradient(self) -> list[Expr]:
        """∂L/∂y."""
        return gradient(self.cost, self.by)

    @cached_property
    def curved_rates(self) -> list[int]:
        """Indices of rates with second derivatives."""
        return _curved(self.rates, self.by)

    @cached_property
    def curved_rows(self) -> list[int]:
        """Indices of rows with second derivatives."""
        return _curved(self.rows, self.by)

    @cached_property
    def weights(self) -> dict[str, list[Expr]]:
        """Symbols of what functions are weighed with in ℓ."""
        count = {
            "weight": 1,
            "factor": 1,
            "rate_multipliers": len(self.curved_rates),
            "row_multipliers": len(self.rows),
        }
        return {name: [symbol(f"{name} {k}", "collocation") for k in range(n)] for name, n in count.items()}

    @cached_property
    def curvature(self) -> Entries:
        """∂²ℓ/∂y², its lower triangle."""
        with quiet_collector():
            weights = self.weights
            total = weights["weight"][0] * weights["factor"][0] * self.cost
            for k, weight in zip(self.curved_rates, weights["rate_multipliers"], strict=True):
                total = total + weight * self.rates[k]
            for k in self.curved_rows:
                total = total + weights["row_multipliers"][k] * self.rows[k]
            return lower_triangle(total, self.by)


def lower_triangle(total: Expr, by: Sequence[Expr]) -> Entries:
    """The second derivatives of an expression, row ≥ column."""
    slopes = gradient(total, by)
    result = Entries([], [], [])
    for column, variable in enumerate(by):
        for row, value in enumerate(derivative(slopes[column:], variable), start=column):
            result.add(row, column, value)
    return result


def _curved(roots: Sequence[Expr], by: Sequence[Expr]) -> list[int]:
    """Indices of expressions that are not linear in the variables."""
    among = set(by)
    return [k for k, root in enumerate(roots) if not among.isdisjoint(free_symbols(gradient(root, by)))]


@dataclass(frozen=True, repr=False)
class PointFunction(Quantity):
    """A function of a point of the mesh, by its part of `PARTS`."""

    point: PointModel
    part: str

    kind = "collocation"

    def __post_init__(self) -> None:
        """A point and a part are what they are."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.part!r}, {self.point.digest!r})"

    @property
    def arrays(self) -> tuple[str, ...]:  # type: ignore[override] # each part has its own
        return PARTS[self.part]

    @property
    def label(self) -> str:
        return f"{self.kind}_{self.part}"

    def own_arrays(self, equations: EquationsOfMotion) -> dict[str, list[Expr]]:
        point = self.point
        arrays = {"y": point.variables, "share": [point.share], "duration": [point.duration], **point.weights}
        return {name: arrays[name] for name in self.arrays}

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        point = self.point
        if self.part == "values":
            return [("rates", (len(point.rates),), list(point.rates)), ("rows", (len(point.rows),), list(point.rows))]
        if self.part == "slopes":
            rates, rows = point.rate_slopes.split()[1].values, point.row_slopes.split()[1].values
            return [("rates", (len(rates),), rates), ("rows", (len(rows),), rows)]
        weight = point.weights["weight"][0]
        if self.part == "cost":
            return [("cost", (), [point.cost])]
        if self.part == "cost_gradient":
            slopes = [weight * entry for entry in point.cost_gradient]
            size = len(point.variables)
            return [("by_variables", (size,), slopes[:size]), ("by_duration", (len(slopes) - size,), slopes[size:])]
        entries = point.curvature.values
        return [("curvature", (len(entries),), entries)]
