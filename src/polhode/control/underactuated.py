"""Swing-up of mechanisms with fewer controls than speeds: energy control, and energy shaping.

Controls act on some speeds, the driven ones, as many as there are controls; the target is a pose at which the mechanism
would rest, or fall, and E_r its energy there.

Energy control accelerates the driven speeds so that the others gain the energy that they lack:

    u̇_a = a,    Ė_p = f₀ + f₁·a,    a = -k_e (E_p - E_r) f₁ - k_p (q_a - r) - k_v u_a

K. J. Åström and K. Furuta, "Swinging up a pendulum by energy control" (2000); M. W. Spong, "The swing up
control problem for the Acrobot" (1995) and "Partial feedback linearization of underactuated mechanical systems" (1994),
for controls that give the driven speeds any acceleration a. E_p = ½ u_pᵀ M_pp u_p + V is the mechanism's energy with
what is driven held still. With ½ (E_p - E_r)² = V, and f₀ = 0 as for a pole on a cart, V̇ = -k_e (E_p - E_r)² f₁² where
driven coordinates are not brought back; of Furuta's pendulum f₀ has the square of the arm's speed, and is small.

Energy shaping brings the whole mechanism to the energy of a pose that it cannot hold:

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
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..control_geometry.determinant import determinant
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, listed
from ..expr import Expr, Matrix, as_expr, directional, gradient, is_zero, substitute
from ..expr.exact import maximum, minimum
from ..expr.spelling import spelled
from ..formalisms.derivation import Derived
from ..geometry.elimination import factor_symmetric, solve_columns
from ..laws.controller import named_numbers
from ..laws.law import Reference
from .lyapunov import LyapunovFunction, quadratic
from .model_based import ModelBased, Written, step


class Underactuated(ModelBased):
    """A controller with a target pose, and one gain of each kind."""

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        target: Mapping[str, Any] | None,
        words: Mapping[str, Any],
        **options: Any,
    ) -> None:
        super().__init__(equations, **options)
        self.target = named_numbers(target, "coordinate", self.equations.coordinates, f"{self.name} target")
        e, rates = self.equations, {*self.equations.coordinate_rates}
        self.driven = [k for k, row in enumerate(self.actuation.matrix) if not all(is_zero(entry) for entry in row)]
        if len(self.driven) != len(self.actuation.controls):
            names = listed([f"'{e.u[k].name}'" for k in self.driven])
            acts = f"{listed(map(spelled, self.actuation.controls))} act on {names}"
            cure = "Name one input for each speed that is driven."
            raise PolhodeError(f"{acts}: not on as many speeds as they are.", self.name, cure, "E-CONTROL-SHAPE")
        for k in self.driven:
            if e.u[k] not in rates:
                message = f"the driven speed '{e.u[k].name}' is not the rate of a coordinate."
                cure = "Give the joint speeds that are the rates of its coordinates."
                raise PolhodeError(message, self.name, cure, "E-CONTROL-UNSUPPORTED")
        gains = {word: self.gains(word, value, ["all"]) for word, value in words.items()}
        self._gain = {word: as_expr(gain.matrix[0][0]) for word, gain in gains.items()}
        self._parameters = {name: one for gain in gains.values() for name, one in gain.parameters.items()}

    @cached_property
    def _coordinates(self) -> list[Expr]:
        by_rate = {rate: q for q, rate in zip(self.equations.q, self.equations.coordinate_rates, strict=True)}
        return [by_rate[self.equations.u[k]] for k in self.driven]

    @property
    def _speeds(self) -> list[Expr]:
        return [self.equations.u[k] for k in self.driven]

    @cached_property
    def wanted_energy(self) -> Expr:
        """E_r: the potential energy at the target, in the model's parameters."""
        e = self.equations
        at = {q: as_expr(self.target.get(q.name, Fraction(0))) for q in e.q}
        return as_expr(substitute([e.potential_energy], at)[0])

    def _reference(self) -> tuple[Reference, ...]:
        return tuple(Reference(q.name, 0, self.target.get(q.name, Fraction(0)), q) for q in self._coordinates)

    def _lacking(self) -> list[Expr]:
        pairs = zip(self._coordinates, self._reference(), strict=True)
        return [as_expr(q - wanted.symbols[0]) for q, wanted in pairs]

    def _controls(self, forces: Sequence[Any]) -> dict[Expr, Expr]:
        """The controls that put these forces on the driven speeds."""
        acting = Matrix([self.actuation.matrix[row] for row in self.driven])
        solution = solve_columns(acting, [[as_expr(f)] for f in forces])
        return dict(zip(self.actuation.controls, (as_expr(row[0]) for row in solution), strict=True))


