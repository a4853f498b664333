"""The examination: from a model to its Diagnosis, first for almost all coordinates, then at a pose.

Which constraints on speeds are integrable, conditions on the position, is Frobenius' theorem, by fingerprint:

    Δ¹ = {Γ E v}: where the constraints let the coordinates go
    Δᵏ⁺¹ = Δᵏ + [Δ¹, Δᵏ]: where manoeuvres lead besides, by brackets (`geometry.vector_fields`)

The dimensions of Δ¹, Δ², … are the growth vector. Where it ends short of all coordinates, the rest obeys
conditions on the position, written or hidden. If time appears, it is one more coordinate, that moves at rate one.

Ranks are those at almost every coordinates, by fingerprint; where roots and other functions appear that are opaque to
fingerprints, those at poses that keep the constraints, in numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...errors import PolhodeError
from ...expr import Expr, Vector, as_expr, evaluate, free_symbols, quiet_collector, topological
from ...expr.decide import combinations
from ...expr.node import ADD, DIV, MUL, NEG, NUMBER, SUB, SYMBOL
from ...geometry.vector_fields import Field, independent, spread
from ...kinematics.tree import Tree, build_tree
from ...model.model import Model
from ...model.reading import numbers_by_name, unknown
from .. import Constraints, dependent_speeds_of
from ..newton import Floats
from ..rows import assembly_branches, impossible, reference_of, sorted_rows
from .numbers import (
    KEPT,
    LOST,
    Numbers,
    dependent_speeds,
    null_space,
    numeric_combinations,
    numeric_rank,
)
from .records import Dependence, Diagnosis, Integrability, PoseReport

#: How far to walk from a pose to see what is lasting: radians or metres, the smaller where the larger fails.
_STRIDES = (0.2, 0.02)
_WALKS = 4
_STEPS = 3


def diagnose(
    model: Model, pose: Mapping[str, float] | str | None = None, tell: Callable[[str], object] | None = None
) -> Diagnosis:
    """Degrees of freedom and faults of the constraints at a `pose`, by name or coordinates; `tell` reports progress."""
    say = tell or (lambda words: None)
    say("reading the constraints")
    with quiet_collector():
        rows = sorted_rows(model, build_tree(model))
        tree = rows.tree
        near = _pose(model, pose, tree.coordinates[tree.auxiliary_coordinates])
        trivial = tuple(row.name for row in rows.trivial)
        constraints = Constraints(tree, model.time, rows.rows, trivial, reference_of(model, tree, near))
        if constraints.nonlinear:  # such rows may vanish at rest
            moving = {u: 1 / (k + 2) for k, u in enumerate(tree.u)}
            constraints = replace(constraints, reference={**constraints.reference, **moving})
        say("looking for dependent constraints")
        redundant, contradictory = _generic(constraints)
        say("assembling")
        numbers = Numbers(constraints, assembly_branches(model, tree))
        here, walked = _examined(numbers, [row.row for row in redundant]) if not rows.impossible else (None, [])
        say("looking for hidden conditions on the position")
        integrability = _integrability(constraints, here, walked)
    return Diagnosis(
        system=model.name,
        pose=pose if isinstance(pose, str) else "home" if pose is None else "the given pose",
        speeds=tuple(tree.speeds),
        positions=tuple(row.name for row in rows.rows if row.is_position),
        velocities=tuple(row.name for row in rows.rows if not row.is_position),
        trivial=trivial,
        impossible=tuple(impossible(row).message for row in rows.impossible),
        independent=len(constraints.rows) - len(redundant),
        redundant=redundant,
        contradictory=contradictory,
        driven=tree.is_driven or constraints.do_work,
        assumed=tuple(name for name, parameter in model.parameters.items() if parameter.value is None),
        integrability=integrability,
        here=here,
        nonlinear=constraints.notices,
    )


def _pose(model: Model, pose: Mapping[str, float] | str | None, auxiliary: Sequence[str]) -> Mapping[str, float] | None:
    names = [*(q.name for joint in model.joints.values() for q in joint.q), *auxiliary]
    if isinstance(pose, str):
        if pose not in model.poses:
            raise unknown("pose", pose, model.poses, "diagnose")
        return model.poses[pose].coordinates
    stated = None if pose is None else numbers_by_name(pose, "diagnose")
    for name in stated or ():
        if name not in names:
            raise unknown("coordinate", name, names, "diagnose")
    return stated


# ---- at almost every coordinates -----------------------------------------------------------------------------


def _generic(constraints: Constraints) -> tuple[tuple[Dependence, ...], tuple[Dependence, ...]]:
    """Rows that follow from others, and rows on speeds that contradict others: rank [A a] > rank A."""
    if not constraints.rows:
        return (), ()
    follows = combinations(constraints.A.T)
    agree = combinations([*constraints.A.T, list(constraints.a)])
    names = constraints.names
    dependences = {row: Dependence(names[row], tuple(names[k] for k in of)) for row, of in follows.items()}
    # Off the constraint surface rows on coordinates may disagree that agree on it: their test is the assembly.
    sure = [
        row
        for row, of in follows.items()
        if row not in agree and not any(constraints.rows[k].is_position for k in (row, *of))
    ]
    return tuple(dependences.values()), tuple(dependences[row] for row in sure)


# ---- at a pose -----------------------------------------------------------------------------------------------


def _examined(numbers: Numbers, everywhere: Sequence[str]) -> tuple[PoseReport, list[Floats]]:
    """Report at the pose of reference, and poses that can be reached from there."""
    constraints = numbers.constraints
    start = numbers.home
    q, left = numbers.assembled(start)
    if not np.isfinite(numbers.matrix(q)).all():
        q = numbers.regular_near(q)
    names = [*(constraints.rows[k].name for k in constraints.positions), *constraints.definitions]
    coordinates = dict(zip(constraints.tree.coordinates, q.tolist(), strict=True))
    moved = {
        name: (old, new)
        for name, old, new in zip(constraints.tree.coordinates, start.tolist(), q.tolist(), strict=True)
        if abs(new - old) > 1e-9 and name not in constraints.tree.coordinates[constraints.tree.auxiliary_coordinates]
    }
    size = float(np.abs(left).max(initial=0.0))
    if not np.isfinite(left).all():
        raise _undefined(names[int(np.argmin(np.isfinite(left)))])
    turned = numbers.reversed(q)
    if size > KEPT or turned:
        off = {name: float(r) for name, r in zip(names, left, strict=True) if abs(r) >= max(0.05 * size, KEPT)}
        off |= {f"{name} branch": value for name, value in turned.items() if size <= KEPT}
        return PoseReport(coordinates, moved, off, 0, None, (), (), (), (), ()), []
    A = numbers.matrix(q)
    if not np.isfinite(A).all():
        raise _undefined(constraints.rows[int(np.argmin(np.isfinite(A).all(axis=1)))].of)
    reached = _reached(numbers, q, A)
    around = [numeric_rank(numbers.matrix(q_reached)) for q_reached in reached]
    rank = numeric_rank(A)
    typical = reached[int(np.argmax(around))] if reached else q
    usual = numbers.matrix(typical)
    chosen = A if rank == max(around, default=rank) else usual
    dependent = dependent_speeds(chosen)
    speeds = constraints.tree.speeds
    follows = numeric_combinations(usual) if reached or rank == len(speeds) else {}
    redundant = [
        Dependence(constraints.names[row], tuple(constraints.names[k] for k in of))
        for row, of in follows.items()
        if constraints.names[row] not in everywhere
    ]
    here = PoseReport(
        coordinates,
        moved,
        {},
        rank,
        max(around, default=rank if rank == len(speeds) else None),
        tuple(redundant),
        _contradictory(constraints, A, numbers.drift(q)),
        () if constraints.nonlinear else tuple(name for k, name in enumerate(speeds) if k not in dependent),
        tuple(speeds[k] for k in dependent),
        _locks(constraints, usual) if max(around, default=rank) == len(speeds) else (),
    )
    return here, reached


def _undefined(constraint: str) -> PolhodeError:
    return PolhodeError(
        "it is not defined at this pose, nor near it.",
        place=f"constraint '{constraint}'",
        cure="Look at another pose, or store orientations as quaternions.",
        code="E-CONSTRAINT-SINGULAR",
    )


def _reached(numbers: Numbers, q: Floats, A: Floats) -> list[Floats]:
    """Poses around one that satisfy the constraints, from a few random walks along the null space of A."""
    rng = np.random.default_rng(11)
    poses: list[Floats] = []
    for _ in range(_WALKS):
        at, rows = q, A
        for _ in range(_STEPS):
            end = _step(numbers, at, rows, rng)
            if end is None:
                break
            at, rows = end, numbers.matrix(end)
            if not np.isfinite(rows).all():
                break
        else:
            poses.append(at)
    return poses


def _step(numbers: Numbers, q: Floats, A: Floats, rng: np.random.Generator) -> Floats | None:
    """A pose one step away in a free direction of the rows; None if there is none."""
    basis = null_space(A)
    if not basis.shape[1]:
        return None
    direction = basis @ rng.standard_normal(basis.shape[1])
    direction /= np.linalg.norm(direction)
    for stride in _STRIDES:
        aim = numbers.along(q, direction, stride)
        if not np.isfinite(aim).all():
            continue
        end, left = numbers.descended(aim)
        length, moved = float(np.linalg.norm(aim - q)), float(np.linalg.norm(end - q))
        if np.abs(left).max(initial=0.0) <= KEPT and 0.2 * length < moved < 5.0 * length:
            return end
    return None


def _contradictory(constraints: Constraints, A: Floats, drift: Floats) -> tuple[str, ...]:
    """Rows that no speeds keep together at a pose: A u = -a has no solution."""
    if not drift.size or not np.isfinite(drift).all():
        return ()
    left = A @ np.linalg.lstsq(A, -drift, rcond=LOST)[0] + drift
    size = float(np.abs(left).max())
    if size <= LOST * (1.0 + float(np.abs(drift).max())):
        return ()
    return tuple(name for name, rest in zip(constraints.names, left, strict=True) if abs(rest) > 0.05 * size)


def _locks(constraints: Constraints, A: Floats) -> tuple[str, ...]:
    """The constraints each of whose removal alone would free a motion."""
    owners = list(dict.fromkeys(row.of for row in constraints.rows))
    return tuple(
        owner
        for owner in owners
        if numeric_rank(A[[k for k, row in enumerate(constraints.rows) if row.of != owner]]) < A.shape[1]
    )


# ---- how far manoeuvres lead ---------------------------------------------------------------------------------


def _integrability(constraints: Constraints, here: PoseReport | None, walked: Sequence[Floats]) -> Integrability | None:
    """Frobenius' test on the rows that are independent where the mechanism moves."""
    tree = constraints.tree
    plain = is_holonomic(tree)
    speeds = [k for k, row in enumerate(constraints.rows) if not row.is_position]
    if constraints.nonlinear:  # Frobenius' test is of conditions that are linear in the speeds
        return None
    extra = {dependence.row for dependence in here.redundant} if here is not None else set()
    rows = [k for k in constraints.generic_rows if constraints.rows[k].name not in extra] if constraints.rows else []
    if plain and not speeds:
        return Integrability((len(tree.u) - len(rows),), dimensions(tree), (), ())
    points = [dict(constraints.reference) | dict(zip(tree.q, q.tolist(), strict=True)) for q in walked]
    reached = filtration(constraints, rows, points)
    if not plain:
        return Integrability(reached.growth, dimensions(tree), None, None)
    hidden = integrable_rows(constraints, reached, speeds)
    return Integrability(
        reached.growth,
        dimensions(tree),
        tuple(constraints.names[k] for k in hidden),
        tuple(constraints.names[k] for k in speeds if k not in hidden),
    )


