"""Swing-up by energy control: what is driven is accelerated so that what is not driven gains the energy that it lacks.

    u̇_a = a,    Ė_p = f₀ + f₁·a,    a = -k_e (E_p - E_r) f₁ - k_p (q_a - r) - k_v u_a

K. J. Åström and K. Furuta, "Swinging up a pendulum by energy control" (2000); M. W. Spong, "The swing up
control problem for the Acrobot" (1995) and "Partial feedback linearization of underactuated mechanical systems" (1994),
for controls that give the driven speeds any acceleration a. E_p = ½ u_pᵀ M_pp u_p + V is the mechanism's energy with
what is driven held still. With ½ (E_p - E_r)² = V, and f₀ = 0 as for a pole on a cart, V̇ = -k_e (E_p - E_r)² f₁² where
driven coordinates are not brought back; of Furuta's pendulum f₀ has the square of the arm's speed, and is small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError
from ..expr import Expr, Matrix, as_expr, directional, gradient
from ..expr.exact import maximum, minimum
from ..geometry.elimination import factor_symmetric
from .lyapunov import LyapunovFunction, prove, quadratic
from .model_based import Written, step
from .underactuated import Underactuated

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived


class EnergyControl(Underactuated):
    """What is driven pumps energy into the rest until it has that of rest at `target`, coordinates by name.

    `ke` says how hard, `limit` how much acceleration there is for it; `kp` and `kv` bring driven coordinates back.

    >>> import polhode as ph
    >>> from polhode.model.samples.underactuated import cart_pole
    >>> c = EnergyControl(cart_pole().derive(), {"theta": 0}, ke=20)
    >>> c.excess == c.wanted_energy, c.wanted_energy, len(c.pumping)
    (False, 981*l*m/100, 1)
    >>> print(c.lyapunov)
    V = 1/2 (E_p - E_r)²
    V' = -ke (E_p - E_r)² f₁ᵀf₁: proved, for all values of parameters and states
    V >= 0 and W >= 0: checked by number at nominal parameters, not known for others.
    The energy comes to E_r, unless the mechanism rests.
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        target: Mapping[str, Any] | None = None,
        *,
        ke: Any = None,
        kp: Any = None,
        kv: Any = None,
        limit: Any = None,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        others = {"kp": kp, "kv": kv, "limit": limit}
        words = {"ke": ke} | {word: given for word, given in others.items() if given is not None}
        super().__init__(equations, target, words, inputs=inputs, parameters=parameters)
        if len(self.driven) == len(self.equations.u):
            raise PolhodeError(
                f"every speed of '{self.equations.system.name}' is driven: there is nothing to pump energy into.",
                place=self.name,
                cure="Use ComputedTorque, or name fewer inputs.",
                code="E-CONTROL-210",
            )

    @property
    def _free(self) -> list[int]:
        return [k for k in range(len(self.equations.u)) if k not in self.driven]

    @cached_property
    def excess(self) -> Expr:
        """E_p - E_r."""
        e, free = self.equations, self._free
        M = e.mass_matrix
        moving = quadratic(Matrix([[M[i][j] for j in free] for i in free]), [e.u[k] for k in free]) / 2
        return as_expr(moving + e.potential_energy - self.wanted_energy)

    @cached_property
    def _accelerations(self) -> list[Expr]:
        """u̇ of all speeds where the driven ones have the accelerations a: M_pp u̇_p = -b_p - M_pa a."""
        e, free = self.equations, self._free
        asked = {k: step("a", e.u[k].name) for k in self.driven}
        lacking = self.actuation.required([asked.get(k, 0) for k in range(len(e.u))])
        M = e.mass_matrix
        found = factor_symmetric([[M[i][j] for j in free] for i in free]).solve([-lacking[k] for k in free])
        asked |= {k: as_expr(each) for k, each in zip(free, found, strict=True)}
        return [asked[k] for k in range(len(e.u))]

    @cached_property
    def pumping(self) -> list[Expr]:
        """f₁ = ∂Ė_p/∂a."""
        e = self.equations
        flow = {**dict(zip(e.q, e.coordinate_rates, strict=True)), **dict(zip(e.u, self._accelerations, strict=True))}
        (rate,) = directional([self.excess], flow)
        return gradient(rate, [self._accelerations[k] for k in self.driven])

    def _limited(self, value: Any) -> Expr:
        limit = self._gain.get("limit")
        return as_expr(value if limit is None else maximum(minimum(value, limit), -limit))

    def write(self) -> Written:
        """Energy, accelerations of what is driven, and controls that give them."""
        e, k = self.equations, self._gain
        excess = step("E", "excess")
        a: dict[Expr, Expr] = {}
        for row, pump, place in zip(self.driven, self.pumping, self._lacking(), strict=True):
            back = k.get("kp", as_expr(0)) * place + k.get("kv", as_expr(0)) * e.u[row]
            a[step("a", e.u[row].name)] = as_expr(-self._limited(k["ke"] * excess * pump) - back)
        forces = self.actuation.required(self._accelerations)
        return Written(
            self._controls([forces[row] for row in self.driven]),
            {excess: self.excess, **a},
            reference=self._reference() if "kp" in k else (),
            parameters=self._parameters,
        )

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """½ (E_p - E_r)², where nothing brings the driven coordinates back."""
        if {"kp", "kv"} & {*self._gain}:
            raise PolhodeError(
                "with kp or kv the energy is not the only thing that is wanted, and need not come nearer at all times.",
                place=self.name,
                cure="Use EnergyShaping, which has a proof with both, or leave kp and kv out.",
                code="E-CONTROL-211",
            )
        k, excess = self._gain, self.excess
        taken = sum(excess * pump * self._limited(k["ke"] * excess * pump) for pump in self.pumping)
        limited = "limit" in k
        return prove(
            self.equations,
            self.law,
            excess * excess / 2,
            taken,
            is_constant=True,
            formula=("1/2 (E_p - E_r)²", r"\tfrac12 (E_p - E_r)^2"),
            rate_formula=(
                "-Σ (E_p - E_r) f₁ sat(ke (E_p - E_r) f₁)" if limited else "-ke (E_p - E_r)² f₁ᵀf₁",
                r"-\sum (E_p - E_r) f_1 \,\mathrm{sat}(k_e (E_p - E_r) f_1)" if limited
                else r"-k_e (E_p - E_r)^2 f_1^T f_1",
            ),
            conclusion="The energy comes to E_r, unless the mechanism rests.",
        )  # fmt: skip
