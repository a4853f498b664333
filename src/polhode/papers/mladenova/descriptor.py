"""The descriptor form: all equations of a constrained mechanism in one system E ẋ = f, with multipliers in the state.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (255), in generalized
variables and with the corrections listed in docs/errata.md:

    ⎡ 1  0  0 ⎤ ⎡ q̇ ⎤   ⎡ Γ u              ⎤
    ⎢ 0  M  0 ⎥ ⎢ u̇ ⎥ = ⎢ τ - bias + Aᵀ λ  ⎥
    ⎣ 0  0  0 ⎦ ⎣ λ̇ ⎦   ⎣ A u + a          ⎦

E is singular: a differential-algebraic system of index two, as solvers of such systems and theories of control take it.
States without mass z, where there are some, stand between u and λ, each with its rate.

Of equations in pseudo-velocities π̇, or independent speeds, it is the form that (255) has for them, multiplied by
B = [A_1; A_2]⁻¹, so that the constraints are put in and its index is one:

    ⎡ 1      0      0 ⎤ ⎡ q̇ ⎤   ⎡ B_1 π̇ + b_0            ⎤      m rows of motion (235), and
    ⎣ 0   BᵀH B_1   0 ⎦ ⎢ π̈ ⎥ = ⎣ P - h* + (0, λ)         ⎦      n - m rows of reactions (236)
                        ⎣ λ̇ ⎦
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...constraints import DependentSpeeds
from ...dynamics.envelope import envelope
from ...dynamics.equations import EquationsOfMotion
from ...dynamics.whole import check_whole
from ...expr import Expr, Matrix, Vector, as_expr, jacobian, quiet_collector
from ...expr.typeset import Typeset
from ...formalisms.hamel import Hamel


@dataclass(frozen=True, eq=False, repr=False)
class Descriptor(Typeset):
    """E(x) ẋ = f(x, t, τ) with the state x = (q, u, z, λ)."""

    states: list[str]
    x: Vector
    E: Matrix
    f: Vector

    def __repr__(self) -> str:
        return f"Descriptor(E x' = f, x = {', '.join(self.states)})"

    def _formulas(self) -> list[tuple[str, Matrix | Vector]]:
        return [("x", self.x), ("E", self.E), ("f", self.f)]


def descriptor(equations: EquationsOfMotion) -> Descriptor:
    """The descriptor form of equations, with multipliers where there are constraints."""
    with quiet_collector():
        if equations.dependent_speeds is not None:
            check_whole(equations, "the descriptor form in independent speeds")
            return _in_pseudo_velocities(equations, equations.dependent_speeds)
        return _descriptor(equations)


def _descriptor(equations: EquationsOfMotion) -> Descriptor:
    constraints = equations.constraints
    names: list[str] = []
    multipliers: list[Expr] = []
    rates: list[Expr] = []
    force = list(equations.forcing)
    if constraints is not None and constraints.rows:
        held = constraints.only(constraints.generic_rows)
        names, multipliers, rates = held.names, list(held.multipliers), list(held.rates)
        force = [as_expr(f + kept) for f, kept in zip(force, held.A.T @ held.multipliers, strict=True)]
    return _assembled(equations, equations.mass_matrix, force, rates, names, multipliers)


def _in_pseudo_velocities(equations: EquationsOfMotion, known: DependentSpeeds) -> Descriptor:
    """Rows of motion and of reactions, from Hamel's equations of all pseudo-velocities."""
    made, held = Hamel(equations.system, envelope(equations.tree), known), known.constraints
    count = made.m + len(held.rows)
    mass = jacobian(made.momenta[:count], list(made.u))
    still = [as_expr(0)] * made.m
    force = [as_expr(made.efforts[k] - made.equation(k, still)) for k in range(count)]
    reacted = [as_expr(f + kept) for f, kept in zip(force[made.m :], held.multipliers, strict=True)]
    return _assembled(equations, mass, [*force[: made.m], *reacted], [], held.names, list(held.multipliers))


def _assembled(
    equations: EquationsOfMotion,
    mass: Matrix,
    force: Sequence[Expr],
    algebraic: Sequence[Expr],
    names: Sequence[str],
    multipliers: Sequence[Expr],
) -> Descriptor:
    """Rates of coordinates, rows of motion, rates of states, algebraic rows."""
    before, after = len(equations.q), len(equations.z) + len(multipliers)
    first = before + len(equations.u)
    size = first + after
    rows = [
        *([as_expr(int(i == j)) for j in range(size)] for i in range(before)),
        *([*_zeros(before), *row, *_zeros(after)] for row in mass),
        *([as_expr(int(first + i == j)) for j in range(size)] for i in range(len(equations.z))),
        *(_zeros(size) for _ in algebraic),
    ]
    return Descriptor(
        [*equations.coordinates, *(f"d({u})" for u in equations.speeds), *equations.states,
         *(f"lambda({name})" for name in names)],
        Vector([*equations.q, *equations.u, *equations.z, *multipliers]),
        Matrix(rows),
        Vector([*equations.coordinate_rates, *force, *equations.z_rates, *algebraic]),
    )  # fmt: skip


def _zeros(count: int) -> list[Expr]:
    return [as_expr(0)] * count
