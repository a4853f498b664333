"""Computed torque: the equations of motion are turned around, so that errors obey linear equations of one's own choice.

    c:  B c = M(q) a + bias(q, u, t),    a:  ë + Kd ė + Kp e (+ Ki ∫e) = 0

B. R. Markiewicz, "Analysis of the computed torque drive method and comparison with conventional position servo for a
computer-controlled manipulator" (1973); J. J. Craig, *Introduction to Robotics* (1989). M and
the bias are never made: inverse dynamics at u̇ = a takes fewer operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError
from ..expr import Expr, Matrix, as_expr, symbol
from ..laws.law import ControllerState, integral_name
from .lyapunov import ErrorDynamics, LyapunovFunction, prove, quadratic, rate_along
from .model_based import Written, step
from .tracking import TrackingController

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived


class ComputedTorque(TrackingController):
    """Every coordinate follows its reference, with errors that obey ë + kd ė + kp e = 0.

    Gains are a number for all, one for each in order or by name, or a matrix; `ki` adds an integral. References are
    named as coordinates are; an orientation is wanted as the four components of its unit quaternion.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
    >>> c = ComputedTorque(s.derive(), kp=100, kd=20)
    >>> print(c)
    e_x = ref_x - x
    a_v = e_x*kp + kd*(ref_x' - v) + ref_x''
    tau_v = a_v*m
    >>> print(c.error_dynamics)
    e'' + Kd e' + Kp e = 0: proved, for all values of parameters and states
    >>> c.lyapunov.proved
    True
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        kp: Any = None,
        kd: Any = None,
        ki: Any = None,
        *,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        names = self.tracking.names
        self.kp, self.kd = self.gains("kp", kp, names), self.gains("kd", kd, names)
        self.ki = None if ki is None else self.gains("ki", ki, names)
        _check_integral(self)

    def write(self) -> Written:
        """Errors, accelerations and controls."""
        followed = self.tracking
        errors = {step("e", name): error for name, error in followed.errors.items()}
        kept = [symbol(integral_name(name), "state") for name in followed.names] if self.ki else []
        terms = [self.kd.times(followed.rates), self.kp.times(list(errors))]
        if self.ki:
            terms.append(self.ki.times(kept))
        wanted = followed.accelerations_for([-sum(each) for each in zip(*terms, strict=True)])
        accelerations = {step("a", u.name): a for u, a in zip(self.equations.u, wanted, strict=True)}
        states = tuple(ControllerState(x, rate=error) for x, error in zip(kept, errors, strict=False))
        parameters = {**self.kp.parameters, **self.kd.parameters, **(self.ki.parameters if self.ki else {})}
        return Written(
            self.actuation.solved(self.actuation.required(list(accelerations))),
            {**errors, **accelerations},
            states,
            followed.reference,
            parameters,
            followed.conditions,
            followed.singular,
        )

    @cached_property
    def error_dynamics(self) -> ErrorDynamics:
        """ë + Kd ė + Kp e (+ Ki ∫e) along the closed loop, which is to be zero."""
        errors = list(self.tracking.errors.values())
        first = rate_along(self.equations, self.law, errors)
        second = rate_along(self.equations, self.law, first)
        total = [self.kd.times(first), self.kp.times(errors), second]
        if self.ki:
            total.append(self.ki.times([each.symbol for each in self.law.states]))
        left = [as_expr(sum(each)) for each in zip(*total, strict=True)]
        more = (" + Ki ∫e", r" + K_i \int e\,\mathrm{d}t") if self.ki else ("", "")
        formula = (f"e'' + Kd e' + Kp e{more[0]} = 0", rf"\ddot{{e}} + K_d \dot{{e}} + K_p e{more[1]} = 0")
        return ErrorDynamics(dict(self.tracking.errors), tuple(left), formula, self.tracking.conditions)

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """V = ½ ėᵀė + ½ eᵀ Kp e, which decreases at ėᵀ Kd ė."""
        if self.ki:
            raise PolhodeError(
                "with an integral the error's linear equation is proved, and no Lyapunov function is given.",
                place=self.name,
                cure="Use error_dynamics.",
                code="E-CONTROL-141",
            )
        e, rates = list(self.tracking.errors.values()), self.tracking.rates
        V = (quadratic(Matrix.identity(len(e)), rates) + quadratic(self.kp.matrix, e)) / 2
        return prove(
            self.equations,
            self.law,
            V,
            quadratic(self.kd.matrix, rates),
            formula=("1/2 e'ᵀe' + 1/2 eᵀ Kp e", r"\tfrac12 \dot{e}^T \dot{e} + \tfrac12 e^T K_p e"),
            rate_formula=("-e'ᵀ Kd e'", r"-\dot{e}^T K_d \dot{e}"),
            conclusion="Errors decay exponentially, for where e' stays zero, Kp e is zero.",
        )


def _check_integral(controller: ComputedTorque) -> None:
    """Refuse an integral that unsettles the loop: by Routh and Hurwitz, kp kd > ki."""
    ki = controller.ki
    if ki is None:
        return
    for name, low, mid, high in zip(
        controller.tracking.names, *(_diagonal(each) for each in (ki, controller.kp, controller.kd)), strict=True
    ):
        if low >= mid * high:
            raise PolhodeError(
                f"the integral gain {low:g} of '{name}' is too large: errors grow, with kp = {mid:g}, kd = {high:g}.",
                place=controller.name,
                cure=f"Give ki below kp kd = {mid * high:g}.",
                code="E-CONTROL-142",
            )


def _diagonal(gains: Any) -> list[float]:
    values: dict[Expr, Any] = {each.symbol: each.value for each in gains.parameters.values()}
    return [float(values[gains.matrix[k][k]]) for k in range(len(gains.matrix))]
