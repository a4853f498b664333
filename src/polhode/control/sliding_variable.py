"""The sliding variable of Slotine and Li: what the speeds are beyond those with which errors would decay by themselves.

    u_r:  ė = -Λ e,    a_r = u̇_r,    s = u - u_r

    M(q) a_r + C(q, u) u_r + (bias - C u) = inverse dynamics(q, u, a_r) - C s

Where s vanishes, errors decay with the rates Λ. With the left side as efforts, M ṡ + C s = 0, and since Ṁ - 2C is skew,
½ sᵀ M s does not change. J.-J. E. Slotine and W. Li, "On the adaptive control of robot manipulators" (1987).

Passivity-based tracking, with g the rest of the bias beside C u (gravity, springs, friction):

    Slotine and Li   τ = M a_r + C u_r + g - Kd s,               V = ½ sᵀ M s,                  V̇ = -sᵀ Kd s
    Paden and Panja  τ = M a_d + C u_d + g + Kp e - Kd s,        V = ½ sᵀ M s + ½ eᵀ Kp e,      V̇ = -sᵀ Kd s

B. Paden and R. Panja, "Globally asymptotically stable 'PD+' controller for robot manipulators" (1988).

Sliding mode:

    B c = M a_r + C u_r + g - K sat(s/φ) - Kd s,    V = ½ sᵀ M s,    V̇ = -Σ kᵢ sᵢ sat(sᵢ/φᵢ) - sᵀ Kd s

V. I. Utkin, "Variable structure systems with sliding modes" (1977); J.-J. E. Slotine and W. Li, *Applied Nonlinear
Control* (1991), on sliding control. Efforts that are wrong by less than k on each speed cannot drive s away from the
layer |s| < φ. Without a boundary layer, φ = 0, sat is the sign of s, and efforts chatter.

Adaptive tracking, with estimates π̂ of unknown parameters π:

    B c = Y(q, u, u_r, a_r) π̂ + known - Kd s,    π̂̇ = -Γ Yᵀ s
    V = ½ sᵀ M s + ½ (π̂ - π)ᵀ Γ⁻¹ (π̂ - π),       V̇ = -sᵀ Kd s

π are parameters of the model in which the efforts are linear, by name, with Y the derivatives of the efforts; or base
parameters (`identification.base_parameters`), with Y columns of the regressor, in which the velocity terms C(q, u) u_r
of two speeds follow from the quadratic form by  c(u, v) = c((u + v)/2) - c((u - v)/2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.regressor import MOMENTS, Regressor, regressor
from ..errors import PolhodeError, listed, unknown, warn
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    free_symbols,
    gradient,
    jacobian,
    same,
    substitute,
    symbol,
)
from ..expr.exact import maximum, minimum, sign, tanh
from ..formalisms.derivation import Derived
from ..geometry.elimination import solve_symmetric
from ..identification.base_parameters import base_parameters
from ..laws.controller import named_numbers
from ..laws.law import ControllerState
from .lyapunov import LyapunovFunction, quadratic
from .model_based import Actuation, Gains, Tracking, TrackingController, Written, step


@dataclass(frozen=True, eq=False)
class SlidingVariable:
    """Steps e, v = u_r, a = a_r and s, and efforts with which ½ sᵀ M s would not change."""

    steps: Mapping[Expr, Expr]
    s: Vector
    forces: list[Expr]


def sliding_variable(
    equations: EquationsOfMotion, followed: Tracking, rates: Gains | None, actuation: Actuation
) -> SlidingVariable:
    """s and the efforts that keep ½ sᵀ M s, in steps; without rates, u_r is the rate of the reference."""
    e = {step("e", name): error for name, error in followed.errors.items()}
    v = followed.speeds_for([-x for x in rates.times(list(e))] if rates else [0] * len(e))
    names = [u.name for u in equations.u]
    speeds = {step("v", name): value for name, value in zip(names, v, strict=True)}
    moving = directional(substitute(v, e), followed.flow)  # u_r is a function of q, t and the reference
    a = {step("a", name): value for name, value in zip(names, moving, strict=True)}
    s = {step("s", u.name): as_expr(u - speed) for u, speed in zip(equations.u, speeds, strict=True)}
    along = Vector(list(s))
    kept = equations.coriolis_matrix @ along
    forces = [as_expr(f - c) for f, c in zip(actuation.required(list(a)), kept, strict=True)]
    return SlidingVariable({**e, **speeds, **a, **s}, along, forces)


class PassivityBased(TrackingController):
    """Tracking that cancels nothing of the inertia: `kd` with the rates `lambda_` of Slotine and Li, or with `kp`, PD+.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["w"])
    >>> c = PassivityBased(s.derive(), kd=5, lambda_=3)
    >>> print(c)
    e_x = ref_x - x
    v_w = ref_x' + lambda*e_x
    a_w = ref_x'' + lambda*(ref_x' - w)
    s_w = w - v_w
    tau_w = m*a_w - kd*s_w
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
            cure = "Give lambda_=… for the law of Slotine and Li, or kp=… for PD+."
            raise PolhodeError("one of lambda_ and kp is needed.", self.name, cure, "E-CONTROL-MISSING")
        names = self.tracking.names
        self.kd = self.gains("kd", kd, [u.name for u in self.equations.u])
        self.rates = None if lambda_ is None else self.gains("lambda", lambda_, names)
        self.kp = None if kp is None else self.gains("kp", kp, names)

    def write(self) -> Written:
        """Errors, wanted speeds and accelerations, and controls."""
        sliding = sliding_variable(self.equations, self.tracking, self.rates, self.actuation)
        forces = [as_expr(f - d) for f, d in zip(sliding.forces, self.kd.times(sliding.s), strict=True)]
        if self.kp is not None:
            errors = [step("e", name) for name in self.tracking.names]
            pull = self.tracking.by_speeds.T @ Vector(self.kp.times(errors))  # the slope of ½ eᵀ Kp e on the speeds
            forces = [as_expr(f - p) for f, p in zip(forces, pull, strict=True)]
        return self._law_of_forces(forces, sliding.steps, (), self.kd, self.rates or self.kp)

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """½ sᵀ M s, and for PD+ ½ eᵀ Kp e beside it; the rate is -sᵀ Kd s."""
        s = self._sliding_steps()
        energy = quadratic(self.equations.mass_matrix, s) / 2
        if self.kp is None:
            formula = ("1/2 sᵀ M s", r"\tfrac12 s^T M s")
            conclusion = "s goes to zero, and with it the errors at the rates lambda."
        else:
            energy = energy + quadratic(self.kp.matrix, list(self.tracking.errors.values())) / 2
            formula = ("1/2 sᵀ M s + 1/2 eᵀ Kp e", r"\tfrac12 s^T M s + \tfrac12 e^T K_p e")
            conclusion = "Errors go to zero, for where s stays zero, Kp e is zero."
        return self._prove(
            energy,
            quadratic(self.kd.matrix, s),
            formula=formula,
            rate_formula=("-sᵀ Kd s", r"-s^T K_d s"),
            conclusion=conclusion,
        )


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
    v_w = ref_x' + lambda*e_x
    a_w = ref_x'' + lambda*(ref_x' - w)
    s_w = w - v_w
    tau_w = m*a_w - gain*max(min(s_w/boundary, 1), -1)
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
            message = "the gain of a sliding mode is one number for each speed, and a matrix is given."
            raise PolhodeError(message, self.name, "Give a number for all, or one for each.", "E-CONTROL-SHAPE")
        is_number = isinstance(boundary, int | float) and not isinstance(boundary, bool)
        self.has_layer = not (is_number and boundary == 0)
        self.boundary = self.gains("boundary", boundary, speeds) if self.has_layer else None
        self.kd = None if kd is None else self.gains("kd", kd, speeds)
        self.smooth = smooth
        if not self.has_layer:
            message = "without a boundary layer the efforts jump with the sign of s, and chatter."
            warn(f"{self.name}: {message}", code="W-CONTROL-MISSING")

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
        sliding = self._sliding
        pushed = self.gain.times([self._bounded(k, s) for k, s in enumerate(sliding.s)])
        damped = self.kd.times(sliding.s) if self.kd else [as_expr(0)] * len(pushed)
        forces = [as_expr(f - p - d) for f, p, d in zip(sliding.forces, pushed, damped, strict=True)]
        return self._law_of_forces(forces, sliding.steps, (), self.rates, self.gain, self.boundary, self.kd)

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """½ sᵀ M s, which decreases at Σ kᵢ sᵢ sat(sᵢ/φᵢ) + sᵀ Kd s where the model is right."""
        s = self._sliding_steps()
        pushed = self.gain.times([self._bounded(k, x) for k, x in enumerate(s)])
        dissipated = sum(x * push for x, push in zip(s, pushed, strict=True))
        more = ("", "") if self.kd is None else (" - sᵀ Kd s", " - s^T K_d s")
        dissipated = dissipated if self.kd is None else dissipated + quadratic(self.kd.matrix, s)
        return self._prove(
            quadratic(self.equations.mass_matrix, s) / 2,
            dissipated,
            formula=("1/2 sᵀ M s", r"\tfrac12 s^T M s"),
            rate_formula=(f"-Σ k s sat(s/φ){more[0]}", rf"-\sum_i k_i s_i \,\mathrm{{sat}}(s_i/\varphi_i){more[1]}"),
            conclusion="s goes to zero, as sat(s/φ) has its sign; efforts wrong by less than k leave it near it.",
        )


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Estimated parameters: `true` values, symbols of the `estimates`, `forces` with these, and `power` = Yᵀ s."""

    true: list[Expr]
    estimates: list[Expr]
    forces: list[Expr]
    power: list[Expr]


def unknowns(sliding: SlidingVariable, actuation: Actuation, names: Sequence[str], place: str) -> Unknowns:
    """Efforts with estimates of these parameters, and how much each of them does along s."""
    e = actuation.equations
    estimates = [symbol(f"estimate_{name}", "state") for name in names]
    if all(name in e.system.parameters for name in names):
        true = [e.system.parameters[name].symbol for name in names]
        _check_linear(sliding, actuation, true, place)
        put = dict(zip(true, estimates, strict=True))
        power = gradient(as_expr(Vector(sliding.forces).dot(sliding.s)), true)  # Yᵀ s in one backward pass
        return Unknowns(true, estimates, substitute(sliding.forces, put), substitute(power, put))
    true, Y = _base_columns(sliding, actuation, names, place)
    wrong = Vector([estimate - value for estimate, value in zip(estimates, true, strict=True)])
    forces = [as_expr(f + row.dot(wrong)) for f, row in zip(sliding.forces, Y, strict=True)]
    return Unknowns(true, estimates, forces, [as_expr(x) for x in Y.T @ sliding.s])


def _check_linear(sliding: SlidingVariable, actuation: Actuation, true: Sequence[Expr], place: str) -> None:
    """Refuse parameters in which the efforts are not linear, or on which the controls' action depends."""
    Y = jacobian(sliding.forces, list(true))
    entries = [as_expr(entry) for entry in (*Y.entries(), *actuation.matrix.entries())]
    met = {*free_symbols(entries)}
    others = {x: symbol(f"another {x.name}", "parameter") for x in true}
    bent = [x for x in true if x in met and not same(substitute(entries, {x: others[x]}), entries)]
    if bent:
        names = listed([f"'{x.name}'" for x in bent])
        message = f"the efforts are not linear in {names} together with the other estimates."
        cure = "Estimate masses and moments, not lengths; or make the products parameters of the model."
        raise PolhodeError(message, place, cure, "E-CONTROL-DEPENDENCE")
    idle = [x for x, column in zip(true, Y.columns, strict=True) if not any(as_expr(entry) for entry in column)]
    if idle:
        cure = "Leave it out of the estimates."
        raise PolhodeError(f"the efforts do not depend on '{idle[0].name}'.", place, cure, "E-CONTROL-DEPENDENCE")


def _base_columns(
    sliding: SlidingVariable, actuation: Actuation, names: Sequence[str], place: str
) -> tuple[list[Expr], Matrix]:
    """The values of base parameters, and the columns of their leading standard parameters in two speeds."""
    e = actuation.equations
    if e.dependent_speeds is not None or not {*e.u} <= {*e.coordinate_rates}:
        message = "base parameters are estimated where every speed is the rate of a coordinate."
        cure = "Make what is to be estimated a parameter of the model, and name it."
        raise PolhodeError(message, place, cure, "E-CONTROL-UNSUPPORTED")
    full, base = regressor(e), base_parameters(e)
    values = {name: as_expr(row.dot(full.values)) for name, row in zip(base.names, base.K, strict=True)}
    nothing = {x: as_expr(0) for x in (*actuation.controls, *actuation.idle)}
    Y = _in_two_speeds(e, full, nothing)
    total = Y @ full.values + Vector(substitute(list(full.known), nothing))
    if not same(total, substitute(sliding.forces, {x: sliding.steps[x] for x in sliding.s})):
        message = "the regressor does not give the efforts of the sliding variable."
        cure = "Make what is to be estimated a parameter of the model, and name it."
        raise PolhodeError(message, place, cure, "E-CONTROL-UNSUPPORTED")
    columns = [Y.columns[base.standard.index(name)] for name in names]
    return [values[name] for name in names], Matrix.columns_of(columns, len(e.u)).map(as_expr)


def _in_two_speeds(e: EquationsOfMotion, full: Regressor, nothing: Mapping[Expr, Expr]) -> Matrix:
    """Y(q, u, u_r, a_r): gravity, what accelerations take, and velocity terms that are linear in each of two speeds.

    Friction is that of the speeds themselves.
    """
    entries = [as_expr(entry) for entry in full.Y.entries()]
    v, a = ([step(letter, u.name) for u in e.u] for letter in ("v", "a"))
    still = {x: as_expr(0) for x in e.udot}
    half = {u: as_expr((u + other) / 2) for u, other in zip(e.u, v, strict=True)}
    other = {u: as_expr((u - other) / 2) for u, other in zip(e.u, v, strict=True)}
    first = substitute(entries, {**nothing, **half, **dict(zip(e.udot, a, strict=True))})
    second = substitute(entries, {**nothing, **still, **other})
    third = substitute(entries, {**nothing, **still, **{u: as_expr(0) for u in e.u}})
    width = len(full.parameters)
    rubs = [parameter.kind not in MOMENTS for parameter in full.parameters] * len(e.u)
    rows = [
        plain if is_friction else as_expr(x - y + z)
        for plain, x, y, z, is_friction in zip(entries, first, second, third, rubs, strict=True)
    ]
    return Matrix([rows[k : k + width] for k in range(0, len(rows), width)])


class Adaptive(TrackingController):
    """Tracking with `estimates`, parameters or base parameters by name with the values at which they start.

    `lambda_` are the rates at which errors decay once s is zero, `kd` damps s, `gamma` says how fast estimates move.
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
        table, values, place = self.equations.system.parameters, estimates or {}, f"{self.name} estimates"
        if not values:
            cure = f"Give estimates={{{next(iter(table), 'm')!r}: …}}: names with the values at which they start."
            raise PolhodeError("no parameters to estimate are given.", self.name, cure, "E-CONTROL-MISSING")
        others = [name for name in values if name not in table]
        if others and len(others) < len(values):
            raise unknown("parameter", others[0], table, place=place, code="E-CONTROL-NAME")
        base = [*base_parameters(self.equations).names] if others else []
        kind = "parameter or base parameter" if others else "parameter"
        self.estimates = named_numbers(values, kind, [*table, *base], place)
        self.kd = self.gains("kd", kd, [u.name for u in self.equations.u])
        self.rates = self.gains("lambda", lambda_, self.tracking.names)
        self.gamma = self.gains("gamma", gamma, list(self.estimates))
        self._sliding = sliding_variable(self.equations, self.tracking, self.rates, self.actuation)
        self._unknown = unknowns(self._sliding, self.actuation, list(self.estimates), self.name)

    def write(self) -> Written:
        """Errors, wanted speeds and accelerations, how estimates change, and controls."""
        sliding, unknown = self._sliding, self._unknown
        changes = [as_expr(-x) for x in self.gamma.times(unknown.power)]
        rows = zip(unknown.estimates, self.estimates.values(), changes, strict=True)
        states = [ControllerState(*row) for row in rows]
        forces = [as_expr(f - d) for f, d in zip(unknown.forces, self.kd.times(sliding.s), strict=True)]
        return self._law_of_forces(forces, sliding.steps, states, self.kd, self.rates, self.gamma)

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """½ sᵀ M s and the square of what is wrong with the estimates, measured by Γ⁻¹."""
        s = self._sliding_steps()
        wrong = [as_expr(estimate - x) for estimate, x in zip(self._unknown.estimates, self._unknown.true, strict=True)]
        weighed = Vector(solve_symmetric(self.gamma.matrix, wrong))
        V = (quadratic(self.equations.mass_matrix, s) + weighed.dot(wrong)) / 2
        return self._prove(
            V,
            quadratic(self.kd.matrix, s),
            goal=dict(zip(self._unknown.estimates, self._unknown.true, strict=True)),
            formula=(
                "1/2 sᵀ M s + 1/2 (p - π)ᵀ Γ⁻¹ (p - π)",
                r"\tfrac12 s^T M s + \tfrac12 (\hat\pi - \pi)^T \Gamma^{-1} (\hat\pi - \pi)",
            ),
            rate_formula=("-sᵀ Kd s", r"-s^T K_d s"),
            conclusion="s and the errors go to zero; estimates p go to π where the motion is exciting enough.",
        )
