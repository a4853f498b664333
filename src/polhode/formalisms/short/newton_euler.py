"""Newton-Euler with moments of mass about the joints, and the acceleration field over a joint by one of its columns.

What is said of `formalisms.newton_euler` (Luh, Walker and Paul 1980; Featherstone 2008) holds here too. What saves
operations:

    W = α̂ + ω̂ ω̂            takes a point's position in a body to its acceleration relative to the origin
    f = m a + W h           force, with h = m c the first moment: no velocity of an origin is needed
    n = vee(W J) + h × a    torque about the origin, with J = ∫ r rᵀ dm the second moment

* Over a joint that turns about a coordinate axis, W is known by its column along that axis (`dynamics.sweeps`).
* Parallel joints are crossed in one step (`passes.merge`): ω and α, and the torque across their axes.
* Lengths are counted in a unit in which common offsets are one (`unit_of_length`).
* Accelerations may be measured from those of a motion that is short to write.

Inverse dynamics after the usual passes, in operations:

                     book   here
    six-joint arm     322    219
    UR5               349    247
    ANYmal          2,082  1,331
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dynamics.equations import Recipe
from ...dynamics.loads import loads_of
from ...dynamics.sweeps import Motion, accelerate, inertial_wrenches, transmitted
from ...expr import Matrix, Vector
from ...geometry.twist import ZERO, Wrench
from ...kinematics.tree import Tree
from ...model.model import Model
from .unit_of_length import ScaledTree, scaled_tree


def efforts_of(tree: Tree, motion: Motion, wrenches: Sequence[Wrench]) -> list[Any]:
    """The effort on every speed for a motion, with external wrenches on the links."""
    through = transmitted(tree, inertial_wrenches(tree, motion, wrenches))
    efforts: list[Any] = [0] * len(tree.u)
    for i, link in reversed(list(enumerate(tree.links))):
        for speed, column in zip(link.speeds, link.H, strict=True):
            efforts[speed] = through[i].power(column, efforts[speed])
        for material in link.deforming:
            bent = material.efforts(motion.w[i], motion.W[i], motion.a[i], motion.u, motion.ud)
            for speed, effort in zip(material.speeds, bent, strict=True):
                efforts[speed] = efforts[speed] + effort
    return efforts


def inverse_dynamics(
    tree: Tree, u: Sequence[Any], ud: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    """The effort on every speed that gives the accelerations ud, with external wrenches on the links."""
    return _efforts(scaled_tree(tree), u, ud, wrenches, gravity)


def _efforts(
    scaled: ScaledTree, u: Sequence[Any], ud: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    motion = accelerate(scaled.tree, scaled.lengths(u), scaled.lengths(ud), scaled.gravity(gravity))
    return scaled.lengths(efforts_of(scaled.tree, motion, scaled.wrenches(wrenches)))  # a force is energy by a length


def recipe(model: Model, tree: Tree) -> Recipe:
    """Inverse dynamics by recursion; the mass matrix and the bias follow from it column by column."""
    loads = loads_of(model, tree)
    size = len(tree.u)
    nothing = [0] * size
    free = [Wrench.zero() for _ in tree.links]

    def inverse(ud: Sequence[Any]) -> Vector:
        efforts = inverse_dynamics(tree, tree.u, ud, loads.wrenches(), tree.gravity)
        return Vector([effort - speed_force for effort, speed_force in zip(efforts, loads.speed_forces(), strict=True)])

    def reference() -> tuple[Vector, Vector]:
        scaled = scaled_tree(tree)
        motion = accelerate(scaled.tree, scaled.lengths(tree.u), None, scaled.gravity(tree.gravity))
        efforts = scaled.lengths(efforts_of(scaled.tree, motion, scaled.wrenches(loads.wrenches())))
        needed = [effort - speed_force for effort, speed_force in zip(efforts, loads.speed_forces(), strict=True)]
        return Vector(scaled.in_metres(motion.ud)), Vector(needed)

    def mass_matrix() -> Matrix:
        scaled = scaled_tree(tree.at_rest)
        units = ([int(i == k) for i in range(size)] for k in range(size))
        return Matrix.columns_of([_efforts(scaled, nothing, unit, free, ZERO) for unit in units], size)

    return Recipe(inverse=inverse, mass_matrix=mass_matrix, reference=None if tree.is_coupled else reference)
