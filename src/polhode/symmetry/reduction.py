"""Routh's reduction: a cyclic coordinate taken out of the equations, its momentum a constant in them.

E. J. Routh (1877); J. E. Marsden and T. S. Ratiu, *Introduction to Mechanics and Symmetry* (1999), §8.9. Where q_k is
cyclic and its speed u_k the rate of it alone, J = M_kk u_k + Σ M_kj u_j = μ, and on the other speeds u

    u_k = (μ - M_kr u)/M_kk
    (M_rr - M_rk M_kr/M_kk) u̇ + b_r - M_rk b_k/M_kk = τ_r - M_rk τ_k/M_kk

with u_k put into the biases. V + μ²/(2 M_kk) is the amended potential: where it is stationary, the mechanism turns
steadily (a relative equilibrium), if M_kr does not enter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..errors import fault_at
from ..expr import Expr, Matrix, Vector, as_expr, quiet_collector, substitute, symbol
from ..expr.spelling import spelled
from ..expr.typeset import Typeset
from .symmetries import Symmetry, symmetries

_PLACE = "reduce"
fault = fault_at(_PLACE)


@dataclass(frozen=True, eq=False, repr=False)
class Reduced(Typeset):
    """Equations without a cyclic coordinate: q̇ = rates, M u̇ + bias = efforts, on what is left.

    `momentum` is the symbol μ of the conserved one; `speed` is that of the coordinate that went, from which it is found
    again by an integral over the motion.
    """

    coordinate: str
    momentum: Expr
    speed: Expr
    q: Vector
    u: Vector
    mass_matrix: Matrix
    bias: Vector
    efforts: Vector
    coordinate_rates: Vector
    amended_potential: Expr
    symmetry: Symmetry

    def __repr__(self) -> str:
        left = ", ".join(map(spelled, self.q))
        return f"Reduced(without {self.coordinate}, whose momentum is {spelled(self.momentum)}; left: {left})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [
            (r"\dot{q}", self.coordinate_rates), ("M", self.mass_matrix), ("h", self.bias), (r"\tau", self.efforts),
            (r"V_{\mu}", self.amended_potential),
        ]  # fmt: skip

    def _sentences(self) -> list[str]:
        return [f"M u' + h = tau on what is left; {self.symmetry}."]


def reduce(equations: EquationsOfMotion, coordinate: str) -> Reduced:
    """The equations without a cyclic coordinate, whose momentum is a constant μ."""
    with quiet_collector():
        symmetry = _symmetry_of(equations, coordinate)
        k = _index(equations, symmetry)
        left = [i for i in range(len(equations.u)) if i != k]
        mu = symbol("mu", "parameter")
        M, b, tau = equations.mass_matrix, equations.bias, equations.efforts
        u = Vector([equations.u[i] for i in left])
        speed = as_expr((mu - Vector([M[k, j] for j in left]).dot(u)) / M[k, k])
        shares = {i: as_expr(M[i, k] / M[k, k]) for i in left}
        mass = Matrix([[as_expr(M[i, j] - shares[i] * M[k, j]) for j in left] for i in left])
        nil = {equations.system.inputs[name].symbol: as_expr(0) for name in symmetry.without}
        known = {equations.u[k]: speed, **nil}
        bias = substitute([as_expr(b[i] - shares[i] * b[k]) for i in left], known)
        kept = [i for i, q in enumerate(equations.q) if q.name != coordinate]
        rates = substitute([as_expr(equations.coordinate_rates[i]) for i in kept], known)
        return Reduced(
            coordinate, mu, speed, Vector([equations.q[i] for i in kept]), u, mass, Vector(bias),
            Vector([as_expr(tau[i] - shares[i] * tau[k]) for i in left]), Vector(rates),
            as_expr(equations.potential_energy + mu * mu / (2 * M[k, k])), symmetry,
        )  # fmt: skip


def _symmetry_of(equations: EquationsOfMotion, coordinate: str) -> Symmetry:
    found = symmetries(equations)
    for each in found:
        if each.coordinate == coordinate:
            return each
    cyclic = [each.coordinate for each in found if each.coordinate]
    raise fault(
        f"'{coordinate}' is no cyclic coordinate of '{equations.system.name}'.",
        f"Cyclic are {', '.join(cyclic)}." if cyclic else "It has none; see symmetries().",
        "E-SYMMETRY-UNSUPPORTED",
    )


def _index(equations: EquationsOfMotion, symmetry: Symmetry) -> int:
    """The speed that is the rate of the coordinate, and of nothing else."""
    moving = [i for i, entry in enumerate(symmetry.field) if as_expr(entry) != as_expr(0)]
    if len(moving) != 1 or as_expr(symmetry.field[moving[0]]) != as_expr(1) or equations.constraints is not None:
        several = ", ".join(spelled(equations.u[i]) for i in moving)
        why = "there are constraints" if equations.constraints is not None else f"it moves by {several} together"
        raise fault(
            f"'{symmetry.coordinate}' is cyclic, but its rate is no speed by itself: {why}.",
            "Write the joint so that the coordinate has a speed of its own, such as a revolute or prismatic one.",
            "E-SYMMETRY-UNSUPPORTED",
        )
    return moving[0]