class EnergyControl(Underactuated):
    """Driven joints pump energy into the others until it is that of rest at `target`, coordinates by name.

    `ke` says how hard, `limit` how much acceleration there is for it; `kp` and `kv` bring driven coordinates back.

    >>> from polhode.model.samples.underactuated import cart_pole
    >>> c = EnergyControl(cart_pole().derive(), {"theta": 0}, ke=20)
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
        words = {"ke": ke} | {word: value for word, value in others.items() if value is not None}
        super().__init__(equations, target, words, inputs=inputs, parameters=parameters)
        if len(self.driven) == len(self.equations.u):
            message = f"every speed of '{self.equations.system.name}' is driven: there is nothing to pump energy into."
            raise PolhodeError(message, self.name, "Use ComputedTorque, or name fewer inputs.", "E-CONTROL-UNSUPPORTED")

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
        accelerations = {k: step("a", e.u[k].name) for k in self.driven}
        lacking = self.actuation.required([accelerations.get(k, 0) for k in range(len(e.u))])
        M = e.mass_matrix
        solution = factor_symmetric([[M[i][j] for j in free] for i in free]).solve([-lacking[k] for k in free])
        accelerations |= {k: as_expr(x) for k, x in zip(free, solution, strict=True)}
        return [accelerations[k] for k in range(len(e.u))]

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
        for row, pump, error in zip(self.driven, self.pumping, self._lacking(), strict=True):
            back = k.get("kp", as_expr(0)) * error + k.get("kv", as_expr(0)) * e.u[row]
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
            message = "with kp or kv the energy is not the only objective, and its error need not always decrease."
            cure = "Use EnergyShaping, which has a proof with both, or leave kp and kv out."
            raise PolhodeError(message, self.name, cure, "E-CONTROL-UNSUPPORTED")
        k, excess = self._gain, self.excess
        dissipated = sum(excess * pump * self._limited(k["ke"] * excess * pump) for pump in self.pumping)
        plain = ("-ke (E_p - E_r)² f₁ᵀf₁", r"-k_e (E_p - E_r)^2 f_1^T f_1")
        sat = r"-\sum (E_p - E_r) f_1 \,\mathrm{sat}(k_e (E_p - E_r) f_1)"
        return self._prove(
            excess * excess / 2,
            dissipated,
            is_constant=True,
            formula=("1/2 (E_p - E_r)²", r"\tfrac12 (E_p - E_r)^2"),
            rate_formula=("-Σ (E_p - E_r) f₁ sat(ke (E_p - E_r) f₁)", sat) if "limit" in k else plain,
            conclusion="The energy comes to E_r, unless the mechanism rests.",
        )  # fmt: skip


class EnergyShaping(Underactuated):
    """The energy is brought to that of rest at `target`, coordinates by name, and driven coordinates to their places.

    `ke` weighs the energy, `kd` the driven speeds and `kp` the driven coordinates, `kv` damps. The law is regular where
    ke (E - E_r) + kd W is: with kd large enough against ke, everywhere below the wanted energy.

    >>> from polhode.model.samples.underactuated import cart_pole
    >>> c = EnergyShaping(cart_pole().derive(), {"theta": 0}, ke=1, kd=1, kp=1, kv=1)
    >>> c.lyapunov.formula[0]
    '1/2 ke (E - E_r)² + 1/2 kd uᵀu + 1/2 kp (q - r)ᵀ(q - r)'
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
        nothing = {x: as_expr(0) for x in (*self.actuation.controls, *self.actuation.idle)}
        free = substitute([e.forward_dynamics[row] for row in self.driven], nothing)
        inverse = e.inverse_mass_matrix
        W = Matrix([[inverse[i][j] for j in self.driven] for i in self.driven])
        names = [e.u[row].name for row in self.driven]
        excess = step("E", "excess")
        places = {step("e", q.name): x for q, x in zip(self._coordinates, self._lacking(), strict=True)}
        n = {step("n", name): x for name, x in zip(names, free, strict=True)}
        left = [[k["kd"] * W[i][j] + (k["ke"] * excess if i == j else 0) for j in range(size)] for i in range(size)]
        parts = zip(n, places, self._speeds, strict=True)
        right = [[-k["kd"] * f - k["kp"] * error - k["kv"] * u] for f, error, u in parts]
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
        V = k["ke"] * self.excess * self.excess + k["kd"] * quadratic(unit, self._speeds)
        return self._prove(
            (V + k["kp"] * quadratic(unit, self._lacking())) / 2,
            k["kv"] * quadratic(unit, self._speeds),
            is_constant=True,
            formula=(
                "1/2 ke (E - E_r)² + 1/2 kd uᵀu + 1/2 kp (q - r)ᵀ(q - r)",
                r"\tfrac12 k_e (E - E_r)^2 + \tfrac12 k_d u_a^T u_a + \tfrac12 k_p (q_a - r)^T (q_a - r)",
            ),
            rate_formula=("-kv uᵀu", r"-k_v u_a^T u_a"),
            conclusion="The driven coordinates come to rest, and then either all do, or E is E_r.",
        )
