"""The Coriolis matrix C(q, u): velocity terms are C u, and Ṁ - 2C is skew.

M is the metric Σ ∫ Jᵀ J dm over all particles of all bodies, J being the Jacobian of a particle's position by the
speeds. A particle lives in flat space, so that the covariant derivative of its velocity J u is J u̇ + J̇ u, and

    C = Σ ∫ Jᵀ J̇ dm,    M u̇ + C u + … = τ,    Ṁ = C + Cᵀ

whatever the speeds are: rates of coordinates, where C is Christoffel's, C_ij = Σ_k c_ijk u_k; quasi-velocities, where
it is the same connection (Levi-Civita's) in the frame of the fields V, with brackets [v_i, v_j] as Poincaré's equations
have them; or independent speeds, u = E u' (+ e), where C' = Eᵀ (C E + M Ė). Kwatny and Blankenship's (53b), corrected,
has the same C u, but uᵀ (Ṁ - 2C) u = 0 is all that holds of it.

S. Echeandia and P. M. Wensing, "Numerical Methods to Compute the Coriolis Matrix and Christoffel Symbols for Rigid-Body
Systems" (2021), for the recursion, which is `CompositeTree.coriolis_matrix`.
"""

from __future__ import annotations

from ..expr import Matrix, as_expr, directional, quiet_collector
from ..kinematics.motion import flow
from .composite_derivatives import CompositeTree
from .equations import EquationsOfMotion
from .whole import check_untruncated


def coriolis_matrix(equations: EquationsOfMotion) -> Matrix:
    """C(q, u) of the speeds that equations are written in; motions prescribed in time take part in it.

    >>> import polhode as ph
    >>> s = ph.System("whirl", gravity=(0, 0, 0))
    >>> _ = s.joint("turn", s.ground, s.body("arm"), ph.Revolute("z"), speeds=["w"])
    >>> _ = s.joint("x", "arm", s.body("bead", mass=2), ph.Prismatic("x"), speeds=["v"])
    >>> ph.normal(coriolis_matrix(s.derive().record))
    Matrix([[2*v*x, 2*w*x], [-2*w*x, 0]])
    """
    check_untruncated(equations, "the Coriolis matrix")
    dependent, tree = equations.dependent_speeds, equations.tree
    with quiet_collector():
        if dependent is None:
            return CompositeTree(tree, tree.u).coriolis_matrix
        E = dependent.E
        whole = CompositeTree(tree, E @ equations.u + dependent.e)
        moving = flow(tree, equations.system.time)
        rates = equations.in_independent_speeds(list(moving.values()))
        entries = directional([as_expr(entry) for entry in E.entries()], dict(zip(moving, rates, strict=True)))
        size = E.shape[1]
        E_dot = Matrix([entries[k * size : (k + 1) * size] for k in range(E.shape[0])])
        made: Matrix = E.T @ (whole.coriolis_matrix @ E + whole.mass_matrix @ E_dot)
        return made.map(as_expr)
