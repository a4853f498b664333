"""Screws of a tree: the lines of its joints in the ground, and the velocity screws of its bodies.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (156) to (163), as corrected
in docs/errata.md:

    Ô_oi = Ô_o1 Ô_12 … Ô_i-1,i                                                                            (156)
    K̂_i  = Ô_oi k̂_i                        the line of a joint's axis, in the ground                        (160)
    ω̂    = [K̂_1 … K̂_n] (ϑ̂'_1 … ϑ̂'_n)ᵀ       the velocity screw: ω + μ the velocity of the origin             (162)

    paper       here
    ϑ̂'_i k̂_i   the columns `link.H` of a joint times its speeds: k̂ a line, μ k̂ its direction where it slides
"""

from __future__ import annotations

from ..expr import Matrix, Vector
from ..geometry.dual import Dual, dual
from ..geometry.dual_motion import dual_orthogonal
from .motion import velocities
from .tree import BASE, Tree


def ground_motions(tree: Tree) -> list[Matrix]:
    """Ô_oi of every link, by products of dual orthogonal matrices; (156)."""
    made: list[Matrix] = []
    for link in tree.links:
        own = dual_orthogonal(link.X)
        made.append(own if link.parent == BASE else made[link.parent] @ own)
    return made


def dual_jacobian(tree: Tree, body: str) -> Matrix:
    """The 3×n dual Jacobian matrix of a body: its columns are the lines of the joints that carry it; (160) to (162)."""
    columns = [Vector([Dual(0)] * 3) for _ in tree.u]
    motions = ground_motions(tree)
    i, _ = tree.bodies[body]
    while i != BASE:
        link = tree.links[i]
        for speed, (turning, sliding) in zip(link.speeds, link.H, strict=True):
            columns[speed] = columns[speed] + motions[i] @ dual(turning, sliding)  # (160); joints may share a speed
        i = link.parent
    return Matrix.columns_of(columns, 3)


def velocity_screw(tree: Tree, body: str) -> Vector:
    """ω̂ = ω + μ v of a body in ground components, v the velocity of its point at the ground's origin; (161)."""
    i, _ = tree.bodies[body]
    if i == BASE:
        return Vector([Dual(0)] * 3)
    return ground_motions(tree)[i] @ dual(*velocities(tree)[i])
