"""A formalism from outside the package: the equations of Gibbs and Appell, by differentiating one function.

    S = Σ ½ (α·Iα + 2 h·(a × α) + m a²) + α·(ω × Iω) + a·(ω × (ω × h)),    ∂S/∂u̇ = τ + Q

a and α are the linear acceleration of each link's origin, less gravity, and its angular one; m, h and I its moments of
mass about the origin. Any joint, any speeds. P. Appell, *Sur une forme générale des équations de la dynamique* (1900).
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from polhode.dynamics.equations import Recipe
from polhode.dynamics.loads import Loads
from polhode.expr import Matrix, Vector, as_expr, directional, gradient, jacobian, substitute
from polhode.expr.spelling import acceleration_of
from polhode.formalisms.registry import Formalism
from polhode.kinematics.motion import flow, velocities, world_poses
from polhode.kinematics.tree import Tree
from polhode.model.system import System

FORMALISM = Formalism("gibbs_appell", passes="none", module=__name__)


def recipe(system: System, tree: Tree) -> Recipe:
    """M and τ as first and second derivatives of S by the accelerations."""
    u, ud = list(tree.u), [acceleration_of(speed) for speed in tree.u]
    along = {**flow(tree, system.time), **dict(zip(u, ud, strict=True))}

    def rate(vector: Vector) -> Vector:
        return Vector(directional([as_expr(entry) for entry in vector], along))

    @cache
    def efforts() -> list[Any]:
        S, applied = as_expr(0), list(Loads(system, tree).speed_forces())
        parts = zip(tree.links, velocities(tree), world_poses(tree), Loads(system, tree).wrenches(), strict=True)
        for link, (w, v), X, (n, f) in parts:
            mass, alpha, a = link.inertia, rate(w), rate(v) + w.cross(v) - X.R.T @ tree.gravity
            spin, linear = mass.momentum(alpha, a)
            S = (
                S
                + (alpha.dot(spin) + a.dot(linear)) / 2
                + alpha.dot(w.cross(mass.I @ w))
                + a.dot(w.cross(w.cross(mass.h)))
            )
            J = jacobian([as_expr(entry) for entry in (*w, *v)], u)
            applied = [Q + column.dot((*n, *f)) for Q, column in zip(applied, J.columns, strict=True)]
        return [as_expr(s - Q) for s, Q in zip(gradient(as_expr(S), ud), applied, strict=True)] if u else []

    def inverse(given: Sequence[Any]) -> Vector:
        return Vector(substitute(efforts(), dict(zip(ud, map(as_expr, given), strict=True))))

    def mass_matrix() -> Matrix:
        return jacobian(efforts(), ud)

    return Recipe(inverse=inverse, mass_matrix=mass_matrix)