Point = Mapping[Expr, float]
_CLEAR = {ADD, SUB, MUL, DIV, NEG, NUMBER, SYMBOL, "sin", "cos", "pi"}

#: Brackets of brackets are taken this often; a mechanism that needs more is reported up to there.
DEPTH_LIMIT = 8


@dataclass(frozen=True, eq=False)
class Filtration:
    """The dimensions that are reached, and fields that span the last of them."""

    growth: tuple[int, ...]  # without time
    fields: tuple[Field, ...]
    timed: bool
    points: tuple[Point, ...]  # where ranks were taken in numbers; none, if by fingerprint


def filtration(constraints: Constraints, rows: Sequence[int], points: Sequence[Point] = ()) -> Filtration:
    """Growth of the brackets of motions that keep these independent rows; `points` are poses that keep them."""
    tree = constraints.tree
    usable = constraints.only(rows)
    dependent_speeds = dependent_speeds_of(usable)
    gamma = tree.kinematic_matrix()
    fields = [[as_expr(entry) for entry in column] for column in (gamma @ dependent_speeds.E).columns]
    variables = list(tree.q)
    written = [*usable.rates, *gamma.entries(), *tree.coordinate_rates()]
    timed = constraints.time in free_symbols(written)
    if timed:
        fields = [[*field, as_expr(0)] for field in fields]
        fields.append([*tree.coordinate_rates(dependent_speeds.e), as_expr(1)])
        variables.append(constraints.time)
    most = dimensions(tree) - sum(row.is_position for row in usable.rows) + timed
    points = () if _is_clear(written) else tuple(points)
    choose = partial(_independent, points=points) if points else independent
    reached = spread(fields, fields, variables, most, DEPTH_LIMIT, choose)
    return Filtration(tuple(size - timed for size in reached.growth), reached.basis, timed, tuple(points))


