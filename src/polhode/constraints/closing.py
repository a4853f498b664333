"""What a loop-closing joint asks of the pose X = (R, p) of frame b in frame a, component by component.

    turns about    nothing: R = 1        one axis a: R a = a       any axis: nothing
    slides along   nothing: p = 0        d: p × d = 0              a plane: p·n = 0      anywhere: nothing

A universal joint keeps p = 0 and its two axes at right angles; a screw keeps p·a at pitch times the angle. What other
joints ask cannot be said without coordinates of their own (`joint_closing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..expr import Expr, Vector, as_expr, is_zero, rank
from ..geometry import Pose
from ..geometry.rotation import unit_axis
from ..kinematics.motion import relative_pose
from ..kinematics.tree import Tree
from ..model.constraint import Closure
from ..model.stage import Stage
from .asking import AXES, Advance, Asked, Level, Square, Untwisted

Named = list[tuple[str, Expr]]


def closing_pose(closure: Closure, tree: Tree) -> Pose:
    """The pose of frame b in frame a."""
    return closure.pose_a.inverse() @ relative_pose(tree, closure.body_a, closure.body_b) @ closure.pose_b


def closing_conditions(closure: Closure, X: Pose) -> Named | None:
    """The expressions that the joint keeps at zero, with a name for each; None where they need its own coordinates."""
    found = asked_of(closure)
    return None if found is None else [(asked.name, asked.value(X)) for asked in found]


def asked_of(closure: Closure) -> list[Asked] | None:
    """What the joint asks of the pose; None where that needs coordinates of its own.

    >>> import polhode as ph
    >>> bar = ph.System("bar")
    >>> pin = bar.close("pin", bar.ground, bar.body("rod", 1), ph.Revolute("y"))
    >>> [asked.name for asked in asked_of(pin)]
    ['tilt 1', 'tilt 2', 'x', 'y', 'z']
    """
    stages = [closure.type.stages[place] for place in closure.type.from_parent]
    if not stages:
        return nothing_free()
    return _of_stage(stages[0]) if len(stages) == 1 else _of_universal(stages)


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


def _of_stage(stage: Stage) -> list[Asked] | None:
    """A simple joint whose axes pass through its origin."""
    turns = [Vector(h[:3]) for h in stage.H.columns if any(h[:3])]
    slides = [Vector(h[3:]) for h in stage.H.columns if not any(h[:3])]
    both = [(Vector(h[:3]), Vector(h[3:])) for h in stage.H.columns if any(h[:3]) and any(h[3:])]
    if both:
        return _of_screw(*both[0]) if len(stage.H.columns) == 1 else None
    ways = rank([list(a) for a in turns]) if turns else 0
    if ways == 2 or len(turns) != ways or not stage.is_holonomic:
        return None
    found = _no_turn() if ways == 0 else _one_axis(turns[0]) if ways == 1 else []
    return found + _no_slide(slides)


def _of_screw(a: Vector, v: Vector) -> list[Asked] | None:
    if any(not is_zero(entry) for entry in a.cross(v)):
        return None
    return [*_one_axis(a), *_no_slide([a]), Advance("advance", a, v, *_across(a))]


def _of_universal(stages: Sequence[Stage]) -> list[Asked] | None:
    if len(stages) != 2 or any(len(s.H.columns) != 1 or any(s.H.columns[0][3:]) for s in stages):
        return None
    first, second = (Vector(s.H.columns[0][:3]) for s in stages)
    if not is_zero(first.dot(second)):
        return None
    return [*_no_slide([]), Square("square", first, second)]


def nothing_free() -> list[Asked]:
    """R = 1 and p = 0."""
    return [*_no_turn(), *_no_slide([])]


def _no_turn() -> list[Asked]:
    return [Untwisted(axis) for axis in range(3)]


def _one_axis(a: Vector) -> list[Asked]:
    return [Square(f"tilt {k}", e, a) for k, e in enumerate(_across(a), start=1)]


def _no_slide(free: Sequence[Vector]) -> list[Asked]:
    """p has no part outside the directions in which the joint slides."""
    if not free:
        return [Level(letter, unit_axis(letter)) for letter in AXES]
    if len(free) == 1:
        return [Level(f"off {k}", e) for k, e in enumerate(_across(free[0]), start=1)]
    if len(free) == 2:
        return [Level("height", free[0].cross(free[1]))]
    return []


def _across(a: Vector) -> tuple[Vector, Vector]:
    """Two directions at right angles to a and to each other."""
    spare = next(unit_axis(letter) for letter in AXES if any(not is_zero(x) for x in unit_axis(letter).cross(a)))
    first: Any = spare.cross(a)
    return first, a.cross(first)
