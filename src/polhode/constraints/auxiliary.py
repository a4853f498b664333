"""Auxiliary coordinates (`kinematics.tree`): some conditions of a constraint are solved for its own unknowns.

A constraint comes with conditions on q, t and unknowns σ that no mass hangs on. As many of them as σ has ways to move
are taken as definitions of σ; the others are rows like those of any constraint, with rates that follow σ.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..errors import ModelError, PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, directional, directionals, evaluate
from ..geometry.elimination import solve_columns
from ..kinematics.motion import flow
from ..kinematics.tree import AuxiliaryCoordinates, Tree
from ..model.constraints.protocol import Constraint, ContactConstraint, LoopConstraint
from ..model.model import Model
from .loop_auxiliary import loop_auxiliary
from .moving import MovingTree, loop_pose

#: Newton's steps to where the definitions hold, and how small what is left may be.
_STEPS, _NOTHING = 40, 1e-14


def auxiliary_of(
    of: str,
    definitions: Mapping[str, Expr],
    symbols: Sequence[Expr],
    along: Mapping[Expr, Any],
    *,
    ways: Matrix | None = None,
    at_reference: Sequence[Sequence[float]] | None = None,
    units: Sequence[int] = (),
    guess: Sequence[Expr] = (),
) -> AuxiliaryCoordinates:
    """σ from definitions ψ, moving in the columns G `ways`; pivots by numbers `at_reference`, start `guess`."""
    G = Matrix.identity(len(symbols)) if ways is None else ways
    values = list(definitions.values())
    still = directional(values, dict(along))
    directions = [dict(zip(symbols, column, strict=True)) for column in G.columns]
    D = Matrix.columns_of(directionals(values, directions), len(values))
    solution = solve_columns(D, [[-rate, -value] for rate, value in zip(still, values, strict=True)], at_reference)
    speeds, steps = Vector([row[0] for row in solution]), Vector([row[1] for row in solution])
    rates, back = (tuple(map(as_expr, G @ part)) for part in (speeds, steps))
    return AuxiliaryCoordinates(
        of, tuple(symbols), G, tuple(speeds), rates, tuple(definitions.items()), back, tuple(units), tuple(guess)
    )


def with_auxiliary(model: Model, tree: Tree) -> Tree:
    """The tree with the coordinates that the system's constraints add, after those of the joints."""
    tree = without_auxiliary(tree, ())
    along = flow(tree, model.time)
    moving = MovingTree(model, tree)
    candidates = (_auxiliary_of(constraint, moving, along) for constraint in model.constraints.values())
    records = [x for x in candidates if x is not None]
    taken = {q for joint in model.joints.values() for q in joint.q}
    for record in records:
        for q in record.symbols:
            if q in taken:
                message = f"its coordinate '{q.name}' has the name of another."
                cure = "Give the constraint, or the other coordinate, another name."
                raise ModelError(message, f"constraint '{record.of}'", cure, "E-MODEL-TWICE")
            taken.add(q)
    symbols = [q for entry in records for q in entry.symbols]
    return replace(tree, q=Vector([*tree.q, *symbols]), auxiliary=tuple(records)) if records else tree


def without_auxiliary(tree: Tree, but: Collection[str]) -> Tree:
    """The tree with the auxiliary coordinates of these constraints alone; constraints without rows need none."""
    kept = tuple(record for record in tree.auxiliary if record.of in but)
    if len(kept) == len(tree.auxiliary):
        return tree
    q_joints = tree.q[: tree.auxiliary_coordinates.start]
    return replace(tree, q=Vector([*q_joints, *(q for record in kept for q in record.symbols)]), auxiliary=kept)


def _auxiliary_of(constraint: Constraint, moving: MovingTree, along: Mapping[Expr, Any]) -> AuxiliaryCoordinates | None:
    """The auxiliary coordinates of one constraint."""
    name = constraint.name
    if isinstance(constraint, ContactConstraint) and constraint.coordinates:
        definitions, guess = constraint.definitions(moving), constraint.guess(moving)
        return auxiliary_of(name, definitions, list(constraint.coordinates), along, guess=guess)
    joint = loop_auxiliary(constraint) if isinstance(constraint, LoopConstraint) else None
    if not isinstance(constraint, LoopConstraint) or joint is None:
        return None
    definitions, _ = joint.conditions(loop_pose(constraint, moving.tree))
    return auxiliary_of(
        name, definitions, joint.symbols, along, ways=joint.ways, at_reference=joint.at_reference, units=joint.units
    )


def fitted(tree: Tree, values: Mapping[Expr, float]) -> dict[Expr, float]:
    """Numbers for all symbols, with the auxiliary coordinates solved from their definitions where possible."""
    known_values = dict(values)
    for record in tree.auxiliary:
        if record.guess and not any(known_values[s] for s in record.symbols):
            known_values |= zip(record.symbols, evaluate(list(record.guess), known_values), strict=True)
        known_values |= zip(record.symbols, _defined(record, known_values), strict=True)
    return known_values


def _defined(record: AuxiliaryCoordinates, values: Mapping[Expr, float]) -> list[float]:
    """The auxiliary coordinates of one constraint by Newton's method on their definitions."""
    import numpy as np

    from .newton import Floats, solve

    def numbers(entries: Sequence[Expr], q: Floats) -> Floats:
        try:
            return np.array(evaluate(list(entries), {**values, **dict(zip(record.symbols, q.tolist(), strict=True))}))
        except (ArithmeticError, ValueError, PolhodeError):
            return np.full(len(entries), np.nan)

    def step(q: Floats, _: Floats) -> Floats | None:
        change = numbers(record.back, q)
        return change if np.isfinite(change).all() else None

    start = np.array([values[s] for s in record.symbols])
    definitions = [value for _, value in record.definitions]
    root = solve(
        partial(numbers, definitions), step, np.add, start,
        tolerance=_NOTHING, most_steps=_STEPS, shortest=1e-2, longest=1.0,
    )  # fmt: skip
    return list(root.q.tolist())
