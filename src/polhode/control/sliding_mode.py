"""Sliding mode: speeds are driven to those with which errors decay, by efforts that a wrong model cannot outweigh.

    B c = M a_r + C u_r + g - K sat(s/φ) - Kd s,    V = ½ sᵀ M s,    V̇ = -Σ kᵢ sᵢ sat(sᵢ/φᵢ) - sᵀ Kd s

V. I. Utkin, "Variable structure systems with sliding modes" (1977); J.-J. E. Slotine and W. Li, *Applied Nonlinear
Control* (1991), on sliding control. Efforts that are wrong by less than k on each speed cannot drive s away from the
layer |s| < φ. Without a boundary layer, φ = 0, sat is the sign of s, and efforts chatter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError, warn
from ..expr import Expr, as_expr
from ..expr.exact import maximum, minimum, sign, tanh
from .lyapunov import LyapunovFunction, prove, quadratic
from .model_based import Written, step
from .sliding_variable import SlidingVariable, sliding_variable
from .tracking_controller import TrackingController

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived


class SlidingMode(TrackingController):
    """Robust tracking: `lambda_` are the rates of errors on the surface, `gain` the effort that brings speeds to it.

    `boundary` is the width φ of the layer within which the effort goes from -gain to gain: straight, or with
    smooth=True as tanh(s/φ). `kd` adds an effort in proportion to s, so that what is far away comes sooner.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["w"])
    >>> c = SlidingMode(s.derive(), lambda_=3, gain=10, boundary=0.05)
    >>> print(c)
    e_x = ref_x - x
    v_w = e_x*lambda + ref_x'
    a_w = lambda*(ref_x' - w) + ref_x''
    s_w = w - v_w
    tau_w = a_w*m - gain*max(min(s_w/boundary, 1), -1)
    >>> c.lyapunov.proved
    True
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        lambda_: Any = None,
        gain: Any = None,
        boundary: Any = None,
        *,
        kd: Any = None,
        smooth: bool = False,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        speeds = [u.name for u in self.equations.u]
        self.rates = self.gains("lambda", lambda_, self.tracking.names)
        self.gain = self.gains("gain", gain, speeds)
        if not self.gain.is_diagonal:
            raise PolhodeError(
                "the gain of a sliding mode is one number for each speed, and a matrix is given.",
                place=self.name,
                cure="Give a number for all, or one for each.",
                code="E-CONTROL-180",
            )
        self.has_layer = not _is_zero(boundary)
        self.boundary = self.gains("boundary", boundary, speeds) if self.has_layer else None
        self.kd = None if kd is None else self.gains("kd", kd, speeds)
        self.smooth = smooth
        if not self.has_layer:
            warn(
                f"{self.name}: without a boundary layer the efforts jump with the sign of s, and chatter.",
                code="W-CONTROL-182",
            )

    @cached_property
    def _sliding(self) -> SlidingVariable:
        return sliding_variable(self.equations, self.tracking, self.rates, self.actuation)

    def _bounded(self, k: int, s: Any) -> Expr:
        """sat(s/φ), tanh(s/φ) or the sign of s."""
        if self.boundary is None:
            return as_expr(sign(s))
        ratio = s / self.boundary.matrix[k][k]
        return as_expr(tanh(ratio) if self.smooth else maximum(minimum(ratio, as_expr(1)), as_expr(-1)))

    def write(self) -> Written:
        """Errors, wanted speeds and accelerations, the sliding variable, and controls."""
        found = self._sliding
        pushed = self.gain.times([self._bounded(k, s) for k, s in enumerate(found.s)])
        damped = self.kd.times(found.s) if self.kd else [as_expr(0)] * len(pushed)
        forces = [as_expr(f - p - d) for f, p, d in zip(found.forces, pushed, damped, strict=True)]
        own = [self.rates, self.gain, *(each for each in (self.boundary, self.kd) if each)]
        return Written(
            self.actuation.solved(forces),
            found.steps,
            reference=self.tracking.reference,
            parameters={name: each for gains in own for name, each in gains.parameters.items()},
            conditions=self.tracking.conditions,
            singular=self.tracking.singular,
        )

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """½ sᵀ M s, which decreases at Σ kᵢ sᵢ sat(sᵢ/φᵢ) + sᵀ Kd s where the model is right."""
        s = self.written.put_into([step("s", u.name) for u in self.equations.u])
        taken = sum(each * push for each, push in zip(s, self.gain.times(self._bounds(s)), strict=True))
        more = ("", "") if self.kd is None else (" - sᵀ Kd s", " - s^T K_d s")
        taken = taken if self.kd is None else taken + quadratic(self.kd.matrix, s)
        return prove(
            self.equations,
            self.law,
            quadratic(self.equations.mass_matrix, s) / 2,
            taken,
            formula=("1/2 sᵀ M s", r"\tfrac12 s^T M s"),
            rate_formula=(f"-Σ k s sat(s/φ){more[0]}", rf"-\sum_i k_i s_i \,\mathrm{{sat}}(s_i/\varphi_i){more[1]}"),
            conclusion="s goes to zero, as sat(s/φ) has its sign; efforts wrong by less than k leave it near it.",
        )

    def _bounds(self, s: Sequence[Any]) -> list[Expr]:
        return [self._bounded(k, each) for k, each in enumerate(s)]


def _is_zero(boundary: Any) -> bool:
    return not isinstance(boundary, bool | str) and isinstance(boundary, int | float) and boundary == 0
