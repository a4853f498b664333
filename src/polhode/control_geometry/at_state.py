"""A state at which ranks are computed: exactly, and in numbers where all parameters have values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError
from ..expr import Expr, Matrix, as_expr, evaluate, free_symbols, is_zero, rank, substitute
from ..expr.evaluation import Evaluator
from ..expr.field import P, inverse
from ..linear.linear import DIVISIONS, Linear
from ..linear.linearize import linearize
from ..linear.operating_point import Values, parameter_values
from .affine import Plant, plant_of

#: What is smaller than this beside others is rounding: singular values, and numbers beside those at other states.
_NOTHING = 1e-9
#: At how many other states expressions are looked at.
_AROUND = 3


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
            message = "the equations have no value at this state: something is divided by what vanishes there."
            cure = "Take a state beside it, or other independent speeds."
            raise PolhodeError(message, self.place, cure, "E-GEOMETRY-SINGULAR") from None

    def numbers(self, entries: Sequence[Any]) -> list[float] | None:
        """Expressions at the state in numbers; None where a parameter has no value."""
        values = self.exact(entries)
        return evaluate(values, dict(self.known)) if self.known.keys() >= {*free_symbols(values)} else None

    def is_zero(self, entry: Any) -> bool:
        """Whether an expression vanishes at the state: for all parameters, or to rounding."""
        (exact,) = self.exact([entry])
        return is_zero(exact) or self._sizes([as_expr(entry)], made_exact=[exact]) == [0.0]

    def _sizes(self, entries: Sequence[Expr], made_exact: Sequence[Expr]) -> list[float] | None:
        """Expressions in units of what they are at states beside; nil below rounding, None where a value is missing."""
        if not self.known.keys() >= {*free_symbols(made_exact)}:
            return None
        here = np.array(evaluate(made_exact, dict(self.known)))
        usual = np.maximum(np.abs(here), self._usual(entries))
        return [0.0 if abs(x) <= _NOTHING * size else x for x, size in zip(here.tolist(), usual.tolist(), strict=True)]

    def _usual(self, entries: Sequence[Expr]) -> NDArray[np.float64]:
        """Sizes of expressions at random states around this one."""
        f, rng = Evaluator(entries), np.random.default_rng(7)
        states = [*self.values]
        numbers = evaluate([self.values[x] for x in states], dict(self.known))
        sizes = np.zeros(len(entries))
        for _ in range(_AROUND):
            moved = dict(zip(states, (numbers + rng.uniform(-0.5, 0.5, len(states))).tolist(), strict=True))
            values = np.abs(np.array(f({**self.known, **moved})))
            sizes = np.maximum(sizes, np.where(np.isfinite(values), values, 0.0))
        return sizes

    @property
    def is_at_rest(self) -> bool:
        """Whether the state is an equilibrium: nothing moves, and nothing is about to."""
        return all(map(self.is_zero, self.equations.coordinate_rates)) and self.linear.is_equilibrium

    def rank(self, rows: Sequence[Sequence[Any]]) -> int:
        """Rank at the state: for almost all parameters, bounded by the numeric rank at the model's values."""
        if not rows:
            return 0
        width = len(rows[0])
        flat = [as_expr(entry) for row in rows for entry in row]
        values = self.exact(flat)
        exact = rank([values[i * width : (i + 1) * width] for i in range(len(rows))])
        numbers = self._sizes(flat, values)
        return exact if numbers is None else min(exact, numeric_rank(np.array(numbers).reshape(len(rows), width)))


def numeric_rank(table: NDArray[np.float64]) -> int:
    """Numeric rank, independent of the units of rows and columns, up to rounding."""
    rows = table[np.isfinite(table).all(axis=1)]
    for _ in range(3):
        for axis in (0, 1):
            sizes = np.abs(rows).max(axis=axis, keepdims=True, initial=0.0)
            rows = rows / np.where(sizes > 0, sizes, 1.0)
    sizes = np.linalg.svd(rows, compute_uv=False) if rows.size else np.zeros(1)
    return int((sizes > _NOTHING * sizes[0]).sum())


@dataclass(frozen=True, eq=False)
class Query:
    """A query: equations, the inputs that are controls, and optionally a state."""

    equations: EquationsOfMotion
    inputs: Sequence[str] | None = None
    at: Values = None
    parameters: Values = None

    def state(self, place: str) -> AtState:
        """The state, home if none is named."""
        linear = linearize(self.equations, self.at, parameters=self.parameters)
        return AtState(linear, parameter_values(linear.equations, self.parameters), place)

    def plant_there(self, place: str) -> tuple[Plant, AtState]:
        """The mechanism with its controls about the state, which gives the other inputs."""
        state = self.state(place)
        plant = plant_of(state.equations, self.inputs, place, state.values, self.parameters)
        return (replace(plant, is_plain=True) if state.is_zero(plant.regular.condition) else plant), state

    def plant(self, place: str) -> tuple[Plant, AtState | None]:
        """The mechanism with its controls, about the state if one is named."""
        if self.at is not None:
            return self.plant_there(place)
        return plant_of(self.equations, self.inputs, place, parameters=self.parameters), None


Floats = NDArray[np.float64]


def linear_rank(A: Matrix, B: Sequence[Sequence[Any]], state: AtState) -> int:
    """Rank of [B, AB, …], B by columns: over the field, bounded by that of eigenvalues in numbers."""
    size = len(A)
    exact = _krylov_rank(A, B)
    a, b = (state.numbers([entry for row in rows for entry in row]) for rows in (A, B))
    if exact < size or a is None or b is None:
        return exact
    numbers, driven = np.array(a).reshape(size, size), np.array(b).reshape(-1, size).T
    return exact - min(exact, sum(_is_lost(numbers, driven, mode) for mode in np.linalg.eigvals(numbers)))


def _krylov_rank(A: Matrix, B: Sequence[Sequence[Any]]) -> int:
    rows = [[as_expr(entry).fp for entry in row] for row in A]
    fresh = [[as_expr(entry).fp for entry in column] for column in B]
    basis: list[tuple[int, list[int]]] = []
    while fresh:
        kept = []
        for vector in fresh:
            left = _reduced(vector, basis)
            pivot = next((k for k, entry in enumerate(left) if entry), None)
            if pivot is not None:
                basis.append((pivot, [entry * inverse(left[pivot]) % P for entry in left]))
                kept.append(vector)
        fresh = [[sum(a * x for a, x in zip(row, vector, strict=True)) % P for row in rows] for vector in kept]
    return len(basis)


def _reduced(vector: Sequence[int], basis: Sequence[tuple[int, Sequence[int]]]) -> list[int]:
    left = list(vector)
    for pivot, row in basis:
        if factor := left[pivot]:
            left = [(a - factor * b) % P for a, b in zip(left, row, strict=True)]
    return left


def _is_lost(A: Floats, B: Floats, mode: complex) -> bool:
    """Whether no input moves a mode: rank [A - λ, B] < n (Popov, Belevitch, Hautus), written in real numbers."""
    size = len(A)
    left = np.hstack([A - mode.real * np.eye(size), B])
    left[np.abs(left) < 1e-9 * np.abs(A).max()] = 0.0
    turn = np.hstack([mode.imag * np.eye(size), np.zeros_like(B)])
    return numeric_rank(np.block([[left, turn], [-turn, left]])) < 2 * size
