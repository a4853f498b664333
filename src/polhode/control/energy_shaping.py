"""Swing-up by shaping the energy: a mechanism is brought to the energy of a pose that it cannot hold.

    V = ½ k_e (E - E_r)² + ½ k_d u_aᵀ u_a + ½ k_p (q_a - r)ᵀ (q_a - r),    V̇ = -k_v u_aᵀ u_a

I. Fantoni and R. Lozano, *Non-linear Control for Underactuated Mechanical Systems* (2002), on the
cart and pole, the pendubot and Furuta's pendulum. a are the driven speeds, f the forces on them:
Ė = u_aᵀ f, and u̇_a = W f + n with W a block of M⁻¹, so that

    (k_e (E - E_r) 1 + k_d W) f = -k_d n - k_p (q_a - r) - k_v u_a

The mechanism comes to orbits with E = E_r that pass by the wanted pose again and again, where another controller takes
over (`Switched`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..control_geometry.determinant import determinant
from ..expr import Expr, Matrix, as_expr, substitute
from ..geometry.elimination import solve_columns
from .lyapunov import LyapunovFunction, prove, quadratic
from .model_based import Written, step
from .underactuated import Underactuated

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived


class EnergyShaping(Underactuated):
    """The energy is brought to that of rest at `target`, coordinates by name, and driven coordinates to their places.

    `ke` weighs the energy, `kd` the driven speeds and `kp` the driven coordinates, `kv` damps. The law is regular where
    ke (E - E_r) + kd W is: with kd large enough against ke, everywhere below the wanted energy.

    >>> import polhode as ph
    >>> from polhode.model.samples.underactuated import cart_pole
    >>> c = EnergyShaping(cart_pole().derive(), {"theta": 0}, ke=1, kd=1, kp=1, kv=1)
    >>> c.excess == c.equations.kinetic_energy + c.equations.potential_energy - c.wanted_energy
    True
    >>> print(c.lyapunov)
    V = 1/2 ke (E - E_r)² + 1/2 kd uᵀu + 1/2 kp (q - r)ᵀ(q - r)
    V' = -kv uᵀu: proved, for all values of parameters and states
    V >= 0 and W >= 0: checked by number at nominal parameters, not known for others.
    The driven coordinates come to rest, and then either all do, or E is E_r.
    not where ke (E - E_r) + kd W is singular
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        target: Mapping[str, Any] | None = None,
        *,
        ke: Any = None,
        kd: Any = None,
        kp: Any = None,
        kv: Any = None,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        words = {"ke": ke, "kd": kd, "kp": kp, "kv": kv}
        super().__init__(equations, target, words, inputs=inputs, parameters=parameters)

    @cached_property
    def excess(self) -> Expr:
        """E - E_r."""
        return as_expr(self.equations.kinetic_energy + self.equations.potential_energy - self.wanted_energy)

    def write(self) -> Written:
        """Energy, places and accelerations of what is driven, and controls."""
        e, k = self.equations, self._gain
        size = len(self.driven)
        nothing = {each: as_expr(0) for each in (*self.actuation.controls, *self.actuation.idle)}
        free = substitute([e.forward_dynamics[row] for row in self.driven], nothing)
        inverse = e.inverse_mass_matrix
        W = Matrix([[inverse[i][j] for j in self.driven] for i in self.driven])
        names = [e.u[row].name for row in self.driven]
        excess = step("E", "excess")
        places = {step("e", q.name): each for q, each in zip(self._coordinates, self._lacking(), strict=True)}
        n = {step("n", name): each for name, each in zip(names, free, strict=True)}
        left = [[k["kd"] * W[i][j] + (k["ke"] * excess if i == j else 0) for j in range(size)] for i in range(size)]
        right = [
            [-k["kd"] * own - k["kp"] * place - k["kv"] * u]
            for own, place, u in zip(n, places, self._speeds, strict=True)
        ]
        forces = [as_expr(row[0]) for row in solve_columns(left, right)]
        return Written(
            self._controls(forces),
            {excess: self.excess, **places, **n},
            reference=self._reference(),
            parameters=self._parameters,
            conditions=("ke (E - E_r) + kd W is singular",),
            singular=(("ke (E - E_r) + kd W is singular", determinant(left)),),
        )

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """V as above; it is no proof that the energy comes to E_r, for V rests wherever the driven speeds do."""
        k, unit = self._gain, Matrix.identity(len(self.driven))
        parts = (
            k["ke"] * self.excess * self.excess,
            k["kd"] * quadratic(unit, self._speeds),
            k["kp"] * quadratic(unit, self._lacking()),
        )
        return prove(
            self.equations,
            self.law,
            sum(parts) / 2,
            k["kv"] * quadratic(unit, self._speeds),
            is_constant=True,
            formula=(
                "1/2 ke (E - E_r)² + 1/2 kd uᵀu + 1/2 kp (q - r)ᵀ(q - r)",
                r"\tfrac12 k_e (E - E_r)^2 + \tfrac12 k_d u_a^T u_a + \tfrac12 k_p (q_a - r)^T (q_a - r)",
            ),
            rate_formula=("-kv uᵀu", r"-k_v u_a^T u_a"),
            conclusion="The driven coordinates come to rest, and then either all do, or E is E_r.",
        )
