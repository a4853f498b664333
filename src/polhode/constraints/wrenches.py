"""The forces that keep constraints, as they act: wrenches on bodies, and efforts on speeds.

A closing joint acts with n·w + f·v = λ·φ̇ against every motion (w, v) of its frame b; a contact with a force at the
place of contact; a condition on coordinates with efforts on their speeds. All together do the work of Aᵀλ:

    Σ Jᵀ (n, f) + efforts = Aᵀ λ
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..expr import Expr, Vector, as_expr, directional, gradient, skew, substitute, symbol
from ..geometry import Pose
from ..geometry.twist import Wrench
from ..kinematics.motion import world_poses
from ..kinematics.tree import BASE, Tree
from ..model.constraints.protocol import ContactConstraint, CoordinateConstraint, LoopConstraint, lettered_pose
from ..model.model import Model
from .auxiliary import auxiliary_of
from .loop_auxiliary import loop_auxiliary
from .moving import MovingTree, loop_pose
from .rows import Constraints
from .unilateral import unilateral_rows

_ZERO = Vector([as_expr(0)] * 3)


@dataclass(frozen=True)
class ConstraintWrench:
    """The wrench of a constraint about a point, in ground components, on one body; the other has its opposite."""

    on: str
    against: str
    place: Vector
    wrench: Wrench


def acting_wrenches(model: Model, constraints: Constraints, multipliers: Sequence[Any]) -> dict[str, ConstraintWrench]:
    """For each constraint between bodies the wrench that it exerts, given the multipliers of its rows."""
    moving = MovingTree(model, constraints.tree)
    wrenches: dict[str, ConstraintWrench] = {}
    for constraint in model.constraints.values():
        by_part = {row.part: multipliers[k] for k, row in enumerate(constraints.rows) if row.of == constraint.name}
        if by_part and isinstance(constraint, LoopConstraint):
            rows = loop_directions(constraint, loop_pose(constraint, constraints.tree))
            wrench = Wrench(*(_total({name: pair[k] for name, pair in rows.items()}, by_part) for k in (0, 1)))
            X = moving.pose(constraint.b) @ constraint.pose_b
            wrenches[constraint.name] = ConstraintWrench(constraint.b, constraint.a, X.p, wrench.turned(X.R))
        elif by_part and isinstance(constraint, ContactConstraint):
            contact = constraint.contact(moving)
            force, torque = (_total(along, by_part) for along in (contact.directions, contact.turns))
            one, other = constraint.bodies
            wrenches[constraint.name] = ConstraintWrench(one, other, contact.place, Wrench(torque, force))
    return wrenches


def _total(along: Mapping[str, Vector], by_part: Mapping[str, Any]) -> Vector:
    total = _ZERO
    for name, direction in along.items():
        total = total + direction * by_part.get(name, 0)
    return total


def loop_directions(constraint: LoopConstraint, X: Pose) -> dict[str, Wrench]:
    """For each row of a loop, by its part's name, ∂φ̇/∂(twist of frame b), in the components of frame b."""
    letters = lettered_pose()
    R, p = letters.R, letters.p
    w, v = (Vector([symbol(f"{name}{i}", "pose") for i in range(3)]) for name in "wv")
    along = dict(zip((*R.entries(), *p), (*(R @ skew(w)).entries(), *(R @ v)), strict=True))  # Ṙ = R ŵ, ṗ = R v
    there = dict(zip((*R.entries(), *p), map(as_expr, (*X.R.entries(), *X.p)), strict=True))
    directions: dict[str, Wrench] = {}
    rates = _loop_rates(constraint, letters, {entry: as_expr(rate) for entry, rate in along.items()})
    for name, rate in rates.items():
        directions[name] = Wrench.of(substitute(gradient(rate, [*w, *v]), there))
    return directions


def _loop_rates(constraint: LoopConstraint, X: Pose, along: dict[Expr, Expr]) -> dict[str, Expr]:
    """The rates of a loop's rows when its frame b moves along a twist."""
    joint = loop_auxiliary(constraint)
    if joint is None:
        return _rates(constraint.conditions(X) or {}, along)
    definitions, rest = joint.conditions(X)
    following = auxiliary_of(
        constraint.name, definitions, joint.symbols, along, ways=joint.ways, at_reference=joint.at_reference
    )
    moving = {**along, **dict(zip(following.symbols, following.rates, strict=True))}
    return _rates(rest, moving) | joint.excluded(following.speeds)


def _rates(named: dict[str, Expr], along: dict[Expr, Expr]) -> dict[str, Expr]:
    return dict(zip(named, directional(list(named.values()), along), strict=True))


def constraint_wrenches(
    model: Model, constraints: Constraints, multipliers: Sequence[Any]
) -> tuple[list[Wrench], list[Expr]]:
    """The wrench of all constraints on each link about its origin in its components, and the efforts of conditions."""
    tree = constraints.tree
    table = _on_links(tree, acting_wrenches(model, constraints, multipliers).values())
    efforts = [as_expr(0)] * len(tree.u)
    for k, row in enumerate(constraints.rows):
        if isinstance(model.constraints[row.of], CoordinateConstraint):
            efforts = [as_expr(e + a * multipliers[k]) for e, a in zip(efforts, constraints.A[k], strict=True)]
    return table, efforts


def contact_wrenches(model: Model, tree: Tree) -> list[Wrench]:
    """The wrench of all contacts on each link, alike, in the symbols of the forces in their rows."""
    return _on_links(tree, _pushes(model, tree))


def _pushes(model: Model, tree: Tree) -> Iterator[ConstraintWrench]:
    """The force of each closed point of contact on the candidate's body; stops and dry friction act in joints."""
    rows, first = unilateral_rows(model, tree), 0
    for _, group in rows.groups:
        forces, first = rows.forces[first : first + len(group.rates)], first + len(group.rates)
        if (meeting := group.meeting) is not None:
            (body, arm), (other, _) = meeting.ends
            axes = [meeting.R @ along for along in (meeting.touch.normal, *meeting.tangents)]
            force = sum((axis * size for axis, size in zip(axes, forces, strict=False)), start=_ZERO)
            yield ConstraintWrench(body, other, rows.moving.pose(body).p + arm, Wrench(_ZERO, force))


def _on_links(tree: Tree, pushes: Iterable[ConstraintWrench]) -> list[Wrench]:
    """Wrenches and their opposites on each link, about its origin in its components."""
    table, poses = [Wrench(_ZERO, _ZERO) for _ in tree.links], world_poses(tree)
    for push in pushes:
        for body, sign in ((push.on, 1), (push.against, -1)):
            i, _ = tree.bodies[body]
            if i == BASE:
                continue
            X = poses[i]
            table[i] = table[i] + push.wrench.about(push.place - X.p).turned(X.R.T) * sign
    return table
