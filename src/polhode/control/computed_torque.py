"""Computed torque: the equations of motion are turned around, so that errors obey linear equations of one's own choice.

    c:  B c = M(q) a + bias(q, u, t),    a:  ë + Kd ė + Kp e (+ Ki ∫e) = 0

B. R. Markiewicz, "Analysis of the computed torque drive method and comparison with conventional position servo for a
computer-controlled manipulator" (1973); J. J. Craig, *Introduction to Robotics* (1989). M and
the bias are never made: inverse dynamics at u̇ = a takes fewer operations.

Potential energy shaped by feedback, and damping put in: set points without inverting the mechanism.

    B c = bias(q, 0) - ∂V_d/∂q Γ - Kd u,    V = T + V_d,    V̇ = -uᵀ Kd u

M. Takegaki and S. Arimoto, "A new feedback method for dynamic control of manipulators" (1981). Efforts carry what the
mechanism's own potential asks for, gravity and springs, and put another in its place; with V_d = ½ eᵀ Kp e this is PD
control with gravity compensation. The set point stays where it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, free_symbols, gradient, is_zero, symbol
from ..expr.spelling import spelled
from ..laws.law import ControllerState, integral_name
from ..model.reading import number_of
from .lyapunov import ErrorDynamics, LyapunovFunction, prove, quadratic, rate_along
from .model_based import ModelBased, Written, step
from .tracking import TrackingController, tracking

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
        states = [ControllerState(x, rate=error) for x, error in zip(kept, errors, strict=False)]
        forces = self.actuation.required(list(accelerations))
        return self._law_of_forces(forces, {**errors, **accelerations}, states, self.kp, self.kd, self.ki)

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


class PotentialShaping(ModelBased):
    """The mechanism moves as if its potential energy were `potential`, an expression of coordinates, with damping `kd`.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> m, l = s.parameter("m", 1), s.parameter("l", 1)
    >>> hinge = s.joint("q", s.ground, s.body("bob", m, com=(0, 0, -l)), ph.Revolute("y"), speeds=["w"])
    >>> c = PotentialShaping(s.derive(), 5 * ph.cos(hinge.q[0]), kd=2)  # it stands on its head
    >>> print(c.lyapunov)
    V = T + V_d
    V' = -uᵀ Kd u: proved, for all values of parameters and states
    V is least at q = 3.142.
    V > 0 but at the goal and W >= 0: checked by number at nominal parameters, not known for others.
    The mechanism comes to rest where V_d has a minimum.
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        potential: Any,
        kd: Any = None,
        *,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        self.actuation.check_full()
        self.potential = number_of(potential, f"{self.name} potential")
        known = {*self.equations.q, *(each.symbol for each in self.equations.system.parameters.values())}
        strange = [x for x in free_symbols([self.potential]) if x not in known]
        if strange:
            raise PolhodeError(
                f"the potential depends on {spelled(strange[0])}, which is no coordinate or parameter.",
                place=self.name,
                cure="Give an expression of equations.q.",
                code="E-CONTROL-160",
            )
        self.kd = self.gains("kd", kd, [u.name for u in self.equations.u])

    @cached_property
    def _pull(self) -> list[Expr]:
        """∂V_d/∂q Γ: what the wanted potential does on the speeds, reversed."""
        slope = Vector(gradient(self.potential, list(self.equations.q)))
        return [as_expr(entry) for entry in self.equations.kinematic_matrix.T @ slope]

    def write(self) -> Written:
        """Controls that carry the weight, pull and damp."""
        u = list(self.equations.u)
        parts = zip(self.actuation.at_rest(), self._pull, self.kd.times(u), strict=True)
        controls = self.actuation.solved([held - pull - damping for held, pull, damping in parts])
        return Written(controls, parameters=self.kd.parameters)

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """V = T + V_d."""
        return self._proof(
            self.potential, ("T + V_d", "T + V_d"), "The mechanism comes to rest where V_d has a minimum."
        )

    def _proof(self, potential: Expr, formula: tuple[str, str], conclusion: str) -> LyapunovFunction:
        e, u = self.equations, list(self.equations.u)
        act = self.actuation
        moving = zip(act.required([0] * len(u)), e.coriolis_matrix @ Vector(u), act.at_rest(), strict=True)
        friction = Vector([as_expr(whole - own - still) for whole, own, still in moving])
        rubs = not all(is_zero(each) for each in friction)
        made = prove(
            e,
            self.law,
            e.kinetic_energy + potential,
            quadratic(self.kd.matrix, u) + friction.dot(u),
            is_constant=True,
            formula=formula,
            rate_formula=("-uᵀ Kd u - uᵀ d", r"-u^T K_d u - u^T d") if rubs else ("-uᵀ Kd u", r"-u^T K_d u"),
            conclusion=conclusion,
        )
        more = ("the loads d that depend on speeds drive the mechanism, uᵀ d < 0",) if rubs else ()
        return replace(made, conditions=(*made.conditions, *more))


class PDGravity(PotentialShaping):
    """Proportional and derivative control of each coordinate, with gravity and springs compensated: to a set point.

    >>> import polhode as ph
    >>> s = ph.System("lift")
    >>> _ = s.joint("z", s.ground, s.body("cab", s.parameter("m", 300)), ph.Prismatic("z"), speeds=["v"])
    >>> c = PDGravity(s.derive(), kp=8000, kd=2000)
    >>> print(c)
    e_z = ref_z - z
    tau_v = e_z*kp - kd*v + 981*m/100
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        kp: Any = None,
        kd: Any = None,
        *,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, 0, kd, inputs=inputs, parameters=parameters)
        self.tracking = tracking(self.equations, 0, self.name)
        self.kp = self.gains("kp", kp, self.tracking.names)

    def write(self) -> Written:
        """Errors, and controls that carry the weight, pull and damp."""
        e = {step("e", name): error for name, error in self.tracking.errors.items()}
        pull = self.tracking.by_speeds.T @ Vector(self.kp.times(list(e)))
        parts = zip(self.actuation.at_rest(), pull, self.kd.times(self.equations.u), strict=True)
        return Written(
            self.actuation.solved([held - own - damping for held, own, damping in parts]),
            e,
            reference=self.tracking.reference,
            parameters={**self.kp.parameters, **self.kd.parameters},
            conditions=self.tracking.conditions,
            singular=self.tracking.singular,
        )

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """V = T + ½ eᵀ Kp e."""
        shaped = quadratic(self.kp.matrix, list(self.tracking.errors.values())) / 2
        return self._proof(
            as_expr(shaped),
            ("T + 1/2 eᵀ Kp e", r"T + \tfrac12 e^T K_p e"),
            "The mechanism comes to rest at the set point, for it can rest nowhere else.",
        )
