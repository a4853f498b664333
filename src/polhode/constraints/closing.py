"""What a loop-closing joint asks of the pose X = (R, p) of frame b in frame a, component by component.

    turns about    nothing: R = 1        one axis a: R a = a       any axis: nothing
    slides along   nothing: p = 0        d: p × d = 0              a plane: p·n = 0      anywhere: nothing

A universal joint keeps p = 0 and its two axes at right angles; a screw keeps p·a at pitch times the angle. What other
joints ask cannot be said without coordinates of their own (`joint_closing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..expr import Expr, Matrix, Vector, as_expr, atan2, is_zero, rank
from ..geometry import Pose
from ..geometry.rotation import unit_axis
from ..kinematics.motion import relative_pose
from ..kinematics.tree import Tree
from ..model.constraint import Closure
from ..model.stage import Stage

_AXES = "xyz"
Named = list[tuple[str, Expr]]


def closing_pose(closure: Closure, tree: Tree) -> Pose:
    """The pose of frame b in frame a."""
    return closure.pose_a.inverse() @ relative_pose(tree, closure.body_a, closure.body_b) @ closure.pose_b


def closing_conditions(closure: Closure, X: Pose) -> Named | None:
    """The expressions that the joint keeps at zero, with a name for each; None where they need its own coordinates."""
    stages = [closure.type.stages[place] for place in closure.type.from_parent]
    if not stages:
        return no_turn(X.R) + no_slide(X.p)
    return _of_stage(stages[0], X) if len(stages) == 1 else _of_universal(stages, X)


def facing(closure: Closure, X: Pose) -> Expr | None:
    """What is zero where a joint closes, and not where it does so the wrong way round; None where it cannot.

    The conditions hold too with an axis reversed, R a = -a, or, where nothing may turn, after half a turn.
    """
    turns = [Vector(h[:3]) for stage in closure.type.stages for h in stage.H.columns if any(h[:3])]
    if not turns:
        return as_expr(X.R[0, 0] + X.R[1, 1] + X.R[2, 2] - 3)
    if len(turns) == 1:
        return as_expr(turns[0].dot(X.R @ turns[0]) / turns[0].dot(turns[0]) - 1)
    return None


def _of_stage(stage: Stage, X: Pose) -> Named | None:
    """A simple joint whose axes pass through its origin."""
    turns = [Vector(h[:3]) for h in stage.H.columns if any(h[:3])]
    slides = [Vector(h[3:]) for h in stage.H.columns if not any(h[:3])]
    both = [(Vector(h[:3]), Vector(h[3:])) for h in stage.H.columns if any(h[:3]) and any(h[3:])]
    if both:
        return _of_screw(both[0], X) if len(stage.H.columns) == 1 else None
    ways = rank([list(a) for a in turns]) if turns else 0
    if ways == 2 or len(turns) != ways or not stage.is_holonomic:
        return None
    found = no_turn(X.R) if ways == 0 else _one_axis(X.R, turns[0]) if ways == 1 else []
    return found + no_slide(X.p, slides)


def _of_screw(column: tuple[Vector, Vector], X: Pose) -> Named | None:
    a, v = column
    if any(not is_zero(entry) for entry in a.cross(v)):
        return None
    e1, e2 = _across(a)
    scale = a.dot(a)
    angle = atan2(as_expr(e2.dot(X.R @ e1)), as_expr(e1.dot(X.R @ e1)))
    advance = as_expr((X.p.dot(a) * scale - v.dot(a) * angle) / scale)
    return _one_axis(X.R, a) + no_slide(X.p, [a]) + [("advance", advance)]


def _of_universal(stages: Sequence[Stage], X: Pose) -> Named | None:
    if len(stages) != 2 or any(len(s.H.columns) != 1 or any(s.H.columns[0][3:]) for s in stages):
        return None
    first, second = (Vector(s.H.columns[0][:3]) for s in stages)
    if not is_zero(first.dot(second)):
        return None
    return [*no_slide(X.p), ("square", as_expr(first.dot(X.R @ second)))]


def no_turn(R: Matrix) -> Named:
    """R = 1 by its skew part, which has full rank there."""
    pairs = ((2, 1), (0, 2), (1, 0))
    return [(f"turn {_AXES[k]}", as_expr((R[i, j] - R[j, i]) / 2)) for k, (i, j) in enumerate(pairs)]


def _one_axis(R: Matrix, a: Vector) -> Named:
    turned = R @ a
    return [(f"tilt {k}", as_expr(e.dot(turned))) for k, e in enumerate(_across(a), start=1)]


def no_slide(p: Vector, free: Sequence[Vector] = ()) -> Named:
    """p has no part outside the directions in which the joint slides."""
    if not free:
        return [(letter, as_expr(entry)) for letter, entry in zip(_AXES, p, strict=True)]
    if len(free) == 1:
        return [(f"off {k}", as_expr(e.dot(p))) for k, e in enumerate(_across(free[0]), start=1)]
    if len(free) == 2:
        return [("height", as_expr(free[0].cross(free[1]).dot(p)))]
    return []


def _across(a: Vector) -> tuple[Vector, Vector]:
    """Two directions at right angles to a and to each other."""
    spare = next(unit_axis(letter) for letter in _AXES if any(not is_zero(x) for x in unit_axis(letter).cross(a)))
    first: Any = spare.cross(a)
    return first, a.cross(first)