def _is_clear(entries: Sequence[Expr]) -> bool:
    """Whether fingerprints decide all functions in some expressions."""
    return all(node.op in _CLEAR or (node.op == "sqrt" and node.args[0].is_number) for node in topological(entries))


def _independent(basis: Sequence[Field], fields: Sequence[Field], points: Sequence[Point]) -> list[Field]:
    """The new fields that the known ones and those before them do not span at most of the points."""
    everything = [*basis, *fields]
    return [everything[k] for k in _in_numbers(everything, points) if k >= len(basis)] if fields else []


def _in_numbers(fields: Sequence[Field], points: Sequence[Point]) -> list[int]:
    """The first independent fields where most are."""
    best: list[int] = []
    for point in points:
        table = _values(fields, point)
        if np.isfinite(table).all():
            spanned = numeric_combinations(table)
            kept = [k for k in range(len(fields)) if k not in spanned]
            best = max(best, kept, key=len)
    return best


def _values(fields: Sequence[Field], point: Point) -> Floats:
    return np.array(evaluate([entry for field in fields for entry in field], point)).reshape(len(fields), -1)


def dimensions(tree: Tree) -> int:
    """Dimension of the configuration space, a quaternion counting three."""
    return sum(gamma.shape[1] for gamma, _ in tree.stage_kinematics)


