"""A state at which ranks are asked for: exactly, and in numbers where all parameters have values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...dynamics.equations import EquationsOfMotion
from ...errors import PolhodeError
from ...expr import Expr, as_expr, evaluate, free_symbols, is_zero, rank, substitute
from ..linear import DIVISIONS, Linear
from ..linearize import linearize
from ..operating_point import Values, parameter_values
from .affine import Plant, plant

if TYPE_CHECKING:
    from ...simulate import Assembly

#: A singular value below this part of the largest is none; rows and columns have been brought to one size before.
_LOST = 1e-9
#: A row or column that is smaller than this beside the others is rounding.
_ROUNDING = 1e-14
#: Numbers below this are rounding.
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class AtState:
    """Values of coordinates, speeds, states, efforts and inputs, and of the parameters that have some."""

    linear: Linear
    known: Mapping[Expr, float]
    place: str

    @property
    def equations(self) -> EquationsOfMotion:
        """The equations on independent speeds."""
        return self.linear.equations

    @property
    def values(self) -> dict[Expr, Expr]:
        """The values by their symbols: numbers, or expressions of parameters."""
        return self.linear.point.values

    def exact(self, entries: Sequence[Any]) -> list[Expr]:
        """Expressions at the state, as expressions of parameters."""
        try:
            return substitute([as_expr(entry) for entry in entries], dict(self.values))
        except (PolhodeError, ArithmeticError) as error:
            if isinstance(error, PolhodeError) and error.problems[0].code not in DIVISIONS:
                raise
            raise PolhodeError(
                "the equations have no value at this state: something is divided by what vanishes there.",
                place=self.place,
                cure="Take a state beside it, or other independent speeds.",
                code="E-GEOMETRY-009",
            ) from None

    def numbers(self, entries: Sequence[Any]) -> list[float] | None:
        """Expressions at the state in numbers; None where a parameter has no value."""
        made = self.exact(entries)
        return evaluate(made, dict(self.known)) if self.known.keys() >= {*free_symbols(made)} else None

    def is_zero(self, entry: Any) -> bool:
        """Whether an expression vanishes at the state: for all parameters, or to rounding."""
        (made,) = self.exact([entry])
        number = self.numbers([entry])
        return is_zero(made) or (number is not None and abs(number[0]) < _NOTHING)

    @property
    def is_at_rest(self) -> bool:
        """Whether the state is an equilibrium: nothing moves, and nothing is about to."""
        return all(map(self.is_zero, self.equations.coordinate_rates)) and self.linear.is_equilibrium

    def rank(self, rows: Sequence[Sequence[Any]]) -> int:
        """The rank at the state: for almost all parameters, and not more than numbers say for the model's own."""
        if not rows:
            return 0
        width = len(rows[0])
        flat = [entry for row in rows for entry in row]
        made = self.exact(flat)
        found = rank([made[i * width : (i + 1) * width] for i in range(len(rows))])
        numbers = self.numbers(flat)
        return found if numbers is None else min(found, numeric_rank(np.array(numbers).reshape(len(rows), width)))


def numeric_rank(table: NDArray[np.float64]) -> int:
    """The rank in numbers, whatever units rows and columns have."""
    made = np.array(table, dtype=np.float64)
    if not np.isfinite(made).all():
        made = made[np.isfinite(made).all(axis=1)]
    for _ in range(3):
        for axis in (0, 1):
            sizes = np.abs(made).max(axis=axis, keepdims=True, initial=0.0)
            made = np.where(sizes > _ROUNDING * sizes.max(initial=0.0), made / np.where(sizes > 0, sizes, 1.0), 0.0)
    if not made.size:
        return 0
    sizes = np.linalg.svd(made, compute_uv=False)
    return int((sizes > _LOST * max(sizes[0], _NOTHING)).sum()) if sizes[0] else 0


def at_state(
    equations: EquationsOfMotion,
    assemble: Callable[..., Assembly],
    at: Values,
    place: str,
    parameters: Values = None,
) -> AtState:
    """The state by names, as `linearize` reads it: what is not named is at home and at rest."""
    linear = linearize(equations, assemble, at, parameters=parameters)
    return AtState(linear, parameter_values(linear.equations, parameters), place)


def plant_at(
    equations: EquationsOfMotion,
    assemble: Callable[..., Assembly],
    inputs: Sequence[str] | None,
    at: Values,
    place: str,
    parameters: Values = None,
) -> tuple[Plant, AtState | None]:
    """The mechanism with its controls, and the state, if one is given: other inputs then have its values."""
    if at is None:
        return plant(equations, inputs, place), None
    state = at_state(equations, assemble, at, place, parameters)
    return plant(state.equations, inputs, place, state.values), state
