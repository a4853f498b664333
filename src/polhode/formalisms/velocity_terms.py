"""What the bias is made of: centrifugal and Coriolis terms, gravity, and all that is applied.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (273), (274):

    M u̇ + Σ_jk c_ijk u_j u_k + gravity + applied = τ,    c_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i)

Where speeds are rates of coordinates the c_ijk are Christoffel's symbols of the first kind. They are not found by
differentiating M: velocity terms are a quadratic form of the speeds, and a recursion of Newton and Euler gives its
value at unit speeds, f(e_j), and of two together, f(e_j + e_k) - f(e_j) - f(e_k). So they are there for any speeds,
for joints that follow others and with constraints embedded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import check_whole
from ..expr import Expr, Matrix, Vector, as_expr, is_zero, quiet_collector, substitute
from ..expr.spelling import spelled
from ..expr.typeset import Typeset
from ..geometry.twist import Wrench
from .newton_euler import inverse_dynamics

_ZERO = Vector([as_expr(0)] * 3)


@dataclass(frozen=True, eq=False, repr=False)
class VelocityTerms(Typeset):
    """bias = Σ_j centrifugal_j u_j² + Σ_{j<k} coriolis_jk u_j u_k + driven + gravity + applied.

    `centrifugal` has a column for each speed, `coriolis` one for each of `pairs`. `driven` is what motions that are
    prescribed in time add, and vanishes where there are none; `applied` are springs, dampers and other loads.
    """

    u: Vector
    centrifugal: Matrix
    coriolis: Matrix
    pairs: tuple[tuple[int, int], ...]
    driven: Vector
    gravity: Vector
    applied: Vector

    def __repr__(self) -> str:
        return f"VelocityTerms(of {', '.join(map(spelled, self.u))})"

    def _formulas(self) -> list[tuple[str, Any]]:
        terms = [
            ("h_{u^2}", self.centrifugal), ("h_{uu}", self.coriolis), ("h_t", self.driven), ("h_g", self.gravity),
            ("h_a", self.applied),
        ]  # fmt: skip
        return [(head, value) for head, value in terms if any(value.entries() if isinstance(value, Matrix) else value)]

    def _sentences(self) -> list[str]:
        pairs = ", ".join(f"{spelled(self.u[j])} {spelled(self.u[k])}" for j, k in self.pairs)
        words = "Columns are those of the squares of speeds" + (f", and of the products {pairs}" if pairs else "")
        return [f"{words}; below them what prescribed motions, gravity and loads add, as far as there are any."]

    def christoffel(self, i: int, j: int, k: int) -> Expr:
        """c_ijk: half the Coriolis term of u_j u_k in row i, or the centrifugal term of u_j², if k is j."""
        if j == k:
            return as_expr(self.centrifugal[i, j])
        return as_expr(self.coriolis[i, self.pairs.index((min(j, k), max(j, k)))] / 2)

    @property
    def matrix(self) -> Matrix:
        """C(q, u) with C u the velocity terms, C_ij = Σ_k c_ijk u_k; Ṁ - 2C is skew where speeds are rates."""
        size = range(len(self.u))
        return Matrix([[Vector(self.christoffel(i, j, k) for k in size).dot(self.u) for j in size] for i in size])


def velocity_terms(equations: EquationsOfMotion) -> VelocityTerms:
    """The terms of the bias, each as graphs."""
    check_whole(equations, "the matrix of velocity terms")
    tree, dependent, size = equations.tree, equations.dependent_speeds, len(equations.u)

    def force(u: Sequence[Any], gravity: Sequence[Any] = _ZERO) -> Vector:
        """M u̇ due to velocities and gravity at these speeds."""
        all_u, rates = list(u), [as_expr(0)] * len(tree.u)
        if dependent is not None:
            at = dict(zip(equations.u, map(as_expr, u), strict=True))
            all_u, rates = list(dependent.E @ Vector(u) + dependent.e), substitute(dependent.gamma, at)
        taken = Vector(inverse_dynamics(tree, all_u, rates, [Wrench.zero()] * len(tree.links), gravity))
        return _plain(taken if dependent is None else dependent.E.T @ taken)

    with quiet_collector():
        unit = [Vector([as_expr(int(i == j)) for i in range(size)]) for j in range(size)]
        still, rest = force([as_expr(0)] * size), force([as_expr(0)] * size, tree.gravity)
        single = [force(e) - still for e in unit]
        square = single
        if any(still) or tree.is_driven or dependent is not None:  # terms of the first order may be there
            square = [(one + force(-e) - still) / 2 for one, e in zip(single, unit, strict=True)]
        pairs = tuple(combinations(range(size), 2))
        mixed = [force(unit[j] + unit[k]) - still - single[j] - single[k] for j, k in pairs]
        centrifugal = Matrix.columns_of([_plain(column) for column in square], size)
        coriolis = Matrix.columns_of([_plain(column) for column in mixed], size)
        u = equations.u
        quadratic = centrifugal @ Vector([x * x for x in u]) + coriolis @ Vector([u[j] * u[k] for j, k in pairs])
        driven = _plain(force(u) - quadratic)
        gravity = _plain(rest - still)
        applied = _plain(equations.bias - quadratic - driven - gravity)
    return VelocityTerms(u, centrifugal, coriolis, pairs, driven, gravity, applied)


def _plain(vector: Sequence[Any]) -> Vector:
    """A vector with entries that are zero by fingerprint set to zero."""
    return Vector([as_expr(0) if is_zero(entry) else as_expr(entry) for entry in vector])
