"""Adaptive tracking: parameters that are not known are estimated while the mechanism follows its reference.

    B c = Y(q, u, u_r, a_r) π̂ + known - Kd s,    π̂̇ = -Γ Yᵀ s
    V = ½ sᵀ M s + ½ (π̂ - π)ᵀ Γ⁻¹ (π̂ - π),       V̇ = -sᵀ Kd s

J.-J. E. Slotine and W. Li, "On the adaptive control of robot manipulators" (1987). π are parameters of the
model in which the efforts are linear, masses say, chosen by name; that they are is seen by fingerprint. The efforts
with estimates in place of π are the law, and Y their derivatives. Where masses are numbers, π are base parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..expr import Vector, as_expr
from ..geometry.elimination import solve_symmetric
from ..laws.law import ControllerState
from .lyapunov import LyapunovFunction, prove, quadratic
from .model_based import Written, step
from .sliding_variable import sliding_variable
from .tracking_controller import TrackingController
from .unknowns import read_estimates, unknowns

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived


class Adaptive(TrackingController):
    """Tracking with `estimates`, parameters or base parameters by name with the values at which they start.

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
    V >= 0 and W >= 0: checked by number at nominal parameters, not known for others.
    s and the errors go to zero; estimates p go to π where the motion is rich enough to tell them.
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        kd: Any = None,
        *,
        lambda_: Any = None,
        gamma: Any = None,
        estimates: Mapping[str, Any] | None = None,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        self.estimates = read_estimates(self.equations, estimates, self.name)
        self.kd = self.gains("kd", kd, [u.name for u in self.equations.u])
        self.rates = self.gains("lambda", lambda_, self.tracking.names)
        self.gamma = self.gains("gamma", gamma, list(self.estimates))
        self._sliding = sliding_variable(self.equations, self.tracking, self.rates, self.actuation)
        self._unknown = unknowns(self._sliding, self.actuation, list(self.estimates), self.name)

    def write(self) -> Written:
        """Errors, wanted speeds and accelerations, how estimates change, and controls."""
        found, asked = self._sliding, self._unknown
        changes = [as_expr(-each) for each in self.gamma.times(asked.power)]
        starts = self.estimates.values()
        states = [ControllerState(*each) for each in zip(asked.estimates, starts, changes, strict=True)]
        return Written(
            self.actuation.solved([as_expr(f - d) for f, d in zip(asked.forces, self.kd.times(found.s), strict=True)]),
            found.steps,
            tuple(states),
            self.tracking.reference,
            {**self.kd.parameters, **self.rates.parameters, **self.gamma.parameters},
            self.tracking.conditions,
            self.tracking.singular,
        )

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """½ sᵀ M s and the square of what is wrong with the estimates, measured by Γ⁻¹."""
        s = self.written.put_into([step("s", u.name) for u in self.equations.u])
        wrong = [as_expr(own - x) for own, x in zip(self._unknown.estimates, self._unknown.true, strict=True)]
        weighed = Vector(solve_symmetric(self.gamma.matrix, wrong))
        V = (quadratic(self.equations.mass_matrix, s) + weighed.dot(wrong)) / 2
        return prove(
            self.equations,
            self.law,
            V,
            quadratic(self.kd.matrix, s),
            goal=dict(zip(self._unknown.estimates, self._unknown.true, strict=True)),
            formula=(
                "1/2 sᵀ M s + 1/2 (p - π)ᵀ Γ⁻¹ (p - π)",
                r"\tfrac12 s^T M s + \tfrac12 (\hat\pi - \pi)^T \Gamma^{-1} (\hat\pi - \pi)",
            ),
            rate_formula=("-sᵀ Kd s", r"-s^T K_d s"),
            conclusion="s and the errors go to zero; estimates p go to π where the motion is rich enough to tell them.",
        )
