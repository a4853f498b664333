"""The forces that keep constraints, as they act: wrenches on bodies, and efforts on speeds.

A closing joint pushes with n·w + f·v = λ·φ̇ against every motion (w, v) of its frame b; a contact with a force at the
place of contact; a condition on coordinates with efforts on their speeds. All together do the work of Aᵀλ:

    Σ Jᵀ (n, f) + efforts = Aᵀ λ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..expr import Expr, Matrix, Vector, as_expr, directional, skew, substitute, symbol
from ..geometry import Pose
from ..kinematics.motion import world_poses
from ..kinematics.tree import BASE
from ..model.constraint import Closure, Condition
from ..model.system import System
from .closing import closing_conditions
from .rows import Constraints, Reader

Wrench = tuple[Vector, Vector]
_ZERO = Vector([as_expr(0)] * 3)


@dataclass(frozen=True)
class Push:
    """What a constraint does to its two bodies: a wrench about a place, in ground components, on one of them.

    The other body feels the opposite wrench at the same place.
    """

    on: str
    against: str
    place: Vector
    torque: Vector
    force: Vector


def pushes(system: System, ties: Constraints, multipliers: Sequence[Any]) -> dict[str, Push]:
    """For each constraint between bodies the wrench that it exerts, given the multipliers of its rows."""
    reader = Reader(system, ties.tree)
    made: dict[str, Push] = {}
    for constraint in system.constraints.values():
        own = {row.part: multipliers[place] for place, row in enumerate(ties.rows) if row.of == constraint.name}
        if not own or isinstance(constraint, Condition):
            continue
        if isinstance(constraint, Closure):
            n, f = _closing_wrench(constraint, own, reader.closing_pose(constraint))
            X = reader.moving.pose(constraint.body_b) @ constraint.pose_b
            made[constraint.name] = Push(constraint.body_b, constraint.body_a, X.p, X.R @ n, X.R @ f)
        else:
            contact = reader.contact(constraint)
            force = _ZERO
            for name, direction in contact.directions.items():
                force = force + direction * own.get(name, 0)
            made[constraint.name] = Push(contact.body, contact.on, contact.place, _ZERO, force)
    return made


def _closing_wrench(closure: Closure, own: dict[str, Any], X: Pose) -> Wrench:
    """λ·∂φ/∂(twist of frame b), in the components of frame b."""
    letters = [[symbol(f"R{i}{j}", "pose") for j in range(3)] for i in range(3)]
    R, p = Matrix(letters), Vector([symbol(f"p{i}", "pose") for i in range(3)])
    work = as_expr(0)
    for name, value in closing_conditions(closure, Pose(R, p)):
        if name in own:
            work = work + own[name] * value
    units = [Vector([as_expr(int(i == k)) for i in range(3)]) for k in range(3)]
    turns = [dict(zip(R.entries(), (R @ skew(e)).entries(), strict=True)) for e in units]  # δR = R ŵ
    slides = [dict(zip(p, R @ e, strict=True)) for e in units]  # δp = R v
    there: dict[Expr, Any] = {**dict(zip(R.entries(), X.R.entries(), strict=True)), **dict(zip(p, X.p, strict=True))}
    n = [directional([work], {key: as_expr(rate) for key, rate in turn.items()})[0] for turn in turns]
    f = [directional([work], {key: as_expr(rate) for key, rate in slide.items()})[0] for slide in slides]
    known = {key: as_expr(value) for key, value in there.items()}
    return Vector(substitute(n, known)), Vector(substitute(f, known))


def constraint_wrenches(
    system: System, ties: Constraints, multipliers: Sequence[Any]
) -> tuple[list[Wrench], list[Expr]]:
    """The wrench of all constraints on each link about its origin in its components, and the efforts of conditions."""
    tree = ties.tree
    table: list[Wrench] = [(_ZERO, _ZERO) for _ in tree.links]
    poses = world_poses(tree)
    for push in pushes(system, ties, multipliers).values():
        for body, sign in ((push.on, 1), (push.against, -1)):
            place, _ = tree.bodies[body]
            if place == BASE:
                continue
            X = poses[place]
            arm = push.place - X.p
            n = X.R.T @ (push.torque + arm.cross(push.force))
            f = X.R.T @ push.force
            table[place] = (table[place][0] + n * sign, table[place][1] + f * sign)
    efforts = [as_expr(0)] * len(tree.u)
    for k, row in enumerate(ties.rows):
        if isinstance(system.constraints[row.of], Condition):
            efforts = [as_expr(e + a * multipliers[k]) for e, a in zip(efforts, ties.A[k], strict=True)]
    return table, efforts
