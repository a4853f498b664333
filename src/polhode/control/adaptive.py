"""Adaptive tracking: parameters that are not known are estimated while the mechanism follows its reference.

    B c = Y(q, u, u_r, a_r) π̂ + known - Kd s,    π̂̇ = -Γ Yᵀ s
    V = ½ sᵀ M s + ½ (π̂ - π)ᵀ Γ⁻¹ (π̂ - π),       V̇ = -sᵀ Kd s

J.-J. E. Slotine and W. Li, "On the adaptive control of robot manipulators" (1987), (5)–(12). π are parameters of the
model in which the efforts are linear, masses say, chosen by name; that they are is seen by fingerprint. The efforts
with estimates in place of π are the law, and Y their derivatives: no regressor of all bodies is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError, listed
from ..expr import Expr, Vector, as_expr, free_symbols, gradient, jacobian, same, substitute, symbol
from ..geometry.elimination import solve_symmetric
from .law import ControllerState
from .lyapunov import LyapunovFunction, prove, quadratic
from .model_based import ModelBased, Written, step
from .named_numbers import named_numbers
from .sliding_variable import SlidingVariable, sliding_variable
from .tracking import tracking

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..surface.equations import Equations


class Adaptive(ModelBased):
    """Tracking with `estimates`, parameters by name with the values at which they start.

    `lambda_` are the rates at which errors decay once s is zero, `kd` damps s, `gamma` says how fast estimates move.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["w"])
    >>> c = Adaptive(s.derive(), kd=5, lambda_=3, gamma=2, estimates={"m": 1})
    >>> print(c)
    e_x = ref_x - x
    v_w = e_x*lambda + ref_x'
    a_w = lambda*(ref_x' - w) + ref_x''
    s_w = w - v_w
    estimate_m' = -a_w*gamma*s_w
    tau_w = a_w*estimate_m - kd*s_w
    >>> print(c.lyapunov)
    V = 1/2 sᵀ M s + 1/2 (p - π)ᵀ Γ⁻¹ (p - π)
    V' = -sᵀ Kd s: proved, for all values of parameters and states
    s and the errors go to zero; estimates p go to π where the motion is rich enough to tell them.
    """

    def __init__(
        self,
        equations: Equations | EquationsOfMotion,
        kd: Any = None,
        *,
        lambda_: Any = None,
        gamma: Any = None,
        estimates: Mapping[str, Any] | None = None,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        self.actuation.check_full()
        self.tracking = tracking(self.equations, 2, self.name)
        self.estimates = _starts(self.equations, estimates, self.name)
        self.kd = self.gains("kd", kd, [u.name for u in self.equations.u])
        self.rates = self.gains("lambda", lambda_, self.tracking.names)
        self.gamma = self.gains("gamma", gamma, list(self.estimates))
        _check_linear(self)

    @property
    def _true(self) -> list[Expr]:
        return [self.equations.system.parameters[name].symbol for name in self.estimates]

    @property
    def _estimated(self) -> list[Expr]:
        return [symbol(f"estimate_{name}", "state") for name in self.estimates]

    @cached_property
    def _sliding(self) -> SlidingVariable:
        return sliding_variable(self.equations, self.tracking, self.rates, self.actuation)

    def write(self) -> Written:
        """Errors, wanted speeds and accelerations, how estimates change, and controls."""
        found, true = self._sliding, self._true
        own = dict(zip(true, self._estimated, strict=True))
        forces = substitute(found.forces, own)
        power = gradient(as_expr(Vector(found.forces).dot(found.s)), true)  # Yᵀ s in one backward pass
        changes = [as_expr(-each) for each in self.gamma.times(power)]
        starts = self.estimates.values()
        states = tuple(
            ControllerState(x, start, rate=rate)
            for x, start, rate in zip(own.values(), starts, substitute(changes, own), strict=True)
        )
        return Written(
            self.actuation.solved([as_expr(f - d) for f, d in zip(forces, self.kd.times(found.s), strict=True)]),
            found.steps,
            states,
            self.tracking.reference,
            {**self.kd.parameters, **self.rates.parameters, **self.gamma.parameters},
            self.tracking.conditions,
        )

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """½ sᵀ M s and the square of what is wrong with the estimates, measured by Γ⁻¹."""
        s = self.written.put_into([step("s", u.name) for u in self.equations.u])
        wrong = [as_expr(own - x) for own, x in zip(self._estimated, self._true, strict=True)]
        weighed = Vector(solve_symmetric(self.gamma.matrix, wrong))
        V = (quadratic(self.equations.mass_matrix, s) + weighed.dot(wrong)) / 2
        return prove(
            self.equations,
            self.law,
            V,
            quadratic(self.kd.matrix, s),
            formula=(
                "1/2 sᵀ M s + 1/2 (p - π)ᵀ Γ⁻¹ (p - π)",
                r"\tfrac12 s^T M s + \tfrac12 (\hat\pi - \pi)^T \Gamma^{-1} (\hat\pi - \pi)",
            ),
            rate_formula=("-sᵀ Kd s", r"-s^T K_d s"),
            conclusion="s and the errors go to zero; estimates p go to π where the motion is rich enough to tell them.",
        )


def _starts(equations: EquationsOfMotion, given: Any, place: str) -> dict[str, Fraction]:
    """Where estimates start, by the names of parameters."""
    table = equations.system.parameters
    found = named_numbers(given, "parameter", table, f"{place} estimates")
    if not found:
        raise PolhodeError(
            "no parameters to estimate are given.",
            place=place,
            cure=f"Give estimates={{{next(iter(table), 'm')!r}: …}}: names with the values at which they start.",
            code="E-LAW-070",
        )
    return found


def _check_linear(controller: Adaptive) -> None:
    """Refuse parameters in which the efforts are not linear, or on which the controls' action depends."""
    true = controller._true
    Y = jacobian(controller._sliding.forces, true)
    entries = [as_expr(entry) for entry in (*Y.entries(), *controller.actuation.matrix.entries())]
    others = {x: symbol(f"another {x.name}", "parameter") for x in true}
    met = {*free_symbols(entries)}
    bent = [x for x in true if x in met and not same(substitute(entries, {x: others[x]}), entries)]
    if bent:
        names = listed([f"'{x.name}'" for x in bent])
        raise PolhodeError(
            f"the efforts are not linear in {names} together with the other estimates.",
            place=controller.name,
            cure="Estimate masses and moments, not lengths; or make the products parameters of the model.",
            code="E-LAW-073",
        )
    idle = [x for x, column in zip(true, Y.columns, strict=True) if not any(as_expr(entry) for entry in column)]
    if idle:
        raise PolhodeError(
            f"the efforts do not depend on '{idle[0].name}'.",
            place=controller.name,
            cure="Leave it out of the estimates.",
            code="E-LAW-074",
        )
