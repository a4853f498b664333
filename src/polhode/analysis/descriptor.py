"""The descriptor form: all equations of a constrained mechanism in one system E ẋ = f, with multipliers in the state.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (255), in generalized
variables and with the corrections listed in docs/errata.md:

    ⎡ 1  0  0 ⎤ ⎡ q̇ ⎤   ⎡ Γ u              ⎤
    ⎢ 0  M  0 ⎥ ⎢ u̇ ⎥ = ⎢ τ - bias + Aᵀ λ  ⎥
    ⎣ 0  0  0 ⎦ ⎣ λ̇ ⎦   ⎣ A u + a          ⎦

E is singular: a differential-algebraic system of index two, as solvers of such systems and theories of control take it.
States without mass z, where there are some, stand between u and λ, each with its rate.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, quiet_collector


@dataclass(frozen=True, eq=False)
class Descriptor:
    """E(x) ẋ = f(x, t, τ) with the state x = (q, u, z, λ)."""

    states: list[str]
    x: Vector
    E: Matrix
    f: Vector


def descriptor(equations: EquationsOfMotion) -> Descriptor:
    """The descriptor form of equations with multipliers; without constraints, of the tree alone.

    >>> import polhode as ph
    >>> s = ph.System("sleigh", gravity=(0, 0, 0))
    >>> body = s.body("sleigh", 1, com=(1, 0, 0), inertia=(1, 1, 1))
    >>> _ = s.joint("ice", s.ground, body, ph.Planar(), coordinates=["angle", "x", "y"], speeds=["w", "v", "side"])
    >>> _ = s.knife_edge("runner", body)
    >>> found = descriptor(s.derive())
    >>> found.states
    ['angle', 'x', 'y', 'd(w)', 'd(v)', 'd(side)', 'lambda(runner)']
    >>> found.f[-1]
    side
    """
    if equations.dependent_speeds is not None:
        raise PolhodeError(
            "embedded equations have no multipliers left.",
            place=f"system '{equations.system.name}'",
            cure='Derive with constraints="multipliers".',
            code="E-DESC-001",
        )
    with quiet_collector():
        return _descriptor(equations)


def _descriptor(equations: EquationsOfMotion) -> Descriptor:
    constraints = equations.constraints
    names, multipliers, rates, force = [], [], [], list(equations.forcing)
    if constraints is not None and constraints.rows:
        held = constraints.only(constraints.generic_rows)
        names, multipliers, rates = held.names, list(held.multipliers), list(held.rates)
        force = [as_expr(f + kept) for f, kept in zip(force, held.A.T @ held.multipliers, strict=True)]
    before, after = len(equations.q), len(equations.z) + len(multipliers)
    size, first = before + len(equations.u) + after, before + len(equations.u)
    rows = [
        *([as_expr(int(i == j)) for j in range(size)] for i in range(before)),
        *([*_zeros(before), *row, *_zeros(after)] for row in equations.mass_matrix),
        *([as_expr(int(first + i == j)) for j in range(size)] for i in range(len(equations.z))),
        *(_zeros(size) for _ in multipliers),
    ]
    return Descriptor(
        [*equations.coordinates, *(f"d({u})" for u in equations.speeds), *equations.states,
         *(f"lambda({name})" for name in names)],
        Vector([*equations.q, *equations.u, *equations.z, *multipliers]),
        Matrix(rows),
        Vector([*equations.coordinate_rates, *force, *equations.z_rates, *rates]),
    )  # fmt: skip


def _zeros(count: int) -> list[Expr]:
    return [as_expr(0)] * count
