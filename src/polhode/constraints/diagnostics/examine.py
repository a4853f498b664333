"""The examination: from a model to its Diagnosis, first for almost all coordinates, then at a pose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...errors import PolhodeError
from ...expr import quiet_collector
from ...expr.decide import combinations
from ...kinematics.tree import build_tree
from ...model.model import Model
from ...model.reading import numbers_by_name, unknown
from .. import Constraints
from ..rows import assembly_branches, impossible, reference_of, sorted_rows
from .integrability import dimensions, filtration, integrable_rows, is_holonomic
from .numbers import (
    KEPT,
    LOST,
    Floats,
    Numbers,
    dependent_speeds,
    null_space,
    numeric_combinations,
    numeric_rank,
)
from .records import Dependence, Diagnosis, Here, Integrability

#: How far to walk from a pose to see what is lasting: radians or metres, the smaller where the larger fails.
_STRIDES = (0.2, 0.02)
_WALKS = 4
_STEPS = 3


def diagnose(
    system: Model, pose: Mapping[str, float] | str | None = None, tell: Callable[[str], object] | None = None
) -> Diagnosis:
    """What the constraints of a system leave free, and what is wrong with them.

    `pose` is where to look, by name or by coordinates; home by default. `tell` is told what is being done.
    """
    say = tell or (lambda words: None)
    say("reading the constraints")
    with quiet_collector():
        found = sorted_rows(system, build_tree(system))
        tree = found.tree
        near = _pose(system, pose, tree.coordinates[tree.auxiliary_coordinates])
        trivial = tuple(row.name for row in found.trivial)
        constraints = Constraints(tree, system.time, found.rows, trivial, reference_of(system, tree, near))
        say("looking for dependent constraints")
        redundant, contradictory = _generic(constraints)
        say("assembling")
        numbers = Numbers(constraints, assembly_branches(system, tree))
        here, walked = _examined(numbers, [row.row for row in redundant]) if not found.impossible else (None, [])
        say("looking for hidden conditions on the position")
        integrability = _integrability(constraints, here, walked)
    return Diagnosis(
        system=system.name,
        pose=pose if isinstance(pose, str) else "home" if pose is None else "the given pose",
        speeds=tuple(tree.speeds),
        positions=tuple(row.name for row in found.rows if row.is_position),
        velocities=tuple(row.name for row in found.rows if not row.is_position),
        trivial=trivial,
        impossible=tuple(impossible(row).message for row in found.impossible),
        independent=len(constraints.rows) - len(redundant),
        redundant=redundant,
        contradictory=contradictory,
        driven=tree.is_driven or any(constraints.a),
        assumed=tuple(name for name, parameter in system.parameters.items() if parameter.value is None),
        integrability=integrability,
        here=here,
    )


def _pose(
    system: Model, pose: Mapping[str, float] | str | None, auxiliary: Sequence[str]
) -> Mapping[str, float] | None:
    names = [*(q.name for joint in system.joints.values() for q in joint.q), *auxiliary]
    if isinstance(pose, str):
        if pose not in system.poses:
            raise unknown("pose", pose, system.poses, "diagnose")
        return system.poses[pose].coordinates
    given = None if pose is None else numbers_by_name(pose, "diagnose")
    for name in given or ():
        if name not in names:
            raise unknown("coordinate", name, names, "diagnose")
    return given


# ---- at almost every coordinates -----------------------------------------------------------------------------


def _generic(constraints: Constraints) -> tuple[tuple[Dependence, ...], tuple[Dependence, ...]]:
    """Rows that follow from others, and rows on speeds that contradict others: rank [A a] > rank A."""
    if not constraints.rows:
        return (), ()
    follows = combinations(constraints.A.T)
    agree = combinations([*constraints.A.T, list(constraints.a)])
    names = constraints.names
    made = {row: Dependence(names[row], tuple(names[k] for k in of)) for row, of in follows.items()}
    # Off the constraint surface rows on coordinates may disagree that agree on it: their test is the assembly.
    sure = [
        row
        for row, of in follows.items()
        if row not in agree and not any(constraints.rows[k].is_position for k in (row, *of))
    ]
    return tuple(made.values()), tuple(made[row] for row in sure)


# ---- at a pose -----------------------------------------------------------------------------------------------


def _examined(numbers: Numbers, known: Sequence[str]) -> tuple[Here, list[Floats]]:
    """What is found at the pose of reference, and poses that can be reached from there."""
    constraints = numbers.constraints
    start = numbers.home
    q, left = numbers.assembled(start)
    if not np.isfinite(numbers.matrix(q)).all():
        q = numbers.nudged(q)
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
        return Here(coordinates, moved, off, 0, None, (), (), (), (), ()), []
    A = numbers.matrix(q)
    if not np.isfinite(A).all():
        raise _undefined(constraints.rows[int(np.argmin(np.isfinite(A).all(axis=1)))].of)
    reached = _reached(numbers, q, A)
    around = [numeric_rank(numbers.matrix(each)) for each in reached]
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
        if constraints.names[row] not in known
    ]
    here = Here(
        coordinates,
        moved,
        {},
        rank,
        max(around, default=rank if rank == len(speeds) else None),
        tuple(redundant),
        _contradictory(constraints, A, numbers.drift(q)),
        tuple(name for k, name in enumerate(speeds) if k not in dependent),
        tuple(speeds[k] for k in dependent),
        _locks(constraints, usual) if max(around, default=rank) == len(speeds) else (),
    )
    return here, reached


def _undefined(constraint: str) -> PolhodeError:
    return PolhodeError(
        "it is not defined at this pose, nor near it.",
        place=f"constraint '{constraint}'",
        cure="Look at another pose, or store orientations as quaternions.",
        code="E-DIAG-001",
    )


def _reached(numbers: Numbers, q: Floats, A: Floats) -> list[Floats]:
    """Poses around one that keep the constraints and lie off it, on a few walks along what the rows leave free."""
    rng = np.random.default_rng(11)
    found: list[Floats] = []
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
            found.append(at)
    return found


def _step(numbers: Numbers, q: Floats, A: Floats, rng: np.random.Generator) -> Floats | None:
    """A pose a stride off, in some direction that the rows leave free; None where none leads away."""
    ways = null_space(A)
    if not ways.shape[1]:
        return None
    way = ways @ rng.standard_normal(ways.shape[1])
    way /= np.linalg.norm(way)
    for stride in _STRIDES:
        aim = numbers.along(q, way, stride)
        if not np.isfinite(aim).all():
            continue
        end, left = numbers.descended(aim)
        asked, gone = float(np.linalg.norm(aim - q)), float(np.linalg.norm(end - q))
        if np.abs(left).max(initial=0.0) <= KEPT and 0.2 * asked < gone < 5.0 * asked:
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
    """The constraints of which each alone, if it were taken away, would let something move."""
    owners = list(dict.fromkeys(row.of for row in constraints.rows))
    return tuple(
        owner
        for owner in owners
        if numeric_rank(A[[k for k, row in enumerate(constraints.rows) if row.of != owner]]) < A.shape[1]
    )


# ---- how far manoeuvres lead ---------------------------------------------------------------------------------


def _integrability(constraints: Constraints, here: Here | None, walked: Sequence[Floats]) -> Integrability | None:
    """Frobenius' test on the rows that are independent where the mechanism moves."""
    tree = constraints.tree
    plain = is_holonomic(tree)
    speeds = [k for k, row in enumerate(constraints.rows) if not row.is_position]
    extra = {each.row for each in here.redundant} if here is not None else set()
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
