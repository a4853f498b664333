"""A, B, C and D of small motions about any state, as graphs of the state, and compiled (`LinearMatrices`).

    ẋ = A(q, u, z, τ, t) x + B(q, u, z, τ, t) c,    y = C(…) x + D(…) c

x are displacements, speeds and first-order states, as in `linearize`; accelerations are those that the equations
give. Directions of displacements turn with the motion, and so δṡ = D⁻ (∂q̇/∂q D - Ḋ) δs + …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..codegen.ir.program import identifier
from ..compiled.quantities import Outputs, Quantity
from ..compiled.variations import check_names, digest_of
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.variations import Variations
from ..errors import PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, directional, quiet_collector
from ..expr.spelling import spelled
from ..laws.named_symbols import controls_of
from .displacements import Displacements, displacements, output_rates


@dataclass(frozen=True, eq=False)
class LinearRates:
    """The names of the states, and the matrices as graphs of the state that small motions are about."""

    states: tuple[str, ...]
    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix


@quiet_collector()
def linear_rates(
    equations: EquationsOfMotion, controls: Mapping[str, Expr], observed: Mapping[str, Expr] | None = None
) -> LinearRates:
    """The matrices as graphs; outputs are those `observed`, else the states."""
    constraints = equations.constraints
    if constraints is not None and constraints.rows and equations.dependent_speeds is None:
        message = "small motions of equations with multipliers have no independent states."
        cure = 'Derive with independent=[…], or with constraints="embedded".'
        raise PolhodeError(message, f"system '{equations.system.name}'", cure, "E-LINEAR-SINGULAR")
    moved, variations = displacements(equations), Variations(equations)
    rates = dict(zip(equations.tree.q, equations.all_coordinate_rates, strict=True))
    size = len(equations.q)
    steps = [dict(zip(equations.tree.q, direction, strict=True)) for direction in moved.directions]
    steps += [{symbol: as_expr(1)} for symbol in (*equations.u, *equations.z)]
    turns = [directional([as_expr(entry) for entry in direction], rates) for direction in moved.directions]
    turns += [[as_expr(0)] * size] * (len(steps) - len(turns))
    columns = []
    for along, turn in zip(variations.along(steps), turns, strict=True):
        change = Vector([a - b for a, b in zip(along[:size], turn, strict=True)])
        columns.append([*(as_expr(entry) for entry in moved.back @ change), *along[size:]])
    driven = [column[size:] for column in variations.along([{control: as_expr(1)} for control in controls.values()])]
    at_once = [[as_expr(0)] * len(moved.names) + column for column in driven]
    states = names_of_states(equations, moved)
    C, D = Matrix.identity(len(states)), Matrix([[as_expr(0)] * len(controls)] * len(states))
    if observed:
        C, D = output_rates(equations, moved, observed, [*controls.values()], _arguments(equations), "linearize_along")
    return LinearRates(states, _matrix(columns, len(states)), _matrix(at_once, len(states)), C, D)


def _arguments(equations: EquationsOfMotion) -> list[Expr]:
    """Symbols that outputs may depend on."""
    inputs = [entry.symbol for entry in equations.system.inputs.values()]
    return [*equations.tree.q, *equations.u, *equations.z, *equations.tau, *inputs, equations.system.time]


def names_of_states(equations: EquationsOfMotion, moved: Displacements) -> tuple[str, ...]:
    """The names of displacements, speeds and first-order states."""
    return (*moved.names, *map(spelled, equations.u), *equations.states)


def _matrix(columns: Sequence[Sequence[Expr]], height: int) -> Matrix:
    return Matrix.columns_of([list(column) for column in columns], height)


@dataclass(frozen=True, repr=False)
class LinearMatrices(Quantity):
    """A, B, C, D of small motions by the controls named, of q, u and τ; see `linear.linear_along`."""

    controls: tuple[str, ...]
    observed: tuple[tuple[str, Expr], ...] = ()  # outputs by name; none for the states

    kind = "linear_matrices"
    arrays = ("q", "u", "tau")

    def __post_init__(self) -> None:
        check_names(self.controls, self.kind)

    def __repr__(self) -> str:
        digest = digest_of([entry for _, entry in self.observed]) if self.observed else ""
        return f"{type(self).__name__}({self.controls!r}, {digest!r})"

    @property
    def label(self) -> str:
        return identifier(self.kind, *self.controls)

    def outputs(self, equations: EquationsOfMotion) -> Outputs:

        controls = controls_of(equations, self.controls, self.kind)
        rates = linear_rates(equations, controls, dict(self.observed))
        size, inputs, outputs = len(rates.states), len(self.controls), len(rates.C)
        shapes = {"A": (size, size), "B": (size, inputs), "C": (outputs, size), "D": (outputs, inputs)}
        return [(name, shape, [as_expr(x) for x in getattr(rates, name).entries()]) for name, shape in shapes.items()]
