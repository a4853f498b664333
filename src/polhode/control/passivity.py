"""Passivity-based tracking: the closed loop keeps the energy of the mechanism's own form, and damping drains it.

    Slotine and Li   τ = M a_r + C u_r + g - Kd s,               V = ½ sᵀ M s,                  V̇ = -sᵀ Kd s
    Paden and Panja  τ = M a_d + C u_d + g + Kp e - Kd s,        V = ½ sᵀ M s + ½ eᵀ Kp e,      V̇ = -sᵀ Kd s

J.-J. E. Slotine and W. Li, "On the adaptive control of robot manipulators" (1987), with parameters that are known;
B. Paden and R. Panja, "Globally asymptotically stable 'PD+' controller for robot manipulators" (1988). g is
what is left of the bias beside C u: gravity, springs, friction. M and C u_r come out of inverse dynamics and C s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError
from ..expr import Vector, as_expr
from .lyapunov import LyapunovFunction, prove, quadratic
from .model_based import Written, step
from .sliding_variable import sliding_variable
from .tracking_controller import TrackingController

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived


class PassivityBased(TrackingController):
    """Tracking that cancels nothing of the inertia: `kd` with the rates `lambda_` of Slotine and Li, or with `kp`, PD+.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["w"])
    >>> c = PassivityBased(s.derive(), kd=5, lambda_=3)
    >>> print(c)
    e_x = ref_x - x
    v_w = e_x*lambda + ref_x'
    a_w = lambda*(ref_x' - w) + ref_x''
    s_w = w - v_w
    tau_w = a_w*m - kd*s_w
    >>> print(c.lyapunov)
    V = 1/2 sᵀ M s
    V' = -sᵀ Kd s: proved, for all values of parameters and states
    V >= 0 and W >= 0: checked by number at nominal parameters, not known for others.
    s goes to zero, and with it the errors at the rates lambda.
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        kd: Any = None,
        *,
        lambda_: Any = None,
        kp: Any = None,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        if (lambda_ is None) == (kp is None):
            raise PolhodeError(
                "one of lambda_ and kp is needed.",
                place=self.name,
                cure="Give lambda_=… for the law of Slotine and Li, or kp=… for PD+.",
                code="E-CONTROL-150",
            )
        names = self.tracking.names
        self.kd = self.gains("kd", kd, [u.name for u in self.equations.u])
        self.rates = None if lambda_ is None else self.gains("lambda", lambda_, names)
        self.kp = None if kp is None else self.gains("kp", kp, names)

    def write(self) -> Written:
        """Errors, wanted speeds and accelerations, and controls."""
        found = sliding_variable(self.equations, self.tracking, self.rates, self.actuation)
        forces = [as_expr(f - d) for f, d in zip(found.forces, self.kd.times(found.s), strict=True)]
        own = self.rates or self.kp
        if self.kp is not None:
            errors = [step("e", name) for name in self.tracking.names]
            pull = self.tracking.by_speeds.T @ Vector(self.kp.times(errors))  # the slope of ½ eᵀ Kp e on the speeds
            forces = [as_expr(f - p) for f, p in zip(forces, pull, strict=True)]
        return Written(
            self.actuation.solved(forces),
            found.steps,
            reference=self.tracking.reference,
            parameters={**self.kd.parameters, **(own.parameters if own else {})},
            conditions=self.tracking.conditions,
            singular=self.tracking.singular,
        )

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """½ sᵀ M s, and for PD+ ½ eᵀ Kp e beside it; the rate is -sᵀ Kd s."""
        s = self.written.put_into([step("s", u.name) for u in self.equations.u])
        energy = quadratic(self.equations.mass_matrix, s) / 2
        if self.kp is None:
            formula = ("1/2 sᵀ M s", r"\tfrac12 s^T M s")
            conclusion = "s goes to zero, and with it the errors at the rates lambda."
        else:
            energy = energy + quadratic(self.kp.matrix, list(self.tracking.errors.values())) / 2
            formula = ("1/2 sᵀ M s + 1/2 eᵀ Kp e", r"\tfrac12 s^T M s + \tfrac12 e^T K_p e")
            conclusion = "Errors go to zero, for where s stays zero, Kp e is zero."
        return prove(
            self.equations,
            self.law,
            energy,
            quadratic(self.kd.matrix, s),
            formula=formula,
            rate_formula=("-sᵀ Kd s", r"-s^T K_d s"),
            conclusion=conclusion,
        )
