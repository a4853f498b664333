"""Newton-Euler in vector-parameters: vectors go from link to link by O(c) p, and no rotation matrix is formed.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", row G of Table 3. The table
prints the counts alone, 138n - 53 multiplications and 143n - 66 additions; the recursion is in a paper that it cites.
Here it is that of Luh, Walker and Paul, in the lines of `silver`, with each turn of a vector written as

    O(c) p = p + k c × (p + c × p),    k = 2/(1 + c²),    back by O(-c)                             (65)

    paper       here
    c           `VectorLink.c`: of the link's turn against its parent
    k c         `VectorLink.kc`, formed once for each link; turning a vector then takes 12 products and 12 sums

The axes of each link are those of the ground where all c vanish, as in `vector_parameter`, so that no fixed rotation
stands between two vector-parameters. A joint that has turned by π exactly has no value here: compiled functions give
nan, and a run says so. Needs a tree; any joint. Cost: linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..dynamics.equations import Recipe, by_columns
from ..expr import Matrix, Vector, as_expr
from ..geometry import Pose
from ..geometry.twist import ZERO, Wrench
from ..kinematics.prescribed import Drive
from ..kinematics.tree import BASE, Link, Tree
from ..model.model import Model
from .silver import central_inertia, inverse_dynamics
from .uicker_kahn import given_forces
from .vector_parameter import parameter_of


def scaled(c: Vector) -> Vector:
    """k c = 2 c/(1 + c²)."""
    return Vector(c * (2 / (1 + c.dot(c))))


def turned(c: Vector, kc: Vector, p: Vector) -> Vector:
    """O(c) p, (65)."""
    return p + kc.cross(p + c.cross(p)) if any(c) else p


@dataclass(frozen=True)
class VectorLink(Link):
    """A link that is turned against its parent by the rotation of a vector-parameter c."""

    c: Vector = ZERO

    @cached_property
    def kc(self) -> Vector:
        return scaled(self.c)

    def inward(self, vector: Vector) -> Vector:
        return turned(self.c, self.kc, vector)

    def outward(self, vector: Vector) -> Vector:
        return turned(-self.c, -self.kc, vector)


def in_vector_parameters(tree: Tree) -> Tree:
    """The same tree with links whose axes are the ground's where no joint has turned."""
    upright = {BASE: Matrix.identity(3)}  # the orientation of each link there
    links: list[Link] = []
    for i, link in enumerate(tree.links):
        before = upright[link.parent]
        R = upright[i] = (before @ link.fixed.R).map(as_expr)
        turned_link = replace(
            link,
            fixed=Pose(Matrix.identity(3), before @ link.fixed.p + R @ link.motion.p),
            motion=Pose.identity(),
            H=tuple(column.turned(R) for column in link.H),
            inertia=link.inertia.seen_from(Pose(R, ZERO)),
            drive=link.drive and Drive(*(R @ part for part in vars(link.drive).values())),
        )
        links.append(VectorLink(**vars(turned_link), c=R @ parameter_of(link.motion.R)))
    return replace(tree, links=tuple(links))


def recipe(model: Model, tree: Tree) -> Recipe:
    """Inverse dynamics by the recursion; the mass matrix from it, column by column."""
    turned, size = in_vector_parameters(tree), len(tree.u)
    inertias = [central_inertia(link) for link in turned.links]
    free = [Wrench.zero()] * len(tree.links)

    def inverse(ud: Sequence[Any]) -> Vector:
        return Vector(inverse_dynamics(turned, inertias, tree.u, ud, free, tree.gravity)) - given_forces(model, tree)

    return by_columns(
        inverse, lambda unit: inverse_dynamics(turned.at_rest, inertias, [0] * size, unit, free, ZERO), size
    )
