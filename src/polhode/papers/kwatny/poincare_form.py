"""The equations as Kwatny and Blankenship write them, matrix by matrix.

H. G. Kwatny and G. L. Blankenship, "Symbolic Construction of Models for Multibody Dynamics", IEEE Trans. Robotics and
Automation 11 (1995), section III.C, with the corrections listed in docs/errata.md:

    q̇ = V(q) p,    M(q) ṗ + C(q, p) p + F(q) = Q_p + τ + Aᵀλ,    F = Vᵀ ∂𝒱/∂q,    Q_p = Vᵀ Q
    A(q, t) p + a(q, t) = 0                                   loops, rolling and other constraints, of which the paper
                                                              has none: a tree has no A, a and λ
    paper                    here
    {V, X, M} = RgdChn[…]    `V`, `X` (a pose for each joint), `M`; with them `H`, a map for each joint
    Cmat[M, V, q, p]         `C`, (53b)
    PoincFunc[…]             `C @ p + F - Q`: what a derivation calls its bias
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...dynamics.envelope import slope_of_auxiliary
from ...dynamics.equations import EquationsOfMotion
from ...dynamics.whole import check_whole
from ...errors import PolhodeError, understood
from ...expr import Expr, Matrix, Vector, as_expr, quiet_collector
from ...expr.typeset import Typeset
from ...formalisms.poincare import Poincare
from ...geometry import Pose


@dataclass(frozen=True, eq=False, repr=False)
class PoincareForm(Typeset):
    """V, X, H, M, C, F, Q, A and a of Poincaré's equations in the coordinates q and quasi-velocities p of a system.

    C is that of (53b): C p is what `Equations.coriolis_matrix` gives, but Ṁ - 2C is skew for the latter alone.
    """

    equations: EquationsOfMotion

    def __repr__(self) -> str:
        held = ("", "") if self.equations.constraints is None else (" + A^T lambda", ", A p + a = 0")
        return f"PoincareForm('{self.equations.system.name}': M p' + C p + F = Q + tau{held[0]}{held[1]}, q' = V p)"

    def _formulas(self) -> list[tuple[str, Any]]:
        letters = "VMCFQ" if self.equations.constraints is None else "VMCFQAa"
        return [(letter, getattr(self, letter)) for letter in letters]

    @property
    def q(self) -> Vector:
        """The coordinates."""
        return self.equations.q

    @property
    def p(self) -> Vector:
        """The quasi-velocities, which are the speeds u."""
        return self.equations.u

    @property
    def V(self) -> Matrix:
        """V(q), a block Γ for each simple joint: q̇ = V p, (39)."""
        return self.equations.kinematic_matrix

    @cached_property
    def X(self) -> Mapping[str, Pose]:
        """For each joint its configuration."""
        return {name: self.equations.joint_kinematics(name).X for name in self.equations.system.joints}

    @cached_property
    def H(self) -> Mapping[str, Matrix]:
        """For each joint its map."""
        return {name: self.equations.joint_kinematics(name).H for name in self.equations.system.joints}

    @cached_property
    def _poincare(self) -> Poincare:
        return Poincare(self.equations.system, self.equations.tree)

    @cached_property
    def M(self) -> Matrix:
        """M(q), (52b)."""
        with quiet_collector():
            return self._poincare.mass_matrix()

    @cached_property
    def C(self) -> Matrix:
        """C(q, p), (53b) with its signs corrected."""
        with quiet_collector():
            return self._poincare.velocity_matrix()

    @property
    def potential(self) -> Expr:
        """𝒱(q): gravity, springs and given potentials."""
        return self.equations.potential_energy

    @cached_property
    def F(self) -> Vector:
        """F(q) = Vᵀ ∂𝒱/∂q, (53c) corrected."""
        with quiet_collector():
            return self._poincare.potential_force() + slope_of_auxiliary(self.equations.system, self.equations.tree)

    @cached_property
    def Q(self) -> Vector:
        """Q_p: what acts on the quasi-velocities, efforts τ and what has a potential apart."""
        with quiet_collector():
            return self._poincare.applied_force()

    @property
    def A(self) -> Matrix:
        """A(q, t), a row for each constraint: A p + a = 0, and the constraint forces are Aᵀλ."""
        return Matrix([]) if self.equations.constraints is None else self.equations.constraints.A

    @property
    def a(self) -> Vector:
        """a(q, t), what motions prescribed in time add to A p."""
        return Vector([]) if self.equations.constraints is None else self.equations.constraints.a

    @property
    def multipliers(self) -> Vector:
        """The symbols of the multipliers λ; `Equations.multipliers` has their values."""
        return Vector([]) if self.equations.constraints is None else self.equations.constraints.multipliers

    def on_speeds(self, Q: Sequence[Any]) -> Vector:
        """Q_p = Vᵀ Q, (53c) corrected: forces along coordinates as forces along the quasi-velocities."""
        return self.V.T @ _forces(Q, len(self.q), "coordinate")

    def on_coordinates(self, Q_p: Sequence[Any]) -> Vector:
        """A Q with Vᵀ Q = Q_p: forces along the quasi-velocities as forces along coordinates."""
        back = self.equations.tree.kinematic_left_inverse()
        result: Vector = back.T @ _forces(Q_p, len(self.p), "quasi-velocity")
        return result


def _forces(forces: Sequence[Any], count: int, what: str) -> Vector:
    with understood("a list of forces", forces, place="generalized forces", cure="Give a list of expressions."):
        result = Vector([as_expr(entry) for entry in forces])
    if len(result) != count:
        message = f"{len(result)} generalized forces were given, not {count}."
        raise PolhodeError(message, "generalized forces", f"Give one for each {what}.", "E-PAPER-SHAPE")
    return result


def poincare_form(equations: EquationsOfMotion) -> PoincareForm:
    """The matrices of a tree with its own speeds."""
    check_whole(equations, "Poincaré's form")
    if equations.dependent_speeds is not None or equations.tree.followed or equations.tree.is_driven:
        message = f"the equations of '{equations.system.name}' are not in the speeds of its joints alone, as (53) is."
        cure = (
            "Derive without embedded constraints, other speeds (`pseudo`, `speeds`), couplings and prescribed "
            "motions; `coriolis_matrix` takes all."
        )
        raise PolhodeError(message, place="Poincaré's form", cure=cure, code="E-PAPER-UNSUPPORTED")
    return PoincareForm(equations)