def is_holonomic(tree: Tree) -> bool:
    """Whether every joint of a tree has as many coordinates as speeds."""
    return dimensions(tree) == len(tree.u)


def integrable_rows(constraints: Constraints, reached: Filtration, rows: Sequence[int]) -> list[int]:
    """The rows that every manoeuvre keeps: they hold on the position, whatever the motion was."""
    moves = [_speeds(constraints.tree, field) for field in reached.fields]
    rates = [field[-1] if reached.timed else as_expr(0) for field in reached.fields]
    kept = []
    for row in rows:
        slips = [
            as_expr(constraints.A[row].dot(move) + constraints.a[row] * rate)
            for move, rate in zip(moves, rates, strict=True)
        ]
        if not any(slips) or (reached.points and all(_vanish(slips, point) for point in reached.points)):
            kept.append(row)
    return kept


def _vanish(slips: Field, point: Point) -> bool:
    return float(np.abs(_values([slips], point)).max(initial=0.0)) < LOST


def _speeds(tree: Tree, field: Field) -> list[Any]:
    """The speeds that move the coordinates along a field, where all joints are holonomic: u = Γ⁺ q̇."""
    speeds: list[Any] = [as_expr(0)] * len(tree.u)
    for link, (_, back) in zip(tree.links, tree.stage_kinematics, strict=True):
        if link.coordinates:
            u = back @ Vector([field[k] for k in link.coordinates])
            for speed, entry in zip(link.speeds, u, strict=False):
                speeds[speed] = as_expr(entry)
    return speeds
