"""Vector fields on a space of states: Lie derivatives, brackets, and how far brackets lead.

    L_X h = Σ (∂h/∂x_i) X_i,     [X, Y] = (∂Y/∂x) X - (∂X/∂x) Y

A field is a list of expressions, one for each variable. Derivatives are taken on the graph, and ranks are those at
almost every point, by fingerprint: nothing is expanded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from ..expr import Expr, Matrix, as_expr, directional, independent_columns, topological

Field: TypeAlias = "list[Expr]"

#: Brackets are followed no further where their graph has more nodes than this.
NODE_LIMIT = 300_000


@dataclass(frozen=True, eq=False)
class Spread:
    """Dimensions level by level, fields that span the last, and all fields taken; not `is_complete` if cut off."""

    growth: tuple[int, ...]
    basis: tuple[Field, ...]
    found: tuple[Field, ...]
    is_complete: bool = True


def lie_derivative(values: Sequence[Expr], X: Sequence[Expr], variables: Sequence[Expr]) -> list[Expr]:
    """The rates of functions along a field."""
    return directional(values, dict(zip(variables, X, strict=True)))


def bracket(X: Sequence[Expr], Y: Sequence[Expr], variables: Sequence[Expr]) -> Field:
    """The Lie bracket of two vector fields."""
    X_Y = lie_derivative(list(Y), X, variables)
    Y_X = lie_derivative(list(X), Y, variables)
    return [as_expr(a - b) for a, b in zip(X_Y, Y_X, strict=True)]


def independent(basis: Sequence[Field], fields: Sequence[Field]) -> list[Field]:
    """The new fields that the known ones and those before them do not span."""
    everything = [*basis, *fields]
    columns = independent_columns(Matrix(everything).T) if fields else []
    return [everything[k] for k in columns if k >= len(basis)]


def is_involutive(fields: Sequence[Field], variables: Sequence[Expr]) -> bool:
    """Whether the fields are involutive (Frobenius), at almost every point."""
    basis = independent([], fields)
    return not independent(basis, [bracket(X, Y, variables) for X, Y in combinations(basis, 2)])


def spread(
    operators: Sequence[Field],
    seeds: Sequence[Field],
    variables: Sequence[Expr],
    most: int,
    depth: int,
    choose: Callable[[Sequence[Field], Sequence[Field]], list[Field]] = independent,
) -> Spread:
    """The smallest distribution with the seeds and brackets of operators, by levels; `choose` picks new fields."""
    first = fresh = basis = choose([], seeds)
    growth, fields, is_complete = [len(basis)], list(seeds), True
    both = len(operators) == len(seeds) and all(X is Y for X, Y in zip(operators, seeds, strict=True))
    while fresh and len(basis) < most:
        if len(growth) >= depth or len(topological([entry for field in fresh for entry in field])) > NODE_LIMIT:
            is_complete = False
            break
        brackets = []
        for i, X in enumerate(first if both else operators):
            others = fresh[i + 1 :] if both and fresh is first else fresh  # [X, Y] = -[Y, X]
            brackets += [bracket(X, Y, variables) for Y in others]
        fresh = choose(basis, brackets)
        basis, fields = [*basis, *fresh], [*fields, *brackets]
        if fresh:
            growth.append(len(basis))
    return Spread(tuple(growth), tuple(basis), tuple(fields), is_complete)
