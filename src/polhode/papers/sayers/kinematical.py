"""Step 2 of Sayers' method: the kinematical equations S q̇ = v in the paper's speeds, (1) and (20) to (28).

Each coordinate of a joint has a direction: a translation one fixed in the parent, a rotation its axis (Table 1). Those
of a nonrecursive body, each times its rate, make up the relative velocity; dotted with each direction in turn this
gives the equations. Other coordinates, and orientations that are stored without directions, have q̇ = Γ u.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Matrix, Vector, as_expr, derivative
from ...formalisms.kane.blocks import Block
from ...formalisms.kane.bodies import NONRECURSIVE, Part
from ...formalisms.kane.literal import Literal
from ...kinematics.joint import envelope_kinematics
from ...kinematics.tree import Link, Tree


@dataclass(frozen=True)
class Direction:
    """A coordinate by its index, and along what it goes: d_t in the parent's components, d_r in the body's.

    The components of a quaternion or a vector-parameter turn the body, but none of them about an axis.
    """

    coordinate: int
    turns: bool
    vector: Vector | None


def directions_of(tree: Tree, block: Block) -> list[Direction]:
    """The coordinates of a body's joint with their directions."""
    found: list[Direction] = []
    R = Matrix.identity(3)  # from the stage's own parent to the body's
    for stage in block.stages:
        found += _directions_of_stage(tree, stage, R)
        R = R @ stage.fixed.R
    return found


def _directions_of_stage(tree: Tree, link: Link, to_parent: Matrix) -> list[Direction]:
    own = [tree.q[k] for k in link.coordinates]
    if not own:
        return []
    slides = [k for k, h in enumerate(link.stage.algebra) if not any(h[:3])]
    if link.stage.stores_orientation and not link.stage.is_free_translation_first:
        slides = [*range(len(own) - len(slides), len(own))]  # an orientation may have more coordinates than columns
    found: list[Direction] = []
    axes: Matrix | None = None
    if link.stage.is_vector_turn or link.stage.storage not in ("quaternion", "vector"):
        _, back = envelope_kinematics(link.stage, own)  # H u = H back q̇
        axes = Matrix.columns_of(link.stage.algebra, 6) @ back
    for k, index in enumerate(link.coordinates):
        if k in slides:
            shift = Vector([derivative([as_expr(entry)], own[k])[0] for entry in link.motion.p])
            found.append(Direction(index, False, Vector(to_parent @ (link.fixed.R @ shift))))
        else:
            found.append(Direction(index, True, None if axes is None else Vector(axes[:3, k])))
    return found


def kinematical_equations(literal: Literal) -> tuple[Matrix, Vector]:
    """S and v."""
    tree = literal.tree
    S = [[as_expr(int(i == j)) for j in range(len(tree.q))] for i in range(len(tree.q))]
    v = [as_expr(rate) for rate in literal.coordinate_rates]  # (20), (25)
    for part in literal.parts:
        directions = directions_of(tree, part.block)
        for turns, category in ((False, part.translation), (True, part.rotation)):
            own = [(d.coordinate, d.vector) for d in directions if d.turns is turns and d.vector is not None]
            if category == NONRECURSIVE:
                velocity = _relative_velocity(literal, part, turns)
                for i, d_i in own:
                    v[i] = as_expr(velocity.dot(d_i))
                    for j, d_j in own:
                        S[i][j] = as_expr(d_j.dot(d_i))  # (23), (28)
    return Matrix(S), Vector(v)


def _relative_velocity(literal: Literal, part: Part, turns: bool) -> Vector:
    """Right sides of (27), in the body's components, and of (22), in the parent's."""
    turning = [turn.w for turn in literal.rotational]
    moving = [move.v for move in literal.translational]
    w, v = literal.relative_velocity(part, turning, moving)
    return w if turns else part.link.inward(v)
