"""A joint of any kind that closes a loop, by coordinates σ of its own: X_ab(q) = X_joint(σ).

The chain of the joint's stages is cut at one of its ends or between two of them, and the closure error there is

    E = X_inner(σ)⁻¹ X_ab X_outer(σ)⁻¹,    turn (R - Rᵀ)/2 of E and p of E: six conditions

Where E = 1 they move with -J ν, J the joint's map at the cut. As many conditions as the joint has speeds are taken to
define σ: those, and that cut, of which it is surest that they do so at every σ. A universal joint that is cut between
its axes has no singular pose. A joint whose columns do not close under the bracket has coordinates, and speeds ν, of
the algebra that they generate; those that it cannot have are kept at zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import ModelError, PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, evaluate, free_symbols, is_zero
from ..geometry import Pose
from ..geometry.elimination import regular_rows
from ..kinematics.joint import envelope_kinematics, simple_configuration, twist_beyond
from ..model.constraints.closure import nothing_free
from ..model.constraints.protocol import LoopConstraint
from ..model.joints import JointType
from ..model.reading import coordinate_symbols
from ..model.stage import Stage

Named = dict[str, Expr]

#: Singular values of the joint's map below this make zero coordinates unsuitable for choosing pivots.
_SINGULAR = 1e-3


@dataclass(frozen=True, eq=False)
class LoopAuxiliary:
    """A closing joint's coordinates, how they move, where its chain is cut and which conditions define them."""

    symbols: tuple[Expr, ...]
    units: tuple[int, ...]  # where unit quaternions begin
    ways: Matrix  # Γ of all stages
    beyond: tuple[int, ...]  # speeds of the generated algebras that the joint does not have
    inner: Pose  # from frame a to the cut
    outer: Pose  # from the cut to frame b
    defining: tuple[str, ...]  # conditions that define the coordinates
    at_reference: list[list[float]]  # their slopes in numbers, where E = 1

    def closure_error(self, X: Pose) -> Pose:
        """E, which is one where the loop is closed."""
        return self.inner.inverse() @ X @ self.outer.inverse()

    def conditions(self, X: Pose) -> tuple[Named, Named]:
        """Those that define the coordinates, and the others."""
        E = self.closure_error(X)
        named = {condition.name: condition.value(E) for condition in nothing_free()}
        defining = {name: named[name] for name in self.defining}
        return defining, {name: value for name, value in named.items() if name not in defining}

    def excluded(self, speeds: Sequence[Any]) -> Named:
        """The speeds ν that the joint excludes."""
        return {f"beyond {count}": as_expr(speeds[k]) for count, k in enumerate(self.beyond, start=1)}

    def branch(self, X: Pose) -> Expr:
        """Branch indicator: 0 where the loop is closed, -4 at an error of half a turn, which the conditions allow."""
        R = self.closure_error(X).R
        return as_expr(R[0, 0] + R[1, 1] + R[2, 2] - 3)


@dataclass(frozen=True)
class _Step:
    """A stage between frame a and frame b, its coordinates, and their indices in the joint's list."""

    stage: Stage
    q: tuple[Expr, ...]
    span: range

    @cached_property
    def X(self) -> Pose:
        return simple_configuration(self.stage, self.q)

    @property
    def is_quaternion(self) -> bool:
        return self.stage.storage == "quaternion"


@dataclass(frozen=True)
class _Cut:
    """Where the chain is cut, the conditions that define the coordinates there, and the risk of singular poses."""

    index: int
    rows: tuple[int, ...]
    at_reference: list[list[float]]
    risk: tuple[int, int]


def loop_auxiliary(closure: LoopConstraint) -> LoopAuxiliary | None:
    """The coordinates and conditions of a closing joint; None if its conditions need no coordinates."""
    kind = closure.closing_joint
    if kind is None or closure.conditions(Pose.identity()) is not None:
        return None
    symbols = coordinate_symbols(kind, [f"{closure.name} {label or 1}" for label in kind.coordinate_labels()])
    steps = _steps(kind, symbols)
    try:
        cut = min((_cut(steps, index) for index in range(len(steps) + 1)), key=lambda candidate: candidate.risk)
    except PolhodeError as error:
        message = f"the stages of this {kind.kind} joint repeat each other: poses do not determine its coordinates."
        cure = "Leave out a stage whose motion the others allow already."
        raise ModelError(message, closure.place, cure, "E-CONSTRAINT-SINGULAR") from error
    ways, beyond = _kinematics(steps, len(symbols))
    return LoopAuxiliary(
        symbols,
        tuple(step.span[0] for step in steps if step.is_quaternion),
        ways,
        tuple(beyond),
        _motion(steps[: cut.index]),
        _motion(steps[cut.index :]),
        tuple(nothing_free()[k].name for k in cut.rows),
        cut.at_reference,
    )


def _steps(kind: JointType, symbols: Sequence[Expr]) -> list[_Step]:
    stages = kind.stages
    firsts = [sum(stage.coordinates for stage in stages[:index]) for index in range(len(stages))]
    spans = [range(first, first + stage.coordinates) for first, stage in zip(firsts, stages, strict=True)]
    return [_Step(stages[k], tuple(symbols[at] for at in spans[k]), spans[k]) for k in kind.from_parent]


def _motion(steps: Sequence[_Step]) -> Pose:
    X = Pose.identity()
    for step in steps:
        X = X @ step.X
    return X


def _kinematics(steps: Sequence[_Step], size: int) -> tuple[Matrix, list[int]]:
    """Γ of all stages, and the columns of the generated algebras that the joint does not have."""
    columns: list[list[Any]] = []
    beyond: list[int] = []
    for step in steps:
        gamma, _ = envelope_kinematics(step.stage, step.q)
        beyond += range(len(columns) + step.stage.speeds, len(columns) + gamma.shape[1])
        for rates in gamma.columns:
            column: list[Any] = [0] * size
            column[step.span.start : step.span.stop] = rates
            columns.append(column)
    return Matrix.columns_of(columns, size).map(as_expr), beyond


def _cut(steps: Sequence[_Step], index: int) -> _Cut:
    """The chain cut before a stage: J there, and the rows of it that are surest to be regular."""
    columns: list[Vector] = []
    for k, step in enumerate(steps):
        U = _motion(steps[k + 1 : index]) if k < index else _motion(steps[index : k + 1]).inverse()
        columns += [twist_beyond(U, h) for h in step.stage.algebra]
    J = Matrix.columns_of(columns, 6).map(as_expr)
    at_reference = _numbers(J, steps)
    rows, risk = regular_rows(J, at_reference)
    full = sum(not is_zero(entry) for k in rows for entry in J[k])
    return _Cut(index, tuple(rows), [[-entry for entry in at_reference[k]] for k in rows], (risk, full))


def _numbers(J: Matrix, steps: Sequence[_Step]) -> list[list[float]]:
    """J at the zero configuration, or near it where that is singular."""
    import numpy as np

    home = {q: 0.0 for step in steps for q in step.q} | {step.q[0]: 1.0 for step in steps if step.is_quaternion}
    values = dict.fromkeys(free_symbols([as_expr(entry) for entry in J.entries()]), 1.0) | home
    aside = values | {q: home[q] + 0.3 + 0.2 * k for k, q in enumerate(home)}
    candidates = [np.reshape(evaluate(list(J.entries()), point), J.shape) for point in (values, aside)]
    regular = candidates[0] if np.linalg.svd(candidates[0], compute_uv=False)[-1] > _SINGULAR else candidates[1]
    return [[float(entry) for entry in row] for row in regular]
