"""Potential energy shaped by feedback, and damping put in: set points without inverting the mechanism.

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
from ..expr import Expr, Vector, as_expr, free_symbols, gradient, is_zero
from ..expr.spelling import spelled
from ..model.reading import number_of
from .lyapunov import LyapunovFunction, prove, quadratic
from .model_based import ModelBased, Written, step
from .tracking import tracking

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived


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
    >>> print(c.lyapunov)
    V = T + 1/2 eᵀ Kp e
    V' = -uᵀ Kd u: proved, for all values of parameters and states
    V > 0 but at the goal and W >= 0: checked by number at nominal parameters, not known for others.
    The mechanism comes to rest at the set point, for it can rest nowhere else.
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
